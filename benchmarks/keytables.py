"""Key tables of any size without their texts: random 64-bit keys that fall into buckets as those of real posts do.

Every fifth post is an edited copy of the one before it, over the whole range of likeness J, and shares a band of four
slots with it by the chance J^4; every twentieth is filled into one template, of whose bands the most common key is in
44 % of them.  A post's keys come from its number alone, so that any of them can be asked for without being kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from itertools import takewhile
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.site import empty_database
from benchmarks.timing import in_turns, measuring

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

BANDS = 20
DEFAULT_KEYS = 17
"""Keys of a post of 100 words under the default scheme, which gives every text as many as it needs: row 8 counts them
in the index of 100,000 posts."""
ROWS_OF_BAND = 4
COPY_EACH, TEMPLATE_EACH = 5, 20
FIXED, FILLED, LARGEST = 38, 20, 0.44
RUN = 50_000
CAP = 64


def keys_of(documents: Any, bands: int = BANDS) -> Numbers:
    """Signed keys int64[n, bands] of documents int64[n]."""
    import numpy as np

    numbers = np.asarray(documents, np.uint64)
    source = numbers - (numbers % COPY_EACH == COPY_EACH - 1)
    like = _chance(numbers, 1 << 40)
    shared = _chance(_cells(numbers, bands), 1 << 41) < like[:, None] ** ROWS_OF_BAND
    template = _chance(_cells(numbers, bands), 1 << 42) < _shares(bands)
    own = _mixed(np.where(shared, _cells(source, bands), _cells(numbers, bands)))
    common = _mixed(np.arange(bands, dtype=np.uint64) + np.uint64(1 << 62))
    is_template = (numbers % TEMPLATE_EACH == 0)[:, None]
    return np.where(is_template & template, common, own).view(np.int64)


def ordinary(count: int, wanted: int, seed: int = 1) -> Numbers:
    """Numbers of that many posts of a table of ``count`` which are of no template."""
    import numpy as np

    found = np.random.default_rng(seed).integers(1, count, wanted)
    return found - (found % TEMPLATE_EACH == 0)


def of_template(count: int, wanted: int, seed: int = 1) -> Numbers:
    """Numbers of that many posts of the template."""
    import numpy as np

    every = np.arange(TEMPLATE_EACH, count, TEMPLATE_EACH)
    return np.random.default_rng(seed).choice(every, min(wanted, len(every)), replace=False)


def runs(count: int, bands: int = BANDS, size: int = RUN) -> Iterator[tuple[Numbers, Numbers]]:
    """Keys and documents of a table of ``count`` posts, by runs of ``size`` posts."""
    import numpy as np

    for start in range(1, count + 1, size):
        documents = np.arange(start, min(start + size, count + 1))
        yield keys_of(documents, bands).ravel(), np.repeat(documents, bands)


@cache
def _shares(bands: int) -> NDArray[np.float64]:
    """Of each band the share of template posts that have its most common key: a band is theirs all where the least
    hash of the fixed runs of words is below that of the filled ones, in each of its slots."""
    import numpy as np

    least = np.random.default_rng(20).random((bands, ROWS_OF_BAND, FIXED)).min(axis=2)
    shares: NDArray[np.float64] = ((1 - least) ** FILLED).prod(axis=1)
    return shares * (LARGEST / shares.max())


def _cells(numbers: Any, bands: int) -> Any:
    """A number of its own for each band of each post."""
    import numpy as np

    return numbers[:, None] * np.uint64(64) + np.arange(bands, dtype=np.uint64)


def _chance(numbers: Any, seed: int) -> NDArray[np.float64]:
    """Numbers in 0..1 that look random, the same at every call."""
    import numpy as np

    scaled: NDArray[np.float64] = _mixed(numbers + np.uint64(seed)) / 2.0**64
    return scaled


def _mixed(numbers: Any) -> Any:
    """The finaliser of SplitMix64."""
    import numpy as np

    found = numbers + np.uint64(0x9E3779B97F4A7C15)
    found = (found ^ (found >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    found = (found ^ (found >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return found ^ (found >> np.uint64(31))


@cache
def key_database(engine: str, purpose: str) -> str:
    """The alias of a database with nothing but the table of keys, as the app's migration makes it."""
    from django.db import connections
    from django.db.migrations.state import ProjectState

    alias = empty_database(engine, purpose)
    migration = import_module("django_neardup.migrations.0001_initial").Migration("0001_initial", "neardup")
    of_keys = takewhile(lambda each: getattr(each, "name", None) in ("Key", None), migration.operations)
    migration.operations = list(of_keys)
    with connections[alias].schema_editor() as editor:
        migration.apply(ProjectState(), editor)
    return alias


@cache
def table(engine: str, count: int, bands: int = BANDS) -> str:
    """The alias of a database whose key table holds that many posts, written in runs and packed, as a first
    index does; made once a run."""
    from django_neardup.index import add_run, compact

    alias = key_database(engine, f"keys_{count}_{bands}")
    for keys, documents in runs(count, bands):
        add_run(alias, keys, documents, assume_new=True)
    compact(alias)
    settle(alias)
    return alias


def settle(alias: str) -> None:
    """What a database does by and by is done: statistics, the log written back."""
    from django.db import connections

    statements = {
        "postgresql": ("VACUUM ANALYZE neardup_key", "CHECKPOINT"),
        "mysql": ("ANALYZE TABLE neardup_key",),
        "sqlite": ("PRAGMA wal_checkpoint(TRUNCATE)",),
    }
    with connections[alias].cursor() as cursor:
        for statement in statements[connections[alias].vendor]:
            cursor.execute(statement)


def size_of(alias: str, table: str) -> int:
    """Bytes of a table and its indexes as they stand."""
    from django.db import connections

    with connections[alias].cursor() as cursor:
        cursor.execute(_SIZES[connections[alias].vendor], [table])
        (size,) = cursor.fetchone()
    return int(size)


def asker(alias: str, documents: Numbers, bands: int = BANDS) -> Callable[[int], Any]:
    """The look-up of the candidates of these posts, by their place."""
    import numpy as np

    from django_neardup.comparison.bucket_matches import BucketLimit
    from django_neardup.index import read_buckets

    asked = np.sort(keys_of(documents, bands))
    return lambda place: read_buckets(alias, asked[place % len(asked)], BucketLimit.of(CAP))


def alternated(
    calls: Mapping[str, Callable[[int], Any]], count: int, rounds: int, progress: Any = None
) -> dict[str, float]:
    """Median seconds of each callable, which is given a place below ``count``: of a round, then of the rounds.

    They take turns; one round before them is not counted."""
    medians: dict[str, list[float]] = {name: [] for name in calls}
    with measuring():
        for number in range(rounds + 1):
            times = in_turns(calls, range(count))
            for name, taken in times.items():
                medians[name].append(median(taken))
            if progress is not None and number:
                progress.update(1)
    return {name: median(each[1:]) for name, each in medians.items()}


_SIZES = {
    "sqlite": "SELECT sum(pgsize) FROM dbstat JOIN sqlite_master USING (name) WHERE tbl_name = %s",
    "postgresql": "SELECT pg_total_relation_size(%s)",
    "mysql": "SELECT data_length + index_length FROM information_schema.tables"
    " WHERE table_schema = database() AND table_name = %s",
}
