"""Rows of the review queue beside the questions of a board: `make board-questions`.

A board of adverts on SQLite: 30 % are reposts; of 50,000 adverts, 200 shops write under a template, and 50 services
name up to 50 towns. The board knows which adverts are copies of one, and that the adverts of one template are
different items. Each of these is one question.

A repost is missing if it is neither in the group of its source nor in a row with it. The exit status is 1 if a bound
is missed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.advert_board import FULL_SIZE, AdvertBoard, advert_board
from benchmarks.figures import Figure
from benchmarks.report import table
from benchmarks.site import UNMAPPED

ALIAS = "default"
AT_ONCE = 1000

EXAMPLES = 5
"""Missing reposts that are printed."""


def main() -> int:
    """Print the figures of a board."""
    parser = argparse.ArgumentParser(description="Rows of the review queue beside the questions of a board.")
    parser.add_argument("--posts", type=int, default=FULL_SIZE, help=f"adverts ({FULL_SIZE})")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="neardup-board-") as folder:
        _start(Path(folder) / "board.sqlite3")
        figures = measure(options.posts)
    print(table(figures))
    return int(any(figure.met is False for figure in figures))


def measure(size: int) -> list[Figure]:
    """Return the figures of a board of that many adverts."""
    from django.core.management import call_command

    from django_neardup.admin.review_queue.queue_query import FAMILIES, QueueQuery

    board = advert_board(size)
    posts = _save(board)
    call_command("neardup_index")
    missing = _missing(board, posts)
    for number in missing[:EXAMPLES]:
        source = board.adverts[number].repeats
        print(f"missing: {board.adverts[number].text!r}\nbeside:  {board.adverts[source].text!r}")
    start = perf_counter()
    query = QueueQuery(ALIAS, {})
    rows, kinds = query.total, query.count_by_kind()
    seconds = perf_counter() - start
    counts = {
        "groups": kinds["c"],
        "pairs": kinds["p"],
        "families": kinds["f"],
        "shortlists": kinds["s"],
        "families that ask nothing": query.count_part(FAMILIES),
    }
    return [
        Figure("1", "rows to review beside questions", rows / board.questions, "x", "<= 1.5"),
        Figure("2", "reposts that no row shows", len(missing), "posts", "<= 0"),
        Figure("3", "posts in a group of other items", _count_wrong(board, posts), "posts"),
        Figure("4", "questions", board.questions, "questions"),
        *(Figure(str(place), name, count, "rows") for place, (name, count) in enumerate(counts.items(), 5)),
        Figure("10", "reading the list", seconds, "s"),
    ]


def _start(path: Path) -> None:
    """Set Django up with the admin, on an empty SQLite file."""
    import django
    from django.conf import settings
    from django.core.management import call_command

    settings.configure(
        SECRET_KEY="benchmarks",
        USE_TZ=True,
        ROOT_URLCONF="django_neardup.urls",
        INSTALLED_APPS=[
            "django.contrib.contenttypes",
            "django.contrib.auth",
            "django.contrib.admin",
            "django_neardup",
            "benchmarks.board",
        ],
        DATABASES={
            ALIAS: {
                "ENGINE": "django.db.backends.sqlite3",
                "NAME": str(path),
                "OPTIONS": {"transaction_mode": "IMMEDIATE", "init_command": UNMAPPED},
            }
        },
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        NEARDUP={"default": {"BACKEND": None}},
    )
    django.setup()
    call_command("migrate", verbosity=0, run_syncdb=True)


def _save(board: AdvertBoard) -> list[str]:
    """Save the adverts. Return their primary keys in order."""
    from benchmarks.board.models import Post

    keys: list[str] = []
    for start in range(0, len(board.adverts), AT_ONCE):
        made = Post.objects.bulk_create(
            Post(title=f"№ {number}", text=advert.text, author=advert.author)
            for number, advert in enumerate(board.adverts[start : start + AT_ONCE], start)
        )
        keys += [str(post.pk) for post in made]
    return keys


def _groups(posts: list[str]) -> tuple[dict[int, Any], dict[int, int]]:
    """Return the cluster or the document of each advert, and the number of the advert of each document."""
    from django_neardup.models import Document, Membership

    numbers = {key: number for number, key in enumerate(posts)}
    documents = {
        pk: numbers[key] for pk, key in Document.objects.values_list("pk", "object_id") if key in numbers
    }
    clusters = dict(Membership.objects.values_list("document", "cluster"))
    return {number: clusters.get(pk, f"document {pk}") for pk, number in documents.items()}, documents


def _missing(board: AdvertBoard, posts: list[str]) -> list[int]:
    """Return the reposts that are neither grouped with their source nor in a row with it or its group."""
    from django_neardup.models import Pair
    from django_neardup.pipeline.open_items.conditions import pairs_to_review

    groups, documents = _groups(posts)
    asked: defaultdict[Any, set[Any]] = defaultdict(set)
    for a, b in pairs_to_review(Pair.objects).values_list("a_id", "b_id"):
        one, other = groups[documents[a]], groups[documents[b]]
        asked[one].add(other)
        asked[other].add(one)
    return [
        number
        for number, advert in enumerate(board.adverts)
        if advert.repeats is not None
        and groups[number] != groups[advert.repeats]
        and groups[number] not in asked[groups[advert.repeats]]
    ]


def _count_wrong(board: AdvertBoard, posts: list[str]) -> int:
    """Return how many adverts are in a group in which most adverts are copies of another one."""
    groups, _documents = _groups(posts)
    sources: defaultdict[Any, Counter[int]] = defaultdict(Counter)
    for number, advert in enumerate(board.adverts):
        sources[groups[number]][number if advert.repeats is None else advert.repeats] += 1
    return sum(sum(found.values()) - max(found.values()) for found in sources.values())


if __name__ == "__main__":
    sys.exit(main())
