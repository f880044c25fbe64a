"""Long passages: runs of common words joined over small gaps, and how much of each text they cover."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

from ...judge.differences import Passage, text_offsets
from ...text.canonical_text import CanonicalText
from ..base import Judgement
from ..minhash.minwise import gram_hashes
from ..registry import register
from .winnowed_shingles import WinnowedShingleAlgorithm

PositionPair = tuple[int, int]
MAX_HITS_PER_VALUE = 16
MAX_WIDENING = 32
SCREENING_SHARE = 0.5
ENOUGH_SHARED_KEYS = 3


class Chain(NamedTuple):
    """Words ``start_a``…``end_a`` of one text aligned with words ``start_b``…``end_b`` of the other. Ranges are
    half-open.
    """

    start_a: int
    start_b: int
    end_a: int
    end_b: int

    @property
    def word_count(self) -> int:
        """Return the number of words of the shorter side."""
        return min(self.end_a - self.start_a, self.end_b - self.start_b)


@register
class LongPassages(WinnowedShingleAlgorithm):
    """Common runs of 3 lemmas, chained over gaps of up to 3 words into passages of at least 12.

    cover(A) = words of A in passages / words of A, and cover(B) likewise. The score is the words covered in
    both / the words of both. Both covers from ``duplicate`` (.7) on make a duplicate. One of them makes
    ``contained``. One from ``review`` on makes related.

    Source: the chapter on shingles only names the method ("laying long passages, longer than shingles, on
    each other, to find texts rewritten by hand"). The rest is a reconstruction, in the manner of greedy
    string tiling (Wise, 1993). The longest chain comes first, then the other chains with enough words that
    no longer chain has. A text shorter than a passage may be one as a whole. Passages may come in any order.

    Options:

    - ``size``: words a run
    - ``gap``: the words that may differ between two runs
    - ``least``: words a passage
    - ``window``: of this many neighbouring runs one is a key. So a run of window + size - 1 equal words, 8,
      makes candidates in texts of up to about 450 words. In longer texts the window doubles.

    Fails: a rewrite that leaves no three words together, or changes more than 3 between them. Texts of fewer
    than ``size`` words have no keys. If both texts repeat a run over and over, the n-th run is aligned with
    the n-th.
    """

    name: ClassVar[str] = "long-passages"
    options: ClassVar[tuple[str, ...]] = ("size", "gap", "least", "window")
    default_duplicate: ClassVar[float] = 0.7
    default_review: ClassVar[float] = 0.4
    needs_text: bool = True
    supports_containment: bool = True

    def __init__(
        self, *, size: int = 3, gap: int = 3, least: int = 12, window: int = 6, **common_options: Any
    ) -> None:
        super().__init__(**common_options)
        if size < 1:
            raise ValueError(f"size is {size}: a run has at least one word")
        if gap < 0:
            raise ValueError(f"gap is {gap}: it is 0 or more")
        if least < size:
            raise ValueError(f"least is {least}: a passage has at least size words, {size}")
        if window < 1:
            raise ValueError(f"window is {window}: it is 1 or more")
        self.size, self.gap, self.least, self.window = size, gap, least, window

    def should_judge(
        self, screening_score: float, shared_keys: int, word_count_a: int, word_count_b: int
    ) -> bool:
        """Return whether a candidate is worth judging.

        A few shared keys are enough, because a gap destroys runs that the passage keeps.
        """
        return shared_keys >= ENOUGH_SHARED_KEYS or (
            shared_keys > 0 and screening_score >= SCREENING_SHARE * self.review
        )

    def compare(self, a: CanonicalText, b: CanonicalText) -> Judgement:
        min_words = min(self.least, len(a))
        chains = select_tiles(find_chains(a.hashes, b.hashes, self.size, self.gap), min_words)
        words_a = count_covered([(chain.start_a, chain.end_a) for chain in chains])
        words_b = count_covered([(chain.start_b, chain.end_b) for chain in chains])
        score = (words_a + words_b) / (len(a) + len(b))
        return self.judge_by_shares(score, words_a / len(a), words_b / len(b), make_passages(a, b, chains))

    def judge_by_shares(
        self, score: float, share_a: float, share_b: float, passages: tuple[Passage, ...]
    ) -> Judgement:
        """Return the verdict by the shares of both texts that the other one holds."""
        smaller, larger = sorted((share_a, share_b))
        verdict = "related" if larger >= self.review else "none"
        if larger >= self.duplicate:
            verdict = "duplicate" if smaller >= self.duplicate else "contained"
        return Judgement(verdict, score, share_a, share_b, passages=passages)


def find_chains(a: Sequence[int], b: Sequence[int], size: int, gap: int) -> list[Chain]:
    """Return chains of common runs of ``size`` hashes, with at most ``gap`` other hashes between two runs in
    both texts.

    With a gap of 0, the runs have no break. The time is near-linear in the texts: a run has at most 16
    partners, and each looks back size + gap positions in both texts.
    """
    starts: dict[PositionPair, PositionPair] = {}
    extended: set[PositionPair] = set()
    steps = steps_back(size, gap)
    for position_a, position_b in find_hits(gram_hashes(a, size), gram_hashes(b, size)):
        previous = next(
            (
                (position_a - back_a, position_b - back_b)
                for back_a, back_b in steps
                if (position_a - back_a, position_b - back_b) in starts
            ),
            None,
        )
        starts[position_a, position_b] = starts[previous] if previous else (position_a, position_b)
        if previous:
            extended.add(previous)
    return [
        Chain(*_widen_start(a, b, starts[position_a, position_b]), position_a + size, position_b + size)
        for position_a, position_b in starts
        if (position_a, position_b) not in extended
    ]


def steps_back(size: int, gap: int) -> list[PositionPair]:
    """Return how far back in both texts a run may be that another run continues.

    Steps of 1 in both texts come first, then the nearest.
    """
    # Without a gap, a run continues only the run one word before it.
    max_step = size + gap if gap else 1
    steps = [(back_a, back_b) for back_a in range(1, max_step + 1) for back_b in range(1, max_step + 1)]
    return sorted(steps, key=lambda step: (step != (1, 1), max(step), abs(step[0] - step[1]), step))


def find_hits(a: Sequence[int], b: Sequence[int]) -> Iterator[PositionPair]:
    """Yield the positions of equal values, in the order of a.

    If a value makes at most 16 pairs, all are hits. Otherwise the n-th position is paired with the n-th, and
    pairs that continue a hit are added.
    """
    counts_a, positions_b = Counter(a), _positions_by_value(b)
    occurrences: Counter[int] = Counter()
    last_partners: list[int] = []
    for position_a, value in enumerate(a):
        partners = positions_b.get(value, [])
        # A text that repeats one run would have a quadratic number of hits.
        if len(partners) * counts_a[value] > MAX_HITS_PER_VALUE:
            following = (
                position_b + 1
                for position_b in last_partners
                if position_b + 1 < len(b) and b[position_b + 1] == value
            )
            same_occurrence = partners[occurrences[value] : occurrences[value] + 1]
            partners = sorted([*dict.fromkeys((*same_occurrence, *following))][:MAX_HITS_PER_VALUE])
        occurrences[value] += 1
        last_partners = partners
        yield from ((position_a, position_b) for position_b in partners)


def _positions_by_value(values: Sequence[int]) -> dict[int, list[int]]:
    positions: dict[int, list[int]] = defaultdict(list)
    for position, value in enumerate(values):
        positions[value].append(position)
    return positions


def _widen_start(a: Sequence[int], b: Sequence[int], start: PositionPair) -> PositionPair:
    """Return the start of a chain, moved back over up to 32 equal words before it.

    Frequent runs may have no hit where the chain begins.
    """
    position_a, position_b = start
    while (
        position_a
        and position_b
        and a[position_a - 1] == b[position_b - 1]
        and start[0] - position_a < MAX_WIDENING
    ):
        position_a, position_b = position_a - 1, position_b - 1
    return position_a, position_b


def select_tiles(chains: Sequence[Chain], min_words: int) -> list[Chain]:
    """Choose chains that overlap little. Return them in the order of a.

    The longest chains are chosen first. On both sides, a chain needs at least ``min_words`` words that no
    chosen chain has.
    """
    used_a = bytearray(max((chain.end_a for chain in chains), default=0))
    used_b = bytearray(max((chain.end_b for chain in chains), default=0))
    chosen = []
    for chain in sorted(chains, key=lambda item: (-item.word_count, item)):
        if chain.word_count < min_words:
            break
        range_a, range_b = slice(chain.start_a, chain.end_a), slice(chain.start_b, chain.end_b)
        if min(used_a[range_a].count(0), used_b[range_b].count(0)) >= min_words:
            used_a[range_a], used_b[range_b] = (
                b"\1" * (chain.end_a - chain.start_a),
                b"\1" * (chain.end_b - chain.start_b),
            )
            chosen.append(chain)
    return sorted(chosen)


def count_covered(ranges: Sequence[tuple[int, int]]) -> int:
    """Return the number of positions in at least one of the half-open ranges."""
    total = covered_end = 0
    for start, end in sorted(ranges):
        total += max(end - max(start, covered_end), 0)
        covered_end = max(covered_end, end)
    return total


def make_passages(a: CanonicalText, b: CanonicalText, chains: Sequence[Chain]) -> tuple[Passage, ...]:
    """Return the chains with their offsets in the texts as written."""
    passages = []
    for chain in chains:
        range_a, range_b = (chain.start_a, chain.end_a), (chain.start_b, chain.end_b)
        passages.append(
            Passage(range_a, range_b, text_offsets(a.tokens, range_a), text_offsets(b.tokens, range_b))
        )
    return tuple(passages)
