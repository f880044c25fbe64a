"""Posts of several classes in one list."""

from django.conf import settings
from django.db import models

if "polymorphic" in settings.PACKAGES:
    from polymorphic.models import PolymorphicModel

    class Item(PolymorphicModel):
        title = models.CharField(max_length=100)

        def __str__(self):
            return self.title

    class Book(Item):
        pages = models.IntegerField(default=0)

    class Record(Item):
        minutes = models.IntegerField(default=0)

    class ItemNote(models.Model):
        item = models.ForeignKey(Item, models.CASCADE)

    class BookReview(models.Model):
        book = models.ForeignKey(Book, models.CASCADE)
