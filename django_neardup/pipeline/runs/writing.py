"""Keys of a run go into the index in key order, before the fingerprints that say they are there.

Whoever finds a key of a document without a fingerprint passes it over, so a run that breaks off between the two does no
harm. Documents that were signed live meanwhile keep what is theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from ...adapters import Adapter
from ...conf import get_profile
from ...models import Document
from ...portions import portions
from ...storage import keys as storage
from ...storage import scan
from ...storage.index import ARRAY, ROWS
from ..locks import retrying, writing
from ..objects import content_type_of
from ..records import Signed
from ..sql import execute, rows, rows_in
from ..store import store_many
from .crowds import Crowds
from .spool import Spool
from .together import together

SLICES = {ROWS: 25_000, ARRAY: 200_000}
"""Keys written in one transaction, about: on SQLite nobody else writes meanwhile, and each is a Python object. Of
arrays a slice writes those of nearly all documents anew."""

BATCH = 500
"""Documents whose fingerprints are written in one transaction."""

WRITTEN = 'SELECT "document_id", SUM(LENGTH("keys")) FROM "neardup_fingerprint" WHERE "document_id" IN ({}) GROUP BY 1'


def write_keys(spool: Spool, crowds: Crowds, using: str, again: bool) -> Iterator[int]:
    """Add the keys of a run, of which the crowds are told first; yields how many each transaction held.

    ``again``: some may be there."""
    for keys, owners in spool.slices(SLICES[get_profile().storage]):
        crowds.add(keys, owners)
        retrying(storage.add_run, using, keys, owners, fresh=not again)
        yield len(keys)


def store(signed: Sequence[Signed], using: str) -> list[Signed]:
    """Fence, fingerprint and contacts of documents whose keys are written; those that it was done for.

    Of the rest, which a newer turn has seen to, our keys go. ``Outdated`` where another scheme signs by now."""
    done: list[Signed] = []
    try:
        for batch in portions(signed, BATCH):
            done += together(lambda posts: store_many(posts, using, keys_there=True), batch)
    finally:
        stored = {one.document for one in done}
        for one in signed:
            if one.document not in stored:
                take_back(one.document, one.keys.tolist(), using)
    return done


def take_back(document: int, keys: Iterable[int], using: str) -> None:
    """Remove those of the document's keys that no fingerprint of it says are its own."""
    retrying(_take_back, document, set(keys), using)


def scrub(adapter: Adapter, documents: Collection[int], using: str, tell: Callable[[], None]) -> None:
    """Remove keys that a run which was killed has left of those documents, and that are not theirs any more; of
    documents between them too whose objects have gone since.

    The key table is read through, and once more for every 500 documents that have keys too many; ``tell`` is called
    before each time."""
    if not documents:
        return
    first, last = min(documents), max(documents)
    gone = Document.objects.using(using).filter(
        content_type=content_type_of(adapter.model, using), state=Document.State.GONE, pending_since=None
    )
    chosen = {*documents, *gone.filter(pk__range=(first, last)).values_list("pk", flat=True)}
    written = {document: int(size) // 8 for document, size in rows_in(using, WRITTEN, sorted(chosen))}
    tell()
    there = scan.counts(using, first, last)
    odd = {document for document in chosen & there.keys() if there[document] > written.get(document, 0)}
    for some in portions(sorted(odd), scan.PORTION):
        tell()
        for document, keys in scan.keys_of(using, some).items():
            take_back(document, keys, using)


def _take_back(document: int, keys: set[int], using: str) -> None:
    with writing(using):
        execute(using, 'UPDATE "neardup_document" SET "id" = "id" WHERE "id" = %s', [document])
        held = rows(using, 'SELECT "keys" FROM "neardup_fingerprint" WHERE "document_id" = %s', [document])
        own = {key for (packed,) in held for key in storage.unpack(packed)}
        storage.replace(using, document, keys - own, ())
