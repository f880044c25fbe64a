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
from .pairs import current_pairs_of
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
    left = (fingerprints.get(document) for document in signed.left_candidates)
    return Candidates([one for one in left if one is not None and one.space_id == signed.space_id])


def leave_out_compared(
    candidates: Mapping[int, Candidates], scheme: int, using: str
) -> dict[int, Candidates]:
    """Return the candidates of each document. Those are left out that have a current pair with it."""
    pairs = current_pairs_of(candidates, scheme, using)
    compared = {sides for pair in pairs for sides in ((pair.a_id, pair.b_id), (pair.b_id, pair.a_id))}
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
        without_newer_request = rows.filter(wanted=document.requested_version)
        if fingerprints:
            is_updated = without_newer_request.update(
                unaligned=unaligned, recheck=False, pending_since=DatabaseClock(), wanted=F("wanted") + 1
            )
        else:
            is_updated = without_newer_request.update(unaligned=None)
        if not is_updated:
            # The turn of the newer request counts as a later turn, if the text is still the same.
            rows.update(unaligned=unaligned)
