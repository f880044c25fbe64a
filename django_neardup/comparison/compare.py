"""Two texts by every algorithm: likeness, verdict, keys that meet, differences, passages, what both name."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..signatures import Algorithm, Judgement, algorithm_names, get_algorithm
from ..signatures.statistics import StatisticsMissing, TermStatistics
from ..text.alignment import Alignment, align
from ..text.contrast import CLASSES, EXCUSED
from ..text.difference import differences, passages
from ..text.document import Document
from ..text.zipf import ZipfReport, zipf
from .known import Known
from .pieces import Shared, shared_passages

DEFAULT = "neardup"
KINDS = (*dict.fromkeys(CLASSES.values()), "name", "negation")
"""Classes of differences that may decide."""


class NoVerdict(ValueError):
    """An algorithm that refines whole collections cannot decide on two texts."""


@dataclass(frozen=True)
class Row:
    """What an algorithm says of the pair.

    `score`: likeness, 0..1, and `verdict`, or None and "" where it could not be asked; `missing` then says why:
    "statistics", it lacks those of a collection (`hint`: the command that gathers them, if there is one), or "batch",
    it refines the pairs of a whole collection.  `shared`: how many of a's `keys_a` keys and b's `keys_b` met; texts
    are candidates from `needed` on.
    """

    name: str
    score: float | None = None
    verdict: str = ""
    shared: int = 0
    keys_a: int = 0
    keys_b: int = 0
    needed: int = 1
    missing: str = ""
    hint: str = ""

    @property
    def percent(self) -> int | None:
        return None if self.score is None else percent(self.score)


@dataclass(frozen=True)
class Held:
    """What of one kind both texts hold, and what only one of them does; each once, in the order of the text."""

    equal: tuple[str, ...] = ()
    only_a: tuple[str, ...] = ()
    only_b: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.equal or self.only_a or self.only_b)

    @classmethod
    def of(cls, a: Iterable[str], b: Iterable[str]) -> Held:
        left, right = dict.fromkeys(a), dict.fromkeys(b)
        return cls(
            tuple(item for item in left if item in right),
            tuple(item for item in left if item not in right),
            tuple(item for item in right if item not in left),
        )


class Note(NamedTuple):
    """A remark, by its name in `words.NOTES`, on "A", on "B" or (empty) on both."""

    kind: str
    side: str = ""


@dataclass(frozen=True)
class Side:
    """One of the two texts, what it is called, and whether its words are as frequent as Zipf's law has them (None:
    it is too short to tell)."""

    title: str
    document: Document
    zipf: ZipfReport | None = None

    @classmethod
    def of(cls, title: str, document: Document) -> Side:
        return cls(title, document, zipf(document))


@dataclass(frozen=True)
class Comparison:
    """All that is known of two texts.

    `judgement` is that of the deciding algorithm, `algorithm`; its differences, passages and containments are there
    whatever the verdict.  `shared`: shared passages with the small differences inside them, numbered.  `rows`: every
    algorithm, the deciding one first, then by name.  `idle`: classes of differences that never decide here.
    `known`: what is stored of two objects beside their texts, where that was asked for.
    """

    a: Side
    b: Side
    algorithm: str
    judgement: Judgement
    shared: tuple[Shared, ...]
    contacts: Held
    names: Held
    codes: Held
    rows: tuple[Row, ...]
    notes: tuple[Note, ...] = ()
    idle: tuple[str, ...] = EXCUSED
    known: Known | None = None

    @property
    def sides(self) -> tuple[tuple[str, Side], tuple[str, Side]]:
        return ("A", self.a), ("B", self.b)

    @property
    def held(self) -> dict[str, Held]:
        """What is found in the texts, by kind."""
        return {"contacts": self.contacts, "names": self.names, "codes": self.codes}

    @property
    def percent(self) -> int:
        return percent(self.judgement.score)

    def __str__(self) -> str:
        from .terminal import as_text

        return as_text(self)


def percent(share: float) -> int:
    """A share, 0..1, in percent, rounded down, as the admin shows it: 100 only for 1 itself."""
    return 100 if share >= 1 else min(99, math.floor(100 * share + 1e-9))


def compare_texts(
    a: Document,
    b: Document,
    algorithm: Algorithm | None = None,
    *,
    algorithms: Iterable[str] | None = None,
    statistics: TermStatistics | None = None,
    titles: tuple[str, str] = ("A", "B"),
    contacts: tuple[Sequence[str], Sequence[str]] = ((), ()),
    notes: Iterable[Note] = (),
    hint: str = "",
) -> Comparison:
    """Compare two texts of one language and one secret.

    `algorithm` decides (None: `neardup`); `algorithms`: names of those that are asked as well (None: all);
    `statistics`: those of a collection, for algorithms that need them, and `hint`: the command that gathers them;
    `contacts`: canonical ones that are declared beside the texts.  UnknownAlgorithm for a name that there is not;
    StatisticsMissing where the deciding algorithm lacks them; NoVerdict where it refines whole collections.
    """
    deciding = algorithm or get_algorithm(DEFAULT)
    _check(deciding, hint)
    alignment = align(a, b)
    judgement = explained(deciding.judge(a, b), a, b, alignment)
    rows = [_row(deciding, a, b, judgement)]
    rows += [_row(other, a, b, hint=hint) for other in _others(algorithms, deciding.name, statistics)]
    return Comparison(
        Side.of(titles[0], a),
        Side.of(titles[1], b),
        deciding.name,
        judgement,
        tuple(shared_passages(passages(a, b, alignment, least=1))),
        Held.of([*a.contacts, *contacts[0]], [*b.contacts, *contacts[1]]),
        Held.of(a.names, b.names),
        Held.of(_codes(a), _codes(b)),
        tuple(rows),
        (*notes, *(Note("truncated", side) for side, text in (("A", a), ("B", b)) if text.truncated)),
        _idle(deciding),
    )


def explained(judgement: Judgement, a: Document, b: Document, alignment: Alignment) -> Judgement:
    """The judgement with differences, passages and containments: those of the alignment where it has none."""
    held = judgement.containment_a, judgement.containment_b
    here, there = held if any(held) else (alignment.containment_a, alignment.containment_b)
    return replace(
        judgement,
        containment_a=here,
        containment_b=there,
        differences=judgement.differences or tuple(differences(a, b, alignment)),
        passages=judgement.passages or tuple(passages(a, b, alignment)),
    )


def _check(deciding: Algorithm, hint: str) -> None:
    """Whether it can decide."""
    if deciding.batch:
        raise NoVerdict(f"{deciding.name} has no verdict on two texts: it refines the pairs of a collection")
    if deciding.needs_statistics and deciding.statistics is None:
        told = f": run {hint}" if hint else ""
        raise StatisticsMissing(f"{deciding.name} needs the statistics of a collection{told}")


def _idle(deciding: Algorithm) -> tuple[str, ...]:
    """Without the guard nothing decides."""
    return tuple(kind for kind in KINDS if kind in deciding.excused or not deciding.guard)


def _codes(document: Document) -> Iterator[str]:
    """Canonical codes, in the order of the text."""
    return (token.key for token in document.tokens if token.kind == "code")


def _others(names: Iterable[str] | None, but: str, statistics: TermStatistics | None) -> Iterator[Algorithm]:
    for name in sorted(set(algorithm_names() if names is None else names) - {but}):
        made = get_algorithm(name)
        if made.uses_statistics:
            made = get_algorithm(name, statistics=statistics)
        yield made


def _row(
    algorithm: Algorithm, a: Document, b: Document, judged: Judgement | None = None, hint: str = ""
) -> Row:
    if algorithm.batch:
        return Row(algorithm.name, missing="batch")
    try:
        left, right = set(algorithm.keys(a)), set(algorithm.keys(b))
        judgement = judged or algorithm.judge(a, b)
    except StatisticsMissing:
        return Row(algorithm.name, needed=algorithm.min_shared, missing="statistics", hint=hint)
    return Row(
        algorithm.name,
        judgement.score,
        judgement.verdict,
        len(left & right),
        len(left),
        len(right),
        algorithm.min_shared,
    )
