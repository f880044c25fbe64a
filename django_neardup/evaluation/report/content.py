"""All results of a run and what it was made with."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version

from ..costs import Cost
from ..peers import peer_version
from ..results import CollectionResult, PairsResult, PoolResult, Row, UnionRow
from ..summary import APART, Summary, summaries

PACKAGES = (
    "django-neardup",
    "rapidfuzz",
    "pymorphy3",
    "pymorphy3-dicts-ru",
    "pymorphy3-dicts-uk",
    "snowballstemmer",
)


@dataclass(slots=True)
class Report:
    """Results by mode; `schemes`: parameters of the algorithms; `canonise`: cost of making documents, by mode;
    `notes`: what was left out, and why; `peers`: those that were asked for."""

    schemes: list[Row]
    seed: int
    sample: int
    language: str
    data: str = ""
    apart: Sequence[str] = APART
    pairs: list[PairsResult] = field(default_factory=list)
    collections: list[CollectionResult] = field(default_factory=list)
    union: list[UnionRow] = field(default_factory=list)
    similarity: float | None = None
    pool: list[PoolResult] = field(default_factory=list)
    canonise: dict[str, Cost] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    peers: Sequence[str] = ()

    def header(self) -> Row:
        """Versions, schemes, seed: what a run needs to be repeated."""
        return {
            "python": platform.python_version(),
            "versions": {name: installed(name) for name in PACKAGES},
            "peers": {name: peer_version(name) or "not installed" for name in self.peers},
            "data": self.data,
            "schemes": self.schemes,
            "language": self.language,
            "sample": self.sample or "all pairs",
            "seed": self.seed,
            "sets apart": list(self.apart),
            "canonising, ms a text": {mode: cost.each for mode, cost in self.canonise.items()},
            "seconds": {mode: round(seconds, 1) for mode, seconds in self.seconds.items()},
            "notes": self.notes,
        }

    def summaries(self) -> list[Summary]:
        """One line a row of pairs mode."""
        return summaries(self.pairs, self.apart)


def installed(package: str) -> str | None:
    """The version of a package; None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None
