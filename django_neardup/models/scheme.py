"""How texts are signed, and which of them are compared."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from .fields import DigestField


class Scheme(models.Model):
    """A generation of a profile's signatures: algorithm, parameters, canonisation version, hash secret.

    Signatures and pairs compare only inside one scheme. ``options`` are the algorithm's arguments, ``parameters``
    all that it says of itself, with the digests of the statistics and of the synonyms that it was made with.
    ``synonyms`` are the classes of words that were in the profile's file then. ``progress`` holds, by model label,
    how far ``neardup_index`` has come: the number of the present ``"pass"`` through the model, whether it is
    ``"finished"``, and whether one before it was (``"again"``); from where to where passes before it broke off
    (``"torn"``).
    """

    class State(models.TextChoices):
        BUILDING = "building", _("building")
        ACTIVE = "active", _("active")
        RETIRED = "retired", _("retired")

    profile = models.CharField(_("profile"), max_length=100)
    generation = models.PositiveIntegerField(_("generation"), default=1)
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.ACTIVE)
    algorithm = models.CharField(_("algorithm"), max_length=100)
    options = models.JSONField(_("options"), default=dict, blank=True)
    parameters = models.JSONField(_("parameters"), default=dict)
    canonisation = models.CharField(_("canonisation version"), max_length=50)
    language = models.CharField(_("language"), max_length=20)
    synonyms = models.JSONField(_("synonyms"), default=list, blank=True)
    secret = models.CharField(_("hash secret"), max_length=64)
    progress = models.JSONField(_("progress"), default=dict, blank=True)
    created = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        app_label = "neardup"
        verbose_name = _("scheme")
        verbose_name_plural = _("schemes")
        constraints = [
            models.UniqueConstraint(fields=["profile", "generation"], name="neardup_scheme_generation"),
        ]

    def __str__(self) -> str:
        return f"{self.profile} {self.generation}: {self.algorithm}"


class Space(models.Model):
    """Documents that are compared with one another: a profile, the models joined by ``compare_with``, a scope.

    Its row is the lock under which pairs and clusters change; ``lock`` counts how often it was taken.
    """

    digest = DigestField(_("digest"), unique=True)
    profile = models.CharField(_("profile"), max_length=100)
    labels = models.TextField(_("models"))
    scope = models.TextField(_("scope"), blank=True)
    lock = models.BigIntegerField(_("lock"), default=0)

    class Meta:
        app_label = "neardup"
        verbose_name = _("space")
        verbose_name_plural = _("spaces")

    def __str__(self) -> str:
        return f"{self.labels} {self.scope}".strip()
