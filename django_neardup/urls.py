"""URLs of the public pages. Include them under any prefix."""

from django.urls import path

from . import api, views

app_name = "neardup"
urlpatterns = [
    # A label contains a dot, so "api" is never taken for one.
    path("api/check/<str:label>/", api.check, name="check"),
    path("api/similar/<str:label>/<path:object_id>/", api.similar, name="api-similar"),
    path("<str:label>/<path:object_id>/", views.similar, name="similar"),
]
