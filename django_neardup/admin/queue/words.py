"""The words of a row of the queue: contacts, authors, scores, and one line that says why it stands here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from ...models import Cluster, Pair, Verdict
from ..reopened import Reopened
from ..shown import Shown
from ..words import percent

Contacts = Mapping[int, set[int]]


def contact_words(
    posts: Sequence[Shown], contacts: Any, size: int, facts: Mapping[str, Any]
) -> tuple[str, int | None]:
    """Whether the posts name one contact, in words, and a contact that they share."""
    own, *others = [contacts[post.document.pk] for post in posts] or [set()]
    shared = own & others[0] if others else set()
    sharing = facts.get("sharing", len(shared) and 1)
    stating = facts.get("stating", 1 if others and others[0] else 0)
    some = min(shared or own, default=None) if sharing else None
    if sharing and sharing == size - 1:
        return pgettext("contacts", "the same contact"), some
    if sharing:
        return _("the same in %(some)d of %(all)d") % {"some": sharing + 1, "all": size}, some
    if own and stating:
        return pgettext("contacts", "different contacts"), None
    return pgettext("contacts", "no contacts"), None


def authors_words(posts: Sequence[Shown], facts: Mapping[str, Any]) -> str:
    """What is said beside the first author of the others; nothing where some are not known."""
    authors = [post.document.author for post in posts]
    more = facts.get("authors", len({*authors} - {""})) - 1
    if more < 1:
        return "" if facts.get("unsigned", "" in authors) else _("the same author")
    return ngettext("and %(count)d more author", "and %(count)d more authors", more) % {"count": more}


def range_words(source: Cluster | Pair, facts: Mapping[str, Any]) -> dict[str, str]:
    """The score, of a cluster the range of scores with the representative and the weakest pair."""
    if isinstance(source, Pair):
        return {"score": percent(source.score, source.exact), "weakest": ""}
    lowest = percent(source.lowest, source.exact)
    highest = percent(facts.get("highest") or source.lowest, bool(facts.get("copies")) or source.exact)
    weakest = percent(source.weakest, source.exact)
    figure = lowest.split("\N{NO-BREAK SPACE}")[0]
    return {
        "score": lowest if lowest == highest else f"{figure}–{highest}",
        "weakest": weakest if source.weakest < source.lowest and weakest != lowest else "",
    }


def same_words(source: Cluster | Pair, posts: Sequence[Shown], pair: Pair | None) -> str:
    """What is said where no difference is listed."""
    if source.exact:
        return _("The text is one and the same")
    if any(post.instance is None for post in posts):
        return _("You may not see both texts.")
    if isinstance(source, Pair) and source.verdict == Verdict.CONTAINED:
        return contained_words(source, posts)
    if pair is not None and pair.evidence.get("passages"):
        return _("The words are the same, their order or spelling is not.")
    return _("No word-by-word comparison is stored.")


def contained_words(pair: Pair, posts: Sequence[Shown]) -> str:
    """How much of the one text is in the other."""
    share = max(pair.containment_a, pair.containment_b)
    return _("One text holds %(share)s of the other") % {"share": percent(share, pair.exact)}


def reasons(source: Cluster | Pair, posts: Sequence[Shown], again: Reopened | None) -> str:
    """Why an item stands where it does, in one line."""
    found = [_again(again)] if again is not None else []
    if isinstance(source, Cluster) and source.exact:
        found.append(ngettext("%(count)d copy", "%(count)d copies", source.size) % {"count": source.size})
    elif isinstance(source, Cluster):
        words = ngettext("%(count)d post in the group", "%(count)d posts in the group", source.size)
        found.append(words % {"count": source.size})
    elif source.verdict == Verdict.CONTAINED:
        found.append(contained_words(source, posts))
    seen = [post.visits for post in posts if post.visits]
    if seen:
        found.append(ngettext("%(count)d visit", "%(count)d visits", sum(seen)) % {"count": sum(seen)})
    return ", ".join(found)


def _again(again: Reopened) -> str:
    values = {
        "kind": again.decision.get_kind_display(),
        "name": again.decision.by_name,
        "date": date_format(again.decision.created, "SHORT_DATE_FORMAT"),
    }
    return _("A text has changed since the decision “%(kind)s” (%(name)s, %(date)s)") % values
