"""The places that a pair's stored evidence names: differences, and shared passages, numbered by the left text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..comparison.pieces import Shared, shared_passages
from ..text.difference import Difference, Passage, Span
from ..text.traced import Traced
from .words import items, kind_of, pair_of_numbers, span_of

WORD = re.compile(r"\w+")
NOWHERE = (0, 0)


def differences_of(evidence: Mapping[str, Any], left: str) -> list[Difference]:
    """The stored differences whose places are known; a is the text shown left, of side ``left``, "a" or "b"."""
    return list(_differences(evidence, left, _other(left)))


def shared_of(evidence: Mapping[str, Any], left: str, texts: tuple[Traced, Traced]) -> list[Shared]:
    """The stored passages, joined where few words stand between them; those of exact copies are the whole texts.

    ``texts``: the left one and the right one without markup.
    """
    if evidence.get("exact") is True:
        whole = [(0, len(text.raw)) for text in texts]
        return [Shared(1, 0, whole[0], whole[1])]
    stored = sorted(_spans(evidence, left, _other(left)))
    places = [_places(text) for text in texts]
    return shared_passages([Passage(places[0](a), places[1](b), a, b) for a, b in stored])


def _other(side: str) -> str:
    return "b" if side == "a" else "a"


def _differences(evidence: Mapping[str, Any], left: str, right: str) -> Iterator[Difference]:
    for item in items(evidence):
        a, b = span_of(item, left), span_of(item, right)
        if a is not None and b is not None:
            yield Difference(kind_of(item), NOWHERE, NOWHERE, bool(item.get("decides")), a, b, "", "")


def _spans(evidence: Mapping[str, Any], left: str, right: str) -> Iterator[tuple[Span, Span]]:
    stored = evidence.get("passages")
    for item in stored if isinstance(stored, list) else ():
        a, b = (pair_of_numbers(item.get(side)) if isinstance(item, dict) else None for side in (left, right))
        if a is not None and b is not None:
            yield a, b


def _places(text: Traced) -> Callable[[Span], Span]:
    """Which words a place in the raw text covers, as a half-open range."""
    tables = text.tables()
    found = [match.start() for match in WORD.finditer(text.text)]
    starts: Sequence[int] = found if tables is None else [tables[0][start] for start in found]
    return lambda span: (bisect_left(starts, span[0]), bisect_left(starts, span[1]))
