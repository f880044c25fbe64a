from django.urls import path

from news import views

app_name = "news"
urlpatterns = [
    path("", views.front, name="front"),
    path("new/", views.write, name="write"),
    path("<int:pk>/", views.article, name="article"),
    path("<int:pk>/edit/", views.edit, name="edit"),
    path("<slug:slug>/", views.outlet, name="outlet"),
]
