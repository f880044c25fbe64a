"""One range from its objects to their clusters, and range after range until none is left."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from ...models import Document, Scheme
from ..fence import Outdated
from ..pace import Pace
from ..remembering import forget
from .claims import POSTS, Claim, Overtaken, claim
from .crowds import Crowds
from .documents import LEASE_SECONDS, free, insist, mark, take
from .matching import BATCH, Matcher
from .passes import Pass, is_over
from .signing import sign
from .spool import Spool
from .writing import scrub, store, write_keys

CHUNK = 500
"""Objects read, canonised and signed side by side, at most: as many as a list of a statement holds."""

BYTES = 256 << 20
"""Of signatures laid aside in a file, after which a run is written before its range has come to its end."""

SECONDS = LEASE_SECONDS / 3
"""After so long, too: the leases of a run's documents are not renewed."""

RENEW_SECONDS = 1.0
"""After so long a claim is renewed while objects are read."""

SCAN_SECONDS = 3600
"""What a statement may take that reads the whole key table."""

WAIT_SECONDS = 1.0
"""Between two looks at ranges that others have."""

Tell = Callable[[str, int], None]
"""Told what is being done, and how many posts have come through since it was told last."""


def index(
    work: Pass, posts: int = POSTS, tell: Tell = lambda phase, posts: None, *, mark_only: bool = False
) -> None:
    """Work off range after range (so many posts each) until the pass is over, the last ones together with others.

    ``mark_only``: leave every post of them to the ordinary drain."""
    forget(work.using)
    while True:
        mine = claim(work, posts)
        if mine is not None:
            with _released(mine):
                _work_off(mine, tell, mark_only)
        elif is_over(work):
            return
        else:
            tell("waiting for others", 0)
            time.sleep(WAIT_SECONDS)


@contextmanager
def _released(mine: Claim) -> Iterator[None]:
    """Nobody has to wait for the lease of a claim that was broken off; one that was overtaken is another's.

    Where scheme or space are others than this process knows, the range is begun anew."""
    try:
        yield
    except Overtaken:
        return
    except Outdated:
        forget(mine.work.using)
        with suppress(Overtaken):
            mine.release(failed=True)
    except BaseException as error:
        with suppress(Overtaken):
            mine.release(failed=isinstance(error, Exception))
        raise


def _work_off(mine: Claim, tell: Tell, mark_only: bool) -> None:
    if mine.numbers_only:
        _number(mine, tell)
    elif mark_only or mine.given_up:
        _mark(mine, tell)
    else:
        _Range(mine, tell).work_off()
    mine.finish()


def _mark(mine: Claim, tell: Tell) -> None:
    work, done, marked = mine.work, 0, set[int]()
    for chunk in mine.chunks(CHUNK):
        marked.update(mark(work.adapter, chunk, work.using, renumber=work.first))
        done += len(chunk)
        mine.renew(done)
        tell("marking", len(chunk))
    if mine.again:
        scrub(work.adapter, marked, work.using, lambda: mine.renew(done, SCAN_SECONDS))


def _number(mine: Claim, tell: Tell) -> None:
    """Give every object a document in the adapter's order; the ranges after this one sign them."""
    for chunk in mine.ordered(CHUNK):
        take(mine.work.adapter, chunk, mine.work.using, renumber=mine.work.first)
        mine.renew(0)
        tell("numbering", 0)


class _Range:
    """The runs of one range. A post counts half when it is signed and half when it is through."""

    def __init__(self, mine: Claim, tell: Tell) -> None:
        self.mine, self._tell = mine, tell
        self.work, self.using = mine.work, mine.work.using
        self.scheme = Scheme.objects.using(self.using).get(pk=self.work.scheme)
        self._known: set[int] = set()
        self._held: list[Document] = []
        self._halves = self._told = 0
        self._renewed = time.monotonic()

    def work_off(self) -> None:
        spool, began = Spool(self.work.adapter, self.scheme), time.monotonic()
        if self.mine.again:
            free(self.work.adapter, self.mine.row.first_seen, self.mine.row.posts, self.using)
        try:
            for chunk in self.mine.chunks(CHUNK):
                signed, known, held = sign(self.work, self.scheme, chunk, self._alive)
                spool.add(signed)
                self._held += held
                self._known.update(known if self.mine.again else ())
                self._through("signing", 2 * len(chunk) - len(signed))
                if spool.bytes > BYTES or time.monotonic() - began > SECONDS:
                    self._end_run(spool)
                    spool.close()
                    spool, began = Spool(self.work.adapter, self.scheme), time.monotonic()
            self._end_run(spool)
            if self.mine.again:
                scrub(self.work.adapter, self._known, self.using, self._before_a_scan)
            insist(self._held, self.using)
        finally:
            spool.close()

    def _end_run(self, spool: Spool) -> None:
        crowds = Crowds(spool.documents, self.work.adapter.settings.bucket, self.scheme.pk, self.using)
        for _ in write_keys(spool, crowds, self.using, again=self.mine.again):
            self._through("writing keys", 0)
        left: set[int] = set()
        for batch in spool.batches():
            stored = {one.document for one in store(batch, self.using)}
            left.update(one.document for one in batch if one.document not in stored)
            self._through("writing", 0)
        crowds.look_around(self._alive)
        matcher, pace = Matcher(crowds, self.using), Pace(BATCH)
        for batch in spool.batches():
            for few in pace.portions([one for one in batch if one.document not in left]):
                matcher.match(few)
                self._through("comparing", len(few))
            self._through("comparing", sum(one.document in left for one in batch))

    def _alive(self) -> None:
        """Renew the claim, if that was long ago."""
        if time.monotonic() - self._renewed > RENEW_SECONDS:
            self._renew()

    def _before_a_scan(self) -> None:
        """Nobody takes the range over while one statement reads the whole key table."""
        self._renew(SCAN_SECONDS)

    def _renew(self, seconds: int = 0) -> None:
        self.mine.renew(self._halves // 2, seconds)
        self._renewed = time.monotonic()

    def _through(self, phase: str, halves: int) -> None:
        self._halves += halves
        whole = self._halves // 2
        self._renew()
        self._tell(phase, whole - self._told)
        self._told = whole
