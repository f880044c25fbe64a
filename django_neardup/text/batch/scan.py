"""Texts side by side to words and their hashes, and to the chunks that only the plain canoniser reads."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .characters import BLANK, DOT, HARD, LETTER, SHARP, SLASH, SPACE
from .runs import fixed, where
from .scripts import Scripts
from .table import Places
from .words import LONGEST_WORD

_1, _BEFORE = fixed(1, np.int64), fixed(-1, np.int64)
_HARD, _LONGEST_WORD = fixed(HARD, np.uint16), fixed(LONGEST_WORD, np.int64)


class Scan(Scripts):
    """The texts, their words and scripts, and what of them is hard to read.  The arguments are those of ``Scripts``."""

    def hard_places(self) -> Places:
        """Places, in order, some of them twice, of characters whose chunk is read by the plain canoniser."""
        kinds = self._kinds
        parts = [self._special.take(where(kinds & _HARD)), *self._hard_beside(), *self._odd_words()]
        if len(parts) == 1:
            return parts[0]
        found: Places = np.concatenate(parts)
        found.sort(kind="stable")  # merges what is in order already
        return found

    def _hard_beside(self) -> Iterator[Places]:
        """A dot before a letter, two slashes, a # behind a letter; most dots end a sentence."""
        for kind, beside, step in ((DOT, LETTER, _1), (SLASH, SLASH, _1), (SHARP, LETTER, _BEFORE)):
            places = self._specials(kind)
            if len(places):
                places = places.take(where(self._kinds_at(places + step) & np.uint16(beside)))
            if len(places) and kind == DOT:
                places = places.take(where((self._kinds_at(places - _1) & (DOT | SPACE)) == 0))
            if len(places):
                yield places

    def _odd_words(self) -> Iterator[Places]:
        """Words too long, and letters spaced out: т-а-к-о-й, т а к о й."""
        starts, ends = self.starts, self.ends
        lengths = ends - starts
        long = where(lengths > _LONGEST_WORD)
        if len(long):
            yield starts.take(long)
        single = where(lengths == _1)
        close = where(single[1:] - single[:-1] == _1)
        if len(close):
            yield from self._spaced_out(single, single.take(close))

    def _spaced_out(self, single: Places, inner: Places) -> Iterator[Places]:
        """``single``: words of one letter; ``inner``: those of them with another one behind."""
        starts, ends = self.starts, self.ends
        inner = inner[(inner > 0) & (inner < len(starts) - 2)]
        inner = inner[starts[inner + 1] - starts[inner] == 2]
        if len(inner):
            close = (starts[inner] - ends[inner - 1] == 1) & (starts[inner + 2] - ends[inner + 1] == 1)
            unbroken = self.bytes[starts[inner] - 1] != BLANK
            yield starts[inner[close & unbroken]]
        first = single[:-3][single[3:] - single[:-3] == 3]
        yield from (starts[first + step] for step in range(4) if len(first))
