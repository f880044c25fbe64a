"""The texts of a queue row: contacts, authors, scores, and one line with the reasons why it is in the queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from ...models import Cluster, Pair, Verdict
from ..decision_groups import SHORTLIST, Decidable, OfferedPosts
from ..reopened_pairs import ReopenedPair
from ..text_format import format_percent
from ..visible_objects import DisplayedPost

ContactHashes = Mapping[int, set[int]]


def describe_contacts(
    posts: Sequence[DisplayedPost], contacts: Any, size: int, facts: Mapping[str, Any]
) -> tuple[str, int | None]:
    """Return in words whether the posts state the same contact, and the hash of a contact that they share.

    The hash is None if they share none. ``size`` is the number of posts in the group.
    """
    first_hashes, *other_hashes = [contacts[post.document.pk] for post in posts] or [set()]
    shared = first_hashes & other_hashes[0] if other_hashes else set()
    sharing = facts.get("sharing", len(shared) and 1)
    stating = facts.get("stating", 1 if other_hashes and other_hashes[0] else 0)
    contact = min(shared or first_hashes, default=None) if sharing else None
    if sharing and sharing == size - 1:
        return pgettext("contacts", "the same contact"), contact
    if sharing:
        return _("the same in %(some)d of %(all)d") % {"some": sharing + 1, "all": size}, contact
    if first_hashes and stating:
        return pgettext("contacts", "different contacts"), None
    return pgettext("contacts", "no contacts"), None


def describe_other_authors(posts: Sequence[DisplayedPost], facts: Mapping[str, Any]) -> str:
    """Return a text about the other authors, to follow the first one.

    Return an empty string if there is no other known author but some post has none: they may differ.
    """
    authors = [post.document.author for post in posts]
    other_count = facts.get("authors", len({*authors} - {""})) - 1
    if other_count < 1:
        return "" if facts.get("unsigned", "" in authors) else _("the same author")
    return ngettext("and %(count)d more author", "and %(count)d more authors", other_count) % {
        "count": other_count
    }


def score_texts(source: Decidable, facts: Mapping[str, Any]) -> dict[str, str]:
    """Return ``score_text`` and ``weakest_score_text``. For posts beside one, the first is the range of scores with it.

    For a cluster, the first is the range of scores with the leader, the second the score of the weakest pair.
    The second is empty if it is not below the range.
    """
    if isinstance(source, Pair):
        return {"score_text": format_percent(source.score, source.exact), "weakest_score_text": ""}
    if isinstance(source, OfferedPosts):
        scores = [pair.score for pair in source.pairs.values()]
        return {
            "score_text": _range_text(format_percent(min(scores)), format_percent(max(scores))),
            "weakest_score_text": "",
        }
    lowest = format_percent(source.lowest, source.exact)
    highest = format_percent(facts.get("highest") or source.lowest, bool(facts.get("copies")) or source.exact)
    weakest = format_percent(source.weakest, source.exact)
    return {
        "score_text": _range_text(lowest, highest),
        "weakest_score_text": weakest if source.weakest < source.lowest and weakest != lowest else "",
    }


def _range_text(lowest: str, highest: str) -> str:
    """Return a range of percentages with one sign."""
    figure = lowest.split("\N{NO-BREAK SPACE}")[0]
    return lowest if lowest == highest else f"{figure}–{highest}"


def describe_no_difference(source: Decidable, posts: Sequence[DisplayedPost], pair: Pair | None) -> str:
    """Return the text for a row without listed differences."""
    if source.exact:
        return _("Identical text")
    if any(post.instance is None for post in posts):
        return _("You cannot see both texts.")
    if isinstance(source, Pair) and source.verdict == Verdict.CONTAINED:
        return describe_containment(source, posts)
    if pair is not None and pair.evidence.get("passages"):
        return _("Same words, different order or spelling.")
    return _("No word-by-word comparison is stored.")


def describe_containment(pair: Pair, posts: Sequence[DisplayedPost]) -> str:
    """Return a sentence with the share of one text that is in the other."""
    share = max(pair.containment_a, pair.containment_b)
    return _("One text contains %(share)s of the other") % {"share": format_percent(share, pair.exact)}


def describe_offered_posts(source: OfferedPosts) -> list[str]:
    """Return in words how many posts stand beside the one, and how many of these may be the same item."""
    if source.kind == SHORTLIST:
        text = ngettext("like %(count)d post", "like %(count)d posts", source.total)
        return [text % {"count": source.total}]
    posts = ngettext("%(count)d post of one template", "%(count)d posts of one template", source.size)
    texts = [posts % {"count": source.size}]
    if source.doubt_count:
        doubts = ngettext("maybe the same: %(count)d", "maybe the same: %(count)d", source.doubt_count)
        texts.append(doubts % {"count": source.doubt_count})
    return texts


def describe_reasons(
    source: Decidable, posts: Sequence[DisplayedPost], reopened_pair: ReopenedPair | None
) -> str:
    """Return one line with the reasons for the item's place in the queue."""
    space = source.document.space_id if isinstance(source, OfferedPosts) else source.space_id
    reasons = [_reopened_text(reopened_pair, space)] if reopened_pair is not None else []
    if isinstance(source, Cluster) and source.exact:
        reasons.append(ngettext("%(count)d copy", "%(count)d copies", source.size) % {"count": source.size})
    elif isinstance(source, Cluster):
        words = ngettext("%(count)d post in the group", "%(count)d posts in the group", source.size)
        reasons.append(words % {"count": source.size})
    elif isinstance(source, OfferedPosts):
        reasons += describe_offered_posts(source)
    elif source.verdict == Verdict.CONTAINED:
        reasons.append(describe_containment(source, posts))
    visits = [post.visits for post in posts if post.visits]
    if visits:
        reasons.append(ngettext("%(count)d visit", "%(count)d visits", sum(visits)) % {"count": sum(visits)})
    return ", ".join(reasons)


def _reopened_text(reopened_pair: ReopenedPair, space: int | None) -> str:
    decision = reopened_pair.decision
    values = {
        "kind": decision.get_kind_display(),
        "name": decision.by_name,
        "date": date_format(decision.created, "SHORT_DATE_FORMAT"),
    }
    if decision.space_id != space:
        # The posts have moved since, and its person may be of another tenant.
        return _("A text has changed since the decision “%(kind)s” (%(date)s)") % values
    return _("A text has changed since the decision “%(kind)s” (%(name)s, %(date)s)") % values
