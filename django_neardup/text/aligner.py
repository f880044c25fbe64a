"""The steps that find an alignment (see `alignment`); works on two lists of places that it fills."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from .document import Document
from .figures import figures, is_figure
from .fuzzy import same_joined, same_split, same_word
from .gaps import Gap, gaps
from .tokenize import Token

GRAMS = (6, 3, 2)
SHORT = 50
WIDE_GAP = 40
REACH = 3
WINDOW = 12
MANY = 64

Gram = tuple[int, ...]


class Aligner:
    """One alignment in the making."""

    def __init__(self, a: Document, b: Document) -> None:
        self.a, self.b = a.tokens, b.tokens
        self.left, self.right = a.hashes, b.hashes
        self.forward = [-1] * len(self.a)
        self.backward = [-1] * len(self.b)

    def run(self) -> tuple[list[int], list[int]]:
        """Places of a's words in b, and of b's in a; -1 where there is none."""
        self._ends()
        for size in GRAMS:
            self._grams(size)
        self._fill()
        self._join()
        self._loose()
        return self.forward, self.backward

    def _link(self, i: int, p: int) -> None:
        self.forward[i] = p
        self.backward[p] = i

    def _ends(self) -> None:
        """Equal beginnings and ends."""
        n, m = len(self.left), len(self.right)
        shorter, head = min(n, m), 0
        while head < shorter and self.left[head] == self.right[head]:
            self._link(head, head)
            head += 1
        tail = 1
        while tail <= shorter - head and self.left[-tail] == self.right[-tail]:
            self._link(n - tail, m - tail)
            tail += 1

    def _grams(self, size: int) -> None:
        """Shared runs of `size` unaligned words, grown on both sides.  Those that occur too often say nothing."""
        ours = free_grams(self.left, self.forward, size)
        theirs = free_grams(self.right, self.backward, size)
        for gram, xs in ours.items():
            ys = theirs.get(gram)
            if ys and (len(xs) == len(ys) or len(xs) * len(ys) <= 4):
                for i, p in zip(xs, ys, strict=False):
                    self._grow(i, p)

    def _grow(self, i: int, p: int) -> None:
        start_i, start_p = i, p
        while i < len(self.left) and p < len(self.right) and self._free_and_equal(i, p):
            self._link(i, p)
            i, p = i + 1, p + 1
        if i == start_i:
            return
        i, p = start_i - 1, start_p - 1
        while i >= 0 and p >= 0 and self._free_and_equal(i, p):
            self._link(i, p)
            i, p = i - 1, p - 1

    def _free_and_equal(self, i: int, p: int) -> bool:
        return self.forward[i] < 0 and self.backward[p] < 0 and self.left[i] == self.right[p]

    def _fill(self) -> None:
        """Inside the gaps: fuzzy equality of words at nearly the same place."""
        for gap in list(gaps(self.forward, self.backward)):
            if gap.i < gap.j and gap.p < gap.q:
                clipped = clip(gap)
                if max(clipped.j - clipped.i, clipped.q - clipped.p) <= WIDE_GAP:
                    self._fill_gap(clipped)

    def _fill_gap(self, gap: Gap) -> None:
        x, y = gap.i, gap.p
        while x < gap.j and y < gap.q:
            if self.forward[x] >= 0:
                x += 1
            elif self.backward[y] >= 0:
                y += 1
            else:
                x, y = self._step(gap, x, y)

    def _step(self, gap: Gap, x: int, y: int) -> tuple[int, int]:
        """Link the nearest equal words from (x, y) on; where to go on from."""
        for distance in range(REACH + 1):
            for ahead in range(distance + 1):
                u, v = x + ahead, y + distance - ahead
                if u < gap.j and v < gap.q and self.forward[u] < 0 and self.backward[v] < 0:
                    after = self._match(gap, u, v)
                    if after:
                        return after
        return x + 1, y + 1

    def _match(self, gap: Gap, u: int, v: int) -> tuple[int, int] | None:
        """Link two words that are one, or a word and the two that it was split into; the places after them."""
        if v + 1 < gap.q and self.backward[v + 1] < 0 and self._is_split(self.a[u], self.b, v):
            self.backward[v + 1] = u
            self._link(u, v)
            return u + 1, v + 2
        if u + 1 < gap.j and self.forward[u + 1] < 0 and self._is_split(self.b[v], self.a, u):
            self.forward[u + 1] = v
            self._link(u, v)
            return u + 2, v + 1
        if same_word(self.a[u], self.b[v]):
            self._link(u, v)
            return u + 1, v + 1
        return None

    @staticmethod
    def _is_split(word: Token, others: Sequence[Token], place: int) -> bool:
        first = others[place]
        return word.surface.startswith(first.surface) and same_split(word, first, others[place + 1])

    def _join(self) -> None:
        """Words split or joined, and codes likewise: what a gap holds is written as one and compared."""
        for gap in list(gaps(self.forward, self.backward)):
            width_a, width_b = gap.j - gap.i, gap.q - gap.p
            if 0 < width_a <= 4 and 0 < width_b <= 4 and self._joined_alike(gap):
                for i in range(gap.i, gap.j):
                    self.forward[i] = gap.p
                for p in range(gap.p, gap.q):
                    self.backward[p] = gap.i

    def _joined_alike(self, gap: Gap) -> bool:
        return same_joined(self.a[gap.i : gap.j], self.b[gap.p : gap.q])

    def _loose(self) -> None:
        """Single words left: anywhere in short texts, near their place in longer ones."""
        reach = WINDOW if min(len(self.a), len(self.b)) > SHORT else len(self.b)
        same_figures = figures(self.a) == figures(self.b)
        free = free_words(self.right, self.backward)
        expected = 0
        for i, word in enumerate(self.left):
            if self.forward[i] < 0 and (same_figures or not is_figure(self.a[i])):
                self._link_loose(i, free.get(word), expected, reach)
            if self.forward[i] >= 0:
                expected = self.forward[i] + 1

    def _link_loose(self, i: int, places: list[int] | None, expected: int, reach: int) -> None:
        if places and len(places) <= MANY:
            k = nearest(places, expected)
            if abs(places[k] - expected) <= reach:
                self._link(i, places.pop(k))


def clip(gap: Gap) -> Gap:
    """A gap held on one side, cut on the other to little more than its shorter run."""
    if gap.left and gap.right:
        return gap
    most = min(gap.j - gap.i, gap.q - gap.p, WIDE_GAP - REACH) + REACH
    if gap.left:
        return gap._replace(j=min(gap.j, gap.i + most), q=min(gap.q, gap.p + most))
    return gap._replace(i=max(gap.i, gap.j - most), p=max(gap.p, gap.q - most))


def free_grams(hashes: Sequence[int], places: Sequence[int], size: int) -> dict[Gram, list[int]]:
    """Places of every run of `size` unaligned words."""
    found: dict[Gram, list[int]] = {}
    run = 0
    for end, place in enumerate(places, 1):
        run = run + 1 if place < 0 else 0
        if run >= size:
            found.setdefault(tuple(hashes[end - size : end]), []).append(end - size)
    return found


def free_words(hashes: Sequence[int], places: Sequence[int]) -> dict[int, list[int]]:
    """Places, ascending, of every unaligned word."""
    found: dict[int, list[int]] = {}
    for p, place in enumerate(places):
        if place < 0:
            found.setdefault(hashes[p], []).append(p)
    return found


def nearest(places: list[int], expected: int) -> int:
    """Index of the member of a sorted, non-empty list that is nearest to `expected`."""
    k = bisect_left(places, expected)
    if k == len(places) or (k and expected - places[k - 1] <= places[k] - expected):
        return k - 1
    return k
