"""The keys of documents as their fingerprints declare them: what the index must hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ...comparison.packed_keys import unpack_keys
from ...db.queries import key_changes

if TYPE_CHECKING:
    from ...db.backends.base import Row
    from ...db.backends.key_table import Numbers

DOCUMENTS_PER_READ = 2_000
SKETCH_BITS = 22
"""The sketch of ``frequent_keys`` counts 4 million groups of keys, in 16 MB."""


def declared_keys(using: str, documents: Iterable[int]) -> dict[int, set[int]]:
    """Return by document the keys of its fingerprints. Documents without any are left out."""
    return _by_document(key_changes.declared_keys(using, documents))


def declared_ranges(using: str, after: int = 0) -> Iterator[tuple[int, dict[int, set[int]]]]:
    """Yield the last document of a range, and the keys of its documents, range by range above ``after``."""
    while (last := key_changes.last_of_range(using, after, DOCUMENTS_PER_READ)) is not None:
        yield last, _by_document(key_changes.declared_range(using, after, last))
        after = last


def frequent_keys(using: str, min_documents: int, limit: int) -> Sequence[int]:
    """Return the keys of at least so many documents, the most frequent ones first.

    The fingerprints are read twice: to count groups of keys with equal hashes, and to count the keys of large groups.
    """
    import numpy as np

    sketch = np.zeros(1 << SKETCH_BITS, np.uint32)
    for keys in _key_arrays(using):
        np.add.at(sketch, _groups(keys), 1)
    counts: Counter[int] = Counter()
    for keys in _key_arrays(using):
        counts.update(keys[sketch[_groups(keys)] >= min_documents].tolist())
    frequent = sorted((-count, key) for key, count in counts.items() if count >= min_documents)
    return [key for _, key in frequent[:limit]]


def _key_arrays(using: str) -> Iterator[Numbers]:
    """Yield the keys of all documents, many documents at a time. A document repeats no key."""
    import numpy as np

    for _, keys_by_document in declared_ranges(using):
        yield np.array([key for keys in keys_by_document.values() for key in keys], np.int64)


def _groups(keys: Numbers) -> Numbers:
    import numpy as np

    # The lowest bit says whether a post is live: the others are a hash already.
    return ((keys.view(np.uint64) >> np.uint64(1)) & np.uint64((1 << SKETCH_BITS) - 1)).astype(np.int64)


def _by_document(rows: Iterable[Row]) -> dict[int, set[int]]:
    keys: dict[int, set[int]] = {}
    for document, packed in rows:
        keys.setdefault(document, set()).update(unpack_keys(packed))
    return keys
