"""A page of posts with and without `{% neardup_group %}`."""

from __future__ import annotations

from typing import Any, NamedTuple

from benchmarks.million import Site
from benchmarks.timing import interleaved

PAGE = 50
HEAD = "{% load neardup %}"
LIST = "{% for post in page %}<p>{{ post.title }}</p>{% endfor %}"
GROUPED = (
    "{% neardup_group page visible as groups %}"
    '{% for group in groups %}<p>{{ group.object.title }}</p>{% include "neardup/more.html" %}{% endfor %}'
)
URLS = "benchmarks.board.urls"


class Tag(NamedTuple):
    """Queries and seconds that the tag adds to a page, and how many of its entries have others behind them."""

    queries: int
    seconds: float
    grouped: int


def tag(made: Site, rounds: int) -> Tag:
    """What the tag adds to a page of 50 posts of the site, half of which have copies elsewhere."""
    from django.db import connections
    from django.template import Context, Template
    from django.test.utils import CaptureQueriesContext, override_settings

    from django_neardup.listing.group import group

    page = _page(made)
    visible = type(page[0])._default_manager.using(made.alias)
    context = Context({"page": page, "visible": visible})
    with override_settings(ROOT_URLCONF=URLS):
        grouped, plain = Template(HEAD + GROUPED), Template(HEAD + LIST)
        grouped.render(context)
        with CaptureQueriesContext(connections[made.alias]) as queries:
            grouped.render(context)
        taken = interleaved(
            {"with": lambda: grouped.render(context), "without": lambda: plain.render(context)}, rounds
        )
        others = sum(entry.count > 0 for entry in group(page, visible.all()))
    return Tag(len(queries), taken["with"] - taken["without"], others)


def _page(made: Site) -> list[Any]:
    """First posts of planted pairs and, as many, others."""
    from benchmarks.board.models import Post

    planted = [one + 1 for one, _ in made.layout.planted[: PAGE // 2]]
    rows = Post._default_manager.using(made.alias)
    found = [
        *rows.filter(pk__in=planted),
        *rows.exclude(pk__in=planted).order_by("pk")[: PAGE - len(planted)],
    ]
    return sorted(found, key=lambda post: post.pk)
