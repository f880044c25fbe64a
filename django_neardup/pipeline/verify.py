"""Step B, second half: align the texts of candidates after reading them again. Nothing is locked."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..adapters import Adapter
from ..algorithms.base import Algorithm, Judgement
from ..models import Scheme
from ..text.canonical_text import CanonicalText as Text
from .read import adapter_of, read_sources
from .schemes import algorithm_of
from .source_properties import skip_reason
from .stage_types import Candidates, JudgedPair, PairSide, SignedDocument, StoredFingerprint
from .stored_relations import fingerprints_of
from .text_cache import cached_canonical_text
from .work_queue import mark_document

if TYPE_CHECKING:
    from ..adapters import Source

EXACT_COPY = Judgement("duplicate", 1.0, 1.0, 1.0, exact=True)


@dataclass(frozen=True, slots=True)
class JudgeableText:
    """A canonical text that can be judged, and what the judgement needs from its adapter."""

    side: PairSide
    identity: tuple[str, ...]
    text: Text
    ignored_classes: tuple[str, ...] | None


def verify_many(
    signed: Sequence[SignedDocument], candidates: Mapping[int, Candidates], using: str
) -> dict[int, list[JudgedPair]]:
    """Step B, second half: return the judged pairs by document id.

    Texts are read once for all documents. A pair of two documents of the batch is judged once. A signed
    document without ``batch`` is read again. A document with a text that has changed without a mark is
    marked. If the algorithm judges by payloads, no text is read.
    """
    scheme = signed[0].scheme
    if all(
        is_judged_by_payload(document, candidates[document.document_id].fingerprints, using)
        for document in signed
    ):
        return {
            document.document_id: judge_by_payload(document, candidates[document.document_id].fingerprints)
            for document in signed
        }
    to_read = {
        document.document_id: _to_align(document, candidates[document.document_id].fingerprints)
        for document in signed
    }
    texts = _texts_to_align(signed, to_read, scheme, using)
    pair_keys = (
        _pair_key(document.document_id, other.document_id)
        for document in signed
        for other in to_read[document.document_id]
    )
    pairs = judge_pairs(pair_keys, texts, scheme)
    return {
        document.document_id: _exact_copies(
            document, candidates[document.document_id].fingerprints, to_read[document.document_id]
        )
        + [
            pairs[pair_key]
            for other in to_read[document.document_id]
            if (pair_key := _pair_key(document.document_id, other.document_id)) in pairs
        ]
        for document in signed
    }


def is_judged_by_payload(
    signed: SignedDocument, fingerprints: Iterable[StoredFingerprint], using: str
) -> bool:
    """Return whether the stored payloads are enough to judge.

    They are not if the algorithm, its guard or an identity needs the texts.
    """
    algorithm = signed.algorithm
    if algorithm.needs_text or algorithm.guard or signed.adapter.identity:
        return False
    adapters = (
        adapter_of(content_type_id, using)
        for content_type_id in {fingerprint.content_type_id for fingerprint in fingerprints}
    )
    return not any(adapter is None or adapter.identity for adapter in adapters)


def judge_by_payload(signed: SignedDocument, fingerprints: Sequence[StoredFingerprint]) -> list[JudgedPair]:
    """Return the judgements of a signed document and others, by their stored payloads."""
    if not fingerprints:
        return []
    copies = _exact_copies(signed, fingerprints, different := _to_align(signed, fingerprints))
    own_side, algorithm = (
        PairSide(signed.document_id, signed.source_digest, signed.source_digest),
        signed.algorithm,
    )
    scores = algorithm.measure_pairs(
        [signed.payload] * len(different), [fingerprint.payload for fingerprint in different]
    )
    judged_sides = [
        (
            PairSide(fingerprint.document_id, fingerprint.source_digest, fingerprint.source_digest),
            algorithm.judge_by_score(score),
        )
        for fingerprint, score in zip(different, scores.tolist(), strict=True)
    ]
    return copies + [
        JudgedPair(
            *((own_side, side) if own_side.document_id < side.document_id else (side, own_side)), judgement
        )
        for side, judgement in judged_sides
    ]


def _serialize_evidence(judged_pairs: Iterable[JudgedPair]) -> None:
    """Serialize the reasons now, while no lock makes other workers wait."""
    # The property caches its result.
    deque((pair.evidence_json for pair in judged_pairs if pair.judgement.is_similar), maxlen=0)


def judge_pairs(
    pair_keys: Iterable[tuple[int, int]], texts: Mapping[int, JudgeableText], scheme: Scheme
) -> dict[tuple[int, int], JudgedPair]:
    """Return the judged pairs by their keys, the lower document id first. Each pair is judged once.

    Pairs without one of the texts are left out.
    """
    pairs = {
        (a, b): judge_pair(texts[a], texts[b], scheme)
        for a, b in dict.fromkeys(pair_keys)
        if a in texts and b in texts
    }
    _serialize_evidence(pairs.values())
    return pairs


def judge_pair(a: JudgeableText, b: JudgeableText, scheme: Scheme) -> JudgedPair:
    """Return the judgement of two texts, with the lower document id first.

    Equal or unequal identity overrides the algorithm.
    """
    judgement = _pair_algorithm(scheme, a, b).judge(a.text, b.text)
    return JudgedPair(a.side, b.side, apply_identity(judgement, a.identity, b.identity))


def read_texts(
    fingerprints: Iterable[StoredFingerprint], scheme: Scheme, using: str
) -> dict[int, JudgeableText]:
    """Read the current texts of fingerprints, by document id, with few queries per model.

    A document is left out if its object is gone, is no longer compared or cannot be read. Such a document is
    marked. So is a document with another digest than the stored one.
    """
    requested = list(fingerprints)
    sources = read_sources(
        [(fingerprint.content_type_id, fingerprint.object_id) for fingerprint in requested], using
    )
    texts: dict[int, JudgeableText] = {}
    for fingerprint in requested:
        source = sources.get((fingerprint.content_type_id, fingerprint.object_id))
        text = _judgeable_text(fingerprint, adapter_of(fingerprint.content_type_id, using), source, scheme)
        if text is not None:
            texts[fingerprint.document_id] = text
        if text is None or text.side.stored_digest != text.side.read_digest:
            # A recheck, even if the text becomes what it was: the pair with this document was not judged.
            mark_document(fingerprint.document_id, using, recheck=source is not None)
    return texts


def apply_identity(judgement: Judgement, identity_a: Sequence[str], identity_b: Sequence[str]) -> Judgement:
    """Return the judgement after equal or unequal identity is taken into account.

    Unequal identity makes a similar pair a variant. Equal identity makes any pair a duplicate.
    """
    # Only fields with a value on both sides are compared.
    value_pairs = [
        (value_a, value_b) for value_a, value_b in zip(identity_a, identity_b) if value_a and value_b
    ]
    if any(value_a != value_b for value_a, value_b in value_pairs):
        if not judgement.is_similar:
            return judgement
        return replace(judgement, verdict="variant", classes=tuple(sorted({*judgement.classes, "identity"})))
    if value_pairs:
        return replace(judgement, verdict="duplicate")
    return judgement


def _to_align(signed: SignedDocument, fingerprints: Sequence[StoredFingerprint]) -> list[StoredFingerprint]:
    """Return the fingerprints to align: all except exact copies."""
    # Equal texts need no alignment, unless an identity can make them variants.
    if any(signed.identity):
        return list(fingerprints)
    return [fingerprint for fingerprint in fingerprints if fingerprint.exact_digest != signed.exact_digest]


def _exact_copies(
    signed: SignedDocument, fingerprints: Sequence[StoredFingerprint], to_read: Sequence[StoredFingerprint]
) -> list[JudgedPair]:
    read_ids = {fingerprint.document_id for fingerprint in to_read}
    own_side = PairSide(signed.document_id, signed.source_digest, signed.source_digest)
    copy_sides = [
        PairSide(fingerprint.document_id, fingerprint.source_digest, fingerprint.source_digest)
        for fingerprint in fingerprints
        if fingerprint.document_id not in read_ids
    ]
    return [
        JudgedPair(own_side, copy_side, EXACT_COPY)
        if own_side.document_id < copy_side.document_id
        else JudgedPair(copy_side, own_side, EXACT_COPY)
        for copy_side in copy_sides
    ]


def _texts_to_align(
    signed: Sequence[SignedDocument],
    to_read: Mapping[int, Sequence[StoredFingerprint]],
    scheme: Scheme,
    using: str,
) -> dict[int, JudgeableText]:
    """Return all texts to align: texts of the batch from memory, others after reading them again."""
    other_fingerprints = {
        fingerprint.document_id: fingerprint
        for fingerprints in to_read.values()
        for fingerprint in fingerprints
    }
    aligned = [
        document
        for document in signed
        if to_read[document.document_id] or document.document_id in other_fingerprints
    ]
    batch_texts = {
        document.document_id: text
        for document in aligned
        if (text := _batch_text(document, other_fingerprints.get(document.document_id))) is not None
    }
    dropped = [
        document.document_id
        for document in aligned
        if document.batch is None and to_read[document.document_id]
    ]
    other_fingerprints |= fingerprints_of(dropped, scheme.pk, using)
    return batch_texts | read_texts(
        (
            fingerprint
            for fingerprint in other_fingerprints.values()
            if fingerprint.document_id not in batch_texts
        ),
        scheme,
        using,
    )


def _batch_text(signed: SignedDocument, fingerprint: StoredFingerprint | None) -> JudgeableText | None:
    """Return the signed text. Return None if its batch was dropped or the text is not the stored one."""
    if signed.batch is None or (
        fingerprint is not None and fingerprint.source_digest != signed.source_digest
    ):
        return None
    side = PairSide(signed.document_id, signed.source_digest, signed.source_digest)
    return JudgeableText(
        side, signed.identity, signed.batch.document(signed.batch_index), signed.ignored_classes
    )


def _judgeable_text(
    fingerprint: StoredFingerprint, adapter: Adapter | None, source: Source | None, scheme: Scheme
) -> JudgeableText | None:
    """Return the text of a source that was read again. Return None if there is nothing to compare."""
    if adapter is None or source is None:
        return None
    side = PairSide(fingerprint.document_id, fingerprint.source_digest, source.digest)
    text = cached_canonical_text(adapter, source, side.read_digest, scheme)
    if skip_reason(adapter, source, text):
        return None
    return JudgeableText(
        side,
        source.identity,
        text,
        None if adapter.ignored_differences is None else tuple(adapter.ignored_differences),
    )


def _pair_algorithm(scheme: Scheme, a: JudgeableText, b: JudgeableText) -> Algorithm:
    if a.ignored_classes is None and b.ignored_classes is None:
        return algorithm_of(scheme)
    return algorithm_of(scheme, tuple(sorted({*(a.ignored_classes or ()), *(b.ignored_classes or ())})))


def _pair_key(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a < b else (b, a)
