"""The age of texts: which of two equal texts was there first.

The age of a post is not the age of its text: someone may edit an old advert into a copy of a newer one. So posts
are ordered by ``Document.text_since``, and a post's own save can make its text younger:

- The save brings a text that shares few keys with the former one, and no former duplicate is a duplicate of it.
- The save makes the post a duplicate of posts that it was not a duplicate of, and that had their texts by then.

The time of the save's mark counts, so the order of processing does not matter. A text that the post had before
keeps its former time. Changes by no save of the post, such as another adapter, do not change the order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..comparison.compared_texts import JudgedPair
from ..db.queries import pairs as pair_queries
from ..db.sql import filter_in_chunks
from ..models import Document, Fingerprint, Verdict
from .clusters.memberships import MembershipRow
from .stage_types import Edit, PairRow, SignedDocument, StoredText

MAX_FORMER_TEXTS = 8
"""Number of earlier texts of a post with remembered times."""

MIN_SHARED_KEYS = 0.5
"""Share of the keys, of the text with fewer keys, that an edit must leave for the text to count as the same."""


def record_edits(
    signed: Iterable[SignedDocument], stored_texts: Mapping[int, StoredText], using: str
) -> None:
    """Record which of the documents have another text than the stored one, by their own save.

    The caller has locked their rows. ``SignedDocument.edit`` is set for texts that must be compared to know their
    age. ``stored_texts``: the stored texts by document, under the same scheme.
    """
    by_id = {document.document_id: document for document in signed if not document.is_new}
    for row in _read_ages(sorted(by_id), using):
        document, stored, former_texts = by_id[row.pk], stored_texts.get(row.pk), row.former_texts or []
        if stored is not None and stored.exact_digest == document.exact_digest:
            if row.edit_time is not None:
                # An earlier attempt has stored the text and broken off.
                digest, former_time = former_texts[-1] if former_texts else ("", row.text_since)
                is_jump = row.text_since == row.edit_time
                document.edit = Edit(row.edit_time, former_time, digest, is_jump)
            continue
        time = row.save_time if row.save_time is not None else document.edited_at
        if stored is not None:
            former_texts = _add_former_text(former_texts, stored.exact_digest, row.text_since)
        elif not former_texts:
            continue  # it was never compared before
        known_times = dict(former_texts)
        if document.exact_digest in known_times:
            row.text_since, row.edit_time = known_times[document.exact_digest], None
        elif time is not None:
            is_jump = stored is None or not _shares_keys(document, stored)
            former_digest = "" if stored is None else stored.exact_digest
            document.edit, row.edit_time = Edit(time, row.text_since, former_digest, is_jump), time
            row.text_since = time if is_jump else row.text_since
        _write_age(row, former_texts, using)


def remember_text(document: int, using: str) -> None:
    """Remember the age of a text that is no longer compared, for the case that it comes back.

    A post that is hidden and shown again keeps its place. A post that was emptied and comes back as a copy loses it.
    """
    digests = (
        Fingerprint.objects.using(using).filter(document=document).values_list("exact_digest", flat=True)
    )
    for row in _read_ages([document], using):
        former_texts = row.former_texts or []
        for digest in digests:
            former_texts = _add_former_text(former_texts, digest, row.text_since)
        _write_age(row, former_texts, using)


def place_edits(
    signed: Sequence[SignedDocument],
    pairs: Mapping[int, Sequence[JudgedPair]],
    memberships: Mapping[int, MembershipRow],
    text_times: Mapping[int, int],
    using: str,
) -> dict[int, int]:
    """Give edited texts their age, under the lock of the space, before the pairs are written.

    Return the changed times by document. ``memberships``: the memberships of the documents and their partners.
    ``text_times``: ``Document.text_since`` of the same documents.
    """
    changed: dict[int, int] = {}
    for document in signed:
        edit = document.edit
        if edit is None:
            continue
        if edit.former_duplicates is None:
            edit.former_duplicates, edit.unchanged_duplicates = _former_duplicates(document, edit, using)
        duplicates = {
            pair.other_side(document.document_id).document_id
            for pair in pairs[document.document_id]
            if pair.judgement.verdict == Verdict.DUPLICATE
        }
        former = {
            other
            for other in duplicates
            if other in edit.former_duplicates or _share_cluster(document.document_id, other, memberships)
        }
        victims = [
            time for other in duplicates - former if (time := text_times.get(other, edit.time)) <= edit.time
        ]
        if victims:
            edit.is_copy = True
        current = text_times.get(document.document_id, 0)
        time = current
        if edit.is_copy:
            # Behind the victim even if both were saved in the same millisecond.
            time = max([current, edit.time, *(victim + 1 for victim in victims)])
        elif former:
            time = edit.former_time
            if edit.is_jump and not duplicates & edit.unchanged_duplicates:
                # Two old posts that are edited into one text prove nothing older than these edits.
                time = max(time, min(text_times.get(other, edit.time) for other in former))
        if time != current:
            Document.objects.using(using).filter(pk=document.document_id).update(text_since=time)
            changed[document.document_id] = time
    return changed


def set_first_times(signed: Iterable[SignedDocument], using: str) -> None:
    """Store the times of the last edits that the adapters name, for texts of the first backfill."""
    for document in signed:
        if document.edited_at is not None and document.is_new:
            rows = Document.objects.using(using).filter(pk=document.document_id, text_since=0)
            rows.update(text_since=document.edited_at)


def _read_ages(documents: Sequence[int], using: str) -> list[Document]:
    rows = Document.objects.using(using).only("save_time", "edit_time", "text_since", "former_texts")
    return [row for chunk in filter_in_chunks(rows, "pk", documents) for row in chunk]


def _write_age(row: Document, former_texts: list[list[Any]], using: str) -> None:
    Document.objects.using(using).filter(pk=row.pk).update(
        text_since=row.text_since, edit_time=row.edit_time, former_texts=former_texts or None
    )


def _add_former_text(former_texts: Sequence[list[Any]], digest: str, since: int) -> list[list[Any]]:
    """Return the former texts with one more, the newest last."""
    others = [entry for entry in former_texts if entry[0] != digest]
    return [*others, [digest, since]][-MAX_FORMER_TEXTS:]


def _shares_keys(document: SignedDocument, stored: StoredText) -> bool:
    keys = set(document.keys.tolist())
    smaller = min(len(keys), len(stored.keys))
    return len(keys & stored.keys) >= MIN_SHARED_KEYS * smaller


def _former_duplicates(document: SignedDocument, edit: Edit, using: str) -> tuple[set[int], set[int]]:
    """Return the documents that were duplicates of the text before, and the ones with unchanged texts.

    All stored pairs count: another worker may have compared the new text already. Such a pair counts only if
    the other text is a copy of the text before.
    """
    rows = pair_queries.judgements(using, {document.document_id}, document.scheme.pk)
    pairs = [pair for row in rows if (pair := PairRow._make(row)).verdict == Verdict.DUPLICATE]
    if not pairs:
        return set(), set()
    pair_by_other = {pair.other_id(document.document_id): pair for pair in pairs}
    fingerprints = Fingerprint.objects.using(using).filter(scheme=document.scheme)
    digests = fingerprints.values_list("document", "source_digest", "exact_digest")
    former, unchanged = set(), set()
    for other, pair in pair_by_other.items():
        if _own_digest(pair, document.document_id) != document.source_digest:
            former.add(other)
    chunks = filter_in_chunks(digests, "document", pair_by_other)
    for other, source_digest, exact_digest in (row for chunk in chunks for row in chunk):
        if other in former:
            is_unchanged = _own_digest(pair_by_other[other], other) == source_digest
        else:
            is_unchanged = bool(edit.former_digest) and exact_digest == edit.former_digest
        if is_unchanged:
            unchanged.add(other)
    return former | unchanged, unchanged


def _own_digest(pair: PairRow, document: int) -> str:
    return pair.digest_a if pair.a_id == document else pair.digest_b


def _share_cluster(a: int, b: int, memberships: Mapping[int, MembershipRow]) -> bool:
    return a in memberships and b in memberships and memberships[a].cluster_id == memberships[b].cluster_id
