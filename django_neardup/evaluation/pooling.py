"""Pool mode: all sets in one collection, keys alone.  Which true pairs are candidates, and at how many keys a text?"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ..signatures import Algorithm
from ..signatures.statistics import TermStatistics
from ..text.document import Document
from .corpora import Corpus, LabelledPair
from .costs import Clock, Cost
from .documents import canonised
from .judging import build_rows
from .meetings import Keys, found_pairs, met
from .metrics import BANDS, band
from .parallel import run_jobs
from .results import PoolResult
from .rows import AlgorithmRow
from .specs import Spec

CHUNK = 2000
DRAWN = 2000
SIZES = (1_000, 10_000, 100_000)
WINDOWS = (8, 12, 16, 24)
CURVED = "neardup"
HALF = 0.5
Id: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class KeysJob:
    texts: Sequence[str]
    language: str
    specs: Sequence[Spec]
    statistics: TermStatistics | None


@dataclass(slots=True)
class Signed:
    """Keys of some texts by every row, the texts' numbers of words, and the costs."""

    keys: list[Keys]
    words: list[int]
    clocks: list[Clock]
    canonise: Cost


def sign(job: KeysJob) -> Signed:
    """Canonise every text once and let every row make its keys."""
    rows = [row for row in build_rows(job.specs, (), job.statistics) if isinstance(row, AlgorithmRow)]
    made, clock = Signed([Keys() for _ in rows], [], [row.clock for row in rows], Cost()), Clock()
    for text in job.texts:
        document: Document = clock.run("canonise", canonised, text, job.language)
        made.words.append(len(document))
        for row, keys in zip(rows, made.keys, strict=True):
            keys.append(row.algorithm.keys(document))
    made.canonise = clock["canonise"]
    return made


class Pool:
    """All texts of some sets, in an order drawn with the seed, and their true pairs at most half changed."""

    def __init__(self, corpora: Sequence[Corpus], seed: int) -> None:
        self.texts: dict[Id, str] = {
            (corpus.name, key): text for corpus in corpora for key, text in corpus.texts.items()
        }
        order = list(self.texts)
        random.Random(f"{seed}:pool").shuffle(order)
        self.numbers = {key: number for number, key in enumerate(order)}
        self.ordered = [self.texts[key] for key in order]
        self.seed = seed
        self.pairs: dict[str, list[LabelledPair]] = {}
        for corpus in corpora:
            true = {frozenset((pair.a, pair.b)): pair for pair in corpus.pairs if _expected(pair)}
            if true:
                self.pairs[corpus.name] = list(true.values())

    def places(self, corpus: str, pair: LabelledPair) -> tuple[int, int]:
        """Numbers of the two texts, the earlier first."""
        one, two = sorted((self.numbers[corpus, pair.a], self.numbers[corpus, pair.b]))
        return one, two

    def drawn(self) -> list[tuple[int, int]]:
        """Some 2000 of the true pairs, as many of each set as there are, drawn with the seed."""
        chance = random.Random(f"{self.seed}:drawn")
        shuffled = {name: chance.sample(pairs, len(pairs)) for name, pairs in self.pairs.items()}
        most = DRAWN // max(len(shuffled), 1)
        found = [self.places(name, pair) for name, pairs in shuffled.items() for pair in pairs[:most]]
        return chance.sample(found, len(found))


def _expected(pair: LabelledPair) -> bool:
    return pair.duplicate is True and (pair.changed is None or pair.changed <= HALF)


def sizes_recall(
    pool: Pool, keys: Keys, algorithm: Algorithm, sizes: Sequence[int] = SIZES
) -> dict[int, float]:
    """Share of the drawn pairs that are found in collections of about so many texts.

    The drawn pairs are the same at every size; where the texts of all of them would be more than half of a
    collection, they are shared out among several.  The rest of each collection is drawn with the seed.
    """
    pairs = pool.drawn()
    made = {}
    for size in [*(size for size in sizes if size < len(keys)), len(keys)]:
        each = max(size // 4, 1)
        groups = [pairs[start : start + each] for start in range(0, len(pairs), each)]
        found = [hit for group in groups for hit in _in_collection(pool, keys, algorithm, group, size)]
        if found:
            made[size] = sum(found) / len(found)
    return made


def _in_collection(
    pool: Pool, keys: Keys, algorithm: Algorithm, pairs: Sequence[tuple[int, int]], size: int
) -> list[bool]:
    kept = {number for pair in pairs for number in pair}
    background = random.Random(f"{pool.seed}:{size}:{pairs[0]}").sample(
        range(len(keys)), min(size, len(keys))
    )
    fill = [number for number in background if number not in kept][: max(size - len(kept), 0)]
    return found_pairs(keys, sorted([*kept, *fill]), pairs, algorithm)


def pool_results(
    corpora: Sequence[Corpus],
    specs: Sequence[Spec],
    statistics: TermStatistics | None,
    language: str,
    processes: int,
    seed: int,
    windows: Sequence[int] = WINDOWS,
) -> tuple[list[PoolResult], Cost]:
    """One result a row; the default scheme is there with each of the `windows`, too."""
    pool = Pool(corpora, seed)
    rows = list(_with_windows([spec for spec in specs if not spec.build().batch], windows))
    keys, clocks = [Keys() for _ in rows], [Clock() for _ in rows]
    words: list[int] = []
    canonise = Cost()
    jobs = [
        KeysJob(pool.ordered[start : start + CHUNK], language, [spec for spec, _ in rows], statistics)
        for start in range(0, len(pool.ordered), CHUNK)
    ]
    for signed in run_jobs(sign, jobs, processes, "keys", [len(job.texts) for job in jobs]):
        words += signed.words
        canonise.add(signed.canonise)
        for mine, clock, more, cost in zip(keys, clocks, signed.keys, signed.clocks, strict=True):
            mine.extend(more)
            clock.merge(cost)
    made = []
    for (spec, family), its, clock in zip(rows, keys, clocks, strict=True):
        made.append(_result(pool, spec, family, its, words, clock))
    return made, canonise


def _result(
    pool: Pool, spec: Spec, family: str, keys: Keys, words: Sequence[int], clock: Clock
) -> PoolResult:
    algorithm = spec.build()
    labelled = [(name, pair) for name, pairs in pool.pairs.items() for pair in pairs]
    found = found_pairs(keys, range(len(keys)), [pool.places(*each) for each in labelled], algorithm)
    recall = {name: {each: [0, 0] for each in BANDS if each != BANDS[3]} for name in pool.pairs}
    for (name, pair), hit in zip(labelled, found, strict=True):
        counts = recall[name][band(pair.changed)]
        counts[0] += hit
        counts[1] += 1
    lengths = [end - begin for begin, end in zip([0, *keys.ends], keys.ends)]
    middle = [length for length, number in zip(lengths, words, strict=True) if 150 <= number <= 250]
    return PoolResult(
        spec.title,
        len(keys),
        len(keys.values) / max(len(keys), 1),
        sum(middle) / len(middle) if middle else None,
        met(keys),
        {name: {each: (hit, all_) for each, (hit, all_) in bands.items()} for name, bands in recall.items()},
        sizes_recall(pool, keys, algorithm),
        clock,
        family,
        algorithm.parameters()["window"] if family else None,
    )


def _with_windows(specs: Sequence[Spec], windows: Sequence[int]) -> Iterator[tuple[Spec, str]]:
    """Rows, each with the family whose curve it belongs to, or none."""
    for spec in specs:
        algorithm = spec.build()
        if spec.name != CURVED or "window" in spec.options or not windows:
            yield spec, ""
            continue
        yield spec, spec.title
        for window in windows:
            if window != algorithm.parameters()["window"]:
                yield spec.with_options(window=window), spec.title


def reached(result: PoolResult) -> float:
    """Mean recall of the sets."""
    shares = [share for name in result.recall if (share := result.share(name)) is not None]
    return sum(shares) / len(shares) if shares else 0.0
