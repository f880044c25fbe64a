"""Build a new index from the fingerprints beside the one in use, and switch to it.

Posts are saved, edited and deleted meanwhile. From the creation of the new index on, each change is sent to both, and
leaves the database only when both have it. The copy of a document has the lowest version, so a change that was sent
before it wins. A run that was killed is resumed where it stopped.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from django.db import transaction

from ...exceptions import IndexUnavailable
from ...models import Key, KeyChange, KeyIndexState
from .bulk_writing import write_entries
from .declared_keys import declared_ranges
from .drift import Report, differing_documents, record_again
from .index_state import claim, release, renew, state_rows
from .key_documents import Entry
from .shipping import (
    create_first_index,
    create_index,
    owner_of,
    refresh,
    refuse_foreign_alias,
    remove_pairs,
    ship_batch,
)

if TYPE_CHECKING:
    from .opensearch_index import OpenSearchIndex

COPY_VERSION = 0
"""Below the number of every change."""
ENTRIES_PER_REQUEST = 500
MAX_ROUNDS = 20
"""How often the new index is compared, and what differs is copied again, before the build is given up."""


def rebuild(index: OpenSearchIndex, report: Report = lambda count: None) -> None:
    """Build a new index, or go on with the one that is being built, and switch to it."""
    building = _begin(index)
    _copy(index, building, report)
    for _ in range(MAX_ROUNDS):
        while index.waiting_changes().changes and ship_batch(index):
            pass
        if _switch_if_equal(index, building):
            _delete_others(index)
            return
    raise IndexUnavailable(
        f"The new index {building!r} still differs from the database: run the command again."
    )


def _begin(index: OpenSearchIndex) -> str:
    """Return the name of the index that is being built. Create it if there is none."""
    # A process that is sending now does not know of the new index: it must not finish.
    state = claim(index.using, index.name, is_forced=True)
    assert state is not None
    try:
        refuse_foreign_alias(index, state)
        if not state.in_use:
            create_first_index(index, state)
        with index.client.connect() as api:
            is_there = bool(state.building) and api.indices.exists(index=state.building)
        if not is_there:
            state.building, state.built_up_to = create_index(index, state), 0
    except BaseException:
        release(state, index.using)
        raise
    if not release(state, index.using, building=state.building, built_up_to=state.built_up_to):
        raise IndexUnavailable("Another process has begun to build the key index: run the command again.")
    return state.building


def _copy(index: OpenSearchIndex, building: str, report: Report) -> None:
    """Copy the keys of all documents. The progress is stored after each range."""
    rows = state_rows(index.using, index.name).filter(building=building)
    after = rows.values_list("built_up_to", flat=True).get()
    for last, keys in declared_ranges(index.using, after):
        entries = [Entry(document, COPY_VERSION, own) for document, own in keys.items()]
        for start in range(0, len(entries), ENTRIES_PER_REQUEST):
            # A refused document was sent already, as it is now.
            write_entries(index, building, None, entries[start : start + ENTRIES_PER_REQUEST])
        if not rows.update(built_up_to=last):
            raise IndexUnavailable(
                f"Another process has replaced the index {building!r} that was being built."
            )
        report(len(keys))


def _switch_if_equal(index: OpenSearchIndex, building: str) -> bool:
    """Compare the new index with the database under a claim. If they are equal, switch to it.

    Otherwise record changes of what differs. Return False then, or if the claim was lost.
    """
    state = claim(index.using, index.name, is_forced=True)
    assert state is not None
    try:
        refresh(index, building)
        differing = list(differing_documents(index, building, lambda count: renew(state, index.using)))
        if differing:
            record_again(index.using, differing)
            release(state, index.using)
            return False
        with index.client.connect() as api:
            api.indices.update_aliases(
                body={
                    "actions": [
                        {"remove": {"index": f"{index.name}-*", "alias": index.name, "must_exist": False}},
                        {"add": {"index": building, "alias": index.name}},
                    ]
                }
            )
        # Rows of an index in the database that was used before: the new index has their keys.
        _remove_copied_rows(index, lambda: renew(state, index.using))
    except BaseException:
        release(state, index.using)
        raise
    return release(state, index.using, in_use=building, building="", built_up_to=0, problem="")


def _remove_copied_rows(index: OpenSearchIndex, go_on: Callable[[], bool]) -> None:
    """Delete the keys in the database of documents without waiting changes, under a claim."""
    changes = KeyChange.objects.using(index.using)
    samples = Key.objects.using(index.using).values_list("document", flat=True)[:ENTRIES_PER_REQUEST]
    sampled = set(samples)
    if sampled <= set(changes.filter(document__in=sampled).values_list("document", flat=True)):
        return
    after = 0
    for last, keys in declared_ranges(index.using):
        waiting = changes.filter(document__gt=after, document__lte=last).values_list("document", flat=True)
        for document in waiting:
            keys.pop(document, None)
        with transaction.atomic(using=index.using):
            if not go_on():
                return
            remove_pairs(index.fresh.remove_run, keys)
        after = last


def _delete_others(index: OpenSearchIndex) -> None:
    """Delete former indexes of this database."""
    state = KeyIndexState.objects.using(index.using).get(name=index.name)
    with index.client.connect() as api:
        for name in api.indices.get(index=f"{index.name}-*"):
            is_numbered = re.fullmatch(rf"{re.escape(index.name)}-\d+", name)
            if (
                is_numbered
                and name not in (state.in_use, state.building)
                and owner_of(api, name) == state.owner
            ):
                api.indices.delete(index=name)
