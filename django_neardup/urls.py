"""Public pages: include them under any prefix."""

from django.urls import path

from . import views

app_name = "neardup"
urlpatterns = [
    path("<str:label>/<path:object_id>/", views.similar, name="similar"),
]
