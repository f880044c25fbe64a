"""The steps that find an alignment (see `alignment`); works on two lists of places that it fills."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property

from ..canonical_text import CanonicalText
from ..tokens.tokenize import Token
from .fuzzy_words import are_same_joined, is_same_word, is_split_into
from .gaps import Gap, find_gaps, unaligned_runs
from .numeric_gaps import count_figures, is_figure
from .shared_runs import find_shared_runs
from .word_prefilter import FUZZY_FLAGS, WordTraits, can_be_same_word, word_traits

SHORT_TEXT_WORDS = 50
MAX_GAP_WORDS = 40
MAX_SHIFT = 3
MAX_MOVE_IN_LONG_TEXT = 12
MAX_OCCURRENCES = 64
SHIFTS_BY_DISTANCE = [
    (ahead, distance - ahead) for distance in range(MAX_SHIFT + 1) for ahead in range(distance + 1)
]
# Those that were not looked at one step before, which found nothing.
FARTHEST_SHIFTS = [steps for steps in SHIFTS_BY_DISTANCE if sum(steps) >= MAX_SHIFT - 1]


class Aligner:
    """One alignment in the making."""

    def __init__(self, a: CanonicalText, b: CanonicalText) -> None:
        self.tokens_a, self.tokens_b = a.tokens, b.tokens
        self.hashes_a, self.hashes_b = a.hashes, b.hashes
        self.forward = [-1] * len(self.tokens_a)
        self.backward = [-1] * len(self.tokens_b)
        self._gap_cache: tuple[tuple[int, int] | None, Sequence[Gap]] = None, ()

    def align(self) -> tuple[list[int], list[int]]:
        """Places of a's words in b, and of b's in a; -1 where there is none."""
        self._link_equal_runs()
        self._link_in_gaps()
        self._link_joined_words()
        self._link_moved_words()
        return self.forward, self.backward

    def _link(self, position_a: int, position_b: int) -> None:
        self.forward[position_a] = position_b
        self.backward[position_b] = position_a

    def _link_equal_runs(self) -> None:
        """Equal beginnings and ends, and shared runs of words between them."""
        n, m = len(self.hashes_a), len(self.hashes_b)
        head = _common_prefix_length(self.hashes_a, self.hashes_b)
        tail = min(_common_prefix_length(self.hashes_a[::-1], self.hashes_b[::-1]), min(n, m) - head)
        self._link_run(0, 0, head)
        self._link_run(n - tail, m - tail, tail)
        for i, p, length in find_shared_runs(self.hashes_a[head : n - tail], self.hashes_b[head : m - tail]):
            self._link_run(head + i, head + p, length)

    def _link_run(self, start_a: int, start_b: int, length: int) -> None:
        self.forward[start_a : start_a + length] = range(start_b, start_b + length)
        self.backward[start_b : start_b + length] = range(start_a, start_a + length)

    def _current_gaps(self) -> Sequence[Gap]:
        """The gaps as they are now; found once, as long as nothing is linked."""
        free = self.forward.count(-1), self.backward.count(-1)
        if self._gap_cache[0] != free:
            self._gap_cache = free, tuple(find_gaps(self.forward, self.backward))
        return self._gap_cache[1]

    def _link_in_gaps(self) -> None:
        """Inside the gaps: fuzzy equality of words at nearly the same place."""
        for gap in self._current_gaps():
            if gap.start_a < gap.end_a and gap.start_b < gap.end_b:
                clipped = clip_gap(gap)
                if max(clipped.end_a - clipped.start_a, clipped.end_b - clipped.start_b) <= MAX_GAP_WORDS:
                    self._link_in_gap(clipped)

    def _link_in_gap(self, gap: Gap) -> None:
        looks = (
            list(map(word_traits, self.tokens_a[gap.start_a : gap.end_a])),
            list(map(word_traits, self.tokens_b[gap.start_b : gap.end_b])),
        )
        x, y, nearest = gap.start_a, gap.start_b, SHIFTS_BY_DISTANCE
        after: tuple[int, int] | None
        while x < gap.end_a and y < gap.end_b:
            if self.forward[x] >= 0:
                after = x + 1, y
            elif self.backward[y] >= 0:
                after = x, y + 1
            else:
                after = self._link_nearest(gap, looks, x, y, nearest)
            nearest = SHIFTS_BY_DISTANCE if after else FARTHEST_SHIFTS
            x, y = after or (x + 1, y + 1)

    def _link_nearest(
        self,
        gap: Gap,
        traits: tuple[list[WordTraits], list[WordTraits]],
        x: int,
        y: int,
        shifts: list[tuple[int, int]],
    ) -> tuple[int, int] | None:
        """Link the nearest equal words from (x, y) on; where to go on from, None where there are none."""
        i, j, p, q, _, _ = gap
        ours, theirs = traits
        forward, backward, left, right = self.forward, self.backward, self.hashes_a, self.hashes_b
        for ahead, beyond in shifts:
            u, v = x + ahead, y + beyond
            if u < j and v < q and forward[u] < 0 and backward[v] < 0:
                one, other = ours[u - i], theirs[v - p]
                likely = one[0] == other[0] or (
                    (one[3] | other[3]) & FUZZY_FLAGS and can_be_same_word(one, other)
                )
                if (likely or left[u] == right[v]) and (after := self._link_if_same(gap, u, v)):
                    return after
        return None

    def _link_if_same(self, gap: Gap, position_a: int, position_b: int) -> tuple[int, int] | None:
        """Link two words that are one, or a word and the two that it was split into; the places after them."""
        if (
            position_b + 1 < gap.end_b
            and self.backward[position_b + 1] < 0
            and self._is_split_into(self.tokens_a[position_a], self.tokens_b, position_b)
        ):
            self.backward[position_b + 1] = position_a
            self._link(position_a, position_b)
            return position_a + 1, position_b + 2
        if (
            position_a + 1 < gap.end_a
            and self.forward[position_a + 1] < 0
            and self._is_split_into(self.tokens_b[position_b], self.tokens_a, position_a)
        ):
            self.forward[position_a + 1] = position_b
            self._link(position_a, position_b)
            return position_a + 2, position_b + 1
        if is_same_word(self.tokens_a[position_a], self.tokens_b[position_b]):
            self._link(position_a, position_b)
            return position_a + 1, position_b + 1
        return None

    @staticmethod
    def _is_split_into(word: Token, others: Sequence[Token], position: int) -> bool:
        first = others[position]
        return word.surface.startswith(first.surface) and is_split_into(word, first, others[position + 1])

    def _link_joined_words(self) -> None:
        """Words split or joined, and codes likewise: what a gap holds is written as one and compared."""
        for gap in self._current_gaps():
            width_a, width_b = gap.end_a - gap.start_a, gap.end_b - gap.start_b
            if 0 < width_a <= 4 and 0 < width_b <= 4 and self._is_same_joined(gap):
                for i in range(gap.start_a, gap.end_a):
                    self.forward[i] = gap.start_b
                for p in range(gap.start_b, gap.end_b):
                    self.backward[p] = gap.start_a

    def _is_same_joined(self, gap: Gap) -> bool:
        return are_same_joined(self.tokens_a[gap.start_a : gap.end_a], self.tokens_b[gap.start_b : gap.end_b])

    def _link_moved_words(self) -> None:
        """Single words left: anywhere in short texts, near their place in longer ones."""
        reach = (
            MAX_MOVE_IN_LONG_TEXT
            if min(len(self.tokens_a), len(self.tokens_b)) > SHORT_TEXT_WORDS
            else len(self.tokens_b)
        )
        free = positions_of_unaligned_words(self.hashes_b, self.backward)
        for start, end in list(unaligned_runs(self.forward)) if free else ():
            expected = self.forward[start - 1] + 1 if start else 0
            for i in range(start, end):
                places = free.get(self.hashes_a[i])
                if places and (not is_figure(self.tokens_a[i]) or self.has_same_figures):
                    self._link_moved_word(i, places, expected, reach)
                if self.forward[i] >= 0:
                    expected = self.forward[i] + 1

    @cached_property
    def has_same_figures(self) -> bool:
        """Whether both texts have the same numbers, codes and measures."""
        return count_figures(self.tokens_a) == count_figures(self.tokens_b)

    def _link_moved_word(self, position_a: int, positions: list[int], expected: int, max_move: int) -> None:
        if len(positions) <= MAX_OCCURRENCES:
            k = index_of_nearest(positions, expected)
            if abs(positions[k] - expected) <= max_move:
                self._link(position_a, positions.pop(k))


def clip_gap(gap: Gap) -> Gap:
    """A gap held on one side, cut on the other to little more than its shorter run."""
    if gap.is_left_aligned and gap.is_right_aligned:
        return gap
    most = min(gap.end_a - gap.start_a, gap.end_b - gap.start_b, MAX_GAP_WORDS - MAX_SHIFT) + MAX_SHIFT
    if gap.is_left_aligned:
        return gap._replace(
            end_a=min(gap.end_a, gap.start_a + most), end_b=min(gap.end_b, gap.start_b + most)
        )
    return gap._replace(
        start_a=max(gap.start_a, gap.end_a - most), start_b=max(gap.start_b, gap.end_b - most)
    )


def positions_of_unaligned_words(hashes: Sequence[int], positions: Sequence[int]) -> dict[int, list[int]]:
    """Places, ascending, of every unaligned word."""
    found: dict[int, list[int]] = {}
    for start, end in unaligned_runs(positions):
        for p in range(start, end):
            found.setdefault(hashes[p], []).append(p)
    return found


def _common_prefix_length(a: Sequence[int], b: Sequence[int]) -> int:
    """How many words both begin with."""
    return next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))


def index_of_nearest(positions: list[int], expected: int) -> int:
    """Index of the member of a sorted, non-empty list that is nearest to `expected`."""
    k = bisect_left(positions, expected)
    if k == len(positions) or (k and expected - positions[k - 1] <= positions[k] - expected):
        return k - 1
    return k
