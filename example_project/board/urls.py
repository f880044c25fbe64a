from django.urls import path

from board import authoring, feeds, views

app_name = "board"
urlpatterns = [
    path("", views.front, name="front"),
    path("ads/new/", authoring.publish, name="publish"),
    path("ads/mine/", authoring.mine, name="mine"),
    path("ads/appeal/", authoring.appeal, name="appeal"),
    path("ads/<int:pk>/", views.show, name="ad"),
    path("ads/<int:pk>/edit/", authoring.edit, name="edit"),
    path("ads/<int:pk>/appeal/", authoring.appeal, name="appeal"),
    path("category/<slug:slug>/", views.CategoryList.as_view(), name="category"),
    path("category/<slug:slug>/print/", views.CategoryPrint.as_view(), name="print"),
    path("search/", views.search, name="search"),
    path("feed/rss/", feeds.LatestAds(), name="rss"),
    path("feed/atom/", feeds.LatestAdsAtom(), name="atom"),
]
