"""The row of the check before publication."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from benchmarks.figures import Bar, Figure, Sizes, row
from benchmarks.million import Site, largest
from benchmarks.onsave import NEW_TEMPLATES, meet_words
from benchmarks.planted import REPLACED, WORDS, background, template
from benchmarks.texts import edited, post
from benchmarks.timing import percentile, samples

NEW = 13
"""The seed of what is typed: no collection holds it."""

TYPED = 200
"""Words of a text that is typed."""

MOST_EDITED = 0.2
WARM_UP = 50


@row("find", "what a text is like, before it is published")
def find(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """`find_similar` on a large site on PostgreSQL, from the text to the five matches as objects: canonised, looked up,
    cut to what is live, at most ten posts read and aligned. Ordinary texts have some 200 words that no post has;
    every second one is an edited copy of a post among as many new words. Texts of the template share most of their
    passages with half a percent of the site. The process has met the words of 20,000 posts before. The planted pairs:
    of saved posts, whether the other one is among the matches."""
    made, wanted = largest("postgresql", sizes, bar), sizes.lookups
    meet_words(made.alias)
    spent: dict[str, list[float]] = {}
    for name, text_of in {
        "ordinary": lambda number: typed(number, made.layout.size),
        "template": hot,
    }.items():
        texts = [text_of(number) for number in range(WARM_UP + wanted)]
        look_up = asker(made, texts)
        for number in range(wanted, len(texts)):
            look_up(number)
        with bar(f"find_similar: {name} texts", 1) as progress:
            spent[name] = samples(look_up, wanted)
            progress.update(1)
    yield Figure("find.1", "ordinary texts, p99", percentile(spent["ordinary"], 0.99) * 1e3, "ms", "<= 30")
    yield Figure("find.2", "ordinary texts, p50", percentile(spent["ordinary"], 0.5) * 1e3, "ms")
    yield Figure(
        "find.3", "texts of a template, p99", percentile(spent["template"], 0.99) * 1e3, "ms", "<= 30"
    )
    yield Figure("find.4", "statements, at most", statements(made, wanted), "statements", "<= 6")
    yield Figure("find.5", "planted pairs that are found", 100 * found_again(made), "%")
    yield Figure("find.6", "texts of a template, p50", percentile(spent["template"], 0.5) * 1e3, "ms")


def typed(number: int, size: int) -> str:
    """A text of some 200 words, every second one half an edited copy of a post of the site."""
    if number % 2:
        return post(number, TYPED, NEW, REPLACED)
    chance = Random(number)
    copied = edited(background(chance.randrange(size)), chance, MOST_EDITED * chance.random())
    return f"{copied} {post(number, TYPED - WORDS, NEW, REPLACED)}"


def hot(number: int) -> str:
    """A post of the template that no site holds."""
    return template(2 * NEW_TEMPLATES + number)


def asker(made: Site, texts: list[str]) -> Callable[[int], Any]:
    """A function that looks up the text of a number."""
    from benchmarks.board.models import Post
    from django_neardup import find_similar

    return lambda number: find_similar(texts[number], Post, using=made.alias)


def statements(made: Site, wanted: int) -> int:
    """The most statements of one look-up."""
    from django.db import connections
    from django.test.utils import CaptureQueriesContext

    most = 0
    for text_of in (lambda number: typed(number, made.layout.size), hot):
        look_up = asker(made, [text_of(number) for number in range(min(wanted, 20))])
        for number in range(min(wanted, 20)):
            with CaptureQueriesContext(connections[made.alias]) as queries:
                look_up(number)
            most = max(most, len(queries))
    return most


def found_again(made: Site) -> float:
    """The share, 0..1, of the planted pairs whose one post finds the other."""
    from benchmarks.board.models import Post
    from django_neardup import find_similar

    pairs = [(one + 1, two + 1) for one, two in made.layout.planted]
    posts = Post._default_manager.using(made.alias).in_bulk([one for one, _ in pairs])
    found = sum(two in {each.object.pk for each in find_similar(posts[one])} for one, two in pairs)
    return found / len(pairs)
