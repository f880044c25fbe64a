from django.conf import settings
from django.contrib import admin
from django.urls import include, path

urlpatterns = [path("admin/", admin.site.urls)]
if "rest_framework" in settings.PACKAGES:
    urlpatterns.append(path("api/", include("tests.sites.packages.app.api")))
