"""Sites of up to a million posts: posts, then the index that `neardup_index` builds of them. Each is built once a run.

They stand on the disk, not in memory as the other databases of a run, so that a commit costs what it costs a site; but
their pages are in memory, as those of a server that does nothing else.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks import site as sites
from benchmarks.figures import Bar, Sizes
from benchmarks.planted import Layout
from benchmarks.processes import command, environment, finished, on_all_cores, processor_seconds
from benchmarks.timing import cores

MOST_PAIRS = 500
WORKERS = 2
ROWS = 2000
AT_ONCE = 1 << 20
"""Bytes of a file that are read at once."""

COLUMNS = ("id", "title", "text", "created", "author")
CREATED = "2026-01-01 00:00:00"
AUTHORS = 10_000
LARGE = "large"
"""The name of the PostgreSQL whose files stand on the disk."""

NAMES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
PROFILES: dict[str, dict[str, Any]] = {
    "neardup": {},
    "minhash-lsh": {"ALGORITHM": "minhash-lsh", "OPTIONS": {"guard": False}},
}
"""What NEARDUP says besides: the guard is the default scheme's own; the others are measured without."""


PREWARM = (
    "SELECT sum(pg_prewarm(oid)) FROM pg_class WHERE relkind IN ('r', 'i') "
    "AND relnamespace = 'public'::regnamespace"
)


class LargePostgreSQL(sites.DurablePostgreSQL):
    """The run's PostgreSQL for large tables: on the disk, with a quarter of the machine's memory."""

    def place(self) -> str:
        return str(disk())

    def command(self) -> list[str]:
        quarter = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4
        return [*super().command(), "-c", f"shared_buffers={max(1024, quarter >> 20)}MB"]


sites.SERVERS[LARGE] = LargePostgreSQL


@dataclass(frozen=True)
class Site:
    """Posts and their index.

    `seconds`, `processor`: what `neardup_index` took, by the wall and of the processors, the server's apart (`server`);
    `peak`: the most bytes that one of its processes held; `index`: INDEX of its processes, None for the default."""

    engine: str
    alias: str
    layout: Layout
    algorithm: str
    workers: int
    seconds: float
    processor: float
    server: float
    peak: int
    index: dict[str, Any] | None = None

    @property
    def name(self) -> str:
        return NAMES[self.engine]

    @property
    def settings(self) -> dict[str, Any]:
        """NEARDUP["default"] of the site's processes."""
        return neardup(self.algorithm, **({"INDEX": self.index} if self.index else {}))


def neardup(algorithm: str, **more: Any) -> dict[str, Any]:
    """NEARDUP["default"] of a site by that algorithm; the secret is fixed so that sites are alike."""
    return {"BACKEND": None, "SECRET": "benchmarks", **PROFILES[algorithm], **more}


_built: dict[tuple[str, Layout, str], Site] = {}


def largest(engine: str, sizes: Sizes, bar: Bar, algorithm: str = "neardup") -> Site:
    """The site of the full collection."""
    return site(engine, sizes.growth[-1], sizes, bar, algorithm)


def site(engine: str, size: int, sizes: Sizes, bar: Bar, algorithm: str = "neardup") -> Site:
    """The site of so many posts on "sqlite" or "postgresql", built at the first call.

    Sites of a run hold the same planted pairs; at every call the pages of the site are brought into memory."""
    place = engine, layout(size, sizes), algorithm
    if place not in _built:
        _built[place] = build(*place, 1 if sizes.quick else WORKERS, bar)
    warm(_built[place])
    return _built[place]


def layout(size: int, sizes: Sizes) -> Layout:
    """The collection of that size; as many pairs are planted as the smallest one bears."""
    return Layout(size, min(MOST_PAIRS, sizes.growth[0] // 20))


def build(engine: str, made: Layout, algorithm: str, workers: int, bar: Bar) -> Site:
    """Posts, index and statistics of the tables."""
    title = f"{NAMES[engine]}, {made.size:,} posts: {algorithm}"
    alias = on_sqlite(made, algorithm, bar) if engine == "sqlite" else on_postgresql(made, algorithm, bar)
    asked = command("neardup_index", "board.Post", "--workers", str(workers), "--no-progress")
    with bar(title, 1) as progress, unpinned(engine):
        start, server = perf_counter(), server_seconds(engine)
        ended = finished(asked, environment(alias, neardup(algorithm)))
        seconds, server = perf_counter() - start, server_seconds(engine) - server
        progress.update(1)
    settle(alias)
    built = Site(engine, alias, made, algorithm, workers, seconds, ended.processor, server, ended.peak)
    check(built)
    return built


def server_seconds(engine: str) -> float:
    """Seconds of processor time that the engine's server has used; 0 where there is none."""
    return processor_seconds(sites.server(LARGE).pid) if engine == "postgresql" else 0.0


def check(made: Site) -> None:
    """RuntimeError where the index does not hold every post."""
    from django_neardup.models import Fingerprint

    found = Fingerprint.objects.using(made.alias).count()
    if found != made.layout.size:
        raise RuntimeError(f"{made.alias}: {found} of {made.layout.size} posts are in the index")


def unpinned(engine: str) -> AbstractContextManager[None]:
    """While the context lasts the server may run on every core, beside its clients."""
    return on_all_cores(sites.server(LARGE).pid, set(cores())) if engine == "postgresql" else nullcontext()


def settle(alias: str) -> None:
    """What a database does by and by is done: statistics, the log written back."""
    from django.db import connections

    with connections[alias].cursor() as cursor:
        if connections[alias].vendor == "postgresql":
            cursor.execute("VACUUM ANALYZE")
            cursor.execute("CHECKPOINT")
        else:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def warm(made: Site) -> None:
    """Bring every page of a site into memory: a system may have taken from it what lay idle since the last row."""
    from django.db import connections

    if made.engine == "postgresql":
        with connections[made.alias].cursor() as cursor:
            cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_prewarm")
            cursor.execute(PREWARM)
        return
    with sites.file_of(made.alias).open("rb", buffering=0) as file:
        while file.read(AT_ONCE):
            pass


def on_sqlite(made: Layout, algorithm: str, bar: Bar) -> str:
    """The alias of a file with the posts."""
    from django.db import connections

    path = disk() / f"{algorithm.replace('-', '_')}_{made.size}.sqlite3"
    shutil.copyfile(posts_file(made, bar), path)
    alias = sites.attach(path)
    connections[alias].ensure_connection()
    return alias


def on_postgresql(made: Layout, algorithm: str, bar: Bar) -> str:
    """The alias of a database with the posts."""
    from django.core.management.color import no_style
    from django.db import connections

    from benchmarks.board.models import Post

    alias = sites.database(LARGE, f"{algorithm.replace('-', '_')}_{made.size}")
    connection = connections[alias]
    with connection.schema_editor() as editor:
        editor.create_model(Post)
    with connection.cursor() as cursor, bar("posts into PostgreSQL", made.size) as progress:
        with cursor.copy(f"COPY board_post ({', '.join(COLUMNS)}) FROM STDIN") as copy:
            for row in stored(posts_file(made, bar)):
                copy.write_row(row)
                progress.update(1)
        for statement in connection.ops.sequence_reset_sql(no_style(), [Post]):
            cursor.execute(statement)
    return alias


def stored(path: Path) -> Iterator[tuple[Any, ...]]:
    """The rows of a file of posts."""
    import sqlite3

    connection = sqlite3.connect(path)
    try:
        yield from connection.execute(f"SELECT {', '.join(COLUMNS)} FROM board_post ORDER BY id")
    finally:
        connection.close()


_posts: dict[Layout, Path] = {}


def posts_file(made: Layout, bar: Bar) -> Path:
    """A migrated SQLite file with the posts and no index of them: databases are made of it."""
    if made not in _posts:
        _posts[made] = write_posts(made, bar)
    return _posts[made]


def write_posts(made: Layout, bar: Bar) -> Path:
    """Make that file."""
    from django.db import connections

    from benchmarks.board.models import Post

    path = disk() / f"posts_{made.size}.sqlite3"
    shutil.copyfile(sites.empty_file(), path)
    alias = sites.attach(path)
    with connections[alias].schema_editor() as editor:
        editor.create_model(Post)
    rows = ((number + 1, *values(number, text)) for number, text in enumerate(made.texts()))
    with bar("posts", made.size) as progress:
        insert(alias, rows, progress)
    connections[alias].close()
    return path


def insert(alias: str, rows: Iterator[tuple[Any, ...]], progress: Any) -> None:
    """Write posts, rows of `COLUMNS`, by portions."""
    from django.db import connections

    statement = f"INSERT INTO board_post ({', '.join(COLUMNS)}) VALUES (%s, %s, %s, %s, %s)"
    with connections[alias].cursor() as cursor:
        while some := list(islice(rows, ROWS)):
            cursor.executemany(statement, some)
            progress.update(len(some))


def values(number: int, text: str) -> tuple[str, str, str, int]:
    """Title, text, date and author of a post."""
    return text[:80], text, CREATED, number % AUTHORS


@cache
def disk() -> Path:
    """A directory on the disk; it is removed when this process ends."""
    made = tempfile.mkdtemp(prefix="neardup-sites-")
    Path(made).chmod(0o755)
    sweeper = ["/bin/sh", "-c", 'cat; rm -rf "$0"', made]
    _sweepers.append(subprocess.Popen(sweeper, stdin=subprocess.PIPE, start_new_session=True))
    return Path(made)


_sweepers: list[subprocess.Popen[bytes]] = []
