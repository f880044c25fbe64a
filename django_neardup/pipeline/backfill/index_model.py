"""Processing of one range, from its objects to their clusters, and of range after range until none is left."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from django.db import connections

from ...models import Document, Scheme
from ..batch_size import AdaptiveBatchSize
from ..scheme_cache import clear_cache
from ..version_guard import SchemeChanged
from .matcher import BATCH, Matcher
from .passes import IndexPass, PostCounts, is_over
from .range_documents import (
    LEASE_SECONDS,
    get_or_create_documents,
    mark_for_worker,
    release_killed_run,
    request_recheck,
)
from .ranges import MAX_POSTS_PER_RANGE, Claim, LeaseLost, claim_range
from .run_posts import RunPosts
from .sign_range import sign_objects
from .spool import Spool
from .write_keys import delete_orphaned_keys, store_signed, write_keys

CHUNK_SIZE = 500
"""Largest number of objects read and signed together. One statement takes a list of that length."""

MAX_SPOOL_BYTES = 256 << 20
"""Size of the signatures in files above which a run is written, even if its range is not complete."""

MAX_RUN_SECONDS = LEASE_SECONDS / 3
"""Duration after which a run is written as well, because the leases of its documents are not renewed."""

RENEW_SECONDS = 1.0
"""Interval after which a claim is renewed while objects are read."""

SCAN_SECONDS = 3600
"""Longest duration of a statement that scans the whole key table."""

WAIT_SECONDS = 1.0
"""Pause between two checks of ranges that other processes have claimed."""

PhaseCallback = Callable[[str, PostCounts], None]
"""Receives the current phase, and how many posts were signed and compared since the last call."""


def process_ranges(
    index_pass: IndexPass,
    posts: int = MAX_POSTS_PER_RANGE,
    report: PhaseCallback = lambda phase, counts: None,
    *,
    mark_only: bool = False,
) -> None:
    """Process ranges of ``posts`` objects until the pass is over.

    The last ranges may be shared with other processes. ``mark_only``: leave every post to the normal drain.
    """
    clear_cache(index_pass.using)
    while True:
        range_claim = claim_range(index_pass, posts)
        if range_claim is not None:
            with _release_on_error(range_claim):
                _process_range(range_claim, report, mark_only)
        elif is_over(index_pass):
            return
        else:
            report(f"others have the rest, leased for {index_pass.seconds_until_free()} s", PostCounts())
            time.sleep(WAIT_SECONDS)


@contextmanager
def _release_on_error(range_claim: Claim) -> Iterator[None]:
    """Release the claim if its processing fails, so that no process waits for the lease to expire.

    If the claim was lost, do nothing. If the scheme or a space has changed, release the range for a new
    attempt.
    """
    try:
        yield
    except LeaseLost:
        return
    except SchemeChanged:
        clear_cache(range_claim.index_pass.using)
        with suppress(LeaseLost):
            range_claim.release(failed=True)
    except BaseException as error:
        if not isinstance(error, Exception):
            # Ctrl-C may have left the connection in the middle of a statement.
            connections[range_claim.index_pass.using].close()
        with suppress(LeaseLost):
            range_claim.release(failed=isinstance(error, Exception))
        raise


def _process_range(range_claim: Claim, report: PhaseCallback, mark_only: bool) -> None:
    if range_claim.is_numbering_only:
        _number_objects(range_claim, report)
    elif mark_only or range_claim.is_given_up:
        _mark_range(range_claim, report)
    else:
        _RangeRun(range_claim, report).run()
    range_claim.finish()


def _mark_range(range_claim: Claim, report: PhaseCallback) -> None:
    index_pass, done_count, marked = range_claim.index_pass, 0, set[int]()
    for chunk in range_claim.chunks(CHUNK_SIZE):
        marked.update(
            mark_for_worker(index_pass.adapter, chunk, index_pass.using, renumber=index_pass.is_first)
        )
        done_count += len(chunk)
        range_claim.renew(PostCounts(done_count, done_count))
        report("marking", PostCounts(len(chunk), len(chunk)))
    if range_claim.is_retry:
        delete_orphaned_keys(
            index_pass.adapter,
            marked,
            index_pass.using,
            lambda: range_claim.renew(PostCounts(done_count, done_count), SCAN_SECONDS),
        )


def _number_objects(range_claim: Claim, report: PhaseCallback) -> None:
    """Create a document for every object, in the adapter's order. Later ranges sign them."""
    for chunk in range_claim.ordered_chunks(CHUNK_SIZE):
        get_or_create_documents(
            range_claim.index_pass.adapter,
            chunk,
            range_claim.index_pass.using,
            renumber=range_claim.index_pass.is_first,
        )
        range_claim.renew(PostCounts())
        report("numbering", PostCounts())


class _RangeRun:
    """The runs of one range."""

    def __init__(self, range_claim: Claim, report: PhaseCallback) -> None:
        self.range_claim, self._report = range_claim, report
        self.index_pass, self.using = range_claim.index_pass, range_claim.index_pass.using
        self.scheme = Scheme.objects.using(self.using).get(pk=self.index_pass.scheme)
        self._document_ids: set[int] = set()
        self._locked_documents: list[Document] = []
        self._counts = PostCounts()
        self._renewed_at = time.monotonic()

    def run(self) -> None:
        spool, started_at = Spool(self.index_pass.adapter, self.scheme), time.monotonic()
        if self.range_claim.is_retry:
            release_killed_run(
                self.index_pass.adapter,
                self.range_claim.index_range.first_seen,
                self.range_claim.index_range.posts,
                self.using,
            )
        try:
            for chunk in self.range_claim.chunks(CHUNK_SIZE):
                signed, document_ids, locked_documents = sign_objects(
                    self.index_pass, self.scheme, chunk, self._keep_alive
                )
                spool.add(signed)
                self._locked_documents += locked_documents
                # Only a retry has to look for keys that an earlier attempt left.
                self._document_ids.update(document_ids if self.range_claim.is_retry else ())
                self._advance("signing", len(chunk), len(chunk) - len(signed))
                if spool.size_in_bytes > MAX_SPOOL_BYTES or time.monotonic() - started_at > MAX_RUN_SECONDS:
                    self._finish_run(spool)
                    spool.close()
                    spool, started_at = Spool(self.index_pass.adapter, self.scheme), time.monotonic()
            self._finish_run(spool)
            if self.range_claim.is_retry:
                delete_orphaned_keys(
                    self.index_pass.adapter, self._document_ids, self.using, self._renew_before_scan
                )
            request_recheck(self._locked_documents, self.using)
        finally:
            spool.close()

    def _finish_run(self, spool: Spool) -> None:
        posts = RunPosts(spool.documents, self.index_pass.adapter.settings, self.scheme, self.using)
        # All keys are committed before candidates are read. So of two simultaneous runs, the later one sees the
        # keys of the other, independent of the timing.
        for _ in write_keys(spool, posts, self.using, is_retry=self.range_claim.is_retry):
            self._advance("writing keys")
        unstored: set[int] = set()
        for batch in spool.batches():
            stored_ids = {signed_document.document_id for signed_document in store_signed(batch, self.using)}
            unstored.update(
                signed_document.document_id
                for signed_document in batch
                if signed_document.document_id not in stored_ids
            )
            self._advance("writing")
        posts.load_older_documents(self._keep_alive)
        matcher, adaptive_size = Matcher(posts), AdaptiveBatchSize(BATCH)
        for batch in spool.batches():
            for portion in adaptive_size.batches(
                [signed_document for signed_document in batch if signed_document.document_id not in unstored]
            ):
                matcher.match(portion)
                self._advance("comparing", compared=len(portion))
            unstored_count = sum(signed_document.document_id in unstored for signed_document in batch)
            self._advance("comparing", compared=unstored_count)

    def _keep_alive(self) -> None:
        """Renew the claim if the last renewal is more than ``RENEW_SECONDS`` ago."""
        if time.monotonic() - self._renewed_at > RENEW_SECONDS:
            self._renew_claim()

    def _renew_before_scan(self) -> None:
        """Renew the claim for the duration of one scan of the whole key table."""
        self._renew_claim(SCAN_SECONDS)

    def _renew_claim(self, seconds: int = 0) -> None:
        self.range_claim.renew(self._counts, seconds)
        self._renewed_at = time.monotonic()

    def _advance(self, phase: str, signed: int = 0, compared: int = 0) -> None:
        self._counts = PostCounts(self._counts.signed + signed, self._counts.compared + compared)
        self._renew_claim()
        self._report(phase, PostCounts(signed, compared))
