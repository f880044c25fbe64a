"""The words of a row of the queue: contacts, authors, scores, and one line that says why it stands here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from ...models import Cluster, Pair, Verdict
from ..reopened_pairs import ReopenedPair
from ..text_format import format_percent
from ..visible_objects import DisplayedPost

ContactHashes = Mapping[int, set[int]]


def describe_contacts(
    posts: Sequence[DisplayedPost], contacts: Any, size: int, facts: Mapping[str, Any]
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


def describe_other_authors(posts: Sequence[DisplayedPost], facts: Mapping[str, Any]) -> str:
    """What is said beside the first author of the others; nothing where some are not known."""
    authors = [post.document.author for post in posts]
    more = facts.get("authors", len({*authors} - {""})) - 1
    if more < 1:
        return "" if facts.get("unsigned", "" in authors) else _("the same author")
    return ngettext("and %(count)d more author", "and %(count)d more authors", more) % {"count": more}


def score_texts(cluster_or_pair: Cluster | Pair, facts: Mapping[str, Any]) -> dict[str, str]:
    """The score, of a cluster the range of scores with the representative and the weakest pair."""
    if isinstance(cluster_or_pair, Pair):
        return {
            "score_text": format_percent(cluster_or_pair.score, cluster_or_pair.exact),
            "weakest_score_text": "",
        }
    lowest = format_percent(cluster_or_pair.lowest, cluster_or_pair.exact)
    highest = format_percent(
        facts.get("highest") or cluster_or_pair.lowest, bool(facts.get("copies")) or cluster_or_pair.exact
    )
    weakest = format_percent(cluster_or_pair.weakest, cluster_or_pair.exact)
    figure = lowest.split("\N{NO-BREAK SPACE}")[0]
    return {
        "score_text": lowest if lowest == highest else f"{figure}–{highest}",
        "weakest_score_text": weakest
        if cluster_or_pair.weakest < cluster_or_pair.lowest and weakest != lowest
        else "",
    }


def describe_no_difference(
    cluster_or_pair: Cluster | Pair, posts: Sequence[DisplayedPost], pair: Pair | None
) -> str:
    """What is said where no difference is listed."""
    if cluster_or_pair.exact:
        return _("The text is one and the same")
    if any(post.instance is None for post in posts):
        return _("You may not see both texts.")
    if isinstance(cluster_or_pair, Pair) and cluster_or_pair.verdict == Verdict.CONTAINED:
        return describe_containment(cluster_or_pair, posts)
    if pair is not None and pair.evidence.get("passages"):
        return _("The words are the same, their order or spelling is not.")
    return _("No word-by-word comparison is stored.")


def describe_containment(pair: Pair, posts: Sequence[DisplayedPost]) -> str:
    """How much of the one text is in the other."""
    share = max(pair.containment_a, pair.containment_b)
    return _("One text holds %(share)s of the other") % {"share": format_percent(share, pair.exact)}


def describe_reasons(
    cluster_or_pair: Cluster | Pair, posts: Sequence[DisplayedPost], reopened_pair: ReopenedPair | None
) -> str:
    """Why an item stands where it does, in one line."""
    found = [_reopened_text(reopened_pair)] if reopened_pair is not None else []
    if isinstance(cluster_or_pair, Cluster) and cluster_or_pair.exact:
        found.append(
            ngettext("%(count)d copy", "%(count)d copies", cluster_or_pair.size)
            % {"count": cluster_or_pair.size}
        )
    elif isinstance(cluster_or_pair, Cluster):
        words = ngettext("%(count)d post in the group", "%(count)d posts in the group", cluster_or_pair.size)
        found.append(words % {"count": cluster_or_pair.size})
    elif cluster_or_pair.verdict == Verdict.CONTAINED:
        found.append(describe_containment(cluster_or_pair, posts))
    seen = [post.visits for post in posts if post.visits]
    if seen:
        found.append(ngettext("%(count)d visit", "%(count)d visits", sum(seen)) % {"count": sum(seen)})
    return ", ".join(found)


def _reopened_text(reopened_pair: ReopenedPair) -> str:
    values = {
        "kind": reopened_pair.decision.get_kind_display(),
        "name": reopened_pair.decision.by_name,
        "date": date_format(reopened_pair.decision.created, "SHORT_DATE_FORMAT"),
    }
    return _("A text has changed since the decision “%(kind)s” (%(name)s, %(date)s)") % values
