"""Posts that wait before they are published: for their check, or for a person."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from .document import Document
from .fields import DigestField
from .pair import Verdict


class Hold(models.Model):
    """A post taken from publication as it was saved. ``verdict``, ``exact``, ``own``: of the likest post that the rules
    held it for; empty while it is being checked. ``trust``: how far the rules trusted whoever saved it; ``digest``: the
    source digest that was judged, so that an edited post is judged again; ``created``: since when it waits, of a post
    that staff had hidden since that."""

    class State(models.TextChoices):
        CHECKING = "checking", _("being checked")
        REVIEW = "review", _("waits for a moderator")
        REFUSED = "refused", _("refused")

    document = models.OneToOneField(
        Document, models.CASCADE, related_name="hold", db_constraint=False, verbose_name=_("document")
    )
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.CHECKING)
    verdict = models.CharField(_("verdict"), max_length=10, choices=Verdict.choices, blank=True, default="")
    exact = models.BooleanField(_("exact"), default=False)
    own = models.BooleanField(_("of the same author"), default=False)
    trust = models.CharField(_("trust"), max_length=100, blank=True, default="")
    digest = DigestField(_("source digest"))
    created = models.DateTimeField(pgettext_lazy("held post", "since"), auto_now_add=True)

    class Meta:
        app_label = "neardup"
        verbose_name = _("held post")
        verbose_name_plural = _("held posts")
        indexes = [models.Index(fields=["state", "created"], name="neardup_hold_state")]

    def __str__(self) -> str:
        return f"{self.document}: {self.get_state_display()}"
