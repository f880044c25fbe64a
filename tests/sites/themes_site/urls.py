from django.conf import settings
from django.contrib import admin
from django.http import HttpResponse
from django.urls import include, path

# The browser asks for an icon whether or not a page names one.
urlpatterns = [path("admin/", admin.site.urls), path("favicon.ico", lambda request: HttpResponse())]
if "grappelli" in settings.THEMES:
    urlpatterns.append(path("grappelli/", include("grappelli.urls")))
