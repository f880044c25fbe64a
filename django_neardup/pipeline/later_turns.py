"""Candidates that a turn could not align within its limit of work: later turns of the post compare it with them.

A later turn stands behind other posts in the queue. There are at most five. What is left after them is compared by
fingerprints only.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db.models import F

from ..adapters import Source
from ..comparison.compared_texts import Candidates, StoredFingerprint
from ..models import Document
from ..models.fields import DatabaseClock
from .stage_types import LaterCandidates, SignedDocument

MAX_LATER_TURNS = 5


def later_candidates(document: Document, source: Source, scheme: int) -> LaterCandidates | None:
    """Return the candidates that earlier turns have left. Return None if this turn must look for all candidates.

    That is so if none were left, if the text or the scheme has changed since, if a recheck was requested, or if
    another turn was begun since.
    """
    left: dict[str, Any] | None = document.unaligned
    if not left or document.recheck or left["state"] != [source.digest, scheme, document.version]:
        return None
    return LaterCandidates(left["turns"], tuple(left["documents"]))


def texts_with_later_turns(signed: Sequence[SignedDocument]) -> set[int]:
    """Return the documents that may have another turn after this one."""
    return {
        document.document_id
        for document in signed
        if document.later is None or document.later.turns < MAX_LATER_TURNS
    }


def restricted_candidates(
    signed: SignedDocument, fingerprints: Mapping[int, StoredFingerprint]
) -> Candidates:
    """Return the candidates that earlier turns have left and that are still in the space of the document."""
    left = (fingerprints.get(document) for document in (signed.later.documents if signed.later else ()))
    return Candidates([one for one in left if one is not None and one.space_id == signed.space_id])


def request_later_turns(
    concluded: Sequence[SignedDocument], left: Mapping[int, Collection[StoredFingerprint]], using: str
) -> None:
    """Request a later turn for each document with candidates that were left. Call it before its turn is finished.

    If the process dies in between, the later turn sends the signals of this one.
    """
    for document in concluded:
        fingerprints = left.get(document.document_id, ())
        rows = Document.objects.using(using).filter(
            pk=document.document_id, version=document.requested_version
        )
        if fingerprints:
            turns = 1 if document.later is None else document.later.turns + 1
            ids = list(dict.fromkeys(fingerprint.document_id for fingerprint in fingerprints))
            state = [document.source_digest, document.scheme.pk, document.requested_version]
            unaligned = {"state": state, "turns": turns, "documents": ids}
            is_requested = rows.filter(wanted=document.requested_version).update(
                unaligned=unaligned, recheck=False, pending_since=DatabaseClock(), wanted=F("wanted") + 1
            )
            if not is_requested:  # a newer request is pending already
                rows.update(unaligned=unaligned)
        elif document.has_left_candidates:
            rows.update(unaligned=None)
