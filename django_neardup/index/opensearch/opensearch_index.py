"""The key index in OpenSearch."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from django.db import transaction

from ...comparison.packed_keys import pack_keys
from ...db.backends import get_backend
from ...db.chunks import chunked
from ...db.queries import key_changes
from ...exceptions import IndexUnavailable, error_name
from ..base import KeyIndex, TextSearch, WaitingChanges
from ..database import DatabaseIndex
from . import drift, key_documents, replacement
from .declared_keys import frequent_keys
from .health import STATUS_SECONDS, problem_of
from .index_state import state_rows
from .opensearch_client import OpenSearchClient
from .opensearch_options import OpenSearchOptions
from .shipping import (
    PAUSE_SECONDS,
    check_index,
    is_due,
    purge_removed,
    ship_batch,
    ship_bulk,
    targets_of,
)
from .text_search import ANALYZERS, analyzer_of, search_requests

if TYPE_CHECKING:
    from ...db.backends.key_table import BucketRows, KeyTable, Numbers

logger = logging.getLogger(__name__)

T = TypeVar("T")

LINES_PER_REQUEST = 500
"""Buckets in one request."""
MAX_COUNTED = 1_000_000
"""Changes that a status counts, at most."""
PAGE_SECONDS = 0.8
"""Seconds that a page waits for an answer."""
PAGE_PAUSE_SECONDS = 10.0
"""Seconds in which pages ask only the database, after OpenSearch has not answered one."""
SEARCH_FIELDS = (
    "responses.hits.hits.sort,responses.status,responses.error,responses.timed_out,responses._shards.failed"
)


class OpenSearchIndex(KeyIndex):
    """Keys in an OpenSearch cluster. Keys that it may not return yet are in the database.

    ``client`` sends requests. ``name`` is the alias of the index that answers.
    """

    options_class: ClassVar[type[Any] | None] = OpenSearchOptions
    posts_per_load: ClassVar[int] = 500
    """Each shipment costs a refresh."""

    def __init__(self, using: str, options: OpenSearchOptions | None = None) -> None:
        super().__init__(using)
        self.options = options or OpenSearchOptions()
        self.client = OpenSearchClient(self.options, self.options.timeout, self.options.retries)
        self._page_client = OpenSearchClient(self.options, PAGE_SECONDS)
        self._status_client = OpenSearchClient(self.options, STATUS_SECONDS)
        self.name = f"{self.options.name}-{using}".lower()
        self.fresh = DatabaseIndex(using)
        self.last_check = 0.0
        self._is_loading = False
        self._paused_until = 0.0
        self._pages_paused_until = 0.0

    def configuration_problem(self) -> str:
        if find_spec("opensearchpy") is None:
            return (
                'the package opensearch-py is not installed: pip install "path/to/django-neardup[opensearch]"'
            )
        return self.fresh.configuration_problem()

    def change(self, document: int, removed: Sequence[int], added: Sequence[int]) -> None:
        with transaction.atomic(using=self.using, savepoint=False):
            key_changes.record(self.using, [(document, pack_keys(removed))])
            self.fresh.change(document, removed, added)
            # A key that is there again is no longer hidden.
            self.removed_keys.change_keys(document, added, removed)

    def add_run(self, keys: Numbers, documents: Numbers, assume_new: bool) -> None:
        import numpy as np

        is_bulk = self._is_loading and assume_new
        changes = [(document, b"") for document in np.unique(documents).tolist()]
        with transaction.atomic(using=self.using, savepoint=False):
            key_changes.record(self.using, changes, is_bulk=is_bulk)
            if not is_bulk:
                self.fresh.add_run(keys, documents, assume_new)
            if self._has_removed_keys():
                self.removed_keys.remove_run(keys, documents)

    def remove_run(self, keys: Numbers, documents: Numbers) -> None:
        import numpy as np

        order = np.argsort(documents, kind="stable")
        owners, starts = np.unique(documents[order], return_index=True)
        removed = [portion.tobytes() for portion in np.split(keys[order], starts[1:])]
        with transaction.atomic(using=self.using, savepoint=False):
            key_changes.record(self.using, list(zip(owners.tolist(), removed, strict=True)))
            self.fresh.remove_run(keys, documents)
            self.removed_keys.add_run(keys, documents, False)

    def read_buckets(self, keys: Sequence[int], oldest: int, newest: int) -> BucketRows:
        ship_bulk(self)
        # The database first. In the other order, keys that are shipped in between would be in neither answer.
        fresh = self.fresh.read_buckets(keys, oldest, newest)
        return self._add_shipped(fresh, keys, oldest, newest, self.client)

    def read_buckets_for_page(self, keys: Sequence[int], oldest: int, newest: int) -> tuple[BucketRows, bool]:
        fresh = self.fresh.read_buckets(keys, oldest, newest)
        # A first index is under way: some keys are in neither answer yet.
        is_complete = not key_changes.is_bulk_waiting(self.using)
        rows, is_answered = self._ask_for_page(partial(self._add_shipped, fresh, keys, oldest, newest), fresh)
        return rows, is_complete and is_answered

    def read_unsent_buckets(self, keys: Sequence[int], oldest: int, newest: int) -> BucketRows:
        return self.fresh.read_buckets(keys, oldest, newest)

    def search_texts(
        self, searches: Sequence[TextSearch], *, is_page: bool = False
    ) -> tuple[list[list[int]], bool]:
        if is_page:
            nothing: list[list[int]] = [[] for _ in searches]
            return self._ask_for_page(partial(self._search_texts, searches), nothing)
        return self._search_texts(searches, self.client), True

    def text_search_problem(self, language: str) -> str:
        if analyzer_of(language) is not None:
            return ""
        return (
            f"OpenSearch has no analyzer of the language {language!r}. It has some of: {', '.join(ANALYZERS)}"
        )

    def frequent_keys(self, min_documents: int, limit: int) -> Sequence[int]:
        return frequent_keys(self.using, min_documents, limit)

    @contextmanager
    def loading(self) -> Iterator[None]:
        """Send keys of new documents straight from their fingerprints, without rows in ``neardup_key``.

        Until they are sent, they are in the fingerprints only. So ``read_buckets`` sends them first.
        """
        self._is_loading = True
        try:
            yield
        finally:
            self._is_loading = False

    def ship(self, *, is_forced: bool = False) -> int:
        now = time.monotonic()
        if now < self._paused_until and not is_forced:
            return 0
        try:
            if is_due(self, is_forced):
                return ship_batch(self)
            check_index(self)
        except IndexUnavailable as error:
            if (
                is_forced
                or self.waiting_changes().changes >= self.options.max_waiting
                or self._stored_problem()
            ):
                raise
            self._pause(error)
        return 0

    def waiting_changes(self) -> WaitingChanges:
        number, milliseconds = key_changes.waiting(self.using, MAX_COUNTED)
        return WaitingChanges(number, milliseconds // 1000)

    def purge(self) -> int:
        state = state_rows(self.using, self.name).first()
        if state is None:
            return 0
        try:
            return sum(purge_removed(self, target) for target in targets_of(state))
        except IndexUnavailable as error:
            # It can wait: the entries are only in the way.
            logger.info("neardup: removed documents stay in the key index: %s", error_name(error))
            return 0

    def problem(self) -> str:
        state = state_rows(self.using, self.name).first()
        if state is None:
            return ""
        return state.problem or problem_of(self._status_client, state.in_use, self.using)

    def rebuild(self, report: Callable[[int], object]) -> None:
        replacement.rebuild(self, report)

    def repair(self, report: Callable[[int], object]) -> int:
        state = state_rows(self.using, self.name).first()
        if state is None or not state.in_use:
            return 0
        if state.problem:
            raise IndexUnavailable(state.problem)
        number = drift.send_again(self, state.in_use, report)
        while self.waiting_changes().changes and ship_batch(self):
            pass
        return number

    @property
    def removed_keys(self) -> KeyTable:
        """The table of pairs that the index may still return, and that no longer exist."""
        key_table = get_backend(self.using).key_table
        assert key_table is not None
        return key_table(self.using, key_changes.REMOVED_KEYS_TABLE)

    def _add_shipped(
        self, fresh: BucketRows, keys: Sequence[int], oldest: int, newest: int, client: OpenSearchClient
    ) -> BucketRows:
        """Add what OpenSearch returns to what the database returned before."""
        import numpy as np

        hidden = self._read_hidden(keys)
        if not self._has_shipped():
            return fresh
        shipped = self.search(keys, hidden, oldest, newest, client)
        if not len(fresh[0]):
            return shipped
        from ..key_arrays import outer_rows

        positions, documents = map(np.concatenate, zip(fresh, shipped, strict=True))
        return outer_rows(positions, documents, oldest, newest)

    def _has_shipped(self) -> bool:
        """Return whether anything was ever sent. Raise ``IndexUnavailable`` if the index must not be used."""
        state = state_rows(self.using, self.name).first()
        if state is not None and state.in_use and state.problem:
            raise IndexUnavailable(state.problem)
        return state is not None and bool(state.in_use)

    def _search_texts(self, searches: Sequence[TextSearch], client: OpenSearchClient) -> list[list[int]]:
        if not self._has_shipped():
            return [[] for _ in searches]
        return [
            found
            for portion, lines in search_requests(self.name, searches)
            for found in self._search_lines(lines, len(portion), client)
        ]

    def _ask_for_page(self, ask: Callable[[OpenSearchClient], T], otherwise: T) -> tuple[T, bool]:
        """Return what OpenSearch answers, and True.

        If it does not answer soon, or has not lately, return ``otherwise`` and False.
        """
        if time.monotonic() < self._pages_paused_until:
            return otherwise, False
        try:
            return ask(self._page_client), True
        except IndexUnavailable as error:
            # The next visitors need not wait for the same.
            self._pages_paused_until = time.monotonic() + PAGE_PAUSE_SECONDS
            logger.warning("neardup: pages find recent posts only: %s", error_name(error))
            return otherwise, False

    def search(
        self,
        keys: Sequence[int],
        hidden: dict[int, list[int]],
        oldest: int,
        newest: int,
        client: OpenSearchClient | None = None,
    ) -> BucketRows:
        """Read buckets in OpenSearch, without the documents that are hidden for a key."""
        import numpy as np

        from ..key_arrays import full_buckets, outer_rows

        size = oldest + newest
        client = client or self.client
        positions, documents = self._search_first(keys, hidden, size, "desc", client)
        # Only full buckets need a second query, and few posts have any.
        full = full_buckets(positions, size).tolist() if oldest and len(positions) >= size else []
        if not full:
            return positions, documents
        indexes, old_documents = self._search_first(
            [keys[position] for position in full], hidden, oldest, "asc", client
        )
        return outer_rows(
            np.concatenate([positions, np.array(full, np.int64)[indexes]]),
            np.concatenate([documents, old_documents]),
            oldest,
            newest,
        )

    def _search_first(
        self,
        keys: Sequence[int],
        hidden: dict[int, list[int]],
        size: int,
        order: str,
        client: OpenSearchClient,
    ) -> BucketRows:
        import numpy as np

        positions: list[int] = []
        documents: list[int] = []
        for start in range(0, len(keys), LINES_PER_REQUEST):
            portion = keys[start : start + LINES_PER_REQUEST]
            lines = key_documents.look_up_lines(
                self.name, portion, hidden, min(size, key_documents.MAX_HITS), order
            )
            for position, found in enumerate(self._search_lines(lines, len(portion), client), start):
                documents += found
                positions += [position] * len(found)
        return np.array(positions, np.int64), np.array(documents, np.int64)

    def _search_lines(self, lines: str, count: int, client: OpenSearchClient) -> list[list[int]]:
        """Return the documents that each line finds. Raise ``IndexUnavailable`` if an answer is incomplete."""
        with client.connect() as api:
            answer = api.msearch(body=lines, params={"filter_path": SEARCH_FIELDS})
        responses = answer.get("responses", [])
        for response in responses:
            if "error" in response or response["timed_out"] or response["_shards"]["failed"]:
                reason = json.dumps(response.get("error", "a shard does not answer"))[:300]
                raise IndexUnavailable(f"OpenSearch finds only a part of the index {self.name!r}: {reason}.")
        if len(responses) != count:
            raise IndexUnavailable(f"OpenSearch answers {len(responses)} of {count} look-ups.")
        return [
            [hit["sort"][-1] for hit in response.get("hits", {}).get("hits", [])] for response in responses
        ]

    def _read_hidden(self, keys: Sequence[int]) -> dict[int, list[int]]:
        """Return by key the documents that OpenSearch may still return for it, and that have lost it."""
        hidden: dict[int, list[int]] = {}
        for portion in chunked(keys):
            positions, documents = self.removed_keys.newest_documents(portion, key_documents.MAX_TERMS)
            for position, document in zip(positions.tolist(), documents.tolist(), strict=True):
                hidden.setdefault(portion[position], []).append(document)
        return hidden

    def _has_removed_keys(self) -> bool:
        from ...models import RemovedKey

        return RemovedKey.objects.using(self.using).exists()

    def _stored_problem(self) -> bool:
        return state_rows(self.using, self.name).exclude(problem="").exists()

    def _pause(self, error: IndexUnavailable) -> None:
        self._paused_until = time.monotonic() + PAUSE_SECONDS
        logger.warning("neardup: changed keys wait in the database %r: %s", self.using, error_name(error))
