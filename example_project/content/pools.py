from __future__ import annotations

from collections.abc import Sequence
from random import Random


class Rota:
    """Hands out the members of a pool, none a second time before every other has had its turn."""

    def __init__(self, pool: Sequence[str], rng: Random) -> None:
        self._pool = list(pool)
        self._rng = rng
        self._left: list[str] = []

    def take(self, number: int) -> list[str]:
        taken: list[str] = []
        while len(taken) < number:
            if not self._left:
                self._left = self._rng.sample(self._pool, len(self._pool))
            taken.append(self._left.pop())
        return taken
