"""A post with every sort of column, for the tests of choosing values; and rows of which it can have one."""

from django.core.validators import FileExtensionValidator
from django.db import models

from tests.testapp.models import Author


class Offer(models.Model):
    class Colour(models.TextChoices):
        RED = "red", "Red paint"
        BLUE = "blue", "Blue paint"

    title = models.CharField("heading", max_length=100)
    text = models.TextField(blank=True, default="")
    price = models.DecimalField(max_digits=10, decimal_places=2, null=True, blank=True)
    colour = models.CharField(max_length=10, choices=Colour, default=Colour.RED)
    sold = models.BooleanField(default=False)
    seller = models.ForeignKey(Author, models.SET_NULL, null=True, blank=True)
    scan = models.FileField(blank=True, default="", validators=[FileExtensionValidator(["txt", "pdf"])])
    slug = models.CharField(max_length=50, unique=True, null=True, blank=True)
    data = models.JSONField(default=dict, blank=True)
    earlier = models.ForeignKey("self", models.SET_NULL, null=True, blank=True)
    secret = models.CharField(max_length=10, default="", editable=False)
    created = models.DateTimeField(auto_now_add=True)
    changed = models.DateTimeField(auto_now=True)
    saves = models.IntegerField(default=0, editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~models.Q(price__lt=0), name="testapp_offer_price"),
            models.UniqueConstraint(fields=["title", "colour"], name="testapp_offer_once"),
        ]

    def __str__(self):
        return self.title

    def save(self, *args, update_fields=None, **kwargs):
        self.saves += 1
        if update_fields is not None:
            update_fields = {*update_fields, "saves"}
        super().save(*args, update_fields=update_fields, **kwargs)


class SpecialOffer(Offer):
    reason = models.CharField(max_length=50, blank=True, default="")


class Promotion(models.Model):
    """Of these an offer has one, and other rows belong to it."""

    offer = models.OneToOneField(Offer, models.CASCADE)
    until = models.DateField(null=True)
    scan = models.FileField(blank=True, default="")

    def __str__(self):
        return f"until {self.until}"


class Click(models.Model):
    promotion = models.ForeignKey(Promotion, models.CASCADE)


class Report(models.Model):
    """Loses its promotion, and is not lost with it."""

    promotion = models.ForeignKey(Promotion, models.SET_NULL, null=True)


class Contract(models.Model):
    promotion = models.ForeignKey(Promotion, models.PROTECT)


class Price(models.Model):
    """One for each currency."""

    offer = models.ForeignKey(Offer, models.CASCADE, related_name="prices")
    currency = models.CharField(max_length=10)
    amount = models.IntegerField()

    class Meta:
        unique_together = [("offer", "currency")]
