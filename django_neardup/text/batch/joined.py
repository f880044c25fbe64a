"""Texts side by side as one: places of its characters, and its words with their hashes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from .characters import BLANK, MARK, OTHER, SPECIAL, Alphabet, Bytes, Classes, markup, points_of
from .plainer import Plain, exchanged, plainer_texts
from .runs import Flags, fixed, where
from .table import Places
from .words import Mixer, Scratch, characters_of, others_of, read_words

MARKUP = markup()
_1, _BLANK = fixed(1, np.int64), fixed(BLANK, np.uint8)


class Range(NamedTuple):
    """Bytes from ``first`` on, so many."""

    first: Bytes
    size: Bytes


def bytes_between(first: int, end: int) -> Range:
    """The range of bytes from ``first`` up to ``end``, which is not of it."""
    return Range(fixed(first, np.uint8), fixed(end - first, np.uint8))


_SPECIAL = bytes_between(*SPECIAL)


class Joined:
    """``text``: the texts with line ends before, between and behind; ``starts``, ``ends``: places of its words, which
    are all runs of letters that have a byte; ``firsts``: the first word of each text, and the number of words;
    ``hashes`` of words; ``spaces``: places of blanks; ``texts``: where each text begins, and where another one would.
    Good until ``scratch`` is used again.

    ``plain``: gives what a reader sees of a text that may hold markup.
    """

    def __init__(
        self, texts: Sequence[str], plain: Plain, alphabet: Alphabet, mixer: Mixer, scratch: Scratch
    ) -> None:
        self._alphabet, self._scratch = alphabet, scratch
        self._take(texts)
        marked = self._marked()
        if marked and (plainer := plainer_texts(texts, marked, plain)):
            self._take(exchanged(texts, plainer), plainer)
        self.starts, self.ends, self.hashes = read_words(self._others, len(self.bytes), mixer, scratch)
        self.firsts: Places = self.starts.searchsorted(self.texts)
        self.spaces = self._others.take(where(self._other_bytes == _BLANK))

    def _take(self, texts: Sequence[str], changed: Collection[int] = ()) -> None:
        """``changed``: the only texts that are not as they were taken before, if their places are the same."""
        before = self.texts if changed else None
        self.text = "\n" + "\n".join(texts) + "\n"
        starts = accumulate((len(text) + 1 for text in texts), initial=1)
        self.texts: Places = np.fromiter(starts, np.int64, len(texts) + 1)
        if before is not None and np.array_equal(before, self.texts):
            self._exchange(changed)
        else:
            self._points, self.bytes = characters_of(self.text, self._alphabet, self._scratch)
        self._others = others_of(self.bytes, self._scratch)
        self._other_bytes = self.bytes.take(self._others)
        self._special = self._others.take(where(self._other_bytes - _SPECIAL.first < _SPECIAL.size))
        self._kinds = self._kinds_at(self._special)
        self._present = int(np.bitwise_or.reduce(self._kinds))

    def _exchange(self, changed: Collection[int]) -> None:
        """Read some of the texts anew."""
        for place in changed:
            start, end = self.texts[place : place + 2].tolist()
            codes = points_of(self.text[start:end]).astype(np.intp)
            self._alphabet.classify(codes, self.bytes[start:end])

    def _kinds_at(self, places: Places) -> Classes:
        return self._alphabet.classes.take(self.bytes.take(places))

    def _between(self, wanted: Range) -> Flags:
        """Which bytes are in this range; until asked again."""
        size = len(self.bytes)
        shifted = np.subtract(self.bytes, wanted.first, out=self._scratch.shifted[:size])
        return np.less(shifted, wanted.size, out=self._scratch.flags[:size])

    def _specials(self, kinds: int) -> Places:
        """Places of the characters, letters apart, of some of the kinds for which there are bytes in ``SPECIAL``."""
        if not self._present & kinds:
            return self._special[:0]
        return self._special.take(where(self._kinds & np.uint16(kinds)))

    def _have(self, places: Places) -> Flags:
        """The texts that hold one of some places."""
        having = np.zeros(len(self.texts) - 1, bool)
        if len(places):
            having[self.text_of(places)] = True
        return having

    def _marked(self) -> list[int]:
        """The texts that may hold markup."""
        places = self._specials(MARK)
        if not len(places):
            return []
        here, behind = (np.minimum(self._points.take(places + step), OTHER) for step in (0, 1))
        return list(dict.fromkeys(self.text_of(places[MARKUP[here, behind]]).tolist()))

    def text_of(self, places: Places) -> Places:
        """The numbers of the texts that hold these places."""
        texts: Places = self.texts.searchsorted(places, side="right") - _1
        return texts

    def spelt(self, places: Places) -> list[str]:
        """The words of some numbers, folded, in small letters."""
        starts, ends = self.starts[places].tolist(), self.ends[places].tolist()
        written = "\n".join([self.text[start:end] for start, end in zip(starts, ends)])
        return self._alphabet.lowered(written).split("\n")
