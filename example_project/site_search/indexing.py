"""Send noted adverts to the index, build it, and compare it with the database.

Several processes may send, and any of them may die at any time. Each batch first raises the counter in the database,
then reads notes and adverts. The counter is the version of what it writes, and OpenSearch refuses lower versions.
A batch deletes its notes only if the counter is still its own. Otherwise another batch began meanwhile, which may have
read the adverts earlier and written them with a higher version: the notes stay, and the adverts are sent again.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from secrets import token_hex
from typing import Any

from board.models import live_ads
from django.db import transaction
from django.db.models import F

from site_search.ad_documents import INDEX_BODY, read_documents
from site_search.connection import BATCH_SECONDS, alias, building_alias, connect
from site_search.models import SearchChange, SearchCounter

ADS_PER_BATCH = 500
CONFLICT, NOT_FOUND = 409, 404
HIGHEST = 2**63 - 1
STRICT = {"allow_partial_search_results": "false"}


class UnsentBatch(Exception):
    """OpenSearch has not stored a batch."""


class RestoredDatabase(UnsentBatch):
    """The index is ahead of the database, which was restored from a backup: the index must be built again."""


class Batch:
    """Noted adverts, and their documents."""

    def __init__(self) -> None:
        self.version = raise_counter()
        changes = SearchChange.objects.order_by("pk").values_list("pk", "ad")[:ADS_PER_BATCH]
        self.changes = dict(changes)
        self.keys = {*self.changes.values()}
        self.documents = read_documents(self.keys)

    def send(self) -> bool:
        """Write the documents, then delete the notes. Return False if the notes stay."""
        refused = False
        for target in present_aliases():
            refused |= write(target, self.version, self.keys, self.documents)
        with transaction.atomic():
            # The update locks the row until the notes are gone.
            own = SearchCounter.objects.filter(value=self.version)
            if not own.update(value=self.version):
                return False
            if refused:
                raise RestoredDatabase("The index is newer than the database. Run: site_search --rebuild")
            SearchChange.objects.filter(pk__in=[*self.changes]).delete()
        return True


def raise_counter() -> int:
    SearchCounter.objects.get_or_create(pk=1)
    with transaction.atomic():
        SearchCounter.objects.filter(pk=1).update(value=F("value") + 1)
        return SearchCounter.objects.get(pk=1).value


def send_all() -> int:
    """Send the noted adverts. Return how many there were. Without an index the notes stay."""
    number = 0
    while present_aliases() and SearchChange.objects.exists():
        batch = Batch()
        if not batch.send():
            break
        number += len(batch.keys)
    return number


def write(target: str, version: int, keys: Collection[int], documents: dict[int, dict[str, Any]]) -> bool:
    """Write documents, and delete those of other keys. Return whether one was refused because of its version."""
    lines: list[dict[str, Any]] = []
    for key in sorted(keys):
        action = {"_id": str(key), "version": version, "version_type": "external_gte"}
        lines += [{"index": action}, documents[key]] if key in documents else [{"delete": action}]
    if not lines:
        return False
    answer = connect(BATCH_SECONDS).bulk(
        body="".join(json.dumps(line) + "\n" for line in lines),
        index=target,
        params={"require_alias": "true"},
    )
    refused = False
    for item in answer["items"]:
        ((action, result),) = item.items()
        refused |= result["status"] == CONFLICT
        is_gone = action == "delete" and result["status"] == NOT_FOUND and "error" not in result
        if result["status"] >= 300 and result["status"] != CONFLICT and not is_gone:
            raise UnsentBatch(f"{target}: {result['status']} {result['error'].get('reason', '')}")
    return refused


def present_aliases() -> list[str]:
    indices = connect(BATCH_SECONDS).indices
    return [name for name in (alias(), building_alias()) if indices.exists_alias(name=name)]


def rebuild() -> int:
    """Build a new index beside the present one, and switch. Return the number of adverts.

    Changes of adverts are sent to both indexes meanwhile.
    """
    indices = connect(BATCH_SECONDS).indices
    for leftover in _indexes_of(building_alias()):
        indices.delete(index=leftover)
    new_index = f"{alias()}-{token_hex(4)}"
    indices.create(index=new_index, body={**INDEX_BODY, "aliases": {building_alias(): {}}})
    number = 0
    for keys in _portions():
        version = raise_counter()
        documents = read_documents(keys)
        write(building_alias(), version, documents, documents)
        number += len(documents)
    indices.refresh(index=new_index)
    actions: list[dict[str, Any]] = [
        {"remove": {"index": new_index, "alias": building_alias(), "must_exist": True}},
        {"add": {"index": new_index, "alias": alias()}},
        *({"remove_index": {"index": old_index}} for old_index in _indexes_of(alias())),
    ]
    indices.update_aliases(body={"actions": actions})
    return number


def repair() -> int:
    """Send adverts again that differ in the index. Return their number."""
    send_all()
    connect(BATCH_SECONDS).indices.refresh(index=alias())
    differing = [*_differing()]
    SearchChange.objects.bulk_create([SearchChange(ad=key) for key in differing], batch_size=500)
    send_all()
    return len(differing)


def _differing() -> Iterator[int]:
    after = 0
    for keys in _portions():
        # Up to the next portion: adverts that are no longer shown may lie between.
        yield from _compare(after, keys[-1], keys)
        after = keys[-1]
    yield from _compare(after, HIGHEST, [])


def _compare(after: int, last: int, keys: Collection[int]) -> Iterator[int]:
    expected, stored = read_documents(keys), _read_index(after, last)
    yield from sorted(key for key in expected.keys() | stored if expected.get(key) != stored.get(key))


def _portions() -> Iterator[list[int]]:
    after = 0
    numbers = live_ads().order_by("pk").values_list("pk", flat=True)
    while keys := list(numbers.filter(pk__gt=after)[:ADS_PER_BATCH]):
        yield keys
        after = keys[-1]


def _read_index(after: int, last: int) -> dict[int, dict[str, Any]]:
    stored: dict[int, dict[str, Any]] = {}
    while True:
        body = {
            "query": {"range": {"number": {"gt": after, "lte": last}}},
            "sort": ["number"],
            "size": ADS_PER_BATCH,
        }
        answer = connect(BATCH_SECONDS).search(index=alias(), body=body, params=STRICT)
        hits = answer["hits"]["hits"]
        stored |= {hit["_source"]["number"]: hit["_source"] for hit in hits}
        if len(hits) < ADS_PER_BATCH:
            return stored
        after = hits[-1]["sort"][0]


def _indexes_of(name: str) -> list[str]:
    indices = connect(BATCH_SECONDS).indices
    return [*indices.get_alias(name=name)] if indices.exists_alias(name=name) else []
