"""Everything that may point at an object, one kind a model: for the tests of merging."""

import uuid

from django.contrib.contenttypes.fields import GenericForeignKey
from django.contrib.contenttypes.models import ContentType
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower


class Person(models.Model):
    name = models.CharField(max_length=100)


class Group(models.Model):
    name = models.CharField(max_length=100)

    def __str__(self):
        return self.name


class Piece(models.Model):
    """What is merged. It points at itself in every way, and at others."""

    code = models.CharField(max_length=20, unique=True)
    text = models.TextField(blank=True, default="")
    parent = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="+")
    twin = models.OneToOneField("self", models.CASCADE, null=True, blank=True, related_name="+")
    friends = models.ManyToManyField("self", blank=True)
    follows = models.ManyToManyField("self", symmetrical=False, blank=True, related_name="followers")
    groups = models.ManyToManyField(Group, blank=True)

    def __str__(self):
        return self.code


class Bound(models.Model):
    """A post that must have a parent: itself, where it has no other."""

    parent = models.ForeignKey("self", models.CASCADE, null=True)
    root = models.ForeignKey("self", models.PROTECT, related_name="+", null=False)


class Cascading(models.Model):
    piece = models.ForeignKey(Piece, models.CASCADE, related_name="+")


class Protecting(models.Model):
    piece = models.ForeignKey(Piece, models.PROTECT)


class Restricting(models.Model):
    piece = models.ForeignKey(Piece, models.RESTRICT)


class Nulling(models.Model):
    piece = models.ForeignKey(Piece, models.SET_NULL, null=True)


class Defaulting(models.Model):
    piece = models.ForeignKey(Piece, models.SET_DEFAULT, null=True, default=None)


def nobody():
    """The piece that takes the place of deleted ones."""
    return Piece.objects.filter(code="nobody").first()


class Setting(models.Model):
    piece = models.ForeignKey(Piece, models.SET(nobody), null=True)


class Careless(models.Model):
    piece = models.ForeignKey(Piece, models.DO_NOTHING, db_constraint=False)


class ByCode(models.Model):
    piece = models.ForeignKey(Piece, models.CASCADE, to_field="code")


class Single(models.Model):
    piece = models.OneToOneField(Piece, models.CASCADE)


class Passport(models.Model):
    """A row whose key is the piece's."""

    piece = models.OneToOneField(Piece, models.CASCADE, primary_key=True)
    number = models.CharField(max_length=20, unique=True)


class Stamp(models.Model):
    passport = models.ForeignKey(Passport, models.CASCADE)


class Rating(models.Model):
    piece = models.ForeignKey(Piece, models.CASCADE)
    person = models.ForeignKey(Person, models.CASCADE)

    class Meta:
        unique_together = [("piece", "person")]


class Purchase(models.Model):
    """Only joins, and a piece has one, whoever the buyer is."""

    piece = models.OneToOneField(Piece, models.CASCADE)
    person = models.ForeignKey(Person, models.CASCADE)
    made = models.DateTimeField(auto_now_add=True)


class Opinion(models.Model):
    """Only joins, and a person has one of a piece, whatever the choice is."""

    piece = models.ForeignKey(Piece, models.CASCADE)
    person = models.ForeignKey(Person, models.CASCADE)
    choice = models.ForeignKey(Group, models.CASCADE)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["piece", "person"], name="testapp_opinion_once")]


class Boost(models.Model):
    piece = models.ForeignKey(Piece, models.CASCADE)
    active = models.BooleanField(default=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["piece"], condition=Q(active=True), name="testapp_boost_active"),
        ]


class Alias(models.Model):
    piece = models.ForeignKey(Piece, models.CASCADE)
    name = models.CharField(max_length=20)

    class Meta:
        constraints = [models.UniqueConstraint(F("piece"), Lower("name"), name="testapp_alias_name")]


class Remark(models.Model):
    """A generic reference with a text column."""

    kind = models.ForeignKey(ContentType, models.CASCADE)
    key = models.CharField(max_length=50)
    about = GenericForeignKey("kind", "key")


class Vote(models.Model):
    """A generic reference of which a person has one."""

    content_type = models.ForeignKey(ContentType, models.CASCADE)
    object_id = models.PositiveIntegerField()
    about = GenericForeignKey(for_concrete_model=False)
    person = models.ForeignKey(Person, models.CASCADE)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["content_type", "object_id", "person"], name="testapp_vote_once"),
        ]


class Shelf(models.Model):
    pieces = models.ManyToManyField(Piece, through="ShelfItem")


class ShelfItem(models.Model):
    shelf = models.ForeignKey(Shelf, models.CASCADE)
    piece = models.ForeignKey(Piece, models.CASCADE)
    place = models.IntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["shelf", "piece"], name="testapp_shelf_item")]


class ShelfLabel(models.Model):
    item = models.ForeignKey(ShelfItem, models.CASCADE)


class Basket(models.Model):
    """Its rows have columns of their own, and may hold a piece twice."""

    pieces = models.ManyToManyField(Piece, through="BasketItem")


class BasketItem(models.Model):
    basket = models.ForeignKey(Basket, models.CASCADE)
    piece = models.ForeignKey(Piece, models.CASCADE)
    count = models.IntegerField(default=1)


class Pin(models.Model):
    """A key of two columns, one of which moves."""

    pk = models.CompositePrimaryKey("piece", "person")
    piece = models.ForeignKey(Piece, models.CASCADE)
    person = models.ForeignKey(Person, models.CASCADE)


class PieceProxy(Piece):
    class Meta:
        proxy = True


class Poster(Piece):
    """A multi-table child."""

    paper = models.CharField(max_length=20, unique=True)


class Video(Piece):
    """Another one."""

    seconds = models.IntegerField(default=0)


class Pixel(models.Model):
    """Points at a child."""

    poster = models.ForeignKey(Poster, models.CASCADE)


class Shown(models.Manager):
    def get_queryset(self):
        return super().get_queryset().filter(deleted=False)


class Soft(models.Model):
    """Its deletion leaves the row."""

    text = models.TextField(blank=True, default="")
    deleted = models.BooleanField(default=False)
    changed = models.DateTimeField(auto_now=True)

    objects = Shown()
    everything = models.Manager()

    def delete(self, *args, **kwargs):
        self.deleted = True
        self.save()


class SoftReply(models.Model):
    """Some rows are hidden by its manager: they must move too."""

    soft = models.ForeignKey(Soft, models.CASCADE)
    deleted = models.BooleanField(default=False)

    objects = Shown()
    everything = models.Manager()


class Sealed(models.Model):
    """A key that is a UUID, and a column of every kind that is easily cut or rounded."""

    key = models.UUIDField(primary_key=True, default=uuid.uuid4)
    above = models.ForeignKey("self", models.SET_NULL, null=True)
    at = models.DateTimeField(null=True)
    day = models.DateField(null=True)
    hour = models.TimeField(null=True)
    span = models.DurationField(null=True)
    price = models.DecimalField(max_digits=20, decimal_places=7, null=True)
    share = models.FloatField(null=True)
    number = models.BigIntegerField(null=True)
    bytes = models.BinaryField(null=True)
    data = models.JSONField(null=True)
    always = models.JSONField(default=dict)
    mark = models.UUIDField(null=True)
    address = models.GenericIPAddressField(null=True)
    scan = models.FileField(null=True)
    words = models.TextField(default="")
    made = models.DateTimeField(auto_now_add=True)
    changed = models.DateTimeField(auto_now=True)


class SealedNote(models.Model):
    """Points at a UUID; its dates set themselves."""

    sealed = models.ForeignKey(Sealed, models.CASCADE)
    changed = models.DateTimeField(auto_now=True)


class Slugged(models.Model):
    """A key of text."""

    slug = models.CharField(primary_key=True, max_length=50)
    heir = models.ForeignKey("self", models.SET_NULL, null=True)


class SluggedNote(models.Model):
    slugged = models.ForeignKey(Slugged, models.CASCADE)


class Cover(models.Model):
    """A multi-table parent of what points at a piece."""

    title = models.CharField(max_length=20, default="")


class Leaflet(Cover):
    piece = models.ForeignKey(Piece, models.CASCADE)


class Notice(models.Model):
    """A parent whose child has a key of its own."""

    text = models.TextField()
    city = models.IntegerField(default=1)
    published = models.BooleanField(default=True)
    about = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="+")


class Bulletin(Notice):
    number = models.BigAutoField(primary_key=True)
    notice = models.OneToOneField(Notice, models.CASCADE, parent_link=True)
    office = models.CharField(max_length=50, blank=True, default="")


class NullCharField(models.CharField):
    """NULL is read as an empty text, and an empty text is stored as NULL, so that several rows may have none."""

    def from_db_value(self, value, *args):
        return "" if value is None else value

    def get_prep_value(self, value):
        return super().get_prep_value(value) or None


class Blocks(list):
    """A value that is equal to itself alone."""

    def __eq__(self, other):
        return self is other

    __hash__ = None


class BlocksField(models.TextField):
    """Its values can be neither hashed nor compared."""

    def from_db_value(self, value, *args):
        return self.to_python(value)

    def to_python(self, value):
        return value if isinstance(value, Blocks) else Blocks((value or "").split())

    def get_prep_value(self, value):
        return " ".join(value or ())

    def value_to_string(self, instance):
        return self.get_prep_value(self.value_from_object(instance))


class Product(models.Model):
    piece = models.ForeignKey(Piece, models.CASCADE, null=True, related_name="+")
    code = NullCharField(max_length=20, unique=True, null=True, blank=True, default="")
    body = BlocksField(blank=True, default="")


class Review(models.Model):
    """A product has one review without a number."""

    product = models.ForeignKey(Product, models.CASCADE)
    number = NullCharField(max_length=20, null=True, blank=True, default="")

    class Meta:
        unique_together = [("product", "number")]


class Access(models.Model):
    """What a user may do with a piece."""

    piece = models.ForeignKey(Piece, models.CASCADE, related_name="+")
    user = models.ForeignKey("auth.User", models.CASCADE, related_name="+")


class Kinded(models.Model):
    """Its row names its class, as that of a Wagtail page does."""

    kind = models.ForeignKey(ContentType, models.PROTECT, related_name="+", editable=False)


class KindedChild(Kinded):
    """A multi-table child."""

    text = models.TextField(blank=True, default="")
