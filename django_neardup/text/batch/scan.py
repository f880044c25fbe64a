"""Texts side by side to words and their hashes, and to the chunks that only the plain canoniser reads."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..homoglyphs import Letters, letters_of
from ..normalize import MAX_MARKS, fold_characters
from ..traced import Untraced
from .characters import (
    BLANK,
    CYRILLIC,
    CYRILLIC_ONLY_BYTES,
    DOT,
    FIRST_CYRILLIC,
    FIRST_LETTER,
    HARD,
    LATIN,
    LATIN_ONLY_BYTES,
    LETTER,
    LINKED,
    MARK,
    ODD,
    OTHER,
    SHARP,
    SLASH,
    SPACE,
    SPECIAL,
    SYMBOLS,
    UNMISTAKABLY_CYRILLIC,
    UNMISTAKABLY_LATIN,
    UNSEEN,
    Alphabet,
    Bytes,
    Classes,
    W,
    markup,
)
from .plainer import Plain, exchanged, is_unreadable, plainer_texts
from .runs import fixed, lengths_of, offsets_of, where
from .table import Places
from .words import LONGEST_WORD, Mixer, Scratch, characters_of, others_of, read_words

MARKUP = markup()
SAMPLED = 8
AROUND = 4
"""Letters that are spaced out by blanks are four or more."""
_1, _BEFORE, _BLANK, _W = fixed(1, np.int64), fixed(-1, np.int64), fixed(BLANK, np.uint8), fixed(W, np.uint8)
_FIRST_CYRILLIC, _HARD = fixed(FIRST_CYRILLIC, np.uint8), fixed(HARD, np.uint16)
_LONGEST_WORD = fixed(LONGEST_WORD, np.int64)
_LETTERS = (CYRILLIC, LATIN, UNMISTAKABLY_CYRILLIC, UNMISTAKABLY_LATIN)

Flags = NDArray[np.bool_]


class Range(NamedTuple):
    """Bytes from ``first`` on, so many."""

    first: Bytes
    size: Bytes


def _range(first: int, end: int) -> Range:
    return Range(fixed(first, np.uint8), fixed(end - first, np.uint8))


_LATIN, _SPECIAL, _SYMBOLS = _range(FIRST_LETTER, FIRST_CYRILLIC), _range(*SPECIAL), _range(*SYMBOLS)
_LATIN_ONLY, _CYRILLIC_ONLY = _range(*LATIN_ONLY_BYTES), _range(*CYRILLIC_ONLY_BYTES)


class Scan:
    """``text``: the texts with line ends before, between and behind; ``starts``, ``ends``: places of its words, which
    are all runs of letters that have a byte; ``firsts``: the first word of each text, and the number of words;
    ``hashes`` of words; ``spaces``: places of blanks; ``texts``: where each text begins, and where another one would.
    Good until ``scratch`` is used again.

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
        mixer: Mixer,
        scratch: Scratch,
    ) -> None:
        self._prefer, self._alphabet, self._scratch = prefer, alphabet, scratch
        self._take(texts)
        marked = self._marked()
        if marked and (plainer := plainer_texts(texts, marked, plain)):
            self._take(exchanged(texts, plainer), plainer)
        self.starts, self.ends, self.hashes = read_words(self._others, len(self.bytes), mixer, scratch)
        self.firsts: Places = self.starts.searchsorted(self.texts)
        self.spaces = self._others.take(where(self._other_bytes == _BLANK))
        self.whole = np.zeros(len(texts), bool)
        self._unread = unread
        if unread:
            self.whole[list(unread)] = True
        self._look_at_scripts()
        self._look_for_long_runs()

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
        self._special = self._others_between(_SPECIAL)
        self._kinds = self._kinds_at(self._special)
        self._present = int(np.bitwise_or.reduce(self._kinds))

    def _exchange(self, changed: Collection[int]) -> None:
        """Read some of the texts anew."""
        for place in changed:
            start, end = self.texts[place : place + 2].tolist()
            codes = np.frombuffer(self.text[start:end].encode("utf-32-le", "surrogatepass"), "<u4")
            self._alphabet.classify(codes.astype(np.intp), self.bytes[start:end])

    def _kinds_at(self, places: Places) -> Classes:
        return self._alphabet.classes.take(self.bytes.take(places))

    def _between(self, wanted: Range) -> Flags:
        """Which bytes are in this range; until asked again."""
        size = len(self.bytes)
        shifted = np.subtract(self.bytes, wanted.first, out=self._scratch.shifted[:size])
        return np.less(shifted, wanted.size, out=self._scratch.flags[:size])

    def _others_between(self, wanted: Range) -> Places:
        """Places of the characters, letters apart, with bytes in this range."""
        return self._others.take(where(self._other_bytes - wanted.first < wanted.size))

    def _specials(self, kinds: int) -> Places:
        """Places of the characters, letters apart, of some kinds."""
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
        sure = self._between(_CYRILLIC_ONLY)
        sampled = offsets_of(sure[::SAMPLED])
        cyrillic = lengths_of(sampled.take(-(-self.texts // SAMPLED)))
        few = where(both & ((cyrillic * weight < latin) | (cyrillic == 0)))
        places = zip(few.tolist(), self.texts[few].tolist(), self.texts[few + 1].tolist())
        for place, start, end in places:
            cyrillic[place] = np.count_nonzero(sure[start:end])
        mostly = np.where(cyrillic > 0, cyrillic * weight >= latin, self._prefer & (latin == 0))
        self.cyrillic[both] = mostly[both]
        self.whole |= both & ~mostly & (cyrillic == 0)

    def _weigh_one(self) -> None:
        """The same of the only text."""
        latin = int(np.count_nonzero(self._between(_LATIN_ONLY))) + len(self._specials(UNMISTAKABLY_LATIN))
        cyrillic = int(np.count_nonzero(self._between(_CYRILLIC_ONLY)))
        mostly = Letters(True, True, cyrillic, latin).mostly_cyrillic(self._prefer)
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
        letters = Letters(*(int(counts[(classes & np.uint16(kind)) != 0].sum()) for kind in _LETTERS))
        pieces = [self.text[first:last] for first, last in parts]
        for piece in pieces:
            letters = letters.with_those(letters_of(fold_characters(Untraced(piece)).text))
        self.cyrillic[place] = cyrillic = letters.mostly_cyrillic(self._prefer)
        self.whole[place] = not (cyrillic or (sure and not changed) or not letters.cyrillic)
        if changed and not self.whole[place]:
            self.whole[place] = is_unreadable(pieces, end - 1 - start)

    def _look_for_long_runs(self) -> None:
        """Texts with runs of symbols that would be cut."""
        symbols = self._others_between(_SYMBOLS)
        if len(symbols) <= MAX_MARKS:
            return
        long = symbols[MAX_MARKS:] - symbols[:-MAX_MARKS] == MAX_MARKS
        self.whole[self.text_of(symbols[MAX_MARKS:][long])] = True

    def text_of(self, places: Places) -> Places:
        """The numbers of the texts that hold these places."""
        texts: Places = self.texts.searchsorted(places, side="right") - _1
        return texts

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

    def spelt(self, places: Places) -> list[str]:
        """The words of some numbers, folded, in small letters."""
        starts, ends = self.starts[places].tolist(), self.ends[places].tolist()
        written = "\n".join([self.text[start:end] for start, end in zip(starts, ends)])
        return self._alphabet.lowered(written).split("\n")
