from django.conf import settings
from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView
from django.contrib.sitemaps.views import sitemap
from django.templatetags.static import static
from django.urls import include, path
from django.views.generic import RedirectView

from config.sitemaps import SITEMAPS

urlpatterns = [
    path("", include("board.urls")),
    path("forum/", include("forum.urls")),
    path("news/", include("news.urls")),
    path("similar/", include("django_neardup.urls")),
    path("sitemap.xml", sitemap, {"sitemaps": SITEMAPS}, name="sitemap"),
    path("login/", LoginView.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("language/", include("django.conf.urls.i18n")),
    path("admin/", admin.site.urls),
    path("favicon.ico", RedirectView.as_view(url=static("icon.svg"))),
]
if settings.DEMO:
    urlpatterns.append(path("start/", include("tours.urls")))
