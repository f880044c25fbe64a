"""Step B, second half: the texts of candidates as they are read now are aligned. Nothing is locked."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..adapters import Adapter
from ..models import Scheme
from ..signatures.base import Algorithm, Judgement
from ..text.document import Document as Text
from .canonised import canonised
from .ledger import mark_document
from .reading import adapter_of, read_sources
from .records import Found, Print, Side, Signed, Verified
from .schemes import algorithm_of
from .sign import why_skipped
from .traces import prints_of

if TYPE_CHECKING:
    from ..adapters import Source

COPIES = Judgement("duplicate", 1.0, 1.0, 1.0, exact=True)


@dataclass(frozen=True, slots=True)
class Readable:
    """A text that can be judged: read and canonised."""

    side: Side
    identity: tuple[str, ...]
    text: Text
    excused: tuple[str, ...] | None


def verify_many(
    signed: Sequence[Signed], found: Mapping[int, Found], using: str
) -> dict[int, list[Verified]]:
    """Step B, second half: by document, its judged pairs. Texts are read once for all; a pair of two of the batch is
    judged once. A ``Signed`` without ``batch`` is read anew, with the others. Whoever has changed unseen is marked.
    Where an algorithm judges by payloads alone, no text is read."""
    scheme = signed[0].scheme
    if all(is_judged_by_payload(one, found[one.document].prints, using) for one in signed):
        return {one.document: by_payload(one, found[one.document].prints) for one in signed}
    to_read = {one.document: _to_align(one, found[one.document].prints) for one in signed}
    texts = _texts(signed, to_read, scheme, using)
    pairs: dict[tuple[int, int], Verified] = {}
    for one in signed:
        for other in to_read[one.document]:
            key = _key(one.document, other.document)
            if key not in pairs and key[0] in texts and key[1] in texts:
                pairs[key] = judge(texts[key[0]], texts[key[1]], scheme)
    _write_down(pairs.values())
    return {
        one.document: _copies(one, found[one.document].prints, to_read[one.document])
        + [
            pairs[key]
            for other in to_read[one.document]
            if (key := _key(one.document, other.document)) in pairs
        ]
        for one in signed
    }


def is_judged_by_payload(one: Signed, others: Iterable[Print], using: str) -> bool:
    """Whether neither the algorithm, nor its guard, nor an identity asks for more than the stored payloads."""
    algorithm = one.algorithm
    if algorithm.needs_text or algorithm.guard or one.adapter.identity:
        return False
    adapters = (adapter_of(kind, using) for kind in {each.content_type for each in others})
    return not any(adapter is None or adapter.identity for adapter in adapters)


def by_payload(one: Signed, others: Sequence[Print]) -> list[Verified]:
    """The judgements of a text and others by what is stored of them."""
    if not others:
        return []
    copies = _copies(one, others, unlike := _to_align(one, others))
    mine, algorithm = Side(one.document, one.digest, one.digest), one.algorithm
    scores = algorithm.measure_pairs([one.payload] * len(unlike), [each.payload for each in unlike])
    judged = [
        (Side(each.document, each.digest, each.digest), algorithm.by_score(score))
        for each, score in zip(unlike, scores.tolist(), strict=True)
    ]
    return copies + [
        Verified(*((mine, side) if mine.document < side.document else (side, mine)), judgement)
        for side, judgement in judged
    ]


def _write_down(verified: Iterable[Verified]) -> None:
    """Reasons are written while nobody waits for a lock."""
    deque((each.evidence for each in verified if each.judgement.offered), maxlen=0)


def judge(a: Readable, b: Readable, scheme: Scheme) -> Verified:
    """The judgement of two readable texts, the lower document id first; equal or unequal identity decides."""
    judgement = _algorithm(scheme, a, b).judge(a.text, b.text)
    return Verified(a.side, b.side, by_identity(judgement, a.identity, b.identity))


def read(prints: Iterable[Print], scheme: Scheme, using: str) -> dict[int, Readable]:
    """The texts of those fingerprints as they are now, by document id; few queries a model.

    A document whose object is gone, is not compared any more or cannot be read is left out. It is marked, as is one
    whose digest is not the stored one; where there is an object to read, to be looked at again even if it becomes what
    it was.
    """
    wanted = list(prints)
    sources = read_sources([(each.content_type, each.object_id) for each in wanted], using)
    found: dict[int, Readable] = {}
    for each in wanted:
        source = sources.get((each.content_type, each.object_id))
        readable = _readable(each, adapter_of(each.content_type, using), source, scheme)
        if readable is not None:
            found[each.document] = readable
        if readable is None or readable.side.stored != readable.side.read:
            mark_document(each.document, using, recheck=source is not None)
    return found


def by_identity(judgement: Judgement, a: Sequence[str], b: Sequence[str]) -> Judgement:
    """What equal or unequal identity makes of a judgement."""
    both = [(x, y) for x, y in zip(a, b) if x and y]
    if any(x != y for x, y in both):
        if not judgement.offered:
            return judgement
        return replace(judgement, verdict="variant", classes=tuple(sorted({*judgement.classes, "identity"})))
    if both:
        return replace(judgement, verdict="duplicate")
    return judgement


def _to_align(one: Signed, prints: Sequence[Print]) -> list[Print]:
    """All but exact copies, of which the fingerprint says enough unless an identity speaks."""
    if any(one.identity):
        return list(prints)
    return [each for each in prints if each.exact_digest != one.exact_digest]


def _copies(one: Signed, prints: Sequence[Print], to_read: Sequence[Print]) -> list[Verified]:
    read = {each.document for each in to_read}
    mine = Side(one.document, one.digest, one.digest)
    copies = [Side(each.document, each.digest, each.digest) for each in prints if each.document not in read]
    return [
        Verified(mine, other, COPIES) if mine.document < other.document else Verified(other, mine, COPIES)
        for other in copies
    ]


def _texts(
    signed: Sequence[Signed], to_read: Mapping[int, Sequence[Print]], scheme: Scheme, using: str
) -> dict[int, Readable]:
    """The texts of all that is aligned: those of the batch as it holds them, the others as they are now."""
    others = {each.document: each for prints in to_read.values() for each in prints}
    aligned = [one for one in signed if to_read[one.document] or one.document in others]
    held = {
        one.document: text for one in aligned if (text := _own(one, others.get(one.document))) is not None
    }
    dropped = [one.document for one in aligned if one.batch is None and to_read[one.document]]
    others |= prints_of(dropped, scheme.pk, using)
    return held | read((each for each in others.values() if each.document not in held), scheme, using)


def _own(one: Signed, stored: Print | None) -> Readable | None:
    """The text that was signed, where that is what is stored."""
    if one.batch is None or (stored is not None and stored.digest != one.digest):
        return None
    side = Side(one.document, one.digest, one.digest)
    return Readable(side, one.identity, one.batch.document(one.place), one.excused)


def _readable(
    stored: Print, adapter: Adapter | None, source: Source | None, scheme: Scheme
) -> Readable | None:
    """None where there is nothing to compare."""
    if adapter is None or source is None:
        return None
    side = Side(stored.document, stored.digest, source.digest)
    text = canonised(adapter, source, side.read, scheme)
    if why_skipped(adapter, source, text):
        return None
    return Readable(side, source.identity, text, None if adapter.excused is None else tuple(adapter.excused))


def _algorithm(scheme: Scheme, a: Readable, b: Readable) -> Algorithm:
    if a.excused is None and b.excused is None:
        return algorithm_of(scheme)
    return algorithm_of(scheme, tuple(sorted({*(a.excused or ()), *(b.excused or ())})))


def _key(one: int, two: int) -> tuple[int, int]:
    return (one, two) if one < two else (two, one)
