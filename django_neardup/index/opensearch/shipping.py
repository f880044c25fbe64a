"""Send recorded changes to OpenSearch, and forget them once every search returns them.

The order prevents a lost key:

1. The process claims the row of the index, which raises its counter.
2. It reads the oldest changes, and then the keys of their documents from their fingerprints.
3. It writes the counter, and each document with the number of its newest change as the version, and with the text of
   its post if the profile's CANDIDATES are a search of words. OpenSearch refuses a document if it has a newer version.
4. It refreshes. The answer counts only if every copy that is there has refreshed.
5. One transaction checks that the claim still holds, and deletes exactly what was sent. A change that came
   meanwhile stays, and its keys stay: they are not among the keys sent.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.db import transaction

from ...comparison.packed_keys import pack_keys, unpack_keys
from ...db.queries import key_changes
from ...exceptions import IndexUnavailable
from ...models import KeyIndexState
from . import key_documents
from .bulk_writing import write_entries
from .declared_keys import declared_keys
from .index_state import claim, release, renew, state_rows
from .text_search import text_properties

if TYPE_CHECKING:
    from ...db.backends.key_table import Numbers
    from .opensearch_index import OpenSearchIndex

BATCH = 1_000
"""Changes in one shipment, at most."""
DUE_MILLISECONDS = 5_000
"""A smaller shipment waits so long for more changes: each costs a refresh."""
CHECK_SECONDS = 60.0
"""Seconds between two looks at an index to which nothing is sent."""
WAIT_SECONDS = 0.05
"""Seconds between two looks at changes that another process is sending."""
PAUSE_SECONDS = 10.0
"""Seconds without a shipment after an error."""
KEPT_MILLISECONDS = 24 * 60 * 60 * 1000
"""How long an entry without keys is kept."""
MAX_PURGED = 1_000
"""Entries that one request deletes, at most."""
REQUIRED_SETTINGS = {"index.replication.type": "DOCUMENT", "index.translog.durability": "REQUEST"}

RESTORED = (
    "The key index {index!r} has seen later changes than the database {using!r}: the database was restored from a "
    "backup. Nothing is compared until the key index is rebuilt: python manage.py neardup_index --rebuild-index "
    "--database {using}"
)
MISSING = (
    "OpenSearch has no key index {index!r} of the database {using!r}. Nothing is compared until the key index is "
    "rebuilt: python manage.py neardup_index --rebuild-index --database {using}"
)
FOREIGN = (
    "The key index {index!r} belongs to another database than {using!r}. Give this site another NAME in INDEX. Or "
    "delete that index, and run: python manage.py neardup_index --rebuild-index --database {using}"
)


class UnusableIndex(IndexUnavailable):
    """An index that a person must see to. The message is stored as its problem."""


@dataclass
class Batch:
    """Changes to send: by document, the ids of its changes, the keys that they removed, and its present keys.

    ``stored``: documents whose keys may be in the database, too. ``since``: the time of the newest change.
    """

    ids: dict[int, list[int]] = field(default_factory=dict)
    since: dict[int, int] = field(default_factory=dict)
    stored: set[int] = field(default_factory=set)
    removed: dict[int, set[int]] = field(default_factory=dict)
    keys: dict[int, set[int]] = field(default_factory=dict)


def is_due(index: OpenSearchIndex, is_forced: bool) -> bool:
    """Return whether a batch is full, or its oldest change has waited long enough."""
    number, milliseconds = key_changes.waiting(index.using, BATCH)
    # A change of the future: the clock was set back.
    is_old = not 0 <= milliseconds < DUE_MILLISECONDS
    return bool(number) and (is_forced or number >= BATCH or is_old)


def check_index(index: OpenSearchIndex) -> None:
    """Check, once in a while, that the index in use is the one of this database and not ahead of it."""
    if index.last_check and time.monotonic() - index.last_check < CHECK_SECONDS:
        return
    state = state_rows(index.using, index.name).first()
    if state is not None and state.in_use:
        with _stored_problem(index, state):
            # A shipment of another process may raise both meanwhile: read the database last.
            number = _examine(index, state.in_use, state.owner)
            if number > state_rows(index.using, index.name).get().counter:
                raise UnusableIndex(RESTORED.format(index=state.in_use, using=index.using))
    index.last_check = time.monotonic()


def ship_batch(index: OpenSearchIndex) -> int:
    """Send the oldest changes. Return the number of documents, 0 if another process is sending."""
    state = claim(index.using, index.name)
    if state is None:
        return 0
    try:
        if state.problem and not state.building:
            raise IndexUnavailable(state.problem)
        with _stored_problem(index, state):
            if not state.in_use:
                create_first_index(index, state)
            for target in targets_of(state):
                # The claim has raised the counter: an index that has it already was not written by this history.
                if _examine(index, target, state.owner) >= state.counter and renew(state, index.using):
                    raise UnusableIndex(RESTORED.format(index=target, using=index.using))
    except BaseException:
        release(state, index.using)
        raise
    return send_batch(index, state, targets_of(state))


def ship_bulk(index: OpenSearchIndex) -> None:
    """Send the changes whose keys are only in the fingerprints. If another process is sending, wait for it.

    A document looks for candidates after its own keys are searchable. So of two copies the later one finds the other.
    """
    while key_changes.is_bulk_waiting(index.using):
        if not ship_batch(index):
            time.sleep(WAIT_SECONDS)


def targets_of(state: KeyIndexState) -> list[str]:
    """Return the indexes that get every change: that in use, unless it has a problem, and that being built."""
    return [name for name in ("" if state.problem else state.in_use, state.building) if name]


def send_batch(index: OpenSearchIndex, state: KeyIndexState, targets: Sequence[str]) -> int:
    """Send the oldest changes to the targets under a claim, and end the claim."""
    try:
        batch = read_batch(index.using)
        refused: set[int] = set()
        for target in targets if batch.ids else ():
            refused_here = write_entries(index, target, state.counter, _entries(batch))
            with _stored_problem(index, state):
                _refuse_unknown_versions(index, target, refused_here)
            refused |= refused_here
        for target in targets if batch.ids else ():
            refresh(index, target)
        index.last_check = time.monotonic()
    except BaseException:
        release(state, index.using)
        raise
    with transaction.atomic(using=index.using):
        if not release(state, index.using):
            # Another process has the claim, and may have sent later changes: it deletes what it has sent.
            return 0
        forget(index, batch, refused)
    return len(batch.ids)


def _refuse_unknown_versions(index: OpenSearchIndex, target: str, refused: Collection[int]) -> None:
    """Raise ``UnusableIndex`` if the index has versions that no change of this database has had."""
    if not refused:
        return
    # A number that is taken now is above all others: these documents get such numbers.
    newest = key_changes.reserve(index.using)
    with index.client.connect() as api:
        answer = api.mget(index=target, body={"ids": sorted(map(str, refused))}, params={"_source": "false"})
    if any(entry.get("_version", 0) >= newest for entry in answer["docs"]):
        raise UnusableIndex(RESTORED.format(index=target, using=index.using))


def read_batch(using: str) -> Batch:
    """Read the oldest changes, and then the present keys of their documents: they are as new, or newer."""
    batch = Batch()
    for change, document, removed, since, is_bulk in key_changes.oldest(using, BATCH):
        batch.ids.setdefault(document, []).append(change)
        batch.since[document] = since
        if not is_bulk:
            batch.stored.add(document)
        batch.removed.setdefault(document, set()).update(unpack_keys(removed))
    batch.keys = declared_keys(using, batch.ids)
    return batch


def _entries(batch: Batch) -> list[key_documents.Entry]:
    return [
        key_documents.Entry(document, max(ids), batch.keys.get(document, set()), batch.since[document])
        for document, ids in batch.ids.items()
    ]


def refresh(index: OpenSearchIndex, target: str) -> None:
    """Make every write so far searchable. Raise ``IndexUnavailable`` unless every copy that is there answers so."""
    with index.client.connect() as api:
        shards = api.indices.refresh(index=target)["_shards"]
        health = api.cluster.health(index=target)
    # A copy that became ready after the refresh counts as missing: the batch is sent again.
    if shards["failed"] or health["status"] == "red" or shards["successful"] < health["active_shards"]:
        raise IndexUnavailable(
            f"OpenSearch has refreshed {shards['successful']} of {health['active_shards']} copies of {target!r}."
        )


def purge_removed(index: OpenSearchIndex, target: str) -> int:
    """Delete entries that lost all keys long ago, not too many at once. Return their number.

    OpenSearch remembers the version of a deleted entry for ``index.gc_deletes``, a minute. Without an entry, a write
    that was sent before the removal and arrives after that would bring its keys back. No request is under way so long.
    """
    with index.client.connect() as api:
        answer = api.delete_by_query(
            index=target,
            body=key_documents.removed_body(key_changes.clock(index.using) - KEPT_MILLISECONDS),
            # An entry that has changed meanwhile has keys again.
            params={"conflicts": "proceed", "max_docs": MAX_PURGED},
        )
    return int(answer["deleted"])


def forget(index: OpenSearchIndex, batch: Batch, refused: Collection[int]) -> None:
    """Delete what every search now returns, in a transaction that holds the claim.

    A refused document gets a new number: OpenSearch has a version that may be older than its keys.
    """
    accepted = [document for document in batch.ids if document not in refused]
    for is_bulk in (False, True):
        again = [document for document in sorted(refused) if (document not in batch.stored) == is_bulk]
        changes = [(document, pack_keys(batch.removed[document])) for document in again]
        key_changes.record(index.using, changes, is_bulk=is_bulk)
    key_changes.delete(index.using, [change for ids in batch.ids.values() for change in ids])
    remove_pairs(
        index.fresh.remove_run,
        {document: batch.keys.get(document, set()) for document in accepted if document in batch.stored},
    )
    remove_pairs(
        index.removed_keys.remove_run,
        {document: batch.removed[document] - batch.keys.get(document, set()) for document in accepted},
    )


def remove_pairs(
    remove_run: Callable[[Numbers, Numbers], None], keys_by_document: Mapping[int, Collection[int]]
) -> None:
    from ..key_arrays import sort_pairs

    keys = [key for document_keys in keys_by_document.values() for key in document_keys]
    documents = [document for document, document_keys in keys_by_document.items() for _ in document_keys]
    if keys:
        remove_run(*sort_pairs(keys, documents))


def create_first_index(index: OpenSearchIndex, state: KeyIndexState) -> None:
    """Create the index and its alias, under a claim. Raise ``UnusableIndex`` if the alias is taken."""
    existing = refuse_foreign_alias(index, state)
    # There is one if a process died before it stored the name.
    state.in_use = existing or create_index(index, state)
    if not existing:
        with index.client.connect() as api:
            api.indices.put_alias(index=state.in_use, name=index.name)
    state_rows(index.using, index.name).filter(counter=state.counter).update(in_use=state.in_use)


def refuse_foreign_alias(index: OpenSearchIndex, state: KeyIndexState) -> str:
    """Return the index behind the alias, or an empty text. Raise ``UnusableIndex`` if it is another database's."""
    with index.client.connect() as api:
        if not api.indices.exists_alias(name=index.name):
            return ""
        existing = min(api.indices.get_alias(name=index.name))
        _refuse_foreign(index, api, existing, state.owner)
    return str(existing)


def _refuse_foreign(index: OpenSearchIndex, api: Any, target: str, owner: str) -> None:
    if owner_of(api, target) != owner:
        raise UnusableIndex(FOREIGN.format(index=target, using=index.using))


def create_index(index: OpenSearchIndex, state: KeyIndexState) -> str:
    """Create an empty index, and return its name."""
    from opensearchpy.exceptions import RequestError

    name = f"{index.name}-{state.counter}"
    with index.client.connect() as api:
        try:
            body = key_documents.index_body(index.options, state.owner, text_properties())
            api.indices.create(index=name, body=body)
        except RequestError as error:
            # Also if a request without an answer has created it, and is sent again.
            if error.error != "resource_already_exists_exception":
                raise
            _refuse_foreign(index, api, name, state.owner)
    return name


def _examine(index: OpenSearchIndex, target: str, owner: str) -> int:
    """Return the number of the newest shipment in an index. Raise ``UnusableIndex`` if it is not usable."""
    with index.client.connect() as api:
        if not api.indices.exists(index=target):
            raise UnusableIndex(MISSING.format(index=target, using=index.using))
        _refuse_foreign(index, api, target, owner)
        if not index.last_check:
            _check_settings(api, target)
        shipment = api.get(index=target, id=key_documents.SHIPMENT_ID, params={"ignore": 404})
    return int(shipment["_version"]) if shipment.get("found") else 0


def owner_of(api: Any, target: str) -> str:
    (mapping,) = api.indices.get_mapping(index=target).values()
    return str(mapping["mappings"].get("_meta", {}).get("owner", ""))


def _check_settings(api: Any, target: str) -> None:
    (found,) = api.indices.get_settings(index=target, params={"flat_settings": "true"}).values()
    for name, value in REQUIRED_SETTINGS.items():
        present = str(found["settings"].get(name, "not set"))
        if present.upper() != value:
            raise IndexUnavailable(
                f"OpenSearch: {name} of {target!r} is {present}. Keys could be lost: it must be "
                f"{value.lower()}."
            )


@contextmanager
def _stored_problem(index: OpenSearchIndex, state: KeyIndexState) -> Iterator[None]:
    """Store the problem of an index that a person must see to, so that no process uses it."""
    try:
        yield
    except UnusableIndex as error:
        state_rows(index.using, state.name).update(problem=str(error))
        raise
