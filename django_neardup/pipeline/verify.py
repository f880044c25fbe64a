"""Step B of a turn: candidates by key, screened, then aligned on the texts as they are read now. Nothing is locked."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Q

from ..adapters import Source, adapter_for
from ..models import Document, Fingerprint, Membership, Pair
from ..signatures.base import Algorithm, Judgement
from ..storage import keys as storage
from ..text.document import Document as Text
from .ledger import mark_document
from .objects import model_of
from .schemes import algorithm_of, canonise
from .sign import Signed, why_skipped

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Side:
    """One side of a pair as step B saw it: the digest that is stored and the digest of what was read."""

    document: int
    stored: str
    read: str


@dataclass(frozen=True)
class Verified:
    """A judged pair, ``a < b``."""

    a: Side
    b: Side
    judgement: Judgement

    def other(self, document: int) -> Side:
        return self.b if self.a.document == document else self.a


@dataclass(frozen=True)
class Readable:
    """A text that can be judged: read and canonised."""

    side: Side
    source: Source
    text: Text
    excused: tuple[str, ...] | None


def candidates(document: Document, signed: Signed, using: str) -> list[Fingerprint]:
    """Fingerprints worth aligning with the document's: at most ``max_aligned``, representatives first, besides exact
    copies and namesakes (documents that share a key of which one is enough)."""
    profile, algorithm = signed.adapter.settings, signed.algorithm
    shared = storage.candidates(using, signed.keys, profile.bucket)
    shared.pop(document.pk, None)
    namesakes = set(storage.candidates(using, signed.sure_keys, profile.bucket)) - {document.pk}
    others = Counter({other: keys for other, keys in shared.items() if other not in namesakes})
    known = partners(document.pk, using)
    near = _nearest(others, algorithm) | namesakes | known
    leaders = _leaders({*near, document.pk}, using)
    found = _fingerprints((near | leaders) - {document.pk}, signed, using)
    sure = [
        each for each in found if each.exact_digest == signed.exact_digest or each.document_id in namesakes
    ]
    ranked = []
    for each in found:
        if each not in sure:
            likeness = algorithm.screen(signed.payload, bytes(each.payload))
            keys = shared[each.document_id]
            if each.document_id in leaders | known:
                keys = max(keys, _common_keys(signed, each))
            if algorithm.passes(likeness, keys, signed.text.words, each.word_count):
                ranked.append((each.document_id not in leaders, -likeness, each.document_id, each))
    ranked.sort(key=lambda row: row[:3])
    return sure + [row[3] for row in ranked[: profile.max_aligned]]


def _nearest(shared: Counter[int], algorithm: Algorithm) -> set[int]:
    """Those that share enough keys; where the algorithm has a limit, so many of them that share most, older first."""
    near = [other for other, keys in shared.items() if keys >= algorithm.min_shared]
    if algorithm.limit is None:
        return set(near)
    return set(sorted(near, key=lambda other: (-shared[other], other))[: algorithm.limit])


def _common_keys(signed: Signed, other: Fingerprint) -> int:
    """Keys shared with a document that may stand outside the cap of a bucket: an old representative, a partner."""
    return len(set(signed.keys).intersection(storage.unpack(other.keys)))


def partners(document: int, using: str) -> set[int]:
    """The other sides of a document's pairs."""
    rows = Pair.objects.using(using).filter(Q(a=document) | Q(b=document)).values_list("a", "b")
    return {b if a == document else a for a, b in rows}


def verify(document: Document, signed: Signed, others: Sequence[Fingerprint], using: str) -> list[Verified]:
    """Judge the document against those fingerprints' texts. Whoever has changed unseen is marked."""
    mine = Readable(
        Side(document.pk, signed.digest, signed.digest), signed.source, signed.text, _excused(signed.adapter)
    )
    named = any(signed.source.identity)
    copies = [] if named else [each for each in others if each.exact_digest == signed.exact_digest]
    to_read = [each for each in others if each not in copies]
    texts = read(to_read, signed, using)
    judged = [
        Verified(*_ordered(mine.side, stored(each)), Judgement("duplicate", 1.0, 1.0, 1.0, exact=True))
        for each in copies
    ]
    return judged + [
        judge(signed, mine, texts[each.document_id]) for each in to_read if each.document_id in texts
    ]


def judge(signed: Signed, one: Readable, two: Readable) -> Verified:
    """The judgement of two readable texts, the lower document id first; equal or unequal identity decides."""
    a, b = (one, two) if one.side.document < two.side.document else (two, one)
    judgement = _algorithm(signed, a, b).judge(a.text, b.text)
    return Verified(a.side, b.side, by_identity(judgement, a.source.identity, b.source.identity))


def read(fingerprints: Iterable[Fingerprint], signed: Signed, using: str) -> dict[int, Readable]:
    """The texts of those fingerprints as they are now, by document id; three queries a model.

    A document whose object is gone, is not compared any more or cannot be read is marked and left out; one whose
    digest is not the stored one is marked and kept.
    """
    found: dict[int, Readable] = {}
    wanted = {each.document_id: each for each in fingerprints}
    documents = Document.objects.using(using).in_bulk(list(wanted))
    for pk, source in _sources(documents, using).items():
        model = model_of(documents[pk])
        if source is None or model is None:
            mark_document(pk, using)
            continue
        adapter = adapter_for(model)
        text = canonise(adapter, source, signed.scheme)
        side = Side(pk, wanted[pk].source_digest, source.digest)
        if side.stored != side.read:
            mark_document(pk, using)
        if not why_skipped(adapter, source, text):
            found[pk] = Readable(side, source, text, _excused(adapter))
    return found


def stored(fingerprint: Fingerprint) -> Side:
    """A side of which only the fingerprint was needed."""
    return Side(fingerprint.document_id, fingerprint.source_digest, fingerprint.source_digest)


def _sources(documents: Mapping[int, Document], using: str) -> dict[int, Source | None]:
    by_model: dict[Any, dict[Any, int]] = {}
    sources: dict[int, Source | None] = dict.fromkeys(documents)
    for pk, document in documents.items():
        model = model_of(document)
        if model is not None:
            by_model.setdefault(model, {})[model._meta.pk.to_python(document.object_id)] = pk
    for model, keys in by_model.items():
        sources |= {keys[key]: source for key, source in adapter_for(model).sources(keys, using).items()}
    return sources


def _leaders(documents: Iterable[int], using: str) -> set[int]:
    rows = Membership.objects.using(using).filter(document__in=list(documents))
    return set(rows.values_list("cluster__representative", flat=True))


def _fingerprints(documents: Iterable[int], signed: Signed, using: str) -> list[Fingerprint]:
    rows = Fingerprint.objects.using(using).filter(
        document__in=list(documents), scheme=signed.scheme, document__space=signed.space
    )
    return list(
        rows.only("document_id", "source_digest", "exact_digest", "word_count", "payload", "keys").order_by(
            "document_id"
        )
    )


def _ordered(one: Side, two: Side) -> tuple[Side, Side]:
    return (one, two) if one.document < two.document else (two, one)


def _excused(adapter: Any) -> tuple[str, ...] | None:
    return None if adapter.excused is None else tuple(adapter.excused)


def _algorithm(signed: Signed, a: Readable, b: Readable) -> Algorithm:
    if a.excused is None and b.excused is None:
        return algorithm_of(signed.scheme)
    return algorithm_of(signed.scheme, tuple(sorted({*(a.excused or ()), *(b.excused or ())})))


def by_identity(judgement: Judgement, a: Sequence[str], b: Sequence[str]) -> Judgement:
    both = [(x, y) for x, y in zip(a, b) if x and y]
    if any(x != y for x, y in both):
        if not judgement.offered:
            return judgement
        return replace(judgement, verdict="variant", classes=tuple(sorted({*judgement.classes, "identity"})))
    if both:
        return replace(judgement, verdict="duplicate")
    return judgement
