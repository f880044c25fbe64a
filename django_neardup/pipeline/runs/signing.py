"""The first half of a run: objects are read and signed, and what needs no signature is set apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...models import Document, Scheme
from ...portions import portions
from ..ledger import mark_document
from ..reading import by_length
from ..records import Read, Signed, Skipped
from ..sql import rows_in
from ..stages import read_many, sign_many
from ..turn import drop
from . import documents
from .passes import Pass
from .together import together

READ = 50
"""Objects read together: however long each takes, the claim is renewed after so many."""


def sign(
    work: Pass, scheme: Scheme, numbers: Mapping[Any, int], alive: Callable[[], None]
) -> tuple[list[Signed], list[int], list[Document]]:
    """The signatures of those objects whose documents need one, which are leased; the documents of all; and those that
    somebody else held or has marked meanwhile: see ``insist``.

    The rest is as it should be, is not compared, or is left to the ordinary drain: posts that cannot be read or have
    gone. ``numbers``: their first-seen numbers, by primary key; ``alive`` is called after few objects."""
    using, reads = work.using, list[Read]()
    for some in portions(documents.take(work.adapter, numbers, using, renumber=work.first), READ):
        reads += read_many(some, using)
        alive()
    wanting = _wanting(reads, scheme, using)
    readable = [each for each in wanting if each.source is not None]
    made = [
        each
        for portion in by_length(readable)
        for each in together(lambda posts: _made(posts, scheme, using), portion)
    ]
    able = {_number(one) for one in made}
    ours = _ours([each.document for each in wanting if each.document.pk in able], using)
    for one in made:
        if _number(one) in ours and isinstance(one, Skipped):
            drop(one.read, using, Document.State.SKIPPED, one.reason)
    _leave([each.document for each in wanting if each.document.pk not in able], using)
    signed = [one for one in made if isinstance(one, Signed) and one.document in ours]
    for one in signed:
        one.wanted = ours[one.document].wanted
    held = [each.document for each in wanting if each.document.pk in able - ours.keys()]
    return signed, [each.document.pk for each in reads], held


def _made(reads: Sequence[Read], scheme: Scheme, using: str) -> list[Signed | Skipped]:
    signed, skipped = sign_many(reads, scheme, using)
    for one in signed:
        one.batch = None  # of long texts it holds every word
    return [*signed, *(each for each in skipped if not _is_skipped(each.read.document))]


def _is_skipped(document: Document) -> bool:
    return document.pending_since is None and document.state == Document.State.SKIPPED


def _number(made: Signed | Skipped) -> int:
    return made.document if isinstance(made, Signed) else made.read.document.pk


def _ours(known: Sequence[Document], using: str) -> dict[int, Document]:
    """Those that are leased to us: they were just made (or by a run that was killed), or are asked for now.

    Where a worker has one at this moment, the fence tells."""
    held = [each for each in known if each.version == 0 and each.leased_until is not None]
    ids = {each.pk for each in held}
    asked = documents.ask([each for each in known if each.pk not in ids], using)
    return {each.pk: each for each in (*held, *asked)}


def _leave(known: Sequence[Document], using: str) -> None:
    """See that the ordinary drain takes those that cannot be signed."""
    documents.leave([each.pk for each in known if each.pending_since is not None], using)
    for each in known:
        if each.pending_since is None and each.state != Document.State.SKIPPED:
            mark_document(each.pk, using)


def _wanting(reads: Sequence[Read], scheme: Scheme, using: str) -> list[Read]:
    """Those of which the index does not hold what was read, or that are asked for."""
    stored = _finished([each.document.pk for each in reads if each.document.version], scheme, using)
    return [each for each in reads if not _is_right(each, stored)]


def _is_right(read: Read, stored: Mapping[int, str]) -> bool:
    document, source = read.document, read.source
    if document.pending_since is not None or document.recheck or source is None:
        return False
    return document.state == Document.State.INDEXED and stored.get(document.pk) == source.digest


def _finished(known: Sequence[int], scheme: Scheme, using: str) -> dict[int, str]:
    """Source digests of what was signed and concluded."""
    statement = (
        'SELECT f."document_id", f."source_digest" FROM "neardup_fingerprint" f '
        'JOIN "neardup_document" d ON d."id" = f."document_id" '
        'WHERE f."scheme_id" = %s AND f."version" <= d."done" AND f."document_id" IN ({})'
    )
    return dict(rows_in(using, statement, known, scheme.pk))
