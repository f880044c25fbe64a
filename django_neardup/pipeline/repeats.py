"""Posts that say again what a deleted one said: noticed in their turn, or in that of the deletion, whichever is later.

Nothing but the stored fingerprints of the deleted ones is compared: an exact copy is known as one, and what is as like
as a duplicate has to be, and names the same codes, is related. Only earlier posts are repeated."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timezone
from typing import NamedTuple

from ..adapters import Adapter
from ..models import Document, Fingerprint, Scheme
from ..signatures.neardup_keys import EXACT
from ..signatures.statistics import StatisticsMissing
from ..storage import keys as storage
from ..text.hashing import mix
from .candidates import candidates_many
from .ledger import mark_document
from .memory import sealed, stored
from .records import Found, Print, Signed, Sketch
from .sql import execute, rows_in

ABOUT = (
    'SELECT d."id", d."first_seen", f."codes", f."source_digest" FROM "neardup_document" d '
    'JOIN "neardup_fingerprint" f ON f."document_id" = d."id" WHERE f."scheme_id" = %s '
    'AND (d."forget_at" IS NULL OR d."forget_at" > %s) AND d."id" IN ({})'
)
REPEATS = 'UPDATE "neardup_document" SET "repeats_id" = %s, "repeats_exactly" = %s WHERE "id" = %s AND "version" = %s'
REPEATS_NOT = (
    'UPDATE "neardup_document" SET "repeats_id" = NULL, "repeats_exactly" = NULL '
    'WHERE "id" = %s AND "version" = %s AND "repeats_id" IS NOT NULL'
)


class Alike(NamedTuple):
    """One whose stored fingerprint is as like as a duplicate's. Greater ones are more so: exact copies, then the
    likest, then the newest."""

    exact: bool
    score: float
    document: int


class About(NamedTuple):
    """What else is to be known of a document: its place in the static order, and its codes, sealed."""

    order: tuple[int, int]
    codes: str


def notice(signed: Sequence[Signed], found: Mapping[int, Found], using: str) -> None:
    """Write down of each post which remembered deleted one it repeats; of one that repeats none any more, that.

    Does nothing where the profile remembers none."""
    if not signed or not signed[0].adapter.settings.memory_days:
        return
    repeated = repeated_by(signed, found, using)
    for one in signed:
        best = max(repeated[one.document], default=None)
        if best is not None:
            execute(using, REPEATS, [best.document, best.exact, one.document, one.wanted])
        elif not one.fresh:
            execute(using, REPEATS_NOT, [one.document, one.wanted])


def repeated_by(signed: Sequence[Signed], found: Mapping[int, Found], using: str) -> dict[int, list[Alike]]:
    """By document, the remembered deleted posts that it says again; all of the documents are stored."""
    near = {one.document: alike(one, found[one.document].deleted) for one in signed}
    asked = {document for document, deleted in near.items() if deleted}
    asked |= {each.document for deleted in near.values() for each in deleted}
    about = _about(asked, signed[0].scheme, using)
    return {
        document: [each for each in deleted if _says_again(document, each.document, each.exact, about)]
        for document, deleted in near.items()
    }


def look_again(document: Document, adapter: Adapter, scheme: Scheme, using: str) -> None:
    """Mark the posts that repeat one which is deleted and remembered by now: their turns may have come before."""
    one = _stored(document, adapter, scheme, using)
    near = _near(one, using) if one else []
    about = _about({document.pk, *(each.document for each in near)} if near else (), scheme, using)
    for each in near:
        if _says_again(each.document, document.pk, each.exact, about):
            mark_document(each.document, using, recheck=True)


def _near(one: Signed, using: str) -> list[Alike]:
    """Living posts that are like a remembered one; none where they wait for statistics, and take turns then."""
    try:
        return alike(one, candidates_many([one], using)[one.document].prints)
    except StatisticsMissing:
        return []


def alike(one: Signed, others: Sequence[Sketch] | Sequence[Print]) -> list[Alike]:
    """Those of the others whose stored fingerprint is as like as that of a duplicate has to be."""
    if not others:
        return []
    scores = one.algorithm.screen_many(one.payload, [each.payload for each in others]).tolist()
    found = []
    for place, score in enumerate(scores):
        each = others[place]
        exact = each.exact_digest == one.exact_digest
        if exact or score >= one.algorithm.threshold(min(one.words, each.words)):
            found.append(Alike(exact, score, each.document))
    return found


def _says_again(later: int, earlier: int, exact: bool, about: Mapping[int, About]) -> bool:
    """Whether the first of two that are alike came after the other, and names the same codes."""
    if not {later, earlier} <= about.keys():
        return False
    return about[earlier].order < about[later].order and (exact or about[earlier].codes == about[later].codes)


def _about(documents: Collection[int], scheme: Scheme, using: str) -> dict[int, About]:
    before = scheme.pk, stored(datetime.now(timezone.utc), using)
    found = rows_in(using, ABOUT, sorted(documents), *before) if documents else []
    return {
        document: About((first_seen, document), sealed(codes, scheme) if digest else codes)
        for document, first_seen, codes, digest in found
    }


def _stored(document: Document, adapter: Adapter, scheme: Scheme, using: str) -> Signed | None:
    """A document whose text is gone, signed as its fingerprint has it: enough to look for candidates."""
    import numpy as np

    known = Fingerprint.objects.using(using).filter(document=document.pk, scheme=scheme).first()
    if known is None or document.space_id is None:
        return None
    copy = mix(int.from_bytes(bytes.fromhex(known.exact_digest)[:8], "big"), seed=EXACT)
    sure = storage.signed(mix(mix(scheme.pk, document.space_id), copy))
    keys = np.frombuffer(bytes(known.keys), np.int64)
    return Signed(
        document=document.pk,
        wanted=document.wanted,
        fresh=True,
        adapter=adapter,
        scheme=scheme,
        space=document.space_id,
        digest="",
        exact_digest=known.exact_digest,
        words=known.word_count,
        keys=keys,
        sure_keys=np.array([sure] if sure in set(keys.tolist()) else [], np.int64),
        payload=bytes(known.payload),
    )
