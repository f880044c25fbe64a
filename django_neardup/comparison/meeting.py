"""Which keys two texts share, by what they stand for; which contacts, by what they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..signatures.base import Algorithm
from ..signatures.neardup_keys import exact_key
from ..text.document import Document

CONTACTS = (("phone", "tel:"), ("email", "mailto:"), ("link", "url:"), ("handle", "@"))
"""Kinds of contacts and how their canonical forms begin; any other is an "account"."""


class Met(NamedTuple):
    """How many keys met, of how many that either text has, and how many must; `kinds`: those that met by kind.

    Kinds: passages, pairs (of neighbouring words), words (the set of them), exact, identity, keys (of an algorithm
    that has but one kind)."""

    shared: int
    keys_a: int
    keys_b: int
    needed: int
    kinds: tuple[tuple[str, int], ...] = ()


def met(
    a: Document,
    b: Document,
    algorithm: Algorithm,
    identity: tuple[Sequence[str], Sequence[str]] = ((), ()),
) -> Met:
    """The keys that meet: the algorithm's, one for the exact text and one for each identity value.

    StatisticsMissing where the algorithm lacks those that its keys depend on."""
    left, right = _keys(a, algorithm, identity[0]), _keys(b, algorithm, identity[1])
    common = ((kind, len(keys & right.get(kind, set()))) for kind, keys in left.items())
    kinds = tuple((kind, count) for kind, count in common if count)
    sizes = [sum(map(len, every.values())) for every in (left, right)]
    return Met(sum(count for _, count in kinds), sizes[0], sizes[1], algorithm.min_shared, kinds)


def _keys(document: Document, algorithm: Algorithm, identity: Iterable[str]) -> dict[str, set[int | str]]:
    found: dict[str, set[int | str]] = {
        kind: {*keys} for kind, keys in algorithm.keys_by_kind(document).items()
    }
    found.setdefault("exact", {exact_key(document)})
    return {**found, "identity": {value for value in identity if value}}


def contact_kind(contact: str) -> str:
    """What a canonical contact is: phone, email, link, handle or account."""
    return next((kind for kind, start in CONTACTS if contact.startswith(start)), "account")
