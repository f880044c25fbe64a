from django.conf import settings
from django.db import models


class Advert(models.Model):
    title = models.CharField(max_length=100)
    text = models.TextField()
    city = models.CharField(max_length=50)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE)

    def __str__(self):
        return self.title


class Comment(models.Model):
    advert = models.ForeignKey(Advert, models.CASCADE)
    text = models.CharField(max_length=100)

    def __str__(self):
        return self.text
