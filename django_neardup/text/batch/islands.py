"""Islands: pieces of text that hold a figure, a code or an address, with the words that may belong to it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .context import FOLLOWS, LEADS, LINKS, MONTH
from .runs import where
from .scan import Scan
from .table import Marks, Places


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
    starts, ends = scan.spaces[gaps - 1] + 1, scan.spaces[gaps]
    texts = scan.text_of(starts)
    whole = where(scan.whole)
    if len(whole):
        kept = ~scan.whole[texts]
        starts = np.concatenate([starts[kept], scan.texts[whole]])
        ends = np.concatenate([ends[kept], scan.texts[whole + 1] - 1])
        texts = np.concatenate([texts[kept], whole])
        order = np.argsort(texts, kind="stable")
        starts, ends, texts = starts[order], ends[order], texts[order]
    first, last = scan.starts.searchsorted(starts), scan.starts.searchsorted(ends)
    return Chunks(starts, ends, first, last, texts)


def _distinct(ascending: Places) -> Places:
    kept = np.ones(len(ascending), bool)
    np.not_equal(ascending[1:], ascending[:-1], out=kept[1:])
    return ascending[kept]


def islands_of(scan: Scan, chunks: Chunks, marks: Marks) -> Chunks:
    """Chunks with what follows and what leads, joined where nothing stands between them; ``marks`` of all words."""
    ends, last = _followed(scan, chunks, marks)
    between = chunks.first[1:] - last[:-1]
    links = (np.append(marks, np.uint8(0))[last[:-1]] & LINKS) != 0
    joined = (chunks.texts[1:] == chunks.texts[:-1]) & ((between == 0) | ((between == 1) & links))
    heads = where(np.concatenate([[True], ~joined]))
    tails = np.append(heads[1:], len(ends)) - 1
    grouped = Chunks(chunks.starts[heads], ends[tails], chunks.first[heads], last[tails], chunks.texts[heads])
    return _led(scan, grouped, marks)


def _followed(scan: Scan, chunks: Chunks, marks: Marks) -> tuple[Places, Places]:
    """Ends, in characters and in words, behind the chunks of units, currencies and months that follow."""
    ends, last = chunks.ends.copy(), chunks.last.copy()
    limits = scan.firsts[chunks.texts + 1]
    np.minimum(limits[:-1], chunks.first[1:], out=limits[:-1])
    going = where(last < limits)
    while len(going):
        going = going[(marks[last[going]] & FOLLOWS) != 0]
        ends[going] = scan.spaces[scan.spaces.searchsorted(scan.ends[last[going]])]
        last[going] = scan.starts.searchsorted(ends[going])
        going = going[last[going] < limits[going]]
    return ends, last


def _led(scan: Scan, islands: Chunks, marks: Marks) -> Chunks:
    """Islands from the price word or the month before them on."""
    floors = scan.firsts[islands.texts]
    np.maximum(floors[1:], islands.last[:-1], out=floors[1:])
    near, far = islands.first - 1, islands.first - 2
    padded = np.append(marks, np.zeros(2, np.uint8))
    one = (near >= floors) & ((padded[near] & (LEADS | MONTH)) != 0)
    two = (far >= floors) & ((padded[near] & LINKS) != 0) & ((padded[far] & LEADS) != 0)
    moved = where(one | two)
    if not len(moved):
        return islands
    leader = scan.starts[np.where(two, far, near)[moved]]
    islands.starts[moved] = scan.spaces[scan.spaces.searchsorted(leader) - 1] + 1
    islands.first[moved] = scan.starts.searchsorted(islands.starts[moved])
    return islands
