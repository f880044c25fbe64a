"""Algorithms with options, as text: ``neardup``, ``*-sent``, ``all``, ``shingles:size=5;step=5``."""

from __future__ import annotations

import fnmatch
import inspect
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..algorithms import Algorithm, UnknownAlgorithm, algorithm_names, get_algorithm
from ..algorithms.statistics import TermStatistics

_SEPARATOR = re.compile(r",(?![^\[]*\])")
JSON_LITERALS = {"True": "true", "False": "false", "None": "null"}
"""Python literals and their JSON forms: options may use either."""
ALGORITHM_FLAGS = {
    "needs_text": "needs text",
    "needs_statistics": "needs statistics",
    "uses_statistics": "uses statistics",
    "is_metric": "metric",
    "supports_containment": "supports containment",
    "bench_only": "batch",
}
"""Attributes of an algorithm, and their labels in the list of algorithms."""


@dataclass(frozen=True, slots=True)
class AlgorithmSpec:
    """One row of the bench: a title, the name of an algorithm, and its options."""

    title: str
    name: str
    options: dict[str, Any] = field(default_factory=dict)

    def build(self, statistics: TermStatistics | None = None) -> Algorithm:
        """Return the algorithm.

        Raise UnknownAlgorithm if there is none. Raise ValueError for options that it does not take.
        """
        options = dict(self.options)
        if statistics is not None:
            options["statistics"] = statistics
        try:
            return get_algorithm(self.name, **options)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{self.title}: {error}") from error

    def with_options(self, **options: Any) -> AlgorithmSpec:
        """Return the same row with more options. The title includes all options."""
        all_options = {**self.options, **options}
        description = ";".join(
            f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in all_options.items()
        )
        return AlgorithmSpec(f"{self.name}:{description}", self.name, all_options)


def parse_specs(text: str) -> list[AlgorithmSpec]:
    """Parse a comma-separated list of names, shell patterns and ``all``. Each may have options after a colon.

    Raise UnknownAlgorithm for a part that matches nothing. Repeated rows are dropped.
    """
    parts = (part.strip() for part in _SEPARATOR.split(text))
    specs = [spec for part in parts if part for spec in _expand_specs(part)]
    return list({spec.title: spec for spec in specs}.values())


def _expand_specs(part: str) -> Iterable[AlgorithmSpec]:
    name, _, options_text = part.partition(":")
    known = algorithm_names()
    if name == "all":
        names = known
    elif any(mark in name for mark in "*?["):
        names = [algorithm for algorithm in known if fnmatch.fnmatch(algorithm, name)]
        if not names:
            raise UnknownAlgorithm(f"no algorithm matches {name!r}; known are {', '.join(known)}")
    else:
        names = [name]
    options = dict(_parse_option(item) for item in options_text.split(";") if item.strip())
    return [
        AlgorithmSpec(f"{algorithm}:{options_text}" if options_text else algorithm, algorithm, options)
        for algorithm in names
    ]


def _parse_option(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"an option is given as key=value, not as {text!r}")
    value = value.strip()
    try:
        return name.strip(), json.loads(JSON_LITERALS.get(value, value))
    except ValueError:
        # A value that is not JSON is text.
        return name.strip(), value


def algorithm_description(algorithm: Algorithm) -> str:
    """Return the first line of the algorithm's docstring, which has no markup."""
    return (inspect.getdoc(type(algorithm)) or "").split("\n")[0]


def describe_flags(algorithm: Algorithm) -> str:
    """Return the special properties of an algorithm, for a list: ``needs text, min_shared 3``."""
    flags = [label for name, label in ALGORITHM_FLAGS.items() if getattr(algorithm, name)]
    flags += [
        f"{name} {value}"
        for name in ("min_shared", "limit")
        if (value := getattr(algorithm, name)) not in (1, None)
    ]
    return ", ".join(flags)


def any_uses_statistics(specs: Sequence[AlgorithmSpec]) -> bool:
    """Return whether any row depends on the statistics of a collection."""
    return any(spec.build().uses_statistics for spec in specs)
