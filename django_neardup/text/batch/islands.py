"""Islands: pieces of text that hold a figure, a code or an address, with the words that may belong to it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .context import FOLLOWS, LEADS, LINKS, MONTH
from .runs import fixed, where
from .scan import Scan
from .table import Marks, Places

_0, _1 = fixed(0, np.int64), fixed(1, np.int64)
_FOLLOWS, _LEADS, _LINKS, _LEADING, _NEAR = (
    fixed(kinds, np.uint8) for kinds in (FOLLOWS, LEADS, LINKS, LEADS | MONTH, LEADS | MONTH | LINKS)
)


class Chunks(NamedTuple):
    """Chunks ``text[starts:ends]`` between blanks that are read plainly, in order, with ``words[0]:words[1]`` in them;
    a text that is read as a whole is one chunk.  ``texts``: whose they are."""

    starts: Places
    ends: Places
    first: Places
    last: Places
    texts: Places


def chunks_of(scan: Scan) -> Chunks:
    """The chunks with hard characters, but for those in texts that are read as a whole, and those texts."""
    places = scan.hard_places()
    gaps = _distinct(scan.spaces.searchsorted(places))
    starts, ends = scan.spaces.take(gaps - _1) + _1, scan.spaces.take(gaps)
    texts = scan.text_of(starts)
    if np.count_nonzero(scan.whole):
        whole = where(scan.whole)
        kept = ~scan.whole[texts]
        starts = np.concatenate([starts[kept], scan.texts[whole]])
        ends = np.concatenate([ends[kept], scan.texts[whole + 1] - 1])
        texts = np.concatenate([texts[kept], whole])
        order = np.argsort(texts, kind="stable")
        starts, ends, texts = starts[order], ends[order], texts[order]
    first, last = scan.starts.searchsorted(starts), scan.starts.searchsorted(ends)
    return Chunks(starts, ends, first, last, texts)


def _distinct(ascending: Places) -> Places:
    kept = np.empty(len(ascending), bool)
    kept[:1] = True
    np.not_equal(ascending[1:], ascending[:-1], out=kept[1:])
    return ascending if np.count_nonzero(kept) == len(kept) else ascending[kept]


def islands_of(scan: Scan, chunks: Chunks, marks: Marks) -> Chunks:
    """Chunks with what follows and what leads, joined where nothing stands between them; ``marks`` of all words."""
    if not len(marks):
        marks = np.zeros(1, np.uint8)
    ends, last = _followed(scan, chunks, marks)
    followed = Chunks(chunks.starts, ends, chunks.first, last, chunks.texts)
    return _led(scan, _joined(followed, marks), marks)


def _joined(chunks: Chunks, marks: Marks) -> Chunks:
    """Neighbours with nothing or a linking word between them made one."""
    between = chunks.first[1:] - chunks.last[:-1]
    joined = between == _0
    linked = between == _1
    if np.count_nonzero(linked):
        joined |= linked & ((marks.take(chunks.last[:-1], mode="clip") & _LINKS) != 0)
    joined &= chunks.texts[1:] == chunks.texts[:-1]
    if not np.count_nonzero(joined):
        return chunks
    apart = where(~joined)
    heads, tails = np.zeros(len(apart) + 1, np.int64), np.empty(len(apart) + 1, np.int64)
    np.add(apart, _1, out=heads[1:])
    tails[:-1], tails[-1] = apart, len(joined)
    return Chunks(
        chunks.starts[heads], chunks.ends[tails], chunks.first[heads], chunks.last[tails], chunks.texts[heads]
    )


def _followed(scan: Scan, chunks: Chunks, marks: Marks) -> tuple[Places, Places]:
    """Ends, in characters and in words, behind the chunks of units, currencies and months that follow."""
    ends, last = chunks.ends.copy(), chunks.last.copy()
    limits = scan.firsts.take(chunks.texts + _1)
    np.minimum(limits[:-1], chunks.first[1:], out=limits[:-1])
    going = where(last < limits)
    while len(going := going[where(marks[last[going]] & _FOLLOWS)]):
        ends[going] = scan.spaces[scan.spaces.searchsorted(scan.ends[last[going]])]
        last[going] = scan.starts.searchsorted(ends[going])
        going = going[last[going] < limits[going]]
    return ends, last


def _led(scan: Scan, islands: Chunks, marks: Marks) -> Chunks:
    """Islands from the price word or the month before them on."""
    near = islands.first - _1
    here = marks.take(near, mode="clip")
    if not np.count_nonzero(here & _NEAR):
        return islands
    floors = scan.firsts.take(islands.texts)
    np.maximum(floors[1:], islands.last[:-1], out=floors[1:])
    far = near - _1
    one = (here & _LEADING).astype(bool)
    two = ((here & _LINKS) != 0) & ((marks.take(far, mode="clip") & _LEADS) != 0)
    moved = where((one & (near >= floors)) | (two & (far >= floors)))
    if not len(moved):
        return islands
    leader = scan.starts[np.where(two, far, near)[moved]]
    islands.starts[moved] = scan.spaces[scan.spaces.searchsorted(leader) - 1] + 1
    islands.first[moved] = scan.starts.searchsorted(islands.starts[moved])
    return islands
