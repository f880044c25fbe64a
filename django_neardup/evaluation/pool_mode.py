"""Pool mode: all sets in one collection, with keys only.

It measures which true pairs are candidates, and how many keys a text has.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ..algorithms import Algorithm
from ..algorithms.statistics import TermStatistics
from ..text.canonical_text import CanonicalText
from .algorithm_specs import AlgorithmSpec
from .corpora import Corpus, LabelledPair
from .key_recall import TextKeys, find_candidate_flags, mean_bucket_neighbours
from .metrics import CHANGE_BANDS, change_band
from .pairs_mode import build_rows
from .parallel import run_jobs
from .results import PoolResult
from .rows import AlgorithmRow
from .text_cache import canonicalize
from .timing import Cost, StepClock

TEXTS_PER_JOB = 2000
SAMPLED_PAIRS = 2000
"""True pairs that are drawn for the recall by collection size."""
COLLECTION_SIZES = (1_000, 10_000, 100_000)
WINDOWS = (8, 12, 16, 24)
"""Window sizes for the curve of recall against keys."""
CURVE_ALGORITHM = "neardup"
"""The algorithm that is measured with several windows."""
MAX_CHANGED_SHARE = 0.5
"""Share of changed words, 0..1, up to which a true pair must be a candidate."""
TextId: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class KeysJob:
    """Some texts, and the rows that compute their keys."""

    texts: Sequence[str]
    language: str
    specs: Sequence[AlgorithmSpec]
    statistics: TermStatistics | None


@dataclass(slots=True)
class KeysResult:
    """Keys of some texts by every row, the numbers of words of the texts, and the costs."""

    keys: list[TextKeys]
    word_counts: list[int]
    clocks: list[StepClock]
    canonicalization_cost: Cost


def run_keys_job(job: KeysJob) -> KeysResult:
    """Canonicalize every text once, and compute its keys by every row."""
    rows = [row for row in build_rows(job.specs, (), job.statistics) if isinstance(row, AlgorithmRow)]
    result, clock = (
        KeysResult([TextKeys() for _ in rows], [], [row.clock for row in rows], Cost()),
        StepClock(),
    )
    for text in job.texts:
        canonical_text: CanonicalText = clock.measure("canonise", canonicalize, text, job.language)
        result.word_counts.append(len(canonical_text))
        for row, keys in zip(rows, result.keys, strict=True):
            keys.append(row.algorithm.keys(canonical_text))
    result.canonicalization_cost = clock["canonise"]
    return result


class TextPool:
    """All texts of some sets in a random order, and their true pairs with at most half of the words changed."""

    def __init__(self, corpora: Sequence[Corpus], seed: int) -> None:
        self.texts: dict[TextId, str] = {
            (corpus.name, key): text for corpus in corpora for key, text in corpus.texts.items()
        }
        order = list(self.texts)
        # The order decides which texts of a bucket are the newest, so sets must be mixed.
        random.Random(f"{seed}:pool").shuffle(order)
        self.numbers = {key: number for number, key in enumerate(order)}
        self.ordered_texts = [self.texts[key] for key in order]
        self.seed = seed
        self.pairs: dict[str, list[LabelledPair]] = {}
        for corpus in corpora:
            true = {frozenset((pair.a, pair.b)): pair for pair in corpus.pairs if _is_expected(pair)}
            if true:
                self.pairs[corpus.name] = list(true.values())

    def text_numbers(self, corpus: str, pair: LabelledPair) -> tuple[int, int]:
        """Return the numbers of the two texts, the earlier first."""
        first, second = sorted((self.numbers[corpus, pair.a], self.numbers[corpus, pair.b]))
        return first, second

    def sample_pairs(self) -> list[tuple[int, int]]:
        """Draw about 2000 true pairs with the seed, the same number from each set if it has that many."""
        generator = random.Random(f"{self.seed}:drawn")
        shuffled = {name: generator.sample(pairs, len(pairs)) for name, pairs in self.pairs.items()}
        pairs_per_set = SAMPLED_PAIRS // max(len(shuffled), 1)
        drawn = [
            self.text_numbers(name, pair)
            for name, pairs in shuffled.items()
            for pair in pairs[:pairs_per_set]
        ]
        return generator.sample(drawn, len(drawn))


def _is_expected(pair: LabelledPair) -> bool:
    return pair.is_duplicate is True and (
        pair.changed_share is None or pair.changed_share <= MAX_CHANGED_SHARE
    )


def measure_recall_by_size(
    pool: TextPool, keys: TextKeys, algorithm: Algorithm, sizes: Sequence[int] = COLLECTION_SIZES
) -> dict[int, float]:
    """Return the share of the drawn pairs that are found, by the size of the collection.

    The drawn pairs are the same for every size. If their texts would fill more than half of a collection,
    they are split over several collections. The rest of each collection is drawn with the seed.
    """
    pairs = pool.sample_pairs()
    recall_by_size = {}
    for size in [*(size for size in sizes if size < len(keys)), len(keys)]:
        group_size = max(size // 4, 1)
        groups = [pairs[start : start + group_size] for start in range(0, len(pairs), group_size)]
        flags = [
            flag for group in groups for flag in _find_flags_in_collection(pool, keys, algorithm, group, size)
        ]
        if flags:
            recall_by_size[size] = sum(flags) / len(flags)
    return recall_by_size


def _find_flags_in_collection(
    pool: TextPool, keys: TextKeys, algorithm: Algorithm, pairs: Sequence[tuple[int, int]], size: int
) -> list[bool]:
    paired = {number for pair in pairs for number in pair}
    # Depends on the group: several collections of one size have different texts.
    background = random.Random(f"{pool.seed}:{size}:{pairs[0]}").sample(
        range(len(keys)), min(size, len(keys))
    )
    others = [number for number in background if number not in paired][: max(size - len(paired), 0)]
    return find_candidate_flags(keys, sorted([*paired, *others]), pairs, algorithm)


def pool_results(
    corpora: Sequence[Corpus],
    specs: Sequence[AlgorithmSpec],
    statistics: TermStatistics | None,
    language: str,
    processes: int,
    seed: int,
    windows: Sequence[int] = WINDOWS,
) -> tuple[list[PoolResult], Cost]:
    """Return one result for each row, and the cost of canonicalization.

    The default scheme is also measured with each of the ``windows``.
    """
    pool = TextPool(corpora, seed)
    rows = list(_expand_windows([spec for spec in specs if not spec.build().bench_only], windows))
    keys_by_row, clocks = [TextKeys() for _ in rows], [StepClock() for _ in rows]
    word_counts: list[int] = []
    canonicalization_cost = Cost()
    jobs = [
        KeysJob(
            pool.ordered_texts[start : start + TEXTS_PER_JOB],
            language,
            [spec for spec, _ in rows],
            statistics,
        )
        for start in range(0, len(pool.ordered_texts), TEXTS_PER_JOB)
    ]
    for job_result in run_jobs(run_keys_job, jobs, processes, "keys", [len(job.texts) for job in jobs]):
        word_counts += job_result.word_counts
        canonicalization_cost.add(job_result.canonicalization_cost)
        for row_keys, clock, new_keys, new_costs in zip(
            keys_by_row, clocks, job_result.keys, job_result.clocks, strict=True
        ):
            row_keys.extend(new_keys)
            clock.merge(new_costs)
    results = []
    for (spec, family), keys, clock in zip(rows, keys_by_row, clocks, strict=True):
        results.append(_build_result(pool, spec, family, keys, word_counts, clock))
    return results, canonicalization_cost


def _build_result(
    pool: TextPool,
    spec: AlgorithmSpec,
    family: str,
    keys: TextKeys,
    word_counts: Sequence[int],
    clock: StepClock,
) -> PoolResult:
    algorithm = spec.build()
    labelled = [(name, pair) for name, pairs in pool.pairs.items() for pair in pairs]
    flags = find_candidate_flags(
        keys, range(len(keys)), [pool.text_numbers(*named_pair) for named_pair in labelled], algorithm
    )
    recall = {name: {band: [0, 0] for band in CHANGE_BANDS if band != CHANGE_BANDS[3]} for name in pool.pairs}
    for (name, pair), flag in zip(labelled, flags, strict=True):
        counts = recall[name][change_band(pair.changed_share)]
        counts[0] += flag
        counts[1] += 1
    lengths = [end - begin for begin, end in zip([0, *keys.ends], keys.ends)]
    mid_lengths = [
        length for length, word_count in zip(lengths, word_counts, strict=True) if 150 <= word_count <= 250
    ]
    return PoolResult(
        spec.title,
        len(keys),
        len(keys.values) / max(len(keys), 1),
        sum(mid_lengths) / len(mid_lengths) if mid_lengths else None,
        mean_bucket_neighbours(keys),
        {
            name: {band: (found, total) for band, (found, total) in bands.items()}
            for name, bands in recall.items()
        },
        measure_recall_by_size(pool, keys, algorithm),
        clock,
        family,
        algorithm.parameters()["window"] if family else None,
    )


def _expand_windows(
    specs: Sequence[AlgorithmSpec], windows: Sequence[int]
) -> Iterator[tuple[AlgorithmSpec, str]]:
    """Yield the rows, each with the row of its curve. The name is empty if it belongs to no curve."""
    for spec in specs:
        algorithm = spec.build()
        if spec.name != CURVE_ALGORITHM or "window" in spec.options or not windows:
            yield spec, ""
            continue
        yield spec, spec.title
        for window in windows:
            if window != algorithm.parameters()["window"]:
                yield spec.with_options(window=window), spec.title


def mean_recall(result: PoolResult) -> float:
    """Return the mean recall of the sets."""
    recalls = [recall for name in result.recall_counts if (recall := result.set_recall(name)) is not None]
    return sum(recalls) / len(recalls) if recalls else 0.0
