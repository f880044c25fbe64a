"""An action that cannot be undone is refused; what nobody planned comes back all the same."""

import pytest
from django.core.exceptions import ValidationError
from django.db import connection, models
from django.db.models.signals import post_delete, post_save, pre_delete
from django.test import override_settings

from django_neardup import registry
from django_neardup.adapters import Adapter, register
from django_neardup.exceptions import MergeRefused, UndoIsInexact
from django_neardup.models import MergeRecord
from django_neardup.moderation import ActionContext, delete, hide, merge, plan_merge
from django_neardup.moderation.undo.restore import undo_records
from django_neardup.signals import pre_merge
from django_neardup.testing import assert_undo_is_exact, is_proof
from tests.moderation.tools import pieces, run, site, undone
from tests.testapp import database_made
from tests.testapp.database_made import Echo, Shadow, ShadowNote, SingleNote, Tally, Visit
from tests.testapp.zoo import (
    Basket,
    BasketItem,
    Group,
    Nulling,
    Person,
    Piece,
    Product,
    Review,
    Sealed,
    Single,
)

pytestmark = pytest.mark.django_db


def removed(*posts):
    return delete(posts, ActionContext())


class TestTheDatabaseDeletes:
    def surrounded(self):
        keeper, loser = pieces("keeper", "loser")
        shadow = Shadow.objects.create(piece=loser, text="dusk")
        ShadowNote.objects.create(shadow=shadow)
        Echo.objects.create(piece=loser)
        Echo.objects.create(piece=keeper)
        return keeper, loser

    def test_rows_that_go_with_a_deleted_post_come_back(self):
        _keeper, loser = self.surrounded()
        before = site()

        (record,) = removed(loser)
        assert not Shadow.objects.exists()
        assert not ShadowNote.objects.exists()
        assert Echo.objects.filter(piece=None).count() == 1
        (record,) = undone(record)

        assert site() == before
        assert record.left == []

    def test_rows_of_a_merged_post_move(self):
        keeper, loser = self.surrounded()
        before = site()

        (record,) = run(keeper, loser)
        assert Shadow.objects.get().piece_id == keeper.pk
        assert ShadowNote.objects.count() == 1
        undone(record)

        assert site() == before

    def test_each_post_of_a_batch_gets_its_own_back(self):
        one, two = pieces("one", "two")
        for piece in (one, two):
            ShadowNote.objects.create(shadow=Shadow.objects.create(piece=piece, text=piece.code))
        before = site()

        records = removed(one, two)
        undone(records[0])
        assert [shadow.text for shadow in Shadow.objects.all()] == ["one"]
        undone(records[1])

        assert site() == before

    @pytest.mark.parametrize("choice", ["keeper", "loser"])
    def test_rows_that_go_with_a_dropped_row_come_back(self, choice):
        keeper, loser = pieces("keeper", "loser")
        for piece in (keeper, loser):
            SingleNote.objects.create(single=Single.objects.create(piece=piece))
        before = site()

        (record,) = run_with(keeper, loser, choices={"testapp.single": choice})
        assert SingleNote.objects.count() == 1
        (record,) = undone(record)

        assert site() == before
        assert record.left == []


@pytest.mark.skipif(not hasattr(models, "DB_CASCADE"), reason="Django 6.1 is the first with DB_CASCADE")
class TestDjangoLetsTheDatabaseDelete:
    """``DB_CASCADE`` and ``DB_SET_NULL``."""

    def surrounded(self):
        keeper, loser = pieces("keeper", "loser")
        for piece in (keeper, loser):
            database_made.TraceNote.objects.create(trace=database_made.Trace.objects.create(piece=piece))
            database_made.Loose.objects.create(piece=piece)
            single = Single.objects.create(piece=piece)
            database_made.SingleTrace.objects.create(single=single)
        return keeper, loser

    def test_rows_that_go_with_a_deleted_post_come_back(self):
        _keeper, loser = self.surrounded()
        before = site()

        (record,) = removed(loser)
        assert database_made.TraceNote.objects.count() == 1
        assert database_made.Loose.objects.filter(piece=None).count() == 1
        (record,) = undone(record)

        assert site() == before
        assert record.left == []

    @pytest.mark.parametrize("choice", ["keeper", "loser"])
    def test_rows_that_go_with_a_dropped_row_come_back(self, choice):
        keeper, loser = self.surrounded()
        before = site()

        (record,) = run_with(keeper, loser, choices={"testapp.single": choice})
        assert database_made.SingleTrace.objects.count() == 1
        assert set(database_made.Trace.objects.values_list("piece", flat=True)) == {keeper.pk}
        (record,) = undone(record)

        assert site() == before
        assert record.left == []


def run_with(keeper, loser, **options):
    return merge(keeper, [loser], ActionContext(), **options)


class TestTriggers:
    def test_what_they_count_is_right_after_a_deletion_and_after_its_undo(self):
        (loser,) = pieces("loser")
        tally = Tally.objects.create(name="all")
        for _ in range(3):
            Visit.objects.create(piece=loser, tally=tally)
        before = site()

        (record,) = removed(loser)
        tally.refresh_from_db()
        assert tally.visits == 0
        undone(record)

        assert site() == before
        tally.refresh_from_db()
        assert tally.visits == 3

    def test_a_count_that_grew_since_keeps_what_came(self):
        loser, other = pieces("loser", "other")
        tally = Tally.objects.create(name="all")
        Visit.objects.create(piece=loser, tally=tally)

        (record,) = removed(loser)
        Visit.objects.create(piece=other, tally=tally)
        undone(record)

        tally.refresh_from_db()
        assert tally.visits == 2


class TestAModelsOwnDelete:
    def test_rows_that_it_deletes_besides_come_back(self, monkeypatch):
        keeper, loser = pieces("keeper", "loser")
        topic, person = Group.objects.create(name="topic"), Person.objects.create(name="topic")
        loser.groups.add(topic)

        def with_topic(self, *args, **kwargs):
            models.Model.delete(self, *args, **kwargs)
            Group.objects.filter(name="topic").delete()
            Person.objects.filter(pk=person.pk).update(name="nobody")
            with connection.cursor() as cursor:
                cursor.execute("UPDATE testapp_piece SET text = 'last' WHERE code = %s", ["keeper"])

        monkeypatch.setattr(Piece, "delete", with_topic)
        before = site()

        for act in (lambda: run(keeper, loser), lambda: removed(loser)):
            (record,) = act()
            assert not Group.objects.exists()
            assert Person.objects.get().name == "nobody"
            assert Piece.objects.get(pk=keeper.pk).text == "last"
            (record,) = undone(record)

            assert site() == before
            assert record.left == []

    def test_rows_come_back_after_those_that_they_reference(self, monkeypatch, listen):
        """Triggers insert rows of a full-text table with the rows that they index."""
        loser, other = pieces("loser", "other")
        visit = Visit.objects.create(piece=other, tally=Tally.objects.create(name="all"))

        def with_visit(self, *args, **kwargs):
            models.Model.delete(self, *args, **kwargs)
            visit.delete()
            Tally.objects.all().delete()

        monkeypatch.setattr(Piece, "delete", with_visit)
        before, came = site(), []
        (record,) = removed(loser)
        listen(post_save, lambda sender, **kwargs: came.append(sender))
        undone(record)

        assert [model for model in came if model in (Tally, Visit)] == [Tally, Visit]
        assert site() == before

    def test_what_it_forbids_is_a_refusal(self, monkeypatch):
        keeper, loser = pieces("keeper", "loser")

        def forbid(self, *args, **kwargs):
            raise ValidationError("It is in a parcel.")

        monkeypatch.setattr(Piece, "delete", forbid)

        for act in (lambda: run(keeper, loser), lambda: removed(loser)):
            with pytest.raises(MergeRefused, match="in a parcel"):
                act()

    def test_a_row_comes_back_with_the_post_that_took_it_along(self, monkeypatch):
        """The last post of a topic takes the topic along, and each one before changes it."""
        posts = pieces("one", "two", "three")
        topic = Group.objects.create(name="3")
        for post in posts:
            topic.piece_set.add(post)

        def with_topic(self, *args, **kwargs):
            left = topic.piece_set.count() - 1
            models.Model.delete(self, *args, **kwargs)
            if left:
                Group.objects.filter(pk=topic.pk).update(name=str(left))
            else:
                topic.delete()

        monkeypatch.setattr(Piece, "delete", with_topic)
        before = site()

        records = removed(*posts)
        assert not Group.objects.exists()
        results = undo_records(records, None, "default")

        assert [result.reasons for result in results] == [[], [], []]
        assert site() == before

    def test_what_it_changes_in_a_row_that_moves_belongs_to_its_post(self, monkeypatch):
        """One statement moves the rows of both posts."""
        keeper, one, two = pieces("keeper", "one", "two")
        basket = Basket.objects.create()
        items = [
            BasketItem.objects.create(basket=basket, piece=piece, count=count)
            for count, piece in enumerate((one, two), start=1)
        ]

        def with_count(self, *args, **kwargs):
            models.Model.delete(self, *args, **kwargs)
            BasketItem.objects.filter(pk=items[1].pk).update(count=9)

        monkeypatch.setattr(Piece, "delete", with_count)
        before = site()

        records = run(keeper, one, two)
        undone(records[0])
        assert list(BasketItem.objects.order_by("pk").values_list("count", flat=True)) == [1, 9]
        undone(records[1])

        assert site() == before

    def test_a_reference_that_moves_and_is_set_again(self, monkeypatch):
        """The first post of a topic was merged: the topic's own code names the next one."""
        keeper, loser, following = pieces("keeper", "loser", "following")
        row = Nulling.objects.create(piece=loser)

        def with_next(self, *args, **kwargs):
            models.Model.delete(self, *args, **kwargs)
            Nulling.objects.update(piece=following)

        monkeypatch.setattr(Piece, "delete", with_next)
        before = site()

        (record,) = run(keeper, loser)
        row.refresh_from_db()
        assert row.piece == following
        (record,) = undone(record)

        assert record.left == []
        assert site() == before

    def test_what_a_listener_does_comes_back(self, listen):
        keeper, loser = pieces("keeper", "loser")
        group = Group.objects.create(name="one")

        def forget(sender, instance, **kwargs):
            Group.objects.filter(pk=group.pk).update(name=f"without {instance.code}")

        listen(pre_delete, forget, Piece)
        before = site()

        (record,) = run(keeper, loser)
        assert Group.objects.get().name == "without loser"
        undone(record)

        assert site() == before

    def test_what_a_listener_of_pre_merge_does_comes_back(self, listen):
        keeper, loser = pieces("keeper", "loser")
        item = BasketItem.objects.create(basket=Basket.objects.create(), piece=loser, count=3)
        single = Single.objects.create(piece=loser)
        Person.objects.create(name="x")

        def change(sender, losers, **kwargs):
            BasketItem.objects.filter(pk=item.pk).update(count=9)
            Piece.objects.update(text="archived")
            single.delete()
            Person.objects.all().delete()

        listen(pre_merge, change)
        before = site()

        (record,) = run(keeper, loser)
        assert BasketItem.objects.get().count == 9
        assert not Person.objects.exists()
        (record,) = undone(record)

        assert record.left == []
        assert site() == before


class TestCounters:
    """What a model's own code counts is given back as a share: others may have counted since."""

    @pytest.fixture
    def tally(self, monkeypatch):
        """Each deleted piece lowers the count, which no trigger raises again."""
        tally = Tally.objects.create(name="pieces", visits=4)

        def count(self, *args, **kwargs):
            models.Model.delete(self, *args, **kwargs)
            Tally.objects.filter(pk=tally.pk).update(visits=models.F("visits") - 1)

        monkeypatch.setattr(Piece, "delete", count)
        return tally

    @pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
    @pytest.mark.parametrize("together", [False, True])
    def test_undone_in_any_order(self, tally, order, together):
        posts = pieces("one", "two", "three")
        before = site()

        records = removed(*posts) if together else [record for post in posts for record in removed(post)]
        found = []
        for number in order:
            (record,) = undone(records[number])
            assert record.left == []
            tally.refresh_from_db()
            found.append(tally.visits)

        assert found == [2, 3, 4]
        assert site() == before

    def test_after_merges_into_each_other(self, tally):
        one, two, three = pieces("one", "two", "three")
        before = site()

        (first,) = run(two, one)
        (second,) = run(three, two)
        undone(first)
        tally.refresh_from_db()
        assert tally.visits == 3
        undone(second)

        assert site() == before

    def test_others_have_counted_since(self, tally):
        (one,) = pieces("one")

        (record,) = removed(one)
        Tally.objects.update(visits=100)
        undone(record)

        tally.refresh_from_db()
        assert tally.visits == 101


class TestComputedNumbers:
    """A number that ``save()`` computes from a value, as the width of an image, is no counter."""

    @pytest.fixture(autouse=True)
    def counted(self, monkeypatch):
        def save(self, *args, update_fields=None, **kwargs):
            self.number = len(self.words.split())
            fields = None if update_fields is None else {*update_fields, "number"}
            models.Model.save(self, *args, update_fields=fields, **kwargs)

        monkeypatch.setattr(Sealed, "save", save)
        monkeypatch.setattr(Sealed._meta.get_field("number"), "editable", False)

    def found(self, sealed):
        sealed.refresh_from_db()
        return sealed.words, sealed.number

    @pytest.mark.parametrize("words", ["", "a b c d e"])
    def test_the_value_was_edited_since(self, words):
        keeper, loser = Sealed.objects.create(), Sealed.objects.create(words="a b c")

        (record,) = run(keeper, loser)
        assert self.found(keeper) == ("a b c", 3)
        keeper.words = words
        keeper.save()
        undone(record)

        assert self.found(keeper) == (words, len(words.split()))
        assert self.found(loser) == ("a b c", 3)

    def test_the_value_was_set_by_a_later_merge(self):
        keeper, one, two = (Sealed.objects.create(words=words) for words in ("", "a b c", "d e"))
        before = site()

        (first,) = run(keeper, one)
        (second,) = run_with(keeper, two, values={"words": two.pk})
        undone(first)
        assert self.found(keeper) == ("d e", 2)
        undone(second)

        assert self.found(keeper) == ("", 0)
        assert {**site(), "testapp.Sealed": None} == {**before, "testapp.Sealed": None}


class TestRefusals:
    def test_a_listener_that_counts_what_comes_back(self, listen):
        """It does not count what goes, so after an undo there is one too many."""
        keeper, loser = pieces("keeper", "loser")
        Person.objects.create(name="1")

        def count(sender, instance, raw, **kwargs):
            if raw:
                Person.objects.update(name="2")

        listen(post_save, count, Piece)
        before = site()

        with pytest.raises(MergeRefused) as refused:
            run(keeper, loser)

        assert any("name" in reason and "another value" in reason for reason in refused.value.reasons)
        assert site() == before
        assert not MergeRecord.objects.exists()

    def test_a_row_that_comes_back_without_a_part(self, listen):
        (loser,) = pieces("loser")
        Group.objects.create(name="x")

        def lose(sender, instance, raw, **kwargs):
            if raw:
                Group.objects.all().delete()

        listen(post_save, lose, Piece)

        with pytest.raises(MergeRefused):
            removed(loser)

        assert Group.objects.exists()
        assert Piece.objects.exists()

    def test_a_receiver_that_fails_in_the_undo(self, listen, caplog):
        keeper, loser = pieces("keeper", "loser")

        def fail(sender, raw, **kwargs):
            if raw:
                raise KeyError("slug")

        listen(post_save, fail, Piece)

        for act in (lambda: run(keeper, loser), lambda: removed(loser)):
            with pytest.raises(MergeRefused, match="The undo fails: KeyError: 'slug'"):
                act()
        assert Piece.objects.count() == 2
        assert "KeyError" in caplog.text

    def test_a_file_that_a_package_deletes_with_its_row(self, monkeypatch, listen):
        keeper, loser, empty = (Sealed.objects.create(scan=name) for name in ("keeper.txt", "loser.txt", ""))

        def delete_file(sender, instance, **kwargs):
            """As django-cleanup: after the commit, when no proof looks."""

        delete_file.__module__ = "django_cleanup.handlers"
        listen(post_delete, delete_file, Sealed)
        monkeypatch.setattr(registry, "_registry", {})

        with pytest.raises(MergeRefused, match="file loser"):
            run(keeper, loser)
        with pytest.raises(MergeRefused, match="file loser"):
            removed(loser)
        run(keeper, empty)
        register(Sealed)(type("Rules", (Adapter,), {"fields": ["words"], "accepts_loss": ["testapp.sealed"]}))
        with pytest.raises(UndoIsInexact, match="file loser"):
            run(keeper, loser)
        run(keeper, loser, accepts_loss=True)

    def test_a_statement_that_cannot_be_read(self, monkeypatch):
        (loser,) = pieces("loser")

        def with_statement(self, *args, **kwargs):
            models.Model.delete(self, *args, **kwargs)
            with connection.cursor() as cursor:
                cursor.execute("DELETE FROM django_session WHERE 1 = 0")
                # Neither changes anything, but only the first can be read.
                cursor.execute(
                    "REPLACE testapp_person SELECT * FROM testapp_person WHERE 1 = 0"
                    if connection.vendor == "mysql"
                    else "WITH none AS (SELECT 1) UPDATE testapp_person SET name = name WHERE 1 = 0"
                )

        monkeypatch.setattr(Piece, "delete", with_statement)

        with pytest.raises(MergeRefused, match="its source is unknown"):
            removed(loser)

        assert Piece.objects.exists()


class TestHiding:
    def test_the_date_of_the_last_change_need_not_go_back(self, monkeypatch):
        """The adapter's ``show()`` saves the post, which is a change of today."""

        class Hiding(Adapter):
            fields = ("words",)

            def hide(self, sealed):
                sealed.number = 0
                sealed.save()

            def show(self, sealed):
                sealed.number = 1
                sealed.save()

        monkeypatch.setattr(registry, "_registry", {})
        register(Sealed)(Hiding)
        one, other = Sealed.objects.create(number=1), Sealed.objects.create(number=2)

        (record,) = hide([one], ActionContext())
        undone(record)

        assert Sealed.objects.get(pk=one.pk).number == 1
        with pytest.raises(MergeRefused, match="number"):
            hide([other], ActionContext())

    def test_an_undo_that_the_adapter_forbids_is_refused(self, monkeypatch):
        class Hiding(Adapter):
            fields = ("words",)

            def hide(self, sealed):
                Sealed.objects.filter(pk=sealed.pk).update(number=0)

            def show(self, sealed):
                if Sealed.objects.get(pk=sealed.pk).words:
                    raise ValidationError("It has words.")
                Sealed.objects.filter(pk=sealed.pk).update(number=1)

        monkeypatch.setattr(registry, "_registry", {})
        register(Sealed)(Hiding)
        sealed = Sealed.objects.create(number=1)
        (record,) = hide([sealed], ActionContext())
        Sealed.objects.update(words="a")

        with pytest.raises(MergeRefused, match="It has words"):
            undone(record)

        record.refresh_from_db()
        assert record.undone is None


class TestEffects:
    def test_happen_once(self, listen):
        """A site deletes a file and calls a search server when a post goes."""
        keeper, loser = pieces("keeper", "loser")
        calls = []
        listen(post_delete, lambda sender, instance, **kwargs: calls.append(instance.code), Piece)

        for _ in range(10):
            plan_merge(keeper, [loser], "default")
        assert calls == []
        run(keeper, loser)

        assert calls == ["loser"]

    def test_listeners_may_ask_whether_it_is_a_proof(self, listen):
        keeper, loser = pieces("keeper", "loser")
        asked = []
        listen(post_save, lambda sender, raw, **kwargs: asked.append((raw, is_proof())), Piece)

        (record,) = run(keeper, loser)
        assert asked == [(True, True)]
        undone(record)

        assert asked == [(True, True), (True, False)]
        assert not is_proof()

    def test_callbacks_of_the_proof_are_dropped(self, django_capture_on_commit_callbacks):
        keeper, loser = pieces("keeper", "loser")

        with django_capture_on_commit_callbacks() as with_proof:
            (record,) = run(keeper, loser)
        undone(record)
        with django_capture_on_commit_callbacks() as without, unproved():
            run(keeper, loser)

        stored = [callback for callback in with_proof if callback.__name__ == "remember_outcome"]
        assert len(with_proof) - len(stored) == len(without) == 1


def unproved():
    return override_settings(NEARDUP={"default": {"BACKEND": None, "PROVE_UNDO": False}})


class TestSettings:
    def test_the_record_says_what_a_proof_came_to(self, settings):
        found = []
        for number, more in enumerate(({}, {"PROVE_UNDO": False}, {"PROVE_ROWS": 0})):
            settings.NEARDUP = {"default": {"BACKEND": None, **more}}
            keeper, loser = pieces(f"keeper {number}", f"loser {number}")
            (record,) = run(keeper, loser)
            found.append(record.journal["proof"])

        assert found == ["done", "off", "too many rows"]


class TestColumnsOfOtherPeople:
    def test_null_is_what_the_column_holds(self):
        keeper, loser = pieces("keeper", "loser")
        one, two = (Product.objects.create(piece=piece) for piece in (keeper, loser))
        for product in (one, two):
            Review.objects.create(product=product)
        before = products()

        for act in (
            lambda: merge(one, [two], ActionContext()),
            lambda: removed(two),
            lambda: run(keeper, loser),
        ):
            (record,) = act()
            (record,) = undone(record)

            assert products() == before
            assert record.left == []
        assert Product.objects.filter(code__isnull=True).count() == 2

    @pytest.mark.parametrize("chosen", [False, True])
    def test_values_that_are_neither_equal_nor_hashable(self, chosen):
        one, two = Product.objects.create(body="a b"), Product.objects.create(body="c d")
        twin = Product.objects.create(body="a b")
        before = products()

        plan = plan_merge(one, [two, twin], "default")
        (column,) = [column for column in plan.column_choices if column.field.name == "body"]
        assert [len(option.owners) for option in column.options] == [2, 1]
        records = merge(one, [two, twin], ActionContext(), values={"body": two.pk} if chosen else None)
        assert list(Product.objects.get().body) == (["c", "d"] if chosen else ["a", "b"])
        undone(*records)

        assert products() == before


def products():
    found = [
        (product.pk, product.piece_id, product.code, list(product.body))
        for product in Product.objects.order_by("pk")
    ]
    return found, list(Review.objects.order_by("pk").values())


class TestForSites:
    """``neardup.testing``: a site tries its own models."""

    def test_a_model_that_comes_back(self):
        names = iter("abc")

        def factory():
            (piece,) = pieces(next(names))
            Visit.objects.create(piece=piece, tally=Tally.objects.create(name="t"))
            return piece

        assert_undo_is_exact(factory)

    def test_a_model_that_does_not(self, listen):
        names = iter("abc")
        listen(post_save, lambda sender, raw, **kwargs: raw and Person.objects.update(name="x"), Piece)
        Person.objects.create(name="y")

        with pytest.raises(AssertionError, match="another value"):
            assert_undo_is_exact(lambda: pieces(next(names))[0])

    def test_without_a_proof_it_says_so(self):
        names = iter("abc")

        with unproved(), pytest.raises(AssertionError, match="not tried"):
            assert_undo_is_exact(lambda: pieces(next(names))[0])
