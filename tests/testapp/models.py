"""Models for every case: plain, UUID and text keys, scopes, partners, parents and children, soft deletion."""

import uuid

from django.contrib.contenttypes.fields import GenericForeignKey, GenericRelation
from django.contrib.contenttypes.models import ContentType
from django.db import models


class Author(models.Model):
    name = models.CharField(max_length=100)

    def __str__(self):
        return self.name


class Tag(models.Model):
    name = models.CharField(max_length=100, unique=True)

    def __str__(self):
        return self.name


class Ad(models.Model):
    """A plain post with every kind of relation pointing at it."""

    title = models.CharField(max_length=200, blank=True, default="")
    text = models.TextField()
    phone = models.CharField(max_length=50, blank=True, default="")
    sku = models.CharField(max_length=50, blank=True, default="")
    author = models.ForeignKey(Author, models.CASCADE, null=True, blank=True)
    published = models.BooleanField(default=True)
    hits = models.IntegerField(default=0)
    tags = models.ManyToManyField(Tag, blank=True)
    parent = models.ForeignKey("self", models.SET_NULL, null=True, blank=True)
    notes = GenericRelation("testapp.Note")

    def __str__(self):
        return self.title or self.text[:40]

    def get_absolute_url(self):
        return f"/ads/{self.pk}/"


class Comment(models.Model):
    ad = models.ForeignKey(Ad, models.CASCADE, related_name="comments")
    text = models.TextField()


class Statistics(models.Model):
    ad = models.OneToOneField(Ad, models.CASCADE)
    views = models.IntegerField(default=0)


class Favourite(models.Model):
    ad = models.ForeignKey(Ad, models.CASCADE)
    author = models.ForeignKey(Author, models.CASCADE)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["ad", "author"], name="testapp_favourite_once")]


class Invoice(models.Model):
    ad = models.ForeignKey(Ad, models.PROTECT)


class Bundle(models.Model):
    """Points at adverts through a table with columns of its own."""

    ads = models.ManyToManyField(Ad, through="BundleItem")


class BundleItem(models.Model):
    bundle = models.ForeignKey(Bundle, models.CASCADE)
    ad = models.ForeignKey(Ad, models.CASCADE)
    place = models.IntegerField(default=0)


class Note(models.Model):
    content_type = models.ForeignKey(ContentType, models.CASCADE)
    object_id = models.PositiveBigIntegerField()
    target = GenericForeignKey()
    text = models.TextField()


class UuidPost(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    text = models.TextField()


class SlugPost(models.Model):
    slug = models.CharField(primary_key=True, max_length=100)
    text = models.TextField()


class ScopedPost(models.Model):
    site = models.IntegerField()
    text = models.TextField()


class Topic(models.Model):
    text = models.TextField()


class Reply(models.Model):
    text = models.TextField()


class Article(models.Model):
    text = models.TextField()


class LongArticle(Article):
    """A multi-table child of a registered parent."""

    source = models.CharField(max_length=100, blank=True, default="")


class ArticleProxy(Article):
    class Meta:
        proxy = True


class Unregistered(models.Model):
    text = models.TextField()


from tests.testapp import database_made, offers, zoo  # noqa: E402, F401
