"""Public pages: include them under any prefix."""

from django.urls import path

from . import api, views

app_name = "neardup"
urlpatterns = [
    # a label has a dot in it, so that "api" is none
    path("api/check/<str:label>/", api.check, name="check"),
    path("api/similar/<str:label>/<path:object_id>/", api.similar, name="api-similar"),
    path("<str:label>/<path:object_id>/", views.similar, name="similar"),
]
