"""Merges of any kind, undone in any order, leave the site as it was."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from django_neardup.models import MergeRecord
from django_neardup.moderation import ActionContext, merge, plan_merge
from tests.fuzzing import examples
from tests.moderation.tools import site, undone
from tests.testapp.offers import Click, Offer, Promotion, Report

pytestmark = pytest.mark.django_db
MOST = 6


@contextmanager
def cleared() -> Iterator[None]:
    """Nothing is left for the next example."""
    try:
        yield
    finally:
        for model in (MergeRecord, Report, Offer):
            model.objects.all().delete()


def make_offers(draw) -> list[Offer]:
    """Each with a title of its own, most of them with a promotion, which has clicks and may have a report."""
    found = []
    for number in range(draw(st.integers(3, MOST))):
        offer = Offer.objects.create(title=f"title {number}", text=f"text {number}")
        found.append(offer)
        if draw(st.integers(0, 4)):
            promotion = Promotion.objects.create(offer=offer, until=date(2026, 12, number + 1))
            Click.objects.bulk_create([Click(promotion=promotion)] * draw(st.integers(0, 2)))
            Report.objects.bulk_create([Report(promotion=promotion)] * draw(st.integers(0, 1)))
    return found


def merged(draw, keeper, loser):
    """A merge whose clashes and whose text are decided by chance."""
    clashes = plan_merge(keeper, [loser], "default").conflicts
    choices = {clash.choice_key: draw(st.sampled_from(["keeper", "loser"])) for clash in clashes}
    values = draw(st.sampled_from([{}, {"text": keeper.pk}, {"text": loser.pk}]))
    (record,) = merge(keeper, [loser], ActionContext(), choices=choices, values=values)
    return record


@examples(25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_any_merges_are_undone_in_any_order(data):
    with cleared():
        offers = make_offers(data.draw)
        before, records = site(), []
        while len(offers) > 1 and data.draw(st.integers(0, 6)):
            keeper, loser = data.draw(st.permutations(offers))[:2]
            records.append(merged(data.draw, keeper, loser))
            offers.remove(loser)

        for record in data.draw(st.permutations(records)):
            undone(record)

        assert site() == before
