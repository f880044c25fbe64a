"""The app's own storage as an index of texts alone: keys in its key table, payloads in its fingerprint table.

It stands beside peers that keep no queue, no clusters and no decisions, and leaves the app's own out as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

from benchmarks.ours import algorithm

CAP = 64
BATCH = 1000
RUN = 50_000
PACKS = "SELECT document_id, payload FROM neardup_fingerprint WHERE scheme_id = %s AND document_id IN"
OWN = ("document_id", "payload", "keys")
"""What is a text's own in its fingerprint here."""
KEPT = "SELECT payload, keys FROM neardup_fingerprint WHERE scheme_id = %s AND document_id = %s"


class Match(NamedTuple):
    """A document that was found, and its likeness by the payloads, 0..1."""

    document: int
    score: float


class Signed(NamedTuple):
    """Keys of texts one after another as the key table holds them, how many each text has, and payloads."""

    keys: Any
    counts: Any
    packs: list[bytes]


class Index:
    """Texts by number, found by likeness. `alias`: a migrated database of `benchmarks.site`; `scheme`: told apart by.

    `count`: how many have been added."""

    def __init__(self, alias: str, name: str, scheme: int = 1, **options: Any) -> None:
        self.alias, self.scheme = alias, scheme
        self.algorithm = algorithm(name, **options)
        self.count = 0

    def load(self, texts: Iterator[str], first: int = 0, progress: Any = None) -> int:
        """Add many texts in sorted runs; how many."""
        added = 0
        while some := list(islice(texts, RUN)):
            self.add(self.sign(some), first + added)
            added += len(some)
            if progress is not None:
                progress.update(len(some))
        return added

    def sign(self, texts: Sequence[str]) -> Signed:
        """Keys and payloads of texts."""
        import numpy as np

        parts = (texts[start : start + BATCH] for start in range(0, len(texts), BATCH))
        made = [self._signed(part) for part in parts]
        if len(made) == 1:
            return made[0]
        keys, counts, packs = zip(*made)
        return Signed(np.concatenate(keys), np.concatenate(counts), list(chain.from_iterable(packs)))

    def _signed(self, texts: Sequence[str]) -> Signed:
        import numpy as np

        from django_neardup.text.batch import read_batch

        made = self.algorithm.sign_batch(read_batch(texts))
        return Signed(made.keys.view(np.int64), np.diff(made.offsets), made.payloads)

    def add(self, signed: Signed, first: int) -> None:
        """Add texts, numbered from `first` on, as one run of keys in one transaction."""
        from django.db import transaction

        from django_neardup.index.keys import add_run

        with transaction.atomic(using=self.alias):
            add_run(self.alias, signed.keys, _owners(signed, first), assume_new=True)
            self._keep(signed, first)
        self.count += len(signed.packs)

    def met(self, signed: Signed) -> Counter[int]:
        """Documents that share keys with one text, as far as buckets are read, and how many they share."""
        return Counter(self._met(signed))

    def _met(self, signed: Signed) -> list[int]:
        from django_neardup.comparison.bucket_matches import BucketLimit
        from django_neardup.index.keys import read_buckets

        met: list[int] = read_buckets(self.alias, signed.keys, BucketLimit.of(CAP))[1].tolist()
        return met

    def find(self, text: str) -> list[Match]:
        """Documents like a text by keys and payloads, the likest first."""
        return self._like(self._signed([text]))

    def like(self, number: int) -> list[Match]:
        """Documents like one that is in the index, itself among them, the likest first: its text is not read."""
        import numpy as np
        from django.db import connections

        with connections[self.alias].cursor() as cursor:
            cursor.execute(KEPT, [self.scheme, number])
            pack, kept = map(bytes, cursor.fetchone())
        keys = np.frombuffer(kept, np.int64)
        return self._like(Signed(keys, np.array([len(keys)]), [pack]))

    def _like(self, signed: Signed) -> list[Match]:
        met = self._met(signed)
        if not met:
            return []
        packs = self.packs(list(dict.fromkeys(met)))
        scores = self.algorithm.screen_many(signed.packs[0], list(packs.values())).tolist()
        found = [Match(*pair) for pair in zip(packs, scores) if pair[1] >= self.algorithm.review]
        return sorted(found, key=lambda match: -match.score)

    def pairs(self, signed: Signed, first: int) -> int:
        """How many pairs of one of these texts, added as numbers from `first` on, and an older one are alike."""
        import numpy as np

        from django_neardup.comparison.bucket_matches import BucketLimit
        from django_neardup.index.keys import read_buckets

        places, others = read_buckets(self.alias, signed.keys, BucketLimit.of(CAP))
        owners = _owners(signed, first)[places]
        met = np.unique(np.stack([owners, others], axis=1)[others < owners], axis=0)
        packs = self.packs(np.unique(met[:, 1]).tolist())
        own = [signed.packs[number - first] for number in met[:, 0].tolist()]
        scores = self.algorithm.screen_pairs(own, [packs[number] for number in met[:, 1].tolist()])
        return int((scores >= self.algorithm.review).sum())

    def packs(self, documents: Sequence[int]) -> dict[int, bytes]:
        """Payloads by document."""
        from django.db import connections

        found: dict[int, bytes] = {}
        with connections[self.alias].cursor() as cursor:
            for start in range(0, len(documents), BATCH):
                some = documents[start : start + BATCH]
                holes = ", ".join(["%s"] * len(some))
                cursor.execute(f"{PACKS} ({holes})", [self.scheme, *some])
                found.update((number, bytes(pack)) for number, pack in cursor.fetchall())
        return found

    def _keep(self, signed: Signed, first: int) -> None:
        """A fingerprint a text, with nothing but its payload and keys."""
        from django.db import connections

        from django_neardup.models import Fingerprint

        fixed = {field.column: field.get_default() for field in Fingerprint._meta.concrete_fields}
        fixed |= {"scheme_id": self.scheme, "version": 1, "source_digest": b"", "exact_digest": b""}
        for name in ("id", *OWN):
            del fixed[name]
        same, keys = tuple(fixed.values()), signed.keys.tobytes()
        ends = (signed.counts.cumsum() * signed.keys.itemsize).tolist()
        numbers = range(first, first + len(ends))
        rows = [
            (*same, number, pack, keys[start:end])
            for number, pack, start, end in zip(numbers, signed.packs, [0, *ends], ends)
        ]
        holes = ", ".join(["%s"] * len([*fixed, *OWN]))
        with connections[self.alias].cursor() as cursor:
            cursor.executemany(
                f"INSERT INTO neardup_fingerprint ({', '.join([*fixed, *OWN])}) VALUES ({holes})", rows
            )


def _owners(signed: Signed, first: int) -> Any:
    """The number of the text of each key."""
    import numpy as np

    return np.repeat(np.arange(first, first + len(signed.packs)), signed.counts)
