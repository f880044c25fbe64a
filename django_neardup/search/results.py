"""The results of a search: a post that is similar to a text, and a checked text of a batch."""

from __future__ import annotations

import logging
from collections.abc import Iterable
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
from .judged_posts import JudgedPost

logger = logging.getLogger(__name__)

MAX_TITLE_LENGTH = 120
"""Maximum length of a title, in letters."""


@dataclass(frozen=True)
class Match:
    """A post that is similar to the text.

    - ``object``: the post as the caller's queryset returns it. None for a remembered deleted post.
    - ``deleted``: the time when a remembered post was deleted.
    - ``verdict``: "duplicate", "variant", "contained" or "related".
    - ``exact``: the texts are equal apart from formatting.
    - ``score``: the similarity, 0..1.
    - ``own``: the post is by the author of the text. False if either author is not known.
    - ``title``: the post's title, at most 120 letters.
    - ``url``: its address. Empty if there is no address or it is not safe to follow.

    Verdict, score and certainty are for code and staff, never for the public.
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

    @property
    def doubtful(self) -> bool:
        """Whether the verdict is in doubt. A post that was found without a comparison is surely alike."""
        return self.judgement is not None and self.judgement.doubtful

    @property
    def certainty(self) -> str:
        """How sure the verdict is: "sure" or "maybe"."""
        return "maybe" if self.doubtful else "sure"

    @cached_property
    def hints(self) -> list[DifferenceLabel]:
        """The differences, at most four.

        ``before`` has words of the checked text, ``after`` words of the post.
        """
        if self.judgement is None:
            return []
        return build_difference_labels(self.judgement.evidence(), dict(zip("ab", self.texts)))


class Matches(list[Match]):
    """The posts that are similar to a text, the best first.

    ``partial``: whether a similar post may be missing. Either more live posts share a passage with the text than are
    read, and the caller may not see some that were read. Or the texts are too long to be compared with all of them in
    the time of a request: then the others are compared by their fingerprints only.
    ``too_long``: whether the text is too long to be compared. Then there are no matches.
    """

    def __init__(
        self, matches: Iterable[Match] = (), *, partial: bool = False, too_long: bool = False
    ) -> None:
        super().__init__(matches)
        self.partial = partial
        self.too_long = too_long


@dataclass(frozen=True)
class CheckResult:
    """The result for one text of a batch.

    ``matches``: as ``find_similar`` returns them. ``repeats``: positions, in the batch, of the earlier texts
    that this text duplicates. If several texts repeat each other, only the first is named.
    """

    matches: Matches
    repeats: list[int]


def build_match(judged_post: JudgedPost, author: str, text: str) -> Match:
    """Return the match for a post that was compared with a text.

    ``author``: the text's author, or "" if not known.
    """
    instance, judgement = judged_post.instance, judged_post.judgement
    return Match(
        object=instance,
        verdict=judgement.verdict,
        exact=judgement.exact,
        score=judgement.score,
        own=bool(author) and author == judged_post.source.author,
        title=display_title(instance, MAX_TITLE_LENGTH),
        url=public_url(instance),
        judgement=judgement,
        texts=(text, judged_post.source.text),
    )


def public_url(instance: Model) -> str:
    """Return the object's public address.

    Return "" if there is none, if it is not safe or if reading it fails.
    """
    return safe_url(addresses.current_url(instance))


def safe_appeal_url(instance: Model) -> str:
    """Return the address where the author can object.

    Return "" if there is none, if it is not safe or if reading it fails.
    """
    try:
        return safe_url(str(adapter_for(instance).appeal_url(instance) or ""))
    except Exception as error:
        label, error_name = instance._meta.label, type(error).__name__
        logger.warning(
            "neardup: the address for objections to %s %s cannot be built: %s", label, instance.pk, error_name
        )
        return ""


def safe_url(url: str) -> str:
    """Return the address if it is relative or a web address. Otherwise return ""."""
    # A field of the post may supply the address, so it cannot be trusted.
    stripped_url = "".join(letter for letter in url if letter > " ")
    try:
        return url if urlsplit(stripped_url).scheme in ("", "http", "https") else ""
    except ValueError:
        return ""
