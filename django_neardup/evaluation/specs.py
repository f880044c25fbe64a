"""Which algorithms, with which options: ``neardup``, ``*-sent``, ``all``, ``shingles:size=5;step=5``."""

from __future__ import annotations

import fnmatch
import inspect
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..signatures import Algorithm, UnknownAlgorithm, algorithm_names, get_algorithm
from ..signatures.statistics import TermStatistics

_SEPARATOR = re.compile(r",(?![^\[]*\])")
PYTHON_WORDS = {"True": "true", "False": "false", "None": "null"}
FLAGS = ("needs_text", "needs_statistics", "uses_statistics", "metric", "supports_containment", "batch")


@dataclass(frozen=True, slots=True)
class Spec:
    """One row of the bench: a title, an algorithm's name, and options of it."""

    title: str
    name: str
    options: dict[str, Any] = field(default_factory=dict)

    def build(self, statistics: TermStatistics | None = None) -> Algorithm:
        """The algorithm.  UnknownAlgorithm if there is none; ValueError for options it does not take."""
        options = dict(self.options)
        if statistics is not None:
            options["statistics"] = statistics
        try:
            return get_algorithm(self.name, **options)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{self.title}: {error}") from error

    def with_options(self, **options: Any) -> Spec:
        """The same with other options; the title tells them."""
        made = {**self.options, **options}
        told = ";".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in made.items())
        return Spec(f"{self.name}:{told}", self.name, made)


def parse_specs(text: str) -> list[Spec]:
    """A comma-separated list of names, shell patterns and ``all``, each with options after a colon or without.

    UnknownAlgorithm for what names nothing; a row asked for twice is there once.
    """
    asked = (part.strip() for part in _SEPARATOR.split(text))
    found = [spec for part in asked if part for spec in _expanded(part)]
    return list({spec.title: spec for spec in found}.values())


def _expanded(part: str) -> Iterable[Spec]:
    name, _, told = part.partition(":")
    known = algorithm_names()
    if name == "all":
        names = known
    elif any(mark in name for mark in "*?["):
        names = [each for each in known if fnmatch.fnmatch(each, name)]
        if not names:
            raise UnknownAlgorithm(f"no algorithm matches {name!r}; known are {', '.join(known)}")
    else:
        names = [name]
    options = dict(_option(item) for item in told.split(";") if item.strip())
    return [Spec(f"{each}:{told}" if told else each, each, options) for each in names]


def _option(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"an option is given as key=value, not as {text!r}")
    value = value.strip()
    try:
        return name.strip(), json.loads(PYTHON_WORDS.get(value, value))
    except ValueError:
        return name.strip(), value


def description(algorithm: Algorithm) -> str:
    """The first line of the algorithm's documentation."""
    return (inspect.getdoc(type(algorithm)) or "").split("\n")[0]


def flags(algorithm: Algorithm) -> str:
    """What is unlike other algorithms, for a list: ``needs_text, min_shared 3``."""
    told = [name.replace("_", " ") for name in FLAGS if getattr(algorithm, name)]
    told += [
        f"{name} {value}"
        for name in ("min_shared", "limit")
        if (value := getattr(algorithm, name)) not in (1, None)
    ]
    return ", ".join(told)


def needing_statistics(specs: Sequence[Spec]) -> bool:
    """Whether any of the rows depends on the statistics of a collection."""
    return any(spec.build().uses_statistics for spec in specs)
