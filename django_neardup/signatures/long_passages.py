"""Long passages: runs of common words joined over small gaps, and how much of each text they cover."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

from ..text.difference import Passage, offsets
from ..text.document import Document
from .base import Judgement
from .minwise import gram_hashes
from .registry import register
from .runs import Runs

Hit = tuple[int, int]
PAIRS = 16
WIDENED = 32
SCREEN = 0.5
ENOUGH_KEYS = 3


class Chain(NamedTuple):
    """Words `a`…`end_a` of one text laid on words `b`…`end_b` of the other, half-open."""

    a: int
    b: int
    end_a: int
    end_b: int

    @property
    def words(self) -> int:
        """The shorter of both sides."""
        return min(self.end_a - self.a, self.end_b - self.b)


@register
class LongPassages(Runs):
    """Common runs of 3 lemmas, chained over gaps of up to 3 words into passages of at least 12.

    cover(A) = words of A in passages / words of A, and the same of B; the score is the words covered in both over the
    words of both.  Both covers from `duplicate` (.7) on make a duplicate, one of them `contained`, one from `review` on
    related.
    Source: the chapter on shingles only names it ("laying long passages, longer than shingles, on each other, to find
    texts rewritten by hand"); all else is a reconstruction, in the manner of greedy string tiling (Wise, 1993): the
    longest chain first, and of the others those with enough words that no longer one has.  A text shorter than a
    passage may be one as a whole.  Passages may stand in any order.

    Options: `size`, words a run; `gap`, the words that may differ between two runs; `least`, words a passage; `window`:
    of so many neighbouring runs one is a key, so that a run of window + size - 1 equal words, 8, makes candidates in
    texts of up to about 450 words; the window doubles for longer ones.

    Fails: a rewrite that leaves no three words together, or changes more than 3 between them; texts of fewer than
    `size` words have no keys.  Of runs that both texts repeat over and over the n-th is laid on the n-th.
    """

    name: ClassVar[str] = "long-passages"
    options: ClassVar[tuple[str, ...]] = ("size", "gap", "least", "window")
    default_duplicate: ClassVar[float] = 0.7
    default_review: ClassVar[float] = 0.4
    needs_text: bool = True
    supports_containment: bool = True

    def __init__(
        self, *, size: int = 3, gap: int = 3, least: int = 12, window: int = 6, **common: Any
    ) -> None:
        super().__init__(**common)
        if size < 1:
            raise ValueError(f"size is {size}: a run has at least one word")
        if gap < 0:
            raise ValueError(f"gap is {gap}: it is 0 or more")
        if least < size:
            raise ValueError(f"least is {least}: a passage has at least size words, {size}")
        if window < 1:
            raise ValueError(f"window is {window}: it is 1 or more")
        self.size, self.gap, self.least, self.window = size, gap, least, window

    def passes(self, screened: float, shared_keys: int, words_a: int, words_b: int) -> bool:
        """Some shared keys are enough: a gap kills runs that the passage keeps."""
        return shared_keys >= ENOUGH_KEYS or (shared_keys > 0 and screened >= SCREEN * self.review)

    def compare(self, a: Document, b: Document) -> Judgement:
        least = min(self.least, len(a))
        chains = tiled(chained(a.hashes, b.hashes, self.size, self.gap), least)
        words_a = covered([(chain.a, chain.end_a) for chain in chains])
        words_b = covered([(chain.b, chain.end_b) for chain in chains])
        score = (words_a + words_b) / (len(a) + len(b))
        return self.covering(score, words_a / len(a), words_b / len(b), laid(a, b, chains))

    def covering(self, score: float, share_a: float, share_b: float, found: tuple[Passage, ...]) -> Judgement:
        """The verdict by the shares of both texts that the other holds."""
        least, most = sorted((share_a, share_b))
        verdict = "related" if most >= self.review else "none"
        if most >= self.duplicate:
            verdict = "duplicate" if least >= self.duplicate else "contained"
        return Judgement(verdict, score, share_a, share_b, passages=found)


def chained(a: Sequence[int], b: Sequence[int], size: int, gap: int) -> list[Chain]:
    """Chains of common runs of `size` hashes with at most `gap` others between two runs, in both texts.

    With a gap of 0, runs without a break.  Near-linear in the texts: a run of `size` has at most 16 partners, and each
    looks back size + gap places in both texts.
    """
    begun: dict[Hit, Hit] = {}
    extended: set[Hit] = set()
    steps = steps_back(size, gap)
    for i, j in hits(gram_hashes(a, size), gram_hashes(b, size)):
        before = next(((i - x, j - y) for x, y in steps if (i - x, j - y) in begun), None)
        begun[i, j] = begun[before] if before else (i, j)
        if before:
            extended.add(before)
    return [
        Chain(*_widened(a, b, begun[i, j]), i + size, j + size) for i, j in begun if (i, j) not in extended
    ]


def steps_back(size: int, gap: int) -> list[Hit]:
    """How far back a run may stand that another continues: in step first, then the nearest."""
    most = size + gap if gap else 1
    steps = [(x, y) for x in range(1, most + 1) for y in range(1, most + 1)]
    return sorted(steps, key=lambda step: (step != (1, 1), max(step), abs(step[0] - step[1]), step))


def hits(a: Sequence[int], b: Sequence[int]) -> Iterator[Hit]:
    """Places of equal values, in the order of a.

    All pairs of a value that make 16 at most; of others the n-th place with the n-th, and what continues a hit.
    """
    here, there = Counter(a), _places(b)
    met: Counter[int] = Counter()
    last: list[int] = []
    for i, value in enumerate(a):
        partners = there.get(value, [])
        if len(partners) * here[value] > PAIRS:
            following = (j + 1 for j in last if j + 1 < len(b) and b[j + 1] == value)
            nth = partners[met[value] : met[value] + 1]
            partners = sorted([*dict.fromkeys((*nth, *following))][:PAIRS])
        met[value] += 1
        last = partners
        yield from ((i, j) for j in partners)


def _places(values: Sequence[int]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = defaultdict(list)
    for place, value in enumerate(values):
        found[value].append(place)
    return found


def _widened(a: Sequence[int], b: Sequence[int], start: Hit) -> Hit:
    """A chain's beginning, moved over up to 32 equal words before it: runs of many places do not begin a chain."""
    i, j = start
    while i and j and a[i - 1] == b[j - 1] and start[0] - i < WIDENED:
        i, j = i - 1, j - 1
    return i, j


def tiled(chains: Sequence[Chain], least: int) -> list[Chain]:
    """Of the chains, longest first, those with `least` words, on both sides, that no chosen one has; in order of a."""
    used_a = bytearray(max((chain.end_a for chain in chains), default=0))
    used_b = bytearray(max((chain.end_b for chain in chains), default=0))
    chosen = []
    for chain in sorted(chains, key=lambda item: (-item.words, item)):
        if chain.words < least:
            break
        here, there = slice(chain.a, chain.end_a), slice(chain.b, chain.end_b)
        if min(used_a[here].count(0), used_b[there].count(0)) >= least:
            used_a[here], used_b[there] = b"\1" * (chain.end_a - chain.a), b"\1" * (chain.end_b - chain.b)
            chosen.append(chain)
    return sorted(chosen)


def covered(ranges: Sequence[tuple[int, int]]) -> int:
    """Number of places in at least one of the half-open ranges."""
    total = reached = 0
    for start, end in sorted(ranges):
        total += max(end - max(start, reached), 0)
        reached = max(reached, end)
    return total


def laid(a: Document, b: Document, chains: Sequence[Chain]) -> tuple[Passage, ...]:
    """The chains with their offsets in the texts as written."""
    found = []
    for chain in chains:
        here, there = (chain.a, chain.end_a), (chain.b, chain.end_b)
        found.append(Passage(here, there, offsets(a, here), offsets(b, there)))
    return tuple(found)
