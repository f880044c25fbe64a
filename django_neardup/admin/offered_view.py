"""The page of a family or a shortlist: the first post, and how each other one differs from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ..models import Pair, Verdict
from ..pipeline import model_of
from .cluster_view import visible_differences
from .decision_groups import FAMILY, OfferedPosts, build_item_key
from .decision_request import FILTERS_PARAM, LIST_PARAM, item_url
from .pair_view import load_sources
from .text_format import (
    MAX_ROW_DIFFERENCES,
    VERDICT_SIGNS,
    DisplayedDifference,
    format_percent,
    more_text,
)
from .visible_objects import DisplayedPost, load_displayed_posts, pair_list_url


@dataclass(frozen=True)
class OfferedRow:
    """A post of the page. For the first post ``pair`` is None and the rest is empty.

    ``compared_with``: the post that it is compared with, if that is not the first one.
    """

    post: DisplayedPost
    first_seen: datetime
    pair: Pair | None = None
    score_text: str = ""
    has_same_author: bool = False
    differences: Sequence[DisplayedDifference] = ()
    more_text: str = ""
    compare_url: str = ""
    compared_with: DisplayedPost | None = None

    @property
    def verdict_sign(self) -> str:
        return VERDICT_SIGNS[Verdict(self.pair.verdict)] if self.pair is not None else ""


class OfferedPage:
    """The data of the page. Takes a fixed number of queries for any number of posts."""

    def __init__(self, offered: OfferedPosts, request: HttpRequest, site: Any, using: str) -> None:
        self.offered, self.request, self.site, self.using = offered, request, site, using

    @property
    def is_family(self) -> bool:
        return self.offered.kind == FAMILY

    @property
    def title(self) -> str:
        if self.is_family:
            heading = ngettext(
                "%(title)s: %(count)d post of one template",
                "%(title)s: %(count)d posts of one template",
                self.offered.size,
            )
            return heading % {"title": self.first.title, "count": self.offered.size}
        heading = ngettext(
            "%(title)s: like %(count)d post", "%(title)s: like %(count)d posts", self.offered.total
        )
        return heading % {"title": self.first.title, "count": self.offered.total}

    @property
    def subtitle(self) -> str:
        """Return what is known, and what is asked."""
        if not self.is_family:
            return _(
                "It may be a copy of one of these posts. Compare and decide on that pair, or choose “None of them”."
            )
        count = self.offered.doubt_count
        if not count:
            return _("These are certainly different items. There is nothing to decide.")
        text = ngettext(
            "%(count)d of them may be the same item as another. Compare it before you decide.",
            "%(count)d of them may be the same item as another. Compare them before you decide.",
            count,
        )
        return text % {"count": count}

    @property
    def omitted_count(self) -> int:
        """Return the number of posts that the page leaves out. They come once these are decided."""
        return self.offered.total - len(self.offered.pairs)

    @property
    def pair_list_url(self) -> str:
        """Return the address of the pairs as a list."""
        document = self.offered.document
        return pair_list_url(self.site.name, document.object_id, model_of(document))

    @cached_property
    def pairs(self) -> dict[int, Pair]:
        """Return the pairs with their evidence, by the document that each offers."""
        pks = {pair.pk for pair in self.offered.pairs.values()}
        by_id = Pair.objects.using(self.using).in_bulk(pks)
        return {document: by_id[pair.pk] for document, pair in self.offered.pairs.items() if pair.pk in by_id}

    @cached_property
    def posts_by_document(self) -> dict[int, DisplayedPost]:
        others = [side for pair in self.offered.pairs.values() for side in (pair.a, pair.b)]
        return load_displayed_posts([self.offered.document, *others], self.request, self.site, self.using)

    @property
    def first(self) -> DisplayedPost:
        """The first post, with which the others are compared."""
        return self.posts_by_document[self.offered.pk]

    @cached_property
    def member_rows(self) -> list[OfferedRow]:
        """Return the row of the first post, then the rows of the others."""
        sources = load_sources(self.posts_by_document.values(), self.using)
        rows = [OfferedRow(self.first, self.offered.document.created)]
        for document, pair in self.pairs.items():
            other, post = self.offered.others[document], self.posts_by_document[document]
            compared_with = self.posts_by_document[pair.other_id(document)]
            differences = visible_differences(pair, compared_with, post, sources)
            are_visible = post.instance is not None and self.first.instance is not None
            rows.append(
                OfferedRow(
                    post,
                    other.created,
                    pair,
                    format_percent(pair.score, pair.exact),
                    are_visible and bool(other.author) and other.author == self.offered.document.author,
                    differences[:MAX_ROW_DIFFERENCES],
                    more_text(len(differences) - MAX_ROW_DIFFERENCES),
                    self._compare_url(pair),
                    compared_with if compared_with is not self.first else None,
                )
            )
        return rows

    def _compare_url(self, pair: Pair) -> str:
        """Return the address of the pair's page. A decision there leads back to this page."""
        name = "family" if self.is_family else "shortlist"
        params = {LIST_PARAM: f"{name}:{self.offered.pk}", FILTERS_PARAM: self.request.GET.urlencode()}
        return item_url(
            build_item_key(pair), self.site.name, {key: text for key, text in params.items() if text}
        )
