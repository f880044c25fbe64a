"""The steps that find an alignment (see `alignment`); works on two lists of places that it fills."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property

from .document import Document
from .figures import figures, is_figure
from .fuzzy import same_joined, same_split, same_word
from .gaps import Gap, free_runs, gaps
from .grams import shared_runs
from .looks import RARE, Look, look, may_be_same
from .tokenize import Token

SHORT = 50
WIDE_GAP = 40
REACH = 3
WINDOW = 12
MANY = 64
NEAREST = [(ahead, distance - ahead) for distance in range(REACH + 1) for ahead in range(distance + 1)]
# Those that were not looked at one step before, which found nothing.
FURTHER = [steps for steps in NEAREST if sum(steps) >= REACH - 1]


class Aligner:
    """One alignment in the making."""

    def __init__(self, a: Document, b: Document) -> None:
        self.a, self.b = a.tokens, b.tokens
        self.left, self.right = a.hashes, b.hashes
        self.forward = [-1] * len(self.a)
        self.backward = [-1] * len(self.b)
        self._found: tuple[tuple[int, int] | None, Sequence[Gap]] = None, ()

    def run(self) -> tuple[list[int], list[int]]:
        """Places of a's words in b, and of b's in a; -1 where there is none."""
        self._runs()
        self._fill()
        self._join()
        self._loose()
        return self.forward, self.backward

    def _link(self, i: int, p: int) -> None:
        self.forward[i] = p
        self.backward[p] = i

    def _runs(self) -> None:
        """Equal beginnings and ends, and shared runs of words between them."""
        n, m = len(self.left), len(self.right)
        head = _common(self.left, self.right)
        tail = min(_common(self.left[::-1], self.right[::-1]), min(n, m) - head)
        self._link_run(0, 0, head)
        self._link_run(n - tail, m - tail, tail)
        for i, p, length in shared_runs(self.left[head : n - tail], self.right[head : m - tail]):
            self._link_run(head + i, head + p, length)

    def _link_run(self, i: int, p: int, length: int) -> None:
        self.forward[i : i + length] = range(p, p + length)
        self.backward[p : p + length] = range(i, i + length)

    def _gaps(self) -> Sequence[Gap]:
        """The gaps as they are now; found once, as long as nothing is linked."""
        free = self.forward.count(-1), self.backward.count(-1)
        if self._found[0] != free:
            self._found = free, tuple(gaps(self.forward, self.backward))
        return self._found[1]

    def _fill(self) -> None:
        """Inside the gaps: fuzzy equality of words at nearly the same place."""
        for gap in self._gaps():
            if gap.i < gap.j and gap.p < gap.q:
                clipped = clip(gap)
                if max(clipped.j - clipped.i, clipped.q - clipped.p) <= WIDE_GAP:
                    self._fill_gap(clipped)

    def _fill_gap(self, gap: Gap) -> None:
        looks = list(map(look, self.a[gap.i : gap.j])), list(map(look, self.b[gap.p : gap.q]))
        x, y, nearest = gap.i, gap.p, NEAREST
        after: tuple[int, int] | None
        while x < gap.j and y < gap.q:
            if self.forward[x] >= 0:
                after = x + 1, y
            elif self.backward[y] >= 0:
                after = x, y + 1
            else:
                after = self._step(gap, looks, x, y, nearest)
            nearest = NEAREST if after else FURTHER
            x, y = after or (x + 1, y + 1)

    def _step(
        self, gap: Gap, looks: tuple[list[Look], list[Look]], x: int, y: int, nearest: list[tuple[int, int]]
    ) -> tuple[int, int] | None:
        """Link the nearest equal words from (x, y) on; where to go on from, None where there are none."""
        i, j, p, q, _, _ = gap
        ours, theirs = looks
        forward, backward, left, right = self.forward, self.backward, self.left, self.right
        for ahead, beyond in nearest:
            u, v = x + ahead, y + beyond
            if u < j and v < q and forward[u] < 0 and backward[v] < 0:
                one, other = ours[u - i], theirs[v - p]
                likely = one[0] == other[0] or ((one[3] | other[3]) & RARE and may_be_same(one, other))
                if (likely or left[u] == right[v]) and (after := self._match(gap, u, v)):
                    return after
        return None

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
        for gap in self._gaps():
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
        free = free_words(self.right, self.backward)
        for start, end in list(free_runs(self.forward)) if free else ():
            expected = self.forward[start - 1] + 1 if start else 0
            for i in range(start, end):
                places = free.get(self.left[i])
                if places and (not is_figure(self.a[i]) or self.same_figures):
                    self._link_loose(i, places, expected, reach)
                if self.forward[i] >= 0:
                    expected = self.forward[i] + 1

    @cached_property
    def same_figures(self) -> bool:
        """Whether both texts have the same numbers, codes and measures."""
        return figures(self.a) == figures(self.b)

    def _link_loose(self, i: int, places: list[int], expected: int, reach: int) -> None:
        if len(places) <= MANY:
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


def free_words(hashes: Sequence[int], places: Sequence[int]) -> dict[int, list[int]]:
    """Places, ascending, of every unaligned word."""
    found: dict[int, list[int]] = {}
    for start, end in free_runs(places):
        for p in range(start, end):
            found.setdefault(hashes[p], []).append(p)
    return found


def _common(a: Sequence[int], b: Sequence[int]) -> int:
    """How many words both begin with."""
    return next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))


def nearest(places: list[int], expected: int) -> int:
    """Index of the member of a sorted, non-empty list that is nearest to `expected`."""
    k = bisect_left(places, expected)
    if k == len(places) or (k and expected - places[k - 1] <= places[k] - expected):
        return k - 1
    return k
