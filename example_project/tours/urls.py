from django.urls import path

from tours import views

app_name = "tours"
urlpatterns = [
    path("", views.start, name="start"),
    path("account/", views.switch, name="switch"),
    path("reset/", views.reset, name="reset"),
    path("<slug:name>/", views.tour, name="tour"),
    path("<slug:name>/<int:number>/", views.step, name="step"),
]
