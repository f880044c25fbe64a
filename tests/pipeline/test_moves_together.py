"""Posts that move to another space together: of one group, of one family, and at random."""

from __future__ import annotations

import random

import pytest
from django.db.models import F

from django_neardup.models import Cluster, Document, FamilyMember, Membership, OpenItem, Pair
from django_neardup.pipeline import decide, drain, mark_queryset
from django_neardup.pipeline.open_items import rebuild_open_items, refresh_open_items
from tests.pipeline.helpers import CAT, PIANO, PILES, SOFA, SOFA_EDITED, cluster, document, finish, work
from tests.testapp.models import ScopedPost

pytestmark = pytest.mark.django_db(transaction=True, databases=["default"])

CODES = ("С140.35", "С90.30", "С80.30", "С60.30")
TEXTS = (
    SOFA, SOFA_EDITED, f"{SOFA} Торг.", PIANO, f"{PIANO} Срочно.", CAT, *(PILES.format(code) for code in CODES)
)  # fmt: skip
SPACE_2 = '["2"]'


def group_of_two():
    made = [ScopedPost.objects.create(site=1, text=text) for text in (SOFA, SOFA_EDITED)]
    work()
    assert cluster(made[0]) == cluster(made[1]) is not None
    return made


def move_all():
    """As the guide of adapters tells to do it."""
    posts = ScopedPost.objects.filter(site=1)
    keys = list(posts.values_list("pk", flat=True))
    posts.update(site=2)
    mark_queryset(ScopedPost.objects.filter(pk__in=keys))


def save_all():
    for one in ScopedPost.objects.filter(site=1):
        one.site = 2
        one.save()


@pytest.mark.parametrize("move", [move_all, save_all])
@pytest.mark.parametrize("limits", [(1,), (50,), (2, 1)])
def test_a_group_follows(move, limits):
    """One post a batch, both in one batch, and both stored before the first of them is concluded again."""
    one, two = group_of_two()
    move()
    for limit in limits[:-1]:
        drain(limit=limit)
    finish(limits[-1])
    spaces = set(Membership.objects.values_list("cluster__space__scope", "document__space__scope"))
    assert spaces == {(SPACE_2, SPACE_2)}
    assert cluster(one) == cluster(two) is not None
    assert Cluster.objects.count() == Pair.objects.count() == 1


def test_a_group_is_split_by_a_move():
    one, two = group_of_two()
    third = ScopedPost.objects.create(site=1, text=f"{SOFA} Торг.")
    work()
    for each in (two, third):
        each.site = 2
        each.save()
    finish(50)
    assert cluster(one) is None and cluster(two) == cluster(third) is not None


@pytest.mark.parametrize("is_together", [False, True])
def test_a_family_follows(is_together):
    made = [ScopedPost.objects.create(site=1, text=PILES.format(code)) for code in CODES[:3]]
    work()
    assert FamilyMember.objects.count() == 2
    for one in made:
        one.site = 2
        one.save()
        if not is_together:
            work()
    finish(50)
    rebuild_open_items("default")
    for rows in (Document, Pair, FamilyMember, OpenItem):
        assert set(rows.objects.values_list("space__scope", flat=True)) == {SPACE_2}, rows


@pytest.mark.parametrize(
    "seed", [8, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 4, *range(20, 50)))]
)
def test_random_moves(seed):
    chance = random.Random(seed)
    posts = [
        ScopedPost.objects.create(text=chance.choice(TEXTS), site=chance.choice((1, 2))) for _ in range(12)
    ]
    work()
    for _ in range(6):
        for one in chance.sample(posts, 4):
            one.site, one.text = 3 - one.site, chance.choice([one.text, chance.choice(TEXTS)])
            one.save()
        for one in chance.sample(posts, 2):
            one.text = chance.choice(TEXTS)
            one.save()
        if chance.random() < 0.5:
            sides = [document(one) for one in chance.sample(posts, 2)]
            if sides[0].space_id == sides[1].space_id:
                decide(chance.choice(["same", "different"]), sides, None, "default")
        finish(chance.choice((1, 3, 50)))
        check_spaces()


def check_spaces():
    """Every row has the space of its documents, and the rows of the queue are those of a new queue."""
    assert not Pair.objects.exclude(a__space=F("space"), b__space=F("space")).exists()
    assert not Membership.objects.exclude(document__space=F("cluster__space")).exists()
    assert not FamilyMember.objects.exclude(document__space=F("space"), leader__space=F("space")).exists()
    while refresh_open_items("default"):
        pass
    before = queue()
    rebuild_open_items("default")
    assert before == queue()


def queue():
    rows = OpenItem.objects.values_list("kind", "number", "space__scope", "size", "part", "owner")
    return sorted(rows), sorted(Pair.objects.filter(open=True).values_list("pk", flat=True))
