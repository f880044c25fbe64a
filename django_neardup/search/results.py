"""What was found: a post that is like a text, and a text of a batch that was checked."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from urllib.parse import urlsplit

from django.db.models import Model

from ..adapters import adapter_for
from ..algorithms.base import Judgement
from ..moderation import addresses
from .difference_labels import DifferenceLabel, build_difference_labels
from .display_titles import display_title
from .verify import JudgedPost

logger = logging.getLogger(__name__)

MAX_TITLE_LENGTH = 120
"""Letters of a title."""


@dataclass(frozen=True)
class Match:
    """A post that is like the text.

    ``object``: as the caller's queryset gives it; None for a deleted post that is remembered, which ``deleted`` tells
    the time of. ``verdict``: "duplicate", "variant", "contained" or "related"; ``exact``: the texts are equal but for
    their dress; ``score``: likeness, 0..1. Verdict and score are for code and staff, never for the public.
    ``own``: the post is of the author of the text, so far as both are known. ``title`` is the object in words, at most
    120 letters; ``url`` its address, empty where it has none that is safe to follow.
    """

    object: Model | None
    verdict: str
    exact: bool
    score: float
    own: bool = False
    title: str = ""
    url: str = ""
    deleted: datetime | None = None
    judgement: Judgement | None = field(default=None, repr=False, compare=False)
    texts: tuple[str, str] = field(default=("", ""), repr=False, compare=False)

    @cached_property
    def hints(self) -> list[DifferenceLabel]:
        """What differs, at most four: ``before`` are words of the text that is checked, ``after`` of the post."""
        if self.judgement is None:
            return []
        return build_difference_labels(self.judgement.evidence(), dict(zip("ab", self.texts)))


@dataclass(frozen=True)
class CheckResult:
    """What was found for one text of a batch.

    ``matches``: as ``find_similar`` gives them. ``repeats``: places, in the batch, of earlier texts that it is a
    duplicate of; of texts that repeat one another the first alone is named."""

    matches: list[Match]
    repeats: list[int]


def build_match(judged_post: JudgedPost, author: str, text: str) -> Match:
    """What is told of a post that was compared with that text. ``author``: of the text, empty where unknown."""
    instance, said = judged_post.instance, judged_post.judgement
    return Match(
        object=instance,
        verdict=said.verdict,
        exact=said.exact,
        score=said.score,
        own=bool(author) and author == judged_post.source.author,
        title=display_title(instance, MAX_TITLE_LENGTH),
        url=public_url(instance),
        judgement=said,
        texts=(text, judged_post.source.text),
    )


def public_url(instance: Model) -> str:
    """The object's public address; empty where it has none that is safe to follow, or where it cannot tell."""
    return safe_url(addresses.current_url(instance))


def safe_appeal_url(instance: Model) -> str:
    """Where its author can object; empty where nowhere, where that is not safe to follow, or cannot be told."""
    try:
        return safe_url(str(adapter_for(instance).appeal_url(instance) or ""))
    except Exception as error:
        label, name = instance._meta.label, type(error).__name__
        logger.warning("Where to object about %s %s cannot be told: %s", label, instance.pk, name)
        return ""


def safe_url(url: str) -> str:
    """The address, if it is relative or of the web; else none: a post's own field may have made it."""
    bare = "".join(letter for letter in url if letter > " ")
    try:
        return url if urlsplit(bare).scheme in ("", "http", "https") else ""
    except ValueError:
        return ""
