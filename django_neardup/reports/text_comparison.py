"""Comparison of two texts by every algorithm.

It covers scores, verdicts, equal keys, differences, passages, and the contacts, names and codes in both
texts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..algorithms import Algorithm, Judgement, algorithm_names, get_algorithm
from ..algorithms.site_judgement import judge_on_site
from ..algorithms.statistics import StatisticsMissing, TermStatistics
from ..judge.boilerplate_snapshot import BoilerplateSnapshot, part_passages
from ..judge.differences import Passage, find_differences, find_passages
from ..judge.word_classes import CLASS_BY_KIND, IGNORED_CLASSES
from ..text.alignment.align import Alignment, align
from ..text.canonical_text import CanonicalText
from ..text.zipf import ZipfReport, zipf_report
from .segments import SharedPassage, join_passages
from .stored_facts import StoredFacts

DEFAULT_ALGORITHM = "neardup"
DECIDING_KINDS = (
    *dict.fromkeys(CLASS_BY_KIND.values()),
    "name",
    "sign",
    "deal",
    "role",
    "opposite",
    "negation",
)
"""Classes of differences that may decide."""


class NoVerdict(ValueError):
    """The algorithm refines whole collections and cannot decide on two texts."""


@dataclass(frozen=True)
class AlgorithmResult:
    """The result of an algorithm for the pair.

    - ``score``: likeness, 0..1, and ``verdict``. They are None and "" if the algorithm could not decide.
    - ``missing_reason``: why it could not. "statistics": it lacks a collection's statistics (``gather_command``
      gathers them, if there is such a command). "batch": it refines the pairs of a whole collection.
    - ``shared_keys``: the number of equal keys among ``keys_a`` keys of a and ``keys_b`` keys of b
    - ``min_shared``: the number of equal keys from which texts are candidates
    """

    name: str
    score: float | None = None
    verdict: str = ""
    shared_keys: int = 0
    keys_a: int = 0
    keys_b: int = 0
    min_shared: int = 1
    missing_reason: str = ""
    gather_command: str = ""

    @property
    def percent(self) -> int | None:
        return None if self.score is None else whole_percent(self.score)


@dataclass(frozen=True)
class SharedValues:
    """The values of one kind in both texts and in only one of them, each once, in the order of the text."""

    equal: tuple[str, ...] = ()
    only_a: tuple[str, ...] = ()
    only_b: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.equal or self.only_a or self.only_b)

    @classmethod
    def from_values(cls, a: Iterable[str], b: Iterable[str]) -> SharedValues:
        left, right = dict.fromkeys(a), dict.fromkeys(b)
        return cls(
            tuple(item for item in left if item in right),
            tuple(item for item in left if item not in right),
            tuple(item for item in right if item not in left),
        )


class Note(NamedTuple):
    """A remark: its name in ``messages.NOTE_TEXTS``, and the text, "A", "B" or "" for both."""

    kind: str
    side: str = ""


@dataclass(frozen=True)
class TextSide:
    """One of the two texts, and its title.

    ``zipf`` says whether its words are as frequent as Zipf's law states. It is None if the text is too short.
    """

    title: str
    text: CanonicalText
    zipf: ZipfReport | None = None

    @classmethod
    def build(cls, title: str, text: CanonicalText) -> TextSide:
        return cls(title, text, zipf_report(text))


@dataclass(frozen=True)
class Comparison:
    """The comparison of two texts.

    - ``judgement``: the judgement of the deciding algorithm, ``algorithm``. It has differences, passages and
      containments for any verdict.
    - ``shared_passages``: numbered passages, with the small differences inside them
    - ``algorithm_results``: every algorithm, the deciding one first, then by name
    - ``ignored_kinds``: classes of differences that never decide here
    - ``stored_facts``: stored facts about two objects apart from their texts, if they were requested
    """

    a: TextSide
    b: TextSide
    algorithm: str
    judgement: Judgement
    shared_passages: tuple[SharedPassage, ...]
    contacts: SharedValues
    names: SharedValues
    codes: SharedValues
    algorithm_results: tuple[AlgorithmResult, ...]
    notes: tuple[Note, ...] = ()
    ignored_kinds: tuple[str, ...] = IGNORED_CLASSES
    stored_facts: StoredFacts | None = None

    @property
    def sides(self) -> tuple[tuple[str, TextSide], tuple[str, TextSide]]:
        return ("A", self.a), ("B", self.b)

    @property
    def shared_values(self) -> dict[str, SharedValues]:
        """Return the values found in the texts, by kind."""
        return {"contacts": self.contacts, "names": self.names, "codes": self.codes}

    @property
    def percent(self) -> int:
        return whole_percent(self.judgement.score)

    def __str__(self) -> str:
        from .terminal_report import as_text

        return as_text(self)


def whole_percent(share: float) -> int:
    """Return a share, 0..1, in percent, rounded down as in the admin: 100 only for 1."""
    # Floating point: 100 * 0.29 is just below 29.
    return 100 if share >= 1 else min(99, math.floor(100 * share + 1e-9))


def compare_texts(
    a: CanonicalText,
    b: CanonicalText,
    algorithm: Algorithm | None = None,
    *,
    algorithms: Iterable[str] | None = None,
    statistics: TermStatistics | None = None,
    titles: tuple[str, str] = ("A", "B"),
    contacts: tuple[Sequence[str], Sequence[str]] = ((), ()),
    notes: Iterable[Note] = (),
    gather_command: str = "",
    author: str = "",
) -> Comparison:
    """Compare two texts of one language and one secret.

    - ``algorithm`` decides; None is ``neardup``
    - ``algorithms``: names of other algorithms to run; None is all
    - ``statistics``: a collection's statistics, for algorithms that need them; ``gather_command``: the command
      that gathers them
    - ``contacts``: canonical contacts that are declared separately from the texts
    - ``author``: the author of both texts, if one has written both

    Raise UnknownAlgorithm for an unknown name. Raise StatisticsMissing if the deciding algorithm lacks
    statistics. Raise NoVerdict if it refines whole collections.
    """
    deciding = algorithm or get_algorithm(DEFAULT_ALGORITHM)
    _check_can_decide(deciding, gather_command)
    alignment = align(a, b)
    judgement = complete_judgement(judge_on_site(deciding, a, b, author), a, b, alignment)
    results = [_build_result(deciding, a, b, judgement)]
    results += [
        _build_result(other, a, b, gather_command=gather_command)
        for other in _other_algorithms(algorithms, deciding.name, statistics)
    ]
    return Comparison(
        TextSide.build(titles[0], a),
        TextSide.build(titles[1], b),
        deciding.name,
        judgement,
        # Even single words, because they are joined over small gaps.
        tuple(join_passages(_find_all_passages(a, b, alignment, deciding.boilerplate, author))),
        SharedValues.from_values([*a.contacts, *contacts[0]], [*b.contacts, *contacts[1]]),
        SharedValues.from_values(a.person_names, b.person_names),
        SharedValues.from_values(_canonical_codes(a), _canonical_codes(b)),
        tuple(results),
        (*notes, *(Note("too_long", side) for side, text in (("A", a), ("B", b)) if text.too_long)),
        _ignored_kinds(deciding),
    )


def _find_all_passages(
    a: CanonicalText,
    b: CanonicalText,
    alignment: Alignment,
    boilerplate: BoilerplateSnapshot | None,
    author: str,
) -> Sequence[Passage]:
    """Return the passages of a word or more, with the boilerplate marked."""
    passages = find_passages(a, b, alignment, min_words=1)
    if boilerplate is None:
        return passages
    ranges_a, ranges_b = boilerplate.find_ranges(a, author), boilerplate.find_ranges(b, author)
    return part_passages(a, b, passages, ranges_a, ranges_b)


def complete_judgement(
    judgement: Judgement, a: CanonicalText, b: CanonicalText, alignment: Alignment
) -> Judgement:
    """Return the judgement with differences, passages and containments.

    If it has none, they are taken from the alignment.
    """
    # Algorithms that do not measure containment leave both at 0.
    own_containments = judgement.containment_a, judgement.containment_b
    containment_a, containment_b = (
        own_containments if any(own_containments) else (alignment.containment_a, alignment.containment_b)
    )
    return replace(
        judgement,
        containment_a=containment_a,
        containment_b=containment_b,
        differences=judgement.differences or tuple(find_differences(a, b, alignment)),
        passages=judgement.passages or tuple(find_passages(a, b, alignment)),
    )


def _check_can_decide(algorithm: Algorithm, gather_command: str) -> None:
    """Raise NoVerdict or StatisticsMissing if the algorithm cannot decide."""
    if algorithm.bench_only:
        raise NoVerdict(f"{algorithm.name} has no verdict on two texts: it refines the pairs of a collection")
    if algorithm.needs_statistics and algorithm.statistics is None:
        advice = f": run {gather_command}" if gather_command else ""
        raise StatisticsMissing(f"{algorithm.name} needs the statistics of a collection{advice}")


def _ignored_kinds(algorithm: Algorithm) -> tuple[str, ...]:
    """Return the classes of differences that never decide. Without the guard, no difference decides."""
    return tuple(
        kind for kind in DECIDING_KINDS if kind in algorithm.ignored_differences or not algorithm.guard
    )


def _canonical_codes(text: CanonicalText) -> Iterator[str]:
    """Return canonical codes, in the order of the text."""
    return (token.key for token in text.tokens if token.kind == "code")


def _other_algorithms(
    names: Iterable[str] | None, excluded_name: str, statistics: TermStatistics | None
) -> Iterator[Algorithm]:
    for name in sorted(set(algorithm_names() if names is None else names) - {excluded_name}):
        algorithm = get_algorithm(name)
        # Not every algorithm accepts the argument `statistics`.
        if algorithm.uses_statistics:
            algorithm = get_algorithm(name, statistics=statistics)
        yield algorithm


def _build_result(
    algorithm: Algorithm,
    a: CanonicalText,
    b: CanonicalText,
    known_judgement: Judgement | None = None,
    gather_command: str = "",
) -> AlgorithmResult:
    if algorithm.bench_only:
        return AlgorithmResult(algorithm.name, missing_reason="batch")
    try:
        keys_of_a, keys_of_b = set(algorithm.keys(a)), set(algorithm.keys(b))
        judgement = known_judgement or algorithm.judge(a, b)
    except StatisticsMissing:
        return AlgorithmResult(
            algorithm.name,
            min_shared=algorithm.min_shared,
            missing_reason="statistics",
            gather_command=gather_command,
        )
    return AlgorithmResult(
        algorithm.name,
        judgement.score,
        judgement.verdict,
        len(keys_of_a & keys_of_b),
        len(keys_of_a),
        len(keys_of_b),
        algorithm.min_shared,
    )
