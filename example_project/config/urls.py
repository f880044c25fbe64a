from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView
from django.urls import include, path

urlpatterns = [
    path("", include("board.urls")),
    path("forum/", include("forum.urls")),
    path("similar/", include("django_neardup.urls")),
    path("login/", LoginView.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("language/", include("django.conf.urls.i18n")),
    path("admin/", admin.site.urls),
]
