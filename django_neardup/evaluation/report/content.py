"""The content of a report: all results of a run and its conditions."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version

from ..calibration_mode import ScoredPair
from ..peers import peer_version
from ..results import CollectionResult, PairsResult, PoolResult, TableRow, UnionResult
from ..summary import SEPARATE_SETS, RowSummary, summarize_rows
from ..timing import Cost

REPORTED_PACKAGES = (
    "django-neardup",
    "rapidfuzz",
    "pymorphy3",
    "pymorphy3-dicts-ru",
    "pymorphy3-dicts-uk",
    "snowballstemmer",
)
"""Packages with versions that may change the figures."""


@dataclass(slots=True)
class BenchReport:
    """All results of a run, by mode.

    - ``schemes``: parameters of the algorithms.
    - ``canonicalization_costs``: cost of canonicalization, by mode.
    - ``notes``: omissions and their reasons.
    - ``peers``: the requested peers.
    - ``calibration``: the pairs of the fit, each with P(same) of a model that was fitted without its set.
    - ``with_rules``: whether the report has the table of rules.
    """

    schemes: list[TableRow]
    seed: int
    sample: int
    language: str
    digest: str = ""
    separate_sets: Sequence[str] = SEPARATE_SETS
    pairs: list[PairsResult] = field(default_factory=list)
    collections: list[CollectionResult] = field(default_factory=list)
    union: list[UnionResult] = field(default_factory=list)
    union_similarity: float | None = None
    pool: list[PoolResult] = field(default_factory=list)
    calibration: list[ScoredPair] = field(default_factory=list)
    canonicalization_costs: dict[str, Cost] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    peers: Sequence[str] = ()
    with_rules: bool = False

    def header(self) -> TableRow:
        """Return versions, schemes and seed: everything that is needed to repeat the run."""
        return {
            "python": platform.python_version(),
            "versions": {name: package_version(name) for name in REPORTED_PACKAGES},
            "peers": {name: peer_version(name) or "not installed" for name in self.peers},
            "data": self.digest,
            "schemes": self.schemes,
            "language": self.language,
            "sample": self.sample or "all pairs",
            "seed": self.seed,
            "sets apart": list(self.separate_sets),
            "canonising, ms a text": {
                mode: cost.mean_milliseconds for mode, cost in self.canonicalization_costs.items()
            },
            "seconds": {mode: round(seconds, 1) for mode, seconds in self.seconds.items()},
            "notes": self.notes,
        }

    def row_summaries(self) -> list[RowSummary]:
        """Return one summary for each row of pairs mode."""
        return summarize_rows(self.pairs, self.separate_sets)


def package_version(package: str) -> str | None:
    """Return the version of a package. Return None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None
