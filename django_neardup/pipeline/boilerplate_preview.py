"""What a passage on the staff's list would change, without storing anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field

from django.db.models import QuerySet

from ..algorithms.base import Algorithm
from ..comparison.compared_texts import JudgeableText
from ..comparison.verify import judge_pair
from ..conf import Profile
from ..judge.boilerplate_snapshot import BoilerplateSnapshot
from ..models import Document, Pair, Scheme, Verdict
from .boilerplate_store import hash_passages, listed_passages, newest_boilerplate
from .schemes import algorithm_of
from .stored_posts import fingerprints_of, read_unchanged_texts

MAX_PAIRS = 500
"""Newest variants of a profile that are judged for a preview."""


@dataclass
class PassagePreview:
    """What a passage would change.

    - ``total``: variants of the profiles. ``examined``: the newest ones, which were judged.
    - ``holding``: judged pairs in which both texts have the passage.
    - ``changed``: pairs among these that are variants without the passage and related with it, the newest first.
    """

    total: int = 0
    examined: int = 0
    holding: int = 0
    changed: list[Pair] = field(default_factory=list)


def preview_passage(
    profiles: Sequence[Profile],
    passage: str,
    pairs: QuerySet[Pair],
    find_hidden: Callable[[Iterable[Document]], set[int]],
    replaced: int | None = None,
) -> PassagePreview:
    """Return what the passage would change in profiles.

    - ``pairs``: the pairs that the person may know of. ``find_hidden`` returns the ids of the documents with posts
      that the person may not see. Their pairs are not judged: the numbers would tell which words the posts have.
    - ``replaced``: the primary key of the listed passage in whose place it would stand.
    """
    preview, using = PassagePreview(), pairs.db
    for profile in profiles:
        schemes = Scheme.objects.using(using).filter(profile=profile.alias, state=Scheme.State.ACTIVE)
        for scheme in schemes.defer("synonyms"):
            variants = pairs.filter(scheme=scheme, verdict=Verdict.VARIANT)
            preview.total += variants.count()
            newest = list(variants.select_related("a", "b").order_by("-pk")[:MAX_PAIRS])
            hidden = find_hidden([side for pair in newest for side in (pair.a, pair.b)])
            seen = [pair for pair in newest if not {pair.a_id, pair.b_id} & hidden]
            _add_pairs(preview, seen, scheme, passage, using, replaced)
    preview.changed.sort(key=lambda pair: -pair.pk)
    return preview


def _add_pairs(
    preview: PassagePreview,
    pairs: Sequence[Pair],
    scheme: Scheme,
    passage: str,
    using: str,
    replaced: int | None,
) -> None:
    rows = list(listed_passages(scheme.profile, using).values_list("pk", "text"))
    newest = newest_boilerplate(scheme.profile, using)
    others = [text for pk, text in rows if pk != replaced]
    without = newest.with_listed(hash_passages(scheme, others))
    alone = BoilerplateSnapshot.from_runs(listed=hash_passages(scheme, [passage]))
    preview.examined += len(pairs)
    documents = {side for pair in pairs for side in (pair.a_id, pair.b_id)}
    texts = read_unchanged_texts(fingerprints_of(documents, scheme.pk, using).values(), scheme, using)
    holders = {document for document, text in texts.items() if alone.find_ranges(text.text)}
    with_passage = newest.with_listed([*without.listed, *alone.listed])
    for pair in pairs:
        if {pair.a_id, pair.b_id} <= holders:
            preview.holding += 1
            before, after = (
                _verdict(texts[pair.a_id], texts[pair.b_id], scheme, snapshot)
                for snapshot in (without, with_passage)
            )
            if before == Verdict.VARIANT != after:
                preview.changed.append(pair)


def _verdict(a: JudgeableText, b: JudgeableText, scheme: Scheme, snapshot: BoilerplateSnapshot) -> str:
    def algorithm_with(ignored_classes: tuple[str, ...] | None) -> Algorithm:
        algorithm = copy(algorithm_of(scheme, ignored_classes))
        algorithm.boilerplate = snapshot
        return algorithm

    return judge_pair(a, b, algorithm_with).judgement.verdict
