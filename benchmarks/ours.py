"""The app's own public functions, as the rows call them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

NAMES = {"minhash-lsh": "minhash-lsh, 20 keys", "neardup": "default scheme"}


@cache
def algorithm(name: str, **options: Any) -> Any:
    """The algorithm of this name with its defaults; the same object at every call."""
    from django_neardup.algorithms import get_algorithm

    return get_algorithm(name, **options)


def signed(name: str, texts: Sequence[str]) -> Any:
    """Text to keys and payload, as a worker does: `read_batch`, then `Algorithm.sign_batch`."""
    from django_neardup.text.batch import read_batch

    return algorithm(name).sign_batch(read_batch(texts))
