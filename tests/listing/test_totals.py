"""Whatever the clusters, the filter and the order: what is shown, counted and paged is what Python finds."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from django.core.paginator import Paginator
from django.db import transaction
from django.db.models import Count, Q
from hypothesis import HealthCheck, given
from hypothesis import strategies as some

from django_neardup import collapse
from django_neardup.listing import representatives
from tests.fuzzing import examples
from tests.listing.tables import KINDS, POSTS, ROWS, Kind, Row, expected, matching, store

pytestmark = pytest.mark.django_db

EXAMPLES = examples(30, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(params=[1, 2, 16])
def largest(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """From what size on a cluster is settled once in a statement."""
    monkeypatch.setattr(representatives, "MAX_SMALL_CLUSTER", request.param)
    return int(request.param)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.model.__name__)
@EXAMPLES
@given(data=some.data(), table=ROWS)
def test_what_is_shown_is_what_python_finds(largest: int, kind: Kind, data: Any, table: list[Row]) -> None:
    with transaction.atomic():
        check(kind, data.draw, table)
        transaction.set_rollback(True)


def check(kind: Kind, draw: Any, table: list[Row]) -> None:
    clusters = store(kind, table)
    condition, limit = draw(some.sampled_from(kind.filters)), draw(some.sampled_from(kind.filters))
    order, by = draw(some.sampled_from(kind.orders)), draw(some.none() | some.sampled_from(kind.orders))
    found = matching(kind, condition, order)
    visible = draw(some.sampled_from([None, kind.model._default_manager.all(), matching(kind, limit, ())]))
    collapsed = collapse(found, visible, by or None)
    held = {post.pk for post in (found if visible is None else visible)}
    chosen = order if by is None or by == () else by
    static = () if "?" in chosen else chosen
    wanted = expected([post for post in found.order_by(*static, "pk") if post.pk in held], clusters)

    assert sorted(post.pk for post in collapsed) == sorted(wanted)
    assert collapsed.count() == len(wanted)
    assert collapsed.exists() is bool(wanted)
    general = collapsed.filter(Q(pk__isnull=False))
    assert sorted(general.values_list("pk", flat=True)) == sorted(wanted)
    assert sorted(general.values_list("pk", flat=True)[:POSTS]) == sorted(wanted)
    assert general.count() == len(wanted)
    if "?" not in order:
        paged(collapsed, found, wanted, by is None)
    facets = collapsed.order_by().values("text").annotate(count=Count("pk", distinct=True))
    assert sum(each["count"] for each in facets) == len(wanted)
    counts = {post.pk: post.neardup.count for post in collapsed}
    members = Counter(clusters[key] for key in held if key in clusters)
    assert counts == {key: members[clusters[key]] - 1 if key in clusters else 0 for key in wanted}


def paged(collapsed: Any, found: Any, wanted: list[Any], in_one_order: bool) -> None:
    """Pages one after another are the whole list, each post once, in the list's order. Where the best are chosen by the
    list's own order, that is so among posts of one place too."""
    pages = Paginator(collapsed.order_by(*collapsed.query.order_by, "pk"), 2)
    together = [post.pk for number in pages.page_range for post in pages.page(number)]
    ordered = [post.pk for post in found.order_by(*found.query.order_by, "pk") if post.pk in set(wanted)]
    assert pages.count == len(wanted)
    assert together == ordered
    if collapsed.ordered and in_one_order:
        own = Paginator(collapsed.all(), 2)
        assert sorted(post.pk for number in own.page_range for post in own.page(number)) == sorted(wanted)
