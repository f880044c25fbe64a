"""What posts take in every table of the app once it has indexed them: on the sites of the run, and on MariaDB."""

from __future__ import annotations

from io import StringIO
from typing import NamedTuple

from benchmarks import site as sites
from benchmarks.figures import Bar, Sizes
from benchmarks.million import insert, layout, neardup, posts_file, site, stored
from benchmarks.planted import Layout
from benchmarks.table_sizes import TABLES, bytes_of

KEPT = ("keys", "fingerprints", "pairs")


class Whole(NamedTuple):
    """`posts` in the index, the `keys` of them all, and the `bytes` of each of `TABLES` with its indexes."""

    posts: int
    keys: int
    bytes: dict[str, int]

    @property
    def kept(self) -> float:
        """Bytes a post of all by which it is found and judged: keys, fingerprint and pairs."""
        return sum(self.bytes[name] for name in KEPT) / self.posts


def whole(engine: str, sizes: Sizes, bar: Bar) -> Whole:
    """The tables of 100,000 posts (the middle of `growth`) under the default scheme, as `neardup_index` leaves them.

    RuntimeError where the index does not hold every post."""
    from django_neardup.models import Fingerprint, Key

    made = layout(sizes.growth[1], sizes)
    alias = on_mariadb(made, bar) if engine == "mariadb" else site(engine, made.size, sizes, bar).alias
    posts = Fingerprint.objects.using(alias).count()
    if posts < made.size:
        raise RuntimeError(f"{alias}: {posts} of {made.size} posts are in the index")
    return Whole(posts, Key.objects.using(alias).count(), bytes_of(alias))


def on_mariadb(made: Layout, bar: Bar) -> str:
    """The alias of a database with those posts, their index and statistics of the tables.

    This process indexes: others know no driver of MariaDB."""
    from django.core.management import call_command
    from django.db import connections
    from django.test import override_settings

    from benchmarks.board.models import Post

    alias = sites.database("mariadb", f"whole_{made.size}")
    with connections[alias].schema_editor() as editor:
        editor.create_model(Post)
    with bar("posts into MariaDB", made.size) as progress:
        insert(alias, stored(posts_file(made, bar)), progress)
    as_others = override_settings(NEARDUP={"default": neardup("neardup")})
    with bar(f"MariaDB, {made.size:,} posts: neardup", 1) as progress, as_others:
        call_command("neardup_index", "board.Post", database=alias, no_progress=True, stdout=StringIO())
        progress.update(1)
    with connections[alias].cursor() as cursor:
        cursor.execute(f"ANALYZE TABLE {', '.join(TABLES.values())}")
    return alias
