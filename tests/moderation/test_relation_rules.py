"""What an adapter says of the rows that point at a post: which move, stay, unite, are derived, or refuse."""

import pytest
from django.contrib.auth import get_user_model

from django_neardup import registry
from django_neardup.adapters import Adapter, register
from django_neardup.exceptions import MergeRefused, UndoIsInexact
from django_neardup.moderation import ActionContext, delete, merge, plan_merge
from django_neardup.moderation.relation_rules import RelationRules, unknown_names
from tests.moderation.tools import kind, pieces, run, site, undone
from tests.testapp import zoo
from tests.testapp.database_made import Shadow, Tally, Visit
from tests.testapp.models import Ad
from tests.testapp.zoo import Person, Piece, Vote

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    """Only what a test registers is registered."""
    monkeypatch.setattr(registry, "_registry", {})


def registered(model, adapter=Adapter, **attributes):
    register(model)(type("TestAdapter", (adapter,), {"fields": ["text"], **attributes}))


def rules(**attributes):
    registered(Piece, **attributes)


class TestRules:
    def test_rows_that_stay_go_with_the_post_and_come_back(self):
        rules(relations={"testapp.Cascading": "stay", "testapp.remark": "stay"})
        keeper, loser = pieces("keeper", "loser")
        zoo.Cascading.objects.create(piece=loser)
        zoo.Remark.objects.create(about=loser)
        zoo.Nulling.objects.create(piece=loser)
        before, loser_id = site(), str(loser.pk)

        (record,) = run(keeper, loser)
        assert not zoo.Cascading.objects.exists()
        assert zoo.Remark.objects.get().key == loser_id
        assert zoo.Nulling.objects.get().piece == keeper
        (record,) = undone(record)

        assert site() == before
        assert record.left == []

    def test_history_stays_whatever_its_model_is_called(self, monkeypatch):
        """The models that django-simple-history makes name the model that they record."""
        monkeypatch.setattr(zoo.Remark, "instance_type", Piece, raising=False)
        keeper, loser = pieces("keeper", "loser")
        zoo.Remark.objects.create(about=loser)
        before = site()

        (record,) = run(keeper, loser)
        assert site()["testapp.Remark"] == before["testapp.Remark"]
        undone(record)

        assert site() == before

    def test_rows_that_unite_want_no_decision(self):
        rules(relations={"testapp.rating": "unite"})
        keeper, loser = pieces("keeper", "loser")
        both, one = Person.objects.create(name="both"), Person.objects.create(name="one")
        for piece, person in ((keeper, both), (loser, both), (loser, one)):
            zoo.Alias.objects.create(piece=piece, name=person.name)
            zoo.Rating.objects.create(piece=piece, person=person)
        before = site()
        assert {conflict.model for conflict in plan_merge(keeper, [loser], "default").conflicts} == {
            zoo.Alias
        }

        (record,) = merge(keeper, [loser], ActionContext(), choices={"testapp.alias": "keeper"})
        assert set(zoo.Rating.objects.values_list("piece", "person")) == {
            (keeper.pk, both.pk),
            (keeper.pk, one.pk),
        }
        undone(record)

        assert site() == before

    @pytest.mark.parametrize("act", ["merge", "delete"])
    def test_a_post_with_rows_that_refuse_stays(self, act):
        rules(relations={"testapp.nulling.piece": "refuse"})
        keeper, loser, free = pieces("keeper", "loser", "free")
        zoo.Nulling.objects.create(piece=loser)

        with pytest.raises(MergeRefused, match="neither merged nor deleted"):
            run(keeper, loser) if act == "merge" else delete([loser], ActionContext())
        run(keeper, free)

        assert Piece.objects.filter(pk=loser.pk).exists()

    def test_derived_rows_are_neither_moved_nor_brought_back(self):
        rules(relations={"testapp.shadow*": "ignore"})
        keeper, loser = pieces("keeper", "loser")
        Shadow.objects.create(piece=loser)

        (record,) = run(keeper, loser)
        assert not Shadow.objects.exists()
        (record,) = undone(record)

        assert not Shadow.objects.exists()
        assert record.left == []

    def test_a_loss_that_the_adapter_accepts(self, monkeypatch):
        rules(accepts_loss=["testapp.Person"])
        keeper, loser = pieces("keeper", "loser")
        Person.objects.create(name="x")
        monkeypatch.setattr(Piece, "save_base", _rename_people)

        with pytest.raises(UndoIsInexact) as refused:
            run(keeper, loser)
        assert refused.value.is_acceptable
        assert Person.objects.get().name == "x"
        (record,) = run(keeper, loser, accepts_loss=True)
        assert record.journal["proof"] == "accepted"
        assert record.journal["lost"] == refused.value.reasons[1:] != []
        undone(record)

        assert Person.objects.get().name == "renamed"

    def test_a_loss_that_the_adapter_does_not_accept(self, monkeypatch):
        rules(accepts_loss=["testapp.Group"])
        keeper, loser = pieces("keeper", "loser")
        Person.objects.create(name="x")
        monkeypatch.setattr(Piece, "save_base", _rename_people)

        with pytest.raises(UndoIsInexact) as refused:
            run(keeper, loser, accepts_loss=True)

        assert not refused.value.is_acceptable

    def test_the_longest_name_wins(self):
        rules = RelationRules(
            {"testapp.*": "stay", "testapp.rating": "unite", "testapp.rating.piece": "refuse"}
        )

        assert rules.rule_for(zoo.Rating, "piece") == "refuse"
        assert rules.rule_for(zoo.Rating, "person") == "unite"
        assert rules.rule_for(zoo.Alias, "piece") == "stay"
        assert rules.rule_for(get_user_model(), "x") == "move"

    def test_names_that_the_site_does_not_have(self):
        names = [
            "testapp.Rating",
            "testapp.rating.piece",
            "guardian.*",
            "testapp.nothing",
            "testapp.rating.x",
        ]

        assert list(unknown_names(names)) == ["testapp.nothing", "testapp.rating.x"]


def _rename_people(self, *args, **kwargs):
    super(Piece, self).save_base(*args, **kwargs)
    Person.objects.update(name="renamed")


class TestSums:
    @pytest.mark.parametrize("order", [(0, 1), (1, 0)])
    def test_each_undo_takes_its_share_back(self, order):
        registered(Ad, sum_fields=["hits"])
        keeper, one, two = (
            Ad.objects.create(text=text, hits=hits) for text, hits in (("k", 5), ("a", 3), ("b", 4))
        )

        records = run(keeper, one, two)
        keeper.refresh_from_db()
        assert keeper.hits == 12
        Ad.objects.filter(pk=keeper.pk).update(hits=20)
        shares = {0: 3, 1: 4}
        expected = 20
        for number in order:
            (record,) = undone(records[number])
            expected -= shares[number]
            keeper.refresh_from_db()
            assert keeper.hits == expected
            assert record.left == []

        assert Ad.objects.get(pk=one.pk).hits == 3

    @pytest.mark.parametrize("is_merged_on", [False, True])
    def test_a_sum_that_others_have_lowered(self, is_merged_on):
        """No number below zero is stored: the record says that it was left."""
        registered(Vote, sum_fields=["object_id"])
        one, two, three = (
            Vote.objects.create(content_type=kind(Ad), object_id=number, person=Person.objects.create())
            for number in (1, 5, 2)
        )

        (record,) = run(one, two)
        Vote.objects.filter(pk=one.pk).update(object_id=0)
        if is_merged_on:
            (other,) = run(three, one)
        (record,) = undone(record)

        assert "changed since, stays unchanged" in " ".join(record.left)
        assert Vote.objects.get(pk=two.pk).object_id == 5
        assert Vote.objects.get(pk=(three if is_merged_on else one).pk).object_id == (
            2 if is_merged_on else 0
        )

    @pytest.mark.parametrize("order", [(0, 1), (1, 0)])
    def test_through_a_later_merge_of_the_keeper(self, order):
        registered(Ad, sum_fields=["hits"])
        last, keeper, loser = (
            Ad.objects.create(text=text, hits=hits) for text, hits in (("l", 1), ("k", 10), ("a", 100))
        )
        before = site()

        records = [*run(keeper, loser), *run(last, Ad.objects.get(pk=keeper.pk))]
        assert Ad.objects.get().hits == 111
        undone(records[order[0]])
        found = dict(Ad.objects.values_list("text", "hits"))
        assert found == ({"l": 11, "a": 100} if order[0] == 0 else {"l": 1, "k": 110})
        undone(records[order[1]])

        assert site() == before

    def test_a_sum_is_not_offered_for_a_choice(self):
        registered(Ad, sum_fields=["hits"], fixed_fields=["sku"])
        keeper, loser = (
            Ad.objects.create(text="a", hits=1, sku="1"),
            Ad.objects.create(text="b", hits=2, sku="2"),
        )

        plan = plan_merge(keeper, [loser], "default")

        assert {column.field.name for column in plan.column_choices} == {"text"}


class TestHooks:
    def test_in_their_order_and_in_the_transaction(self, monkeypatch):
        called = []

        class WithHooks(Adapter):
            fields = ("text",)

            def before_delete(self, instance):
                called.append(("before_delete", instance.code))

            def after_restore(self, instance):
                called.append(("after_restore", instance.code))

            def recount(self, instances):
                called.append(("recount", [instance.code for instance in instances]))

        registered(Piece, adapter=WithHooks)
        keeper, loser = pieces("keeper", "loser")

        (record,) = run(keeper, loser)
        proof = [("after_restore", "loser"), ("recount", ["loser", "keeper"])]
        assert called == [("before_delete", "loser"), ("recount", ["keeper", "loser"]), *proof]
        undone(record)
        assert called[4:] == proof
        called.clear()
        delete([loser], ActionContext())

        assert called == [
            ("before_delete", "loser"), ("recount", ["loser"]), ("after_restore", "loser"), ("recount", ["loser"]),
        ]  # fmt: skip

    def test_counters_are_right_after_a_merge_and_after_its_undo(self):
        class Counting(Adapter):
            fields = ("text",)

            def recount(self, instances):
                for tally in Tally.objects.all():
                    visits = Visit.objects.filter(tally=tally).values("piece").distinct().count()
                    Tally.objects.filter(pk=tally.pk).update(visits=visits)

        registered(Piece, adapter=Counting)
        keeper, loser = pieces("keeper", "loser")
        tally = Tally.objects.create(name="visited pieces")
        for piece in (keeper, loser):
            Visit.objects.create(piece=piece, tally=tally)
        before = site()

        (record,) = run(keeper, loser)
        assert Tally.objects.get().visits == 1
        undone(record)

        assert site() == before

    @pytest.mark.parametrize("order", [(0, 1), (1, 0)])
    @pytest.mark.parametrize("is_chain", [False, True])
    def test_a_counter_that_is_set_by_a_save_leaves_the_date_of_the_last_change(self, order, is_chain):
        """The row with the counter is the post that stays, also after that one was merged on."""

        class Counting(Adapter):
            fields = ("words",)

            def recount(self, instances):
                for sealed in zoo.Sealed.objects.filter(pk__in=[instance.pk for instance in instances]):
                    sealed.number = zoo.SealedNote.objects.filter(sealed=sealed).count()
                    sealed.save()

        registered(zoo.Sealed, adapter=Counting)
        last, one, two = (zoo.Sealed.objects.create(words=words, number=1) for words in "abc")
        for sealed in (last, one, two):
            zoo.SealedNote.objects.create(sealed=sealed)
        before = site()
        records = []
        for keeper, loser in [(one, two), (last, one)] if is_chain else [(last, one), (last, two)]:
            records += run(zoo.Sealed.objects.get(pk=keeper.pk), zoo.Sealed.objects.get(pk=loser.pk))
        assert zoo.Sealed.objects.get().number == 3

        for number in order:
            undone(records[number])
            for sealed in zoo.Sealed.objects.all():
                assert sealed.number == zoo.SealedNote.objects.filter(sealed=sealed).count()

        assert site() == before


class TestLinks:
    def test_a_named_rule_says_that_what_a_link_holds_matters(self):
        keeper, loser = pieces("keeper", "loser")
        shelf = zoo.Shelf.objects.create()
        for place, piece in enumerate((keeper, loser)):
            zoo.ShelfItem.objects.create(shelf=shelf, piece=piece, place=place)
        assert plan_merge(keeper, [loser], "default").conflicts == []

        rules(relations={"testapp.shelfitem": "move"})

        assert [conflict.model for conflict in plan_merge(keeper, [loser], "default").conflicts] == [
            zoo.ShelfItem
        ]


def test_rows_that_may_grant_rights_say_so():
    """A row of a model that nobody has named joins the post and a user."""
    keeper, loser = pieces("keeper", "loser")
    zoo.Cascading.objects.create(piece=loser)
    zoo.Access.objects.create(piece=loser, user=get_user_model().objects.create(username="u"))

    def sentences(model):
        lines = {line.model: line for line in plan_merge(keeper, [loser], "default").lines()}
        return " ".join(lines[model].sentences)

    assert "rights" not in sentences(zoo.Cascading)
    assert "rights" in sentences(zoo.Access)
    rules(relations={"testapp.access": "move"})
    assert "rights" not in sentences(zoo.Access)
