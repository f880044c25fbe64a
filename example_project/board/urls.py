from django.urls import path

from . import views

app_name = "board"
urlpatterns = [
    path("", views.front, name="front"),
    path("ads/new/", views.publish, name="publish"),
    path("ads/<int:pk>/", views.show, name="ad"),
    path("category/<slug:slug>/", views.category, name="category"),
    path("search/", views.search, name="search"),
]
