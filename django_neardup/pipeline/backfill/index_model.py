"""Processing of one range, a few posts at a time, and of range after range until none is left."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

from ...conf import get_site_settings
from ...db.interrupts import close_if_interrupted
from ...index import keys as storage
from ...models import Document, Scheme
from ..leases import lease_many
from ..reconcile import select_outdated
from ..scheme_cache import clear_cache
from ..work_queue import give_back
from ..worker import process_batch
from .passes import IndexPass, PostCounts, is_over
from .range_documents import (
    get_or_create_documents,
    mark_all,
    release_documents,
    request_recheck,
    request_turns,
)
from .ranges import MAX_POSTS_PER_RANGE, Claim, LeaseLost, claim_range

MARKED_TOGETHER = 500
"""Largest number of posts that are only marked or numbered together."""

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

    The last ranges may be shared with other processes. ``mark_only``: leave every post to the workers.
    """
    clear_cache(index_pass.using)
    with storage.loading(index_pass.using) if index_pass.is_first else nullcontext():
        _process_remaining(index_pass, posts, report, mark_only)


def _process_remaining(index_pass: IndexPass, posts: int, report: PhaseCallback, mark_only: bool) -> None:
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

    If the claim was lost, do nothing.
    """
    try:
        yield
    except LeaseLost:
        return
    except BaseException as error:
        close_if_interrupted(error, range_claim.index_pass.using)
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
    index_pass, done_count = range_claim.index_pass, 0
    for chunk in range_claim.chunks(MARKED_TOGETHER):
        pending, settled = _documents_of(range_claim, chunk)
        mark_all(settled, index_pass.using)
        request_recheck(pending, index_pass.using)
        done_count += len(chunk)
        range_claim.renew(PostCounts(done_count, done_count))
        report("marking", PostCounts(len(chunk), len(chunk)))


def _documents_of(
    range_claim: Claim, first_seen_numbers: Mapping[Any, int]
) -> tuple[list[Document], list[Document]]:
    """Return the pending documents of a chunk, and its settled documents."""
    index_pass = range_claim.index_pass
    documents = get_or_create_documents(
        index_pass.adapter, first_seen_numbers, index_pass.using, index_pass.is_first
    )
    pending = [document for document in documents if document.pending_since is not None]
    if range_claim.is_retry:
        release_documents((document.pk for document in pending), index_pass.using)
    return pending, [document for document in documents if document.pending_since is None]


def _number_objects(range_claim: Claim, report: PhaseCallback) -> None:
    """Create a document for every object, in the adapter's order. Later ranges process them."""
    index_pass = range_claim.index_pass
    for chunk in range_claim.ordered_chunks(MARKED_TOGETHER):
        get_or_create_documents(index_pass.adapter, chunk, index_pass.using, renumber=index_pass.is_first)
        range_claim.renew(PostCounts())
        report("numbering", PostCounts())


class _RangeRun:
    """The processing of one range. Each post is processed as by a worker."""

    def __init__(self, range_claim: Claim, report: PhaseCallback) -> None:
        self._claim, self._report = range_claim, report
        self._pass, self._using = range_claim.index_pass, range_claim.index_pass.using
        self._scheme = Scheme.objects.using(self._using).get(pk=self._pass.scheme)
        self._counts = PostCounts()
        self._locked: list[Document] = []

    def run(self) -> None:
        for chunk in self._claim.chunks(storage.posts_per_load(self._using)):
            self._process_chunk(chunk)
            storage.ship(self._using)
        request_recheck(self._locked, self._using)

    def _process_chunk(self, first_seen_numbers: Mapping[Any, int]) -> None:
        """Process the posts whose text is not the indexed one. ``first_seen_numbers``: by primary key."""
        using, size = self._using, len(first_seen_numbers)
        pending, settled = _documents_of(self._claim, first_seen_numbers)
        # A document that has got its number just now may lead its cluster.
        renumbered = [document for document in settled if document.recheck]
        others = [document for document in settled if not document.recheck]
        outdated = [*renumbered, *select_outdated(self._pass.adapter, others, self._scheme, using)]
        marked = {document.pk for document in request_turns(outdated, using)}
        self._locked += [document for document in outdated if document.pk not in marked]
        wanted = {*marked, *(document.pk for document in pending)}
        leased = lease_many(sorted(wanted), using, get_site_settings().lease_seconds)
        # A worker that has leased a post may have signed it for the scheme before this one.
        leased_ids = {document.pk for document in leased}
        request_recheck((document for document in pending if document.pk not in leased_ids), using)
        skipped = PostCounts(size - len(leased), size - len(leased))
        if skipped.signed:
            self._advance("comparing", skipped)
        if leased:
            self._process(leased)

    def _process(self, leased: Sequence[Document]) -> None:
        """Process leased documents, and count them."""
        signed: set[int] = set()
        failures: list[Exception] = []

        def add_signed(documents: Collection[int]) -> None:
            # After a failure of the batch they are stored again, one by one.
            new = set(documents) - signed
            signed.update(new)
            try:
                self._advance("signing", PostCounts(len(new), 0))
            except Exception as failure:
                # It is no failure of a post: it ends the range when the batch is finished.
                failures.append(failure)

        try:
            process_batch(leased, self._using, add_signed)
        except BaseException as error:
            close_if_interrupted(error, self._using)
            give_back(Document, [document.pk for document in leased], self._using)
            raise
        if failures:
            raise failures[0]
        self._advance("comparing", PostCounts(len(leased) - len(signed), len(leased)))

    def _advance(self, phase: str, counts: PostCounts) -> None:
        """Store the progress, and renew the claim."""
        self._counts = PostCounts(
            self._counts.signed + counts.signed, self._counts.compared + counts.compared
        )
        self._claim.renew(self._counts)
        self._report(phase, counts)
