"""The pages of the app, so that groups have links."""

from django.urls import include, path

urlpatterns = [path("similar/", include("django_neardup.urls"))]
