"""Candidates that a turn could not align within its limit of work: later turns of the post compare it with them.

A later turn stands behind other posts in the queue. There are at most five. What is left after them is compared by
fingerprints only.

If a recheck is requested before the last of them, the next turn looks for all candidates again. It counts as one of the
five, and leaves out candidates with which the text has been compared.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db.models import F

from ..adapters import Source
from ..comparison.compared_texts import Candidates, StoredFingerprint
from ..comparison.work_limit import WorkLimit
from ..models import Document
from ..models.fields import DatabaseClock
from .pairs import is_current, pairs_of, source_digests_of
from .stage_types import LaterCandidates, SignedDocument

MAX_LATER_TURNS = 5


def later_candidates(document: Document, source: Source, scheme: int) -> LaterCandidates | None:
    """Return the candidates that earlier turns have left. Return None if this is a first turn.

    That is so if none were left, if the text or the scheme has changed since, or if another turn was begun since.
    """
    left: dict[str, Any] | None = document.unaligned
    if not left or left["state"] != [source.digest, scheme, document.version]:
        return None
    return LaterCandidates(left["turns"], None if document.recheck else tuple(left["documents"]))


def limit_turns(signed: Sequence[SignedDocument], work: WorkLimit) -> None:
    """Say which documents may have another turn after this one. A turn after the last one aligns nothing."""
    turns = {document.document_id: document.later.turns if document.later else 0 for document in signed}
    work.with_later_turns = {document for document, turn in turns.items() if turn < MAX_LATER_TURNS}
    for document, turn in turns.items():
        if turn > MAX_LATER_TURNS:
            work.exhaust(document)


def restricted_candidates(
    signed: SignedDocument, fingerprints: Mapping[int, StoredFingerprint]
) -> Candidates:
    """Return the candidates that earlier turns have left and that are still in the space of the document."""
    documents = (signed.later and signed.later.documents) or ()
    left = (fingerprints.get(document) for document in documents)
    return Candidates([one for one in left if one is not None and one.space_id == signed.space_id])


def leave_out_compared(
    candidates: Mapping[int, Candidates], scheme: int, using: str
) -> dict[int, Candidates]:
    """Return by document id its candidates without those that it has a current pair with."""
    pairs = pairs_of(candidates, scheme, using)
    digests = source_digests_of({side for pair in pairs for side in (pair.a_id, pair.b_id)}, scheme, using)
    current = [(pair.a_id, pair.b_id) for pair in pairs if is_current(pair, digests)]
    compared = {*current, *((b, a) for a, b in current)}
    return {
        document: replace(
            nearby,
            fingerprints=[one for one in nearby.fingerprints if (document, one.document_id) not in compared],
        )
        for document, nearby in candidates.items()
    }


def request_later_turns(
    concluded: Sequence[SignedDocument], left: Mapping[int, Collection[StoredFingerprint]], using: str
) -> None:
    """Request a later turn for each document with candidates that were left. Call it before its turn is finished.

    If the process dies in between, the later turn sends the signals of this one.
    """
    for document in concluded:
        fingerprints = left.get(document.document_id, ())
        if not fingerprints and not document.has_left_candidates:
            continue
        rows = Document.objects.using(using).filter(
            pk=document.document_id, version=document.requested_version
        )
        unaligned = {
            "state": [document.source_digest, document.scheme.pk, document.requested_version],
            "turns": 1 if document.later is None else document.later.turns + 1,
            "documents": list(dict.fromkeys(fingerprint.document_id for fingerprint in fingerprints)),
        }
        is_last = rows.filter(wanted=document.requested_version)
        if fingerprints:
            requested = is_last.update(
                unaligned=unaligned, recheck=False, pending_since=DatabaseClock(), wanted=F("wanted") + 1
            )
        else:
            requested = is_last.update(unaligned=None)
        if not requested:
            # A newer request is pending already. It gets no more turns for the same text.
            rows.update(unaligned=unaligned)
