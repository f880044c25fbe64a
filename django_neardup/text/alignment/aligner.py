"""The steps of an alignment (see ``align``).

They fill two lists: the position of each word in the other text.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property

from ..canonical_text import CanonicalText
from ..tokens.tokenize import Token
from .figures import HAN_NUMERALS, count_figures, is_figure
from .gaps import Gap, find_gaps, unaligned_runs
from .shared_runs import common_prefix_length, find_shared_runs
from .word_links import (
    GUESS,
    SPELLING,
    WORD_KINDS,
    is_abbreviation,
    is_split_into,
    link_joined,
    link_spellings,
    link_words,
)
from .word_prefilter import FUZZY_FLAGS, WordTraits, can_be_same_word, word_traits

SHORT_TEXT_WORDS = 50
MAX_GAP_WORDS = 40
MAX_JOINED_WORDS = 5
MAX_SHIFT = 3
MAX_MOVE_IN_LONG_TEXT = 12
MAX_OCCURRENCES = 64
SHIFTS_BY_DISTANCE = [
    (ahead, distance - ahead) for distance in range(MAX_SHIFT + 1) for ahead in range(distance + 1)
]
# Shifts that the previous step, one position earlier, did not try. The ones that it tried had no match.
FARTHEST_SHIFTS = [steps for steps in SHIFTS_BY_DISTANCE if sum(steps) >= MAX_SHIFT - 1]


class Aligner:
    """The state of one alignment while it is computed."""

    def __init__(self, a: CanonicalText, b: CanonicalText) -> None:
        self.texts = a, b
        self.tokens_a, self.tokens_b = a.tokens, b.tokens
        self.hashes_a, self.hashes_b = a.hashes, b.hashes
        self.forward = [-1] * len(self.tokens_a)
        self.backward = [-1] * len(self.tokens_b)
        self.guesses: set[int] = set()
        self.spellings: set[int] = set()
        self._gap_cache: tuple[tuple[int, int] | None, tuple[Gap, ...]] = None, ()

    def align(self) -> tuple[list[int], list[int]]:
        """Return the positions of a's words in b, and of b's words in a.

        A word without a counterpart has -1.
        """
        self._link_equal_runs()
        self._link_in_gaps()
        self._link_joined_words()
        self._link_moved_words()
        return self.forward, self.backward

    def _link(self, position_a: int, position_b: int) -> None:
        self.forward[position_a] = position_b
        self.backward[position_b] = position_a

    def _link_equal_runs(self) -> None:
        """Link equal beginnings and ends, and the shared runs of words between them."""
        length_a, length_b = len(self.hashes_a), len(self.hashes_b)
        head = common_prefix_length(self.hashes_a, self.hashes_b)
        tail = min(
            common_prefix_length(self.hashes_a[::-1], self.hashes_b[::-1]), min(length_a, length_b) - head
        )
        self._link_run(0, 0, head)
        self._link_run(length_a - tail, length_b - tail, tail)
        for position_a, position_b, length in find_shared_runs(
            self.hashes_a[head : length_a - tail], self.hashes_b[head : length_b - tail]
        ):
            self._link_run(head + position_a, head + position_b, length)

    def _link_run(self, start_a: int, start_b: int, length: int) -> None:
        self.forward[start_a : start_a + length] = range(start_b, start_b + length)
        self.backward[start_b : start_b + length] = range(start_a, start_a + length)

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """The gaps of the links so far. They are computed again only after a word was linked."""
        free = self.forward.count(-1), self.backward.count(-1)
        if self._gap_cache[0] != free:
            self._gap_cache = free, tuple(find_gaps(self.forward, self.backward))
        return self._gap_cache[1]

    def _link_in_gaps(self) -> None:
        """Link words inside the gaps that are fuzzily equal and stand at nearly the same position."""
        for gap in self.gaps:
            if gap.start_a < gap.end_a and gap.start_b < gap.end_b:
                clipped = clip_gap(gap)
                if max(clipped.end_a - clipped.start_a, clipped.end_b - clipped.start_b) <= MAX_GAP_WORDS:
                    self._link_in_gap(clipped)

    def _link_in_gap(self, gap: Gap) -> None:
        traits = (
            list(map(word_traits, self.tokens_a[gap.start_a : gap.end_a])),
            list(map(word_traits, self.tokens_b[gap.start_b : gap.end_b])),
        )
        position_a, position_b, nearest = gap.start_a, gap.start_b, SHIFTS_BY_DISTANCE
        after: tuple[int, int] | None
        while position_a < gap.end_a and position_b < gap.end_b:
            if self.forward[position_a] >= 0:
                after = position_a + 1, position_b
            elif self.backward[position_b] >= 0:
                after = position_a, position_b + 1
            else:
                after = self._link_nearest(gap, traits, position_a, position_b, nearest)
            nearest = SHIFTS_BY_DISTANCE if after else FARTHEST_SHIFTS
            position_a, position_b = after or (position_a + 1, position_b + 1)

    def _link_nearest(
        self,
        gap: Gap,
        traits: tuple[list[WordTraits], list[WordTraits]],
        x: int,
        y: int,
        shifts: list[tuple[int, int]],
    ) -> tuple[int, int] | None:
        """Link the nearest equal words from (x, y) on.

        Return the positions at which to continue. Return None if no words are equal.
        """
        start_a, end_a, start_b, end_b, _, _ = gap
        traits_a, traits_b = traits
        forward, backward, left, right = self.forward, self.backward, self.hashes_a, self.hashes_b
        for ahead, beyond in shifts:
            position_a, position_b = x + ahead, y + beyond
            if (
                position_a < end_a
                and position_b < end_b
                and forward[position_a] < 0
                and backward[position_b] < 0
            ):
                word_a, word_b = traits_a[position_a - start_a], traits_b[position_b - start_b]
                likely = word_a[0] == word_b[0] or (
                    (word_a[3] | word_b[3]) & FUZZY_FLAGS and can_be_same_word(word_a, word_b)
                )
                if not likely and left[position_a] != right[position_b]:
                    continue
                if ahead != beyond and self.tokens_a[position_a].surface in HAN_NUMERALS:
                    continue  # 三室两厅 and 两室一厅: a numeral is not looked for at other places
                if after := self._link_if_same(gap, position_a, position_b):
                    return after
        return None

    def _link_if_same(self, gap: Gap, position_a: int, position_b: int) -> tuple[int, int] | None:
        """Link two equal words, or a word and the two words that it is split into.

        Return the positions after them. Return None if the words differ.
        """
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
        token_a, token_b = self.tokens_a[position_a], self.tokens_b[position_b]
        link = link_words(token_a, token_b)
        if not link and token_a.kind in WORD_KINDS and token_b.kind in WORD_KINDS:
            a, b = self.texts
            link = is_abbreviation(token_a, token_b, a.raw) or is_abbreviation(token_b, token_a, b.raw)
        link = link or self._link_number_word(token_a, token_b)
        if not link:
            return None
        self._link(position_a, position_b)
        self._record(link, position_a)
        return position_a + 1, position_b + 1

    def _link_number_word(self, token_a: Token, token_b: Token) -> str:
        """Link a number in words and its misspelling: третьего, ретьего."""
        if {token_a.kind, token_b.kind} != {"number", "word"}:
            return ""
        a, b = self.texts
        written = [a.raw[token_a.start : token_a.end].lower(), b.raw[token_b.start : token_b.end].lower()]
        return link_spellings(*written) if all(map(str.isalpha, written)) else ""

    @staticmethod
    def _is_split_into(word: Token, others: Sequence[Token], position: int) -> bool:
        first = others[position]
        return word.surface.startswith(first.surface) and is_split_into(word, first, others[position + 1])

    def _link_joined_words(self) -> None:
        """Link words that are split or joined, and codes likewise.

        Each side of a gap is joined and compared.
        """
        for gap in self.gaps:
            width_a, width_b = gap.end_a - gap.start_a, gap.end_b - gap.start_b
            if 0 < width_a <= MAX_JOINED_WORDS and 0 < width_b <= MAX_JOINED_WORDS:
                self._link_joined_in_gap(gap)

    def _link_joined_in_gap(self, gap: Gap) -> None:
        """Link the longest runs of words at one end of a narrow gap that are equal when joined."""
        ranges_a = _ranges_from_ends(gap.start_a, gap.end_a)
        ranges_b = _ranges_from_ends(gap.start_b, gap.end_b)
        for start_a, end_a in ranges_a:
            for start_b, end_b in ranges_b:
                link = link_joined(self.tokens_a[start_a:end_a], self.tokens_b[start_b:end_b])
                if link:
                    for position_a in range(start_a, end_a):
                        self.forward[position_a] = start_b
                    for position_b in range(start_b, end_b):
                        self.backward[position_b] = start_a
                    self._record(link, start_a)
                    return

    def _record(self, link: str, position_a: int) -> None:
        if link == GUESS:
            self.guesses.add(position_a)
        if link in (GUESS, SPELLING):
            self.spellings.add(position_a)

    def _link_moved_words(self) -> None:
        """Link the remaining single words.

        In short texts a word may move anywhere, in longer texts only near its expected position.
        """
        reach = (
            MAX_MOVE_IN_LONG_TEXT
            if min(len(self.tokens_a), len(self.tokens_b)) > SHORT_TEXT_WORDS
            else len(self.tokens_b)
        )
        free = positions_of_unaligned_words(self.hashes_b, self.backward)
        for start, end in list(unaligned_runs(self.forward)) if free else ():
            expected = self.forward[start - 1] + 1 if start else 0
            for position_a in range(start, end):
                positions_b = free.get(self.hashes_a[position_a])
                if positions_b and (not is_figure(self.tokens_a[position_a]) or self.has_same_figures):
                    self._link_moved_word(position_a, positions_b, expected, reach)
                if self.forward[position_a] >= 0:
                    expected = self.forward[position_a] + 1

    @cached_property
    def has_same_figures(self) -> bool:
        """Whether both texts have the same numbers, codes and measures."""
        return count_figures(self.tokens_a) == count_figures(self.tokens_b)

    def _link_moved_word(self, position_a: int, positions: list[int], expected: int, max_move: int) -> None:
        if len(positions) <= MAX_OCCURRENCES:
            index = index_of_nearest(positions, expected)
            if abs(positions[index] - expected) <= max_move:
                self._link(position_a, positions.pop(index))


def _ranges_from_ends(start: int, end: int) -> list[tuple[int, int]]:
    """Return the ranges that begin or end with the given range, the longest first."""
    heads = [(start, stop) for stop in range(start + 1, end + 1)]
    tails = [(begin, end) for begin in range(start + 1, end)]
    return sorted((*heads, *tails), key=lambda item: item[0] - item[1])


def clip_gap(gap: Gap) -> Gap:
    """Clip a gap that is aligned on one side only.

    Each of its runs becomes little longer than the shorter one.

    Return the gap unchanged if it is aligned on both sides.
    """
    if gap.is_left_aligned and gap.is_right_aligned:
        return gap
    max_words = min(gap.end_a - gap.start_a, gap.end_b - gap.start_b, MAX_GAP_WORDS - MAX_SHIFT) + MAX_SHIFT
    if gap.is_left_aligned:
        return gap._replace(
            end_a=min(gap.end_a, gap.start_a + max_words), end_b=min(gap.end_b, gap.start_b + max_words)
        )
    return gap._replace(
        start_a=max(gap.start_a, gap.end_a - max_words), start_b=max(gap.start_b, gap.end_b - max_words)
    )


def positions_of_unaligned_words(hashes: Sequence[int], positions: Sequence[int]) -> dict[int, list[int]]:
    """Return the ascending positions of every unaligned word, by its hash."""
    positions_by_hash: dict[int, list[int]] = {}
    for start, end in unaligned_runs(positions):
        for position in range(start, end):
            positions_by_hash.setdefault(hashes[position], []).append(position)
    return positions_by_hash


def index_of_nearest(positions: list[int], expected: int) -> int:
    """Return the index of the value of a sorted, non-empty list that is nearest to ``expected``."""
    index = bisect_left(positions, expected)
    if index == len(positions) or (index and expected - positions[index - 1] <= positions[index] - expected):
        return index - 1
    return index
