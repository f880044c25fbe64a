from django.urls import include, path

urlpatterns = [path("similar/", include("django_neardup.urls"))]
