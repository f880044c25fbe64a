"""The keys that two texts share, by kind, and the kinds of contacts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..algorithms.base import Algorithm
from ..algorithms.default.neardup_keys import exact_key
from ..text.canonical_text import CanonicalText


class SharedKeys(NamedTuple):
    """How many keys are equal.

    ``shared``: the number of equal keys. ``keys_a``, ``keys_b``: the number of keys of each text. ``needed``: how
    many must be equal. ``kinds``: the number of equal keys by kind. Kinds are passages, pairs (of neighbouring
    words), words (the set of them), exact, identity, and keys (of an algorithm with only one kind).
    """

    shared: int
    keys_a: int
    keys_b: int
    needed: int
    kinds: tuple[tuple[str, int], ...] = ()


def find_shared_keys(
    a: CanonicalText,
    b: CanonicalText,
    algorithm: Algorithm,
    identity: tuple[Sequence[str], Sequence[str]] = ((), ()),
) -> SharedKeys:
    """Count the equal keys: of the algorithm, one for the exact text, and one for each identity value.

    Raise StatisticsMissing if the algorithm lacks the statistics on which its keys depend.
    """
    left, right = _keys_by_kind(a, algorithm, identity[0]), _keys_by_kind(b, algorithm, identity[1])
    common = ((kind, len(keys & right.get(kind, set()))) for kind, keys in left.items())
    kinds = tuple((kind, count) for kind, count in common if count)
    sizes = [sum(map(len, keys_by_kind.values())) for keys_by_kind in (left, right)]
    return SharedKeys(sum(count for _, count in kinds), sizes[0], sizes[1], algorithm.min_shared, kinds)


def _keys_by_kind(
    text: CanonicalText, algorithm: Algorithm, identity: Iterable[str]
) -> dict[str, set[int | str]]:
    keys_by_kind: dict[str, set[int | str]] = {
        kind: {*keys} for kind, keys in algorithm.keys_by_kind(text).items()
    }
    # The index stores this key under every algorithm, so that exact copies are always candidates.
    keys_by_kind.setdefault("exact", {exact_key(text)})
    return {**keys_by_kind, "identity": {value for value in identity if value}}
