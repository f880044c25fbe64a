"""Characters that reverse what follows them, in every word of a user: no page of ours repeats them."""

import re

import pytest

from django_neardup.models import MergeRecord, Queue
from tests import builders
from tests.admin.tools import OUTCOMES, confirm, list_of, look, page_of
from tests.testapp.models import Ad, Author, Comment, Favourite, Invoice, Note, Tag

pytestmark = [pytest.mark.django_db, pytest.mark.engine_alike]

CONTROLS = re.compile("[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]")
TURNED = "\u202eгро.elpmaxe\u2066 \u2067 торг"


@pytest.fixture
def cluster(ads):
    """A group of adverts with rows of every kind at them. All texts of users turn round what follows."""
    keeper, loser, third = ads("сегодня", "завтра", "потом")
    owner = Author.objects.create(name=TURNED)
    made = builders.cluster(keeper, loser, third)
    for ad in (keeper, loser, third):
        ad.tags.add(Tag.objects.create(name=f"{TURNED} {ad.pk}"))
        ad.notes.create(text=TURNED)
        Comment.objects.create(ad=ad, text=TURNED)
        Favourite.objects.create(ad=ad, author=owner)
    Ad.objects.update(author=owner, title=TURNED, phone=TURNED, sku=TURNED)
    Ad.objects.filter(pk=loser.pk).update(title=TURNED * 2, parent=third)
    for model in (Note, Comment):
        assert not model.objects.exclude(text=TURNED).exists()
    return made


def shown(answer):
    assert answer.status_code == 200
    return answer.content.decode()


def lines_with_controls(page):
    return [line.strip() for line in page.splitlines() if CONTROLS.search(line)]


@pytest.mark.parametrize("outcome", OUTCOMES)
@pytest.mark.parametrize("is_protected", [False, True])
def test_no_page_of_a_decision_repeats_them(outcome, is_protected, root, cluster):
    if is_protected:
        for ad in Ad.objects.all():
            Invoice.objects.create(ad=ad)
    plan = shown(look(root, outcome, cluster))
    assert not lines_with_controls(plan)
    answer = confirm(root, outcome, cluster)
    # A refusal is shown at once.
    first = root.get(answer.url) if answer.status_code == 302 else answer
    pages = [first.content.decode(), shown(root.get(list_of(Queue), {"tab": "decided"}))]
    pages += [shown(root.get(list_of(MergeRecord)))]
    for record in MergeRecord.objects.all()[:1]:
        pages += [
            shown(root.get(page_of(record))),
            shown(root.get(f"{list_of(MergeRecord)}undo/{record.batch}/")),
        ]
    assert not [line for page in pages for line in lines_with_controls(page)]


def test_no_page_of_an_undo_that_is_not_possible_repeats_them(root, cluster):
    confirm(root, "hide", cluster)
    record = MergeRecord.objects.first()
    Ad.objects.filter(pk=record.loser_id).delete()
    page = shown(root.get(f"{list_of(MergeRecord)}undo/{record.batch}/"))
    assert "no longer exists: it was merged or deleted since" in page
    assert not lines_with_controls(page)
