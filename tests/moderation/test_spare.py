"""Of two rows that join the same one goes by itself; of two that join otherwise somebody says which."""

import pytest

from django_neardup.exceptions import MergeRefused
from django_neardup.moderation import ActionContext, merge, plan_merge
from tests.moderation.tools import pieces, run, snapshot
from tests.testapp import zoo
from tests.testapp.zoo import Group, Person

pytestmark = pytest.mark.django_db


def purchase(piece, name):
    person, _ = Person.objects.get_or_create(name=name)
    return zoo.Purchase.objects.create(piece=piece, person=person)


def opinion(piece, name):
    person, _ = Person.objects.get_or_create(name="a")
    choice, _ = Group.objects.get_or_create(name=name)
    return zoo.Opinion.objects.create(piece=piece, person=person, choice=choice)


@pytest.mark.parametrize("make", [purchase, opinion])
@pytest.mark.parametrize("choice", ["keeper", "loser"])
def test_a_row_that_joins_otherwise_is_not_spare(make, choice):
    keeper, loser = pieces("keeper", "loser")
    rows = {"keeper": make(keeper, "one"), "loser": make(loser, "two")}
    before = snapshot()

    with pytest.raises(MergeRefused, match="1 choice is needed"):
        run(keeper, loser)
    assert snapshot() == before
    plan = plan_merge(keeper, [loser], "default")
    assert ([(clash.pk, clash.holder_pks) for clash in plan.conflicts], plan.removals) == (
        [(rows["loser"].pk, (rows["keeper"].pk,))], [],
    )  # fmt: skip

    merge(keeper, [loser], ActionContext(), choices={type(rows[choice])._meta.label_lower: choice})
    assert [(row.pk, row.piece) for row in type(rows[choice]).objects.all()] == [(rows[choice].pk, keeper)]


@pytest.mark.parametrize("make", [purchase, opinion])
def test_a_row_that_joins_the_same_is_spare(make):
    keeper, loser = pieces("keeper", "loser")
    kept, _spare = make(keeper, "one"), make(loser, "one")

    run(keeper, loser)

    assert [(row.pk, row.piece) for row in type(kept).objects.all()] == [(kept.pk, keeper)]
