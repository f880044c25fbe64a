"""Who is how like whom in a collection, exactly: an inverted index of runs of three lemmas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

BATCH = 1000
RUN = 3


class Truth:
    """The texts by number. Arrays hold the runs of all texts by value, and the text of each."""

    def __init__(self, texts: Sequence[str]) -> None:
        import numpy as np

        self._runs = [
            runs for start in range(0, len(texts), BATCH) for runs in _runs(texts[start : start + BATCH])
        ]
        self.sizes = np.array([len(runs) for runs in self._runs])
        flat = np.concatenate(self._runs)
        order = np.argsort(flat, kind="stable")
        self._values = flat[order]
        self._owners = np.repeat(np.arange(len(texts)), self.sizes)[order]

    def likeness(self, number: int) -> dict[int, float]:
        """|A∩B| / |A∪B| of a text and each other that shares a run with it."""
        import numpy as np

        own = self._runs[number]
        starts, ends = (np.searchsorted(self._values, own, side) for side in ("left", "right"))
        owners = [self._owners[start:end] for start, end in zip(starts, ends) if end - start > 1]
        if not owners:
            return {}
        others, shared = np.unique(np.concatenate(owners), return_counts=True)
        found = shared / (self.sizes[others] + len(own) - shared)
        return {int(other): float(value) for other, value in zip(others, found) if other != number}


def _runs(texts: Sequence[str]) -> Iterator[Any]:
    """Distinct hashes of the runs of each text, ascending."""
    import numpy as np

    from django_neardup.algorithms.kernels.hash_mixing import mix_arrays
    from django_neardup.text.batch import read_batch

    batch = read_batch(texts)
    for start, end in zip(batch.offsets[:-1].tolist(), batch.offsets[1:].tolist()):
        own = batch.hashes[start:end]
        last = len(own) - RUN + 1
        made = mix_arrays(*(own[place : place + last] for place in range(RUN))) if last > 0 else own[:0]
        yield np.unique(made)
