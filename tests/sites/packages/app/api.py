"""An API with posts that are listed without their repetitions, and merged."""

from django.db import transaction
from django.shortcuts import get_object_or_404
from django.utils.decorators import method_decorator
from django_filters.rest_framework import DjangoFilterBackend, FilterSet
from rest_framework.decorators import action
from rest_framework.filters import OrderingFilter, SearchFilter
from rest_framework.pagination import PageNumberPagination
from rest_framework.permissions import IsAdminUser, IsAuthenticatedOrReadOnly
from rest_framework.response import Response
from rest_framework.routers import DefaultRouter
from rest_framework.serializers import ModelSerializer
from rest_framework.viewsets import ModelViewSet

import django_neardup as neardup
from django_neardup.exceptions import MergeRefused
from django_neardup.models import MergeRecord
from django_neardup.moderation import ActionContext, merge, undo

from .listed_by_api import ApiPost


class PostSerializer(ModelSerializer):
    class Meta:
        model = ApiPost
        fields = ("id", "text", "city")


class PostFilter(FilterSet):
    class Meta:
        model = ApiPost
        fields = ("city",)


class Pages(PageNumberPagination):
    page_size = 2


# A merge and an undo open transactions of their own, which hold locks and are repeated after a deadlock.
@method_decorator(transaction.non_atomic_requests, name="dispatch")
class PostViewSet(ModelViewSet):
    queryset = ApiPost.objects.filter(published=True)
    serializer_class = PostSerializer
    permission_classes = (IsAuthenticatedOrReadOnly,)
    filter_backends = (DjangoFilterBackend, SearchFilter, OrderingFilter)
    filterset_class = PostFilter
    search_fields = ("text",)
    ordering = ("pk",)
    pagination_class = Pages

    def filter_queryset(self, queryset):
        """Search first and collapse afterwards."""
        found = super().filter_queryset(queryset)
        return neardup.collapse(found, self.get_queryset()) if self.action == "list" else found

    @action(detail=True, methods=["post"], permission_classes=[IsAdminUser])
    def merge(self, request, pk):
        losers = list(ApiPost.objects.filter(pk__in=request.data["losers"]))
        try:
            records = merge(self.get_object(), losers, ActionContext(user=request.user))
        except MergeRefused as refused:
            return Response({"reasons": refused.reasons}, status=409)
        return Response({"records": [record.pk for record in records]})

    @action(
        detail=False,
        methods=["post"],
        permission_classes=[IsAdminUser],
        url_path="undo/(?P<record_pk>[0-9]+)",
    )
    def undo(self, request, record_pk):
        record = get_object_or_404(MergeRecord, pk=record_pk)
        return Response({"left": undo(record, request.user, "default").left})


router = DefaultRouter()
router.register("posts", PostViewSet)
urlpatterns = router.urls
