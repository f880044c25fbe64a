from django.urls import path

from forum import views

app_name = "forum"
urlpatterns = [
    path("", views.front, name="front"),
    path("latest/", views.latest, name="latest"),
    path("topics/<int:pk>/", views.topic, name="topic"),
    path("<slug:slug>/new/", views.begin, name="begin"),
    path("<slug:slug>/", views.section, name="section"),
]
