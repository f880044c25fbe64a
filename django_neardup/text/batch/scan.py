"""Texts side by side to words and their hashes, and to the chunks that only the plain canoniser reads."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

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
    LINKED,
    MARK,
    ODD,
    OTHER,
    SHARP,
    SLASH,
    SPACE,
    SYMBOL,
    UNMISTAKABLY_CYRILLIC,
    UNMISTAKABLY_LATIN,
    UNSEEN,
    Alphabet,
    markup,
)
from .lexical import LONGEST_WORD
from .powers import Powers
from .runs import lengths_of, where
from .table import Places
from .words import SLICE, Scratch, characters_of, read_words

WITH_BLANKS = 3
MARKUP = markup()

Flags = NDArray[np.bool_]
Plain = Callable[[int], str]


class Scan:
    """``text``: the texts with line ends before, between and behind; ``starts``, ``ends``: places of its words, which
    are all runs of letters; ``firsts``: the first word of each text, and the number of words; ``hashes`` of words;
    ``spaces``: places of blanks; ``texts``: where each text begins, and where another one would.  Good until
    ``scratch`` is used again.

    ``plain``: gives what a reader sees of a text that may hold markup; ``unread``: numbers of texts that are read
    elsewhere, to which it may add.  ``whole``: texts of which something is decided that no word shows: the plain
    canoniser reads them as a whole.
    """

    def __init__(
        self,
        texts: Sequence[str],
        prefer: bool,
        plain: Plain,
        unread: Collection[int],
        alphabet: Alphabet,
        powers: Powers,
        scratch: Scratch,
    ) -> None:
        self._prefer, self._alphabet, self._scratch = prefer, alphabet, scratch
        self._take(texts)
        marked = self._marked()
        if marked and (plainer := _plainer(texts, marked, plain)):
            self._take([plainer.get(place, text) for place, text in enumerate(texts)])
        words = read_words(self._points, self.classes, self._cuts(), alphabet, powers, scratch)
        self.starts, self.ends, self.hashes = words
        self.firsts = self.starts.searchsorted(self.texts)
        self.spaces = where(self._are(SPACE))
        self.whole = np.zeros(len(texts), bool)
        self._unread = unread
        self.whole[list(unread)] = True
        self.cyrillic = (self.present & CYRILLIC) != 0
        self._look_at_scripts()
        self._look_at_odd()
        self._look_for_long_runs()

    def _take(self, texts: Sequence[str]) -> None:
        self._given = texts
        self.text = "\n" + "\n".join(texts) + "\n"
        self.texts = np.ones(len(texts) + 1, np.int64)
        np.cumsum([len(text) + 1 for text in texts], out=self.texts[1:])
        self.texts[1:] += 1
        self._points, self.classes = characters_of(self.text, self._alphabet, self._scratch)
        self.present = np.bitwise_or.reduceat(self.classes, self.texts[:-1])

    def _marked(self) -> list[int]:
        """The texts that may hold markup."""
        if not (self.present & MARK).any():
            return []
        places = where(self._are(MARK))
        here, behind = (np.minimum(self._points[places + step], OTHER) for step in (0, 1))
        return list(dict.fromkeys(self.text_of(places[MARKUP[here, behind]]).tolist()))

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
        if both.any():
            self._weigh(both)
        unclear = (present & ODD) != 0
        unclear |= both & (((present & UNSEEN) != 0) | self._may_link())
        for place in where(unclear).tolist():
            text, changed = self._given[place], bool(present[place] & (UNSEEN | ODD))
            if changed or "@" in text or "://" in text or "www." in text:
                self._fold(place, text, changed)

    def _may_link(self) -> Flags:
        """Texts with an @, with // or ww."""
        places = where(self._are(LINKED))
        codes = self._points[places]
        places = places[(codes == ord("@")) | (codes == self._points[places + 1])]
        linking = np.zeros(len(self.whole), bool)
        linking[self.text_of(places)] = True
        return linking

    def _weigh(self, both: Flags) -> None:
        """``mostly_cyrillic`` of texts with letters of both scripts and nothing that is an address or folded away."""
        weight = 3 if self._prefer else 1
        latin = lengths_of(where(self._are(UNMISTAKABLY_LATIN)).searchsorted(self.texts))
        cyrillic = ((self.present & UNMISTAKABLY_CYRILLIC) != 0).astype(np.int64)
        few = where(both & (cyrillic * weight < latin))
        if len(few):
            sure = self._are(UNMISTAKABLY_CYRILLIC)
            places = zip(few.tolist(), self.texts[few].tolist(), self.texts[few + 1].tolist())
            for place, start, end in places:
                cyrillic[place] = np.count_nonzero(sure[start:end])
        mostly = np.where(cyrillic > 0, cyrillic * weight >= latin, self._prefer & (latin == 0))
        self.cyrillic[both] = mostly[both]
        self.whole |= both & ~mostly & (cyrillic == 0)

    def _fold(self, place: int, text: str, changed: bool) -> None:
        """The same of a text with addresses, or ``changed`` letters."""
        folded = fold_characters(Untraced(text)).text
        lone = not changed and CYRILLIC_ONLY.search(folded)
        cyrillic = mostly_cyrillic(folded, self._prefer)
        self.cyrillic[place] = cyrillic
        if place not in self._unread:
            self.whole[place] = not (cyrillic or lone or not CYRILLIC_LETTER.search(folded))

    def _look_at_odd(self) -> None:
        """Where characters that become something else space letters out, or would make a long text of it."""
        for place in where(((self.present & ODD) != 0) & ~self.whole).tolist():
            folded = fold_signs(Untraced(self._given[place])).text
            blanks = (match[2] == " " for match in SPACED_OUT.finditer(folded))
            self.whole[place] = any(blanks) or len(folded) * WITH_BLANKS >= LONG_TEXT

    def _look_for_long_runs(self) -> None:
        """Texts with runs of symbols that would be cut."""
        if (self.present & SYMBOL).any():
            symbols = where(self._are(SYMBOL))
            long = symbols[MAX_MARKS:] - symbols[:-MAX_MARKS] == MAX_MARKS
            self.whole[self.text_of(symbols[MAX_MARKS:][long])] = True

    def text_of(self, places: Places) -> Places:
        """The numbers of the texts that hold these places."""
        return self.texts.searchsorted(places, side="right") - 1

    def hard_places(self) -> Places:
        """Places, in order, some of them twice, of characters whose chunk is read by the plain canoniser."""
        classes = self.classes
        found = where(self._are(HARD | DOT | SLASH | SHARP))
        if len(found):
            kinds, before, after = classes[found], classes[found - 1], classes[found + 1]
            found = found[
                ((kinds & HARD) != 0)
                | (((kinds & DOT) != 0) & ((after & LETTER) != 0) & ((before & (DOT | SPACE)) == 0))
                | (((kinds & SLASH) != 0) & (((before | after) & SLASH) != 0))
                | (((kinds & SHARP) != 0) & ((before & LETTER) != 0))
            ]
        odd = self._odd_words()
        if len(odd):
            found = np.concatenate([found, odd])
            found.sort()
        return found

    def _odd_words(self) -> Places:
        """Words too long, and letters spaced out: т-а-к-о-й, т а к о й."""
        starts, ends = self.starts, self.ends
        lengths = ends - starts
        odd = [starts[lengths > LONGEST_WORD]]
        single = where(lengths == 1)
        inner = single[:-1][single[1:] - single[:-1] == 1]
        inner = inner[(inner > 0) & (inner < len(starts) - 2)]
        inner = inner[starts[inner + 1] - starts[inner] == 2]
        if len(inner):
            close = (starts[inner] - ends[inner - 1] == 1) & (starts[inner + 2] - ends[inner + 1] == 1)
            unbroken = (self.classes[starts[inner] - 1] & SPACE) == 0
            odd.append(starts[inner[close & unbroken]])
        first = single[:-3][single[3:] - single[:-3] == 3]
        odd += [starts[first + step] for step in range(4) if len(first)]
        return np.concatenate(odd)

    def spelt(self, places: Places) -> list[str]:
        """The words of some numbers, folded, in small letters."""
        starts, ends = self.starts[places].tolist(), self.ends[places].tolist()
        written = "\n".join([self.text[start:end] for start, end in zip(starts, ends)])
        return self._alphabet.lowered(written).split("\n")


def _plainer(texts: Sequence[str], marked: Iterable[int], plain: Plain) -> dict[int, str]:
    """The texts that are another one without their markup."""
    seen = {place: plain(place) for place in marked}
    return {place: text for place, text in seen.items() if text != texts[place]}
