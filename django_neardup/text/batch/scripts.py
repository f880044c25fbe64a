"""Which of the texts side by side are mostly Cyrillic, which tells look-alike letters, and which are read whole."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from ..normalization.homoglyphs import LetterCounts, count_letters
from ..normalization.normalize import MAX_MARKS, fold_characters
from ..normalization.offsets import PlainText
from .characters import (
    CYRILLIC,
    CYRILLIC_ONLY_BYTES,
    FIRST_CYRILLIC,
    FIRST_LETTER,
    LATIN,
    LATIN_ONLY_BYTES,
    LETTER,
    LINKED,
    ODD,
    SLASH,
    SYMBOL,
    UNMISTAKABLY_CYRILLIC,
    UNMISTAKABLY_LATIN,
    UNSEEN,
    Alphabet,
    W,
)
from .joined import Joined, bytes_between
from .plainer import Plain, is_unreadable
from .runs import Flags, fixed, lengths_of, offsets_of, where
from .table import Places
from .words import Mixer, Scratch

SAMPLED = 16
AROUND = 4
"""Letters that are spaced out by blanks are four or more."""
_1, _W, _FIRST_CYRILLIC = fixed(1, np.int64), fixed(W, np.uint8), fixed(FIRST_CYRILLIC, np.uint8)
_LETTERS = (CYRILLIC, LATIN, UNMISTAKABLY_CYRILLIC, UNMISTAKABLY_LATIN)
_LATIN = bytes_between(FIRST_LETTER, FIRST_CYRILLIC)
_LATIN_ONLY, _CYRILLIC_ONLY = bytes_between(*LATIN_ONLY_BYTES), bytes_between(*CYRILLIC_ONLY_BYTES)


class Scripts(Joined):
    """``cyrillic``: the texts that are mostly so; ``prefer``: whether that is the rule among them.

    ``unread``: numbers of texts that are read elsewhere, to which ``plain`` may add.  ``whole``: texts of which
    something is decided that no word shows: the plain canoniser reads them as a whole.
    """

    def __init__(
        self,
        texts: Sequence[str],
        prefer: bool,
        plain: Plain,
        unread: Collection[int],
        alphabet: Alphabet,
        mixer: Mixer,
        scratch: Scratch,
    ) -> None:
        super().__init__(texts, plain, alphabet, mixer, scratch)
        self._prefer, self._unread = prefer, unread
        self.whole = np.zeros(len(texts), bool)
        if unread:
            self.whole[list(unread)] = True
        self._look_at_scripts()
        self._look_for_long_runs()

    def _look_at_scripts(self) -> None:
        """Which texts are mostly Cyrillic, and in which of the others short words may be Latin ones."""
        latin = np.bitwise_or.reduceat(self._between(_LATIN), self.texts[:-1])
        cyrillic = np.bitwise_or.reduceat(self.bytes, self.texts[:-1]) >= _FIRST_CYRILLIC
        for present, kind in ((latin, LATIN), (cyrillic, CYRILLIC)):
            if self._present & kind:
                present |= self._have(self._specials(kind))
        self.cyrillic = cyrillic
        both = cyrillic & latin
        mixed = np.count_nonzero(both) > 0
        if mixed:
            self._weigh(both)
        alone = self._alone()
        changed = np.concatenate([self._specials(ODD | UNSEEN), alone])
        touched = np.concatenate([changed, *self._links()]) if mixed else changed
        if not len(touched):
            return
        odd = self._have(np.concatenate([self._specials(ODD), alone]))
        touched.sort()
        touched = touched[(both | odd)[self.text_of(touched)]]
        if len(touched):
            self._look_around(touched, self._have(changed))

    def _alone(self) -> Places:
        """Places of letters without a byte that stand alone: they may be spaced out."""
        letters = self._specials(LETTER)
        if len(letters):
            beside = self._kinds_at(letters - 1) | self._kinds_at(letters + 1)
            letters = letters[where((beside & LETTER) == 0)]
        return letters

    def _links(self) -> Iterator[Places]:
        """Places of an @, a // or ww."""
        linked = self._specials(LINKED)
        if len(linked):
            alone = (self._kinds_at(linked) & SLASH) == 0
            yield linked[alone | ((self._kinds_at(linked + 1) & SLASH) != 0)]
        if "w" in self.text or "W" in self.text:
            twice = where(np.equal(self.bytes, _W, out=self._scratch.flags[: len(self.bytes)]))
            yield twice[self.bytes.take(twice + _1) == _W]

    def _weigh(self, both: Flags) -> None:
        """``mostly_cyrillic`` of texts with letters of both scripts and nothing that is an address or folded away."""
        if len(both) == 1:
            self._weigh_one()
            return
        weight = 3 if self._prefer else 1
        latin = lengths_of(where(self._between(_LATIN_ONLY)).searchsorted(self.texts))
        latin += lengths_of(self._specials(UNMISTAKABLY_LATIN).searchsorted(self.texts))
        first = _CYRILLIC_ONLY.first
        sampled = offsets_of(self.bytes[::SAMPLED] >= first)
        cyrillic = lengths_of(sampled.take(-(-self.texts // SAMPLED)))
        few = where(both & ((cyrillic * weight < latin) | (cyrillic == 0)))
        places = zip(few.tolist(), self.texts[few].tolist(), self.texts[few + 1].tolist())
        for place, start, end in places:
            cyrillic[place] = np.count_nonzero(self.bytes[start:end] >= first)
        mostly = np.where(cyrillic > 0, cyrillic * weight >= latin, self._prefer & (latin == 0))
        self.cyrillic[both] = mostly[both]
        self.whole |= both & ~mostly & (cyrillic == 0)

    def _weigh_one(self) -> None:
        """The same of the only text."""
        latin = int(np.count_nonzero(self._between(_LATIN_ONLY))) + len(self._specials(UNMISTAKABLY_LATIN))
        cyrillic = int(np.count_nonzero(self._between(_CYRILLIC_ONLY)))
        mostly = LetterCounts(True, True, cyrillic, latin).is_mostly_cyrillic(self._prefer)
        self.cyrillic[0] = mostly
        if not (mostly or cyrillic):
            self.whole[0] = True

    def _look_around(self, touched: Places, changed: Flags) -> None:
        """Texts in which there are addresses, or characters that become something else: what is around those places is
        folded, the rest is counted.  ``changed``: texts with such characters."""
        starts, ends = self._surroundings(touched)
        parts: dict[int, list[tuple[int, int]]] = {}
        for place, start, end in zip(self.text_of(starts).tolist(), starts.tolist(), ends.tolist()):
            parts.setdefault(place, []).append((start, end))
        for place, found in parts.items():
            if place not in self._unread:
                self._read_parts(place, found, bool(changed[place]))

    def _surroundings(self, places: Places) -> tuple[Places, Places]:
        """Starts and ends of the chunks of these places and ``AROUND`` more on each side, joined where they meet."""
        gaps = self.spaces.searchsorted(places)
        texts = self.text_of(places)
        floors, limits = (self.spaces.searchsorted(self.texts[texts + step] - 1) for step in (0, 1))
        starts = self.spaces[np.maximum(gaps - 1 - AROUND, floors)] + 1
        ends = self.spaces[np.minimum(gaps + AROUND, limits)]
        heads = where(np.concatenate([[True], starts[1:] > ends[:-1]]))
        return starts[heads], ends[np.append(heads[1:], len(ends)) - 1]

    def _read_parts(self, place: int, parts: Sequence[tuple[int, int]], changed: bool) -> None:
        start, end = self.texts[place : place + 2].tolist()
        rest = self.bytes[start : end - 1].copy()
        for first, last in parts:
            rest[first - start : last - start] = 0
        counts = np.bincount(rest, minlength=256)
        sure = bool((self.bytes[start : end - 1] >= CYRILLIC_ONLY_BYTES[0]).any())
        classes = self._alphabet.classes
        letters = LetterCounts(*(int(counts[(classes & np.uint16(kind)) != 0].sum()) for kind in _LETTERS))
        pieces = [self.text[first:last] for first, last in parts]
        for piece in pieces:
            letters = letters.combine(count_letters(fold_characters(PlainText(piece)).text))
        self.cyrillic[place] = cyrillic = letters.is_mostly_cyrillic(self._prefer)
        self.whole[place] = not (cyrillic or (sure and not changed) or not letters.cyrillic)
        if changed and not self.whole[place]:
            self.whole[place] = is_unreadable(pieces, end - 1 - start)

    def _look_for_long_runs(self) -> None:
        """Texts with runs of symbols that would be cut."""
        symbols = self._specials(SYMBOL)
        if len(symbols) <= MAX_MARKS:
            return
        long = symbols[MAX_MARKS:] - symbols[:-MAX_MARKS] == MAX_MARKS
        self.whole[self.text_of(symbols[MAX_MARKS:][long])] = True
