"""A merge that would break a rule or lose data is refused, in words, and changes nothing."""

import pytest
from django.contrib.auth import get_user_model
from django.contrib.contenttypes.models import ContentType
from django.db import IntegrityError, transaction

from django_neardup.exceptions import Conflict, MergeRefused
from django_neardup.moderation import ActionContext, merge, plan_merge
from tests.moderation.tools import pieces, run, snapshot
from tests.testapp import zoo
from tests.testapp.models import Reply, Topic
from tests.testapp.zoo import Person, Piece

pytestmark = pytest.mark.django_db


def refused(keeper, *losers):
    """The reasons of a refusal that changed nothing, equal to those that the plan foretold."""
    by = get_user_model().objects.create(username="moderator")
    zoo.Cascading.objects.create(piece=losers[0]) if isinstance(losers[0], Piece) else None
    before = snapshot()
    with pytest.raises(MergeRefused) as caught:
        merge(keeper, losers, ActionContext(user=by))
    assert snapshot() == before
    assert plan_merge(keeper, losers, "default").reasons == caught.value.reasons
    return caught.value.reasons


def undecided(keeper, *losers):
    """The rows on which the one decision is wanting."""
    head, *clashes = refused(keeper, *losers)
    assert head == "1 choice is needed."
    return [clash.split(" “")[0] for clash in clashes]


def test_one_to_one_on_both_sides():
    keeper, loser = pieces("keeper", "loser")
    zoo.Single.objects.create(piece=keeper)
    row = zoo.Single.objects.create(piece=loser)

    assert refused(keeper, loser) == [
        "1 choice is needed.",
        f"Single {row.pk} “Single object ({row.pk})”: the keeper has one with the same piece already.",
    ]


def test_one_to_one_of_two_losers():
    keeper, one, two = pieces("keeper", "one", "two")
    zoo.Single.objects.create(piece=one)
    row = zoo.Single.objects.create(piece=two)

    assert undecided(keeper, one, two) == [f"Single {row.pk}"]


def test_a_key_that_is_the_posts_on_both_sides():
    keeper, loser = pieces("keeper", "loser")
    zoo.Passport.objects.create(piece=keeper, number="1")
    zoo.Passport.objects.create(piece=loser, number="2")

    assert undecided(keeper, loser) == [f"Passport {loser.pk}"]


def test_a_constraint_with_a_condition():
    keeper, loser = pieces("keeper", "loser")
    zoo.Boost.objects.create(piece=keeper)
    zoo.Boost.objects.create(piece=loser, active=False)
    row = zoo.Boost.objects.create(piece=loser)

    assert undecided(keeper, loser) == [f"Boost {row.pk}"]


def test_a_condition_that_does_not_hold_is_no_clash():
    keeper, loser = pieces("keeper", "loser")
    zoo.Boost.objects.create(piece=keeper)
    zoo.Boost.objects.create(piece=loser, active=False)

    run(keeper, loser)

    assert zoo.Boost.objects.filter(piece=keeper).count() == 2


def test_a_constraint_over_expressions():
    keeper, loser = pieces("keeper", "loser")
    zoo.Alias.objects.create(piece=keeper, name="Vesta")
    zoo.Alias.objects.create(piece=loser, name="Lada")
    row = zoo.Alias.objects.create(piece=loser, name="VESTA")

    assert undecided(keeper, loser) == [f"Alias {row.pk}"]


def test_a_generic_reference_of_which_there_is_one():
    keeper, loser = pieces("keeper", "loser")
    person = Person.objects.create(name="a")
    zoo.Vote.objects.create(about=keeper, person=person)
    row = zoo.Vote.objects.create(about=loser, person=person)

    assert undecided(keeper, loser) == [f"Vote {row.pk}"]


def test_several_clashes_are_listed_at_once():
    keeper, loser = pieces("keeper", "loser")
    for piece in (keeper, loser):
        zoo.Single.objects.create(piece=piece)
        zoo.Boost.objects.create(piece=piece)

    reasons = refused(keeper, loser)

    assert reasons[0] == "2 choices are needed."
    assert sorted(reason.split()[0] for reason in reasons[1:]) == ["Boost", "Single"]


def test_many_clashes_are_cut_short():
    keeper, loser = pieces("keeper", "loser")
    for number in range(60):
        zoo.Alias.objects.create(piece=keeper, name=str(number))
        zoo.Alias.objects.create(piece=loser, name=str(number))

    reasons = refused(keeper, loser)

    assert len(reasons) == 52
    assert (reasons[0], reasons[-1]) == ("60 choices are needed.", "Alias: 10 more like these.")


def test_what_points_at_a_row_that_would_go():
    keeper, loser = pieces("keeper", "loser")
    shelf = zoo.Shelf.objects.create()
    zoo.ShelfItem.objects.create(shelf=shelf, piece=keeper)
    zoo.ShelfLabel.objects.create(item=zoo.ShelfItem.objects.create(shelf=shelf, piece=loser))

    assert "shelf labels" in refused(keeper, loser)[0]


def test_other_models_and_kinds():
    topic, reply = Topic.objects.create(text="a"), Reply.objects.create(text="a")
    poster, video = zoo.Poster.objects.create(code="p", paper="p"), zoo.Video.objects.create(code="v")

    assert "of different models" in refused(topic, reply)[0]
    assert "of different kinds" in plan_merge(*_parents(poster, [video]), "default").reasons[0]


def test_a_child_of_a_row_that_names_its_class():
    """The keeper would have a row of the child, and still name its own class."""
    kinds = {model: ContentType.objects.get_for_model(model) for model in (zoo.Kinded, zoo.KindedChild)}
    plain = zoo.Kinded.objects.create(kind=kinds[zoo.Kinded])
    child = zoo.KindedChild.objects.create(kind=kinds[zoo.KindedChild])
    parent_of_child = zoo.Kinded.objects.get(pk=child.pk)

    assert "of different kinds" in refused(plain, parent_of_child)[0]
    assert not plan_merge(parent_of_child, [plain], "default").reasons


def _parents(keeper, losers):
    return Piece.objects.get(pk=keeper.pk), list(Piece.objects.filter(pk__in=[each.pk for each in losers]))


def test_a_post_and_itself():
    (piece,) = pieces("keeper")

    assert "into itself" in refused(piece, piece)[0]


def test_a_keeper_that_must_point_at_the_loser():
    root = zoo.Bound(pk=10**6, root_id=10**6)
    root.save()
    keeper = zoo.Bound.objects.create(root=root)

    assert "cannot be empty" in refused(keeper, root)[0]


def test_a_keeper_that_would_be_its_own_ancestor():
    keeper, loser, between = pieces("keeper", "loser", "between")
    Piece.objects.filter(pk=between.pk).update(parent=loser)
    Piece.objects.filter(pk=keeper.pk).update(parent=between)

    assert "its own ancestor" in refused(keeper, loser)[0]


def test_what_still_protects_after_the_moves(monkeypatch):
    keeper, loser = pieces("keeper", "loser")
    protecting = zoo.Protecting.objects.create(piece=loser)
    monkeypatch.setattr("django_neardup.moderation.actions.move_rows", lambda plan: None)
    before = snapshot()

    with pytest.raises(MergeRefused) as caught:
        run(keeper, loser)

    assert caught.value.reasons == [
        f"Protecting “Protecting object ({protecting.pk})” ({protecting.pk}) protects it from deletion."
    ]
    assert snapshot() == before


def test_what_only_the_database_knows(monkeypatch):
    keeper, loser = pieces("keeper", "loser")
    person = Person.objects.create(name="a")
    for piece in (keeper, loser):
        zoo.Rating.objects.create(piece=piece, person=person)
    monkeypatch.setattr("django_neardup.moderation.model_plan.unique_rules", lambda *args: [])
    before = snapshot()

    with pytest.raises(MergeRefused, match="The database refuses") as caught:
        run(keeper, loser)

    assert isinstance(caught.value.__cause__, IntegrityError)
    assert snapshot() == before


def test_an_object_that_is_gone():
    keeper, loser = pieces("keeper", "loser")
    Piece.objects.filter(pk=loser.pk).delete()
    before = snapshot()

    with pytest.raises(Conflict, match="lready deleted: loser"):
        run(keeper, loser)

    assert snapshot() == before


@pytest.mark.parametrize(
    "step",
    ["create_merge_records", "_log_merge", "remove_rows", "move_rows", "_delete_post", "_announce_merge"],
)
def test_a_failure_at_any_step_undoes_everything(step, monkeypatch):
    keeper, loser = pieces("keeper", "loser")
    zoo.Cascading.objects.create(piece=loser)
    before = snapshot()

    def fail(*args):
        raise RuntimeError(step)

    monkeypatch.setattr(f"django_neardup.moderation.actions.{step}", fail)
    with pytest.raises(RuntimeError, match=step):
        run(keeper, loser)

    assert snapshot() == before


@pytest.mark.django_db(transaction=True)
def test_inside_another_transaction():
    keeper, loser = pieces("keeper", "loser")

    with transaction.atomic(), pytest.raises(MergeRefused, match="its own transaction"):
        run(keeper, loser)

    assert Piece.objects.count() == 2
