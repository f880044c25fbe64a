"""Texts side by side to words and their hashes, and to the chunks that only the plain canoniser reads."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from ..homoglyphs import CYRILLIC_LETTER, CYRILLIC_ONLY, mostly_cyrillic
from ..normalize import MAX_MARKS, SPACED_OUT, fold_characters, fold_signs
from ..tokenize import LONG_TEXT
from ..traced import Untraced
from .characters import (
    CYRILLIC,
    DOT,
    HARD,
    LATIN,
    LETTER,
    ODD,
    SHARP,
    SLASH,
    SPACE,
    SYMBOL,
    UNMISTAKABLY_CYRILLIC,
    UNMISTAKABLY_LATIN,
    UNSEEN,
    Alphabet,
)
from .powers import Powers
from .table import Places
from .words import SLICE, Scratch, read_words

LONGEST_WORD = 64
WITH_BLANKS = 3

Flags = NDArray[np.bool_]


class Scan:
    """``text``: the texts with line ends before, between and behind; ``starts``, ``ends``: places of its words, which
    are all runs of letters; ``firsts``: the first word of each text, and the number of words; ``hashes`` of words;
    ``spaces``: places of blanks; ``texts``: where each text begins, and where another one would.  Good until
    ``scratch`` is used again.

    ``whole``: texts of which something is decided that no word shows: the plain canoniser reads them as a whole.
    """

    def __init__(
        self,
        texts: Sequence[str],
        prefer: bool,
        unread: Collection[int],
        alphabet: Alphabet,
        powers: Powers,
        scratch: Scratch,
    ) -> None:
        self._given, self._prefer, self._alphabet, self._scratch = texts, prefer, alphabet, scratch
        self.text = "\n" + "\n".join(texts) + "\n"
        self.texts = np.zeros(len(texts) + 1, np.int64)
        np.cumsum([len(text) + 1 for text in texts], out=self.texts[1:])
        self.texts += 1
        words = read_words(self.text, self._cuts(), alphabet, powers, scratch)
        self.classes, self.starts, self.ends, self.hashes = words
        self.firsts = np.searchsorted(self.starts, self.texts)
        self.spaces = np.flatnonzero(self._are(SPACE))
        self.present = np.bitwise_or.reduceat(self.classes, self.texts[:-1])
        self.whole = np.zeros(len(texts), bool)
        self.whole[list(unread)] = True
        self.cyrillic = (self.present & CYRILLIC) != 0
        self._look_at_scripts()
        self._look_at_odd()
        self._look_for_long_runs()

    def _cuts(self) -> list[int]:
        """0 and beginnings of texts, as far apart as a slice is long, and the end."""
        cuts, last = [0], 0
        for start in self.texts[1:].tolist():
            if start - cuts[-1] >= SLICE:
                cuts.append(last)
            last = start
        return [*cuts, last]

    def _are(self, kinds: int) -> Flags:
        """Which characters are of these kinds; until asked again."""
        size = len(self.classes)
        masked = np.bitwise_and(self.classes, np.uint16(kinds), out=self._scratch.masked[:size])
        return np.not_equal(masked, 0, out=self._scratch.flags[:size])

    def _look_at_scripts(self) -> None:
        """Which texts are mostly Cyrillic, and in which of the others short words may be Latin ones."""
        present = self.present
        both = ((present & CYRILLIC) != 0) & ((present & LATIN) != 0)
        for place in np.flatnonzero(both | ((present & ODD) != 0)).tolist():
            cyrillic, sure = self._script(place)
            self.cyrillic[place] = cyrillic
            self.whole[place] |= not (cyrillic or sure)

    def _script(self, place: int) -> tuple[bool, bool]:
        """Whether a text is mostly Cyrillic (see ``mostly_cyrillic``), and whether it is sure to have letters that only
        Cyrillic has, or none of that script."""
        text, changed = self._given[place], bool(self.present[place] & (UNSEEN | ODD))
        if changed or "@" in text or "://" in text or "www." in text:
            folded = fold_characters(Untraced(text)).text
            lone = not changed and CYRILLIC_ONLY.search(folded)
            return mostly_cyrillic(folded, self._prefer), bool(lone or not CYRILLIC_LETTER.search(folded))
        classes = self.classes[self.texts[place] : self.texts[place + 1]]
        cyrillic = int(np.count_nonzero(classes & UNMISTAKABLY_CYRILLIC))
        latin = int(np.count_nonzero(classes & UNMISTAKABLY_LATIN))
        if not cyrillic:
            return self._prefer and not latin, False
        return cyrillic * (3 if self._prefer else 1) >= latin, True

    def _look_at_odd(self) -> None:
        """Where characters that become something else space letters out, or would make a long text of it."""
        for place in np.flatnonzero(((self.present & ODD) != 0) & ~self.whole).tolist():
            folded = fold_signs(Untraced(self._given[place])).text
            blanks = (match[2] == " " for match in SPACED_OUT.finditer(folded))
            self.whole[place] = any(blanks) or len(folded) * WITH_BLANKS >= LONG_TEXT

    def _look_for_long_runs(self) -> None:
        """Texts with runs of symbols that would be cut."""
        if (self.present & SYMBOL).any():
            symbols = np.flatnonzero(self._are(SYMBOL))
            long = symbols[MAX_MARKS:] - symbols[:-MAX_MARKS] == MAX_MARKS
            self.whole[self.text_of(symbols[MAX_MARKS:][long])] = True

    def text_of(self, places: Places) -> Places:
        """The numbers of the texts that hold these places."""
        return np.searchsorted(self.texts, places, side="right") - 1

    def hard_places(self) -> Places:
        """Places, in order, of characters whose chunk is read by the plain canoniser."""
        classes = self.classes
        found = np.flatnonzero(self._are(HARD | DOT | SLASH | SHARP))
        if len(found):
            kinds, before, after = classes[found], classes[found - 1], classes[found + 1]
            found = found[
                ((kinds & HARD) != 0)
                | (((kinds & DOT) != 0) & ((after & LETTER) != 0) & ((before & (DOT | SPACE)) == 0))
                | (((kinds & SLASH) != 0) & (((before | after) & SLASH) != 0))
                | (((kinds & SHARP) != 0) & ((before & LETTER) != 0))
            ]
        odd = self._odd_words()
        return np.union1d(found, odd) if len(odd) else found

    def _odd_words(self) -> Places:
        """Words too long, and letters spaced out: т-а-к-о-й, т а к о й."""
        starts, ends = self.starts, self.ends
        single = ends - starts == 1
        odd = [starts[ends - starts > LONGEST_WORD]]
        inner = np.flatnonzero(single[1:-2] & single[2:-1] & (starts[2:-1] - starts[1:-2] == 2)) + 1
        if len(inner):
            close = (starts[inner] - ends[inner - 1] == 1) & (starts[inner + 2] - ends[inner + 1] == 1)
            unbroken = (self.classes[starts[inner] - 1] & SPACE) == 0
            odd.append(starts[inner[close & unbroken]])
        apart = single[:-3] & single[1:-2] & single[2:-1] & single[3:]
        first = np.flatnonzero(apart)
        odd += [starts[first + step] for step in range(4) if len(first)]
        return np.concatenate(odd)

    def spelt(self, places: Places) -> list[str]:
        """The words of some numbers, folded, in small letters."""
        text = self._alphabet.lowered(self.text)
        starts, ends = self.starts[places].tolist(), self.ends[places].tolist()
        return [text[start:end] for start, end in zip(starts, ends)]
