"""Stored pairs judged again by the present judge. Nothing is signed, and no new pairs are looked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from django.db.models import F, QuerySet

from ..algorithms.base import Judgement
from ..comparison.compared_texts import JudgeableText, JudgedPair, StoredFingerprint
from ..comparison.verify import judge_pairs
from ..db.chunks import chunked
from ..db.sql import filter_in_chunks
from ..models import Membership, Pair, Scheme
from ..registry import adapter_of
from ..reports.segments import quote_span
from .batch_size import AdaptiveBatchSize
from .clusters.assign import recluster
from .decisions import keep_in_force
from .locks import call_with_retries, space_lock
from .pairs import PreviousScores, is_current, serialize_evidence, source_digests_of, write_pairs
from .schemes import algorithm_of
from .stale_pairs import stale_pairs
from .stored_posts import fingerprints_of, read_texts

IDS_PER_READ = 10_000
"""Ids of stale pairs that are read at once."""

MAX_PAIRS_PER_BATCH = 200
"""Pairs whose texts are read at once, at most."""

PAIRS_PER_LOCK = 50
"""Pairs that are written under one lock. The number is small, so that workers do not wait long."""

MAX_BEGINNING = 60
"""Characters of a text that name its post to people."""

PairKey = tuple[int, int]


@dataclass(frozen=True, slots=True)
class JudgedPost:
    """One side of a pair: the post as "app.Model:17", and the beginning of its text."""

    name: str
    beginning: str


@dataclass(frozen=True, slots=True)
class RejudgedPair:
    """A pair that was judged again.

    - ``before``, ``after``: the verdicts. After "none" the pair is no longer stored.
    - ``difference``: the words of both sides that decide the present verdict, or otherwise decided the
      earlier one. None if no difference decides.
    - ``decision``: the kind of the decision in force on the pair, or empty.
    - ``was_doubtful``, ``is_doubtful``: whether the verdict was a doubt, and is one.
    """

    a: JudgedPost
    b: JudgedPost
    before: str
    after: str
    difference: tuple[str, str] | None
    decision: str
    was_doubtful: bool = False
    is_doubtful: bool = False


def rejudge(pairs: QuerySet[Pair], using: str) -> Iterator[tuple[int, list[RejudgedPair]]]:
    """Judge stale pairs again, in the order of their ids.

    Yield after each batch the number of its pairs, and the pairs that were judged. The batch is committed
    then. The other pairs are left to the worker: a text has changed or is gone.
    """
    last_id = 0
    while ids := list(
        pairs.filter(pk__gt=last_id).order_by("pk").values_list("pk", flat=True)[:IDS_PER_READ]
    ):
        for batch in AdaptiveBatchSize(MAX_PAIRS_PER_BATCH, PAIRS_PER_LOCK).batches(ids):
            yield len(batch), _rejudge_batch(batch, using)
        last_id = ids[-1]


def _rejudge_batch(pair_ids: Collection[int], using: str) -> list[RejudgedPair]:
    groups: defaultdict[PairKey, list[Pair]] = defaultdict(list)
    for rows in filter_in_chunks(Pair.objects.using(using).order_by("pk"), "pk", pair_ids):
        for pair in rows:
            groups[pair.scheme_id, pair.space_id].append(pair)
    schemes = Scheme.objects.using(using).defer("synonyms").in_bulk({scheme for scheme, _ in groups})
    return [
        rejudged
        for (scheme_id, space), group in groups.items()
        for rejudged in _rejudge_group(group, schemes[scheme_id], space, using)
    ]


def _rejudge_group(group: Sequence[Pair], scheme: Scheme, space: int, using: str) -> Iterator[RejudgedPair]:
    """Judge pairs of one space without a lock, and write a few of them under each lock."""
    fingerprints = fingerprints_of({side for pair in group for side in _key(pair)}, scheme.pk, using)
    current_pairs = [pair for pair in group if _is_of_fingerprints(pair, fingerprints)]
    sides = sorted({side for pair in current_pairs for side in _key(pair)})
    texts = {
        document: text
        for document, text in read_texts((fingerprints[side] for side in sides), scheme, using).items()
        if text.side.read_digest == text.side.stored_digest
    }
    judged_pairs = judge_pairs(map(_key, current_pairs), texts, partial(algorithm_of, scheme))
    serialize_evidence(judged_pairs.values())
    posts = {document: _post(fingerprints[document], text, using) for document, text in texts.items()}
    for chunk in chunked([pair for pair in current_pairs if _key(pair) in judged_pairs], PAIRS_PER_LOCK):
        stored_pairs = call_with_retries(
            _write, {pair.pk: judged_pairs[_key(pair)] for pair in chunk}, scheme, space, using
        )
        for pair in chunk:
            if (stored := stored_pairs.get(pair.pk)) is not None:
                yield RejudgedPair(
                    posts[pair.a_id],
                    posts[pair.b_id],
                    stored.verdict,
                    judged_pairs[_key(pair)].judgement.verdict,
                    _decisive_difference(judged_pairs[_key(pair)].judgement, pair),
                    "" if stored.decision is None else stored.decision.kind,
                    stored.doubtful,
                    judged_pairs[_key(pair)].judgement.doubtful,
                )


def _write(judged_pairs: Mapping[int, JudgedPair], scheme: Scheme, space: int, using: str) -> dict[int, Pair]:
    """Store the judgements by pair id, and recluster the documents of pairs that have changed.

    Return the pairs as they were before. Pairs that a worker has written or deleted meanwhile are left out.
    """
    with space_lock([space], using):
        documents = {side.document_id for pair in judged_pairs.values() for side in (pair.a, pair.b)}
        digests = source_digests_of(documents, scheme.pk, using)
        rows = (
            stale_pairs(using).filter(pk__in=judged_pairs, space=space).defer("evidence", "decision__known")
        )
        stored_pairs = {
            pair.pk: pair
            for pair in rows.select_related("decision")
            if is_current(pair, digests) and _is_judged_on_stored_texts(judged_pairs[pair.pk], pair)
        }
        changed_pairs = [
            (pair, judged_pairs[pk].judgement)
            for pk, pair in stored_pairs.items()
            if _has_changed(pair, judged_pairs[pk].judgement)
        ]
        keep_in_force(changed_pairs, using)
        scores: PreviousScores = {}
        write_pairs((judged_pairs[pk] for pk in stored_pairs), scheme, space, using, scores)
        changed_documents = {side for pair, _ in changed_pairs for side in _key(pair)}
        frozen = _members_awaiting_repair(changed_documents, using)
        recluster(scheme, changed_documents, using, frozen=frozen, previous_scores=scores)
    return stored_pairs


def _is_of_fingerprints(pair: Pair, fingerprints: Mapping[int, StoredFingerprint]) -> bool:
    """Return whether the pair was judged on the stored texts of both documents, in their present space.

    Otherwise a worker judges it, or deletes it.
    """
    sides = ((pair.a_id, pair.digest_a), (pair.b_id, pair.digest_b))
    return all(
        (fingerprint := fingerprints.get(document)) is not None
        and (fingerprint.source_digest, fingerprint.space_id) == (digest, pair.space_id)
        for document, digest in sides
    )


def _is_judged_on_stored_texts(judged_pair: JudgedPair, pair: Pair) -> bool:
    return (judged_pair.a.read_digest, judged_pair.b.read_digest) == (pair.digest_a, pair.digest_b)


def _has_changed(pair: Pair, judgement: Judgement) -> bool:
    """Return whether anything differs that clusters, families, decisions and rows of the queue depend on."""
    classes = ",".join(judgement.classes)
    state = judgement.verdict, judgement.exact, judgement.score, classes, judgement.doubtful
    return state != (pair.verdict, pair.exact, pair.score, pair.classes, pair.doubtful)


def _members_awaiting_repair(documents: Iterable[int], using: str) -> set[int]:
    """Return the documents in clusters that wait for a repair. The repair reads the new verdicts."""
    rows = Membership.objects.using(using).filter(cluster__wanted__gt=F("cluster__done"))
    members = filter_in_chunks(rows.values_list("document", flat=True), "document", documents)
    return {document for chunk in members for document in chunk}


def _post(fingerprint: StoredFingerprint, text: JudgeableText, using: str) -> JudgedPost:
    adapter = adapter_of(fingerprint.content_type_id, using)
    assert adapter is not None  # its text was read by it
    beginning = quote_span(text.text, (0, len(text.text.raw)), MAX_BEGINNING)
    return JudgedPost(f"{adapter.model._meta.label}:{fingerprint.object_id}", beginning)


def _decisive_difference(judgement: Judgement, pair: Pair) -> tuple[str, str] | None:
    """Return the first difference that decides the judgement, or otherwise the earlier one."""
    for difference in judgement.differences:
        if difference.is_decisive:
            return difference.text_a, difference.text_b
    for stored in pair.evidence.get("differences", ()):
        if stored["decides"]:
            return stored["a"]["text"], stored["b"]["text"]
    return None


def _key(pair: Pair) -> PairKey:
    return pair.a_id, pair.b_id
