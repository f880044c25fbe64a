"""``find_similar``: which posts are found, in what order, and what is told of them."""

import pytest
from asgiref.sync import async_to_sync
from django.db import connections
from django.urls import reverse
from django.utils.functional import lazystr

import django_neardup as neardup
from django_neardup.comparison import verify
from django_neardup.exceptions import NotRegistered
from django_neardup.models import Scheme, Space
from django_neardup.pipeline import availability
from django_neardup.visibility import GroupingError
from tests.pipeline.families import family
from tests.pipeline.helpers import CAT, PIANO, PILES, SOFA, SOFA_EDITED, post, work
from tests.search.tools import VISIBLE, edited, names, only_reading
from tests.testapp.models import (
    Ad,
    Article,
    Author,
    LongArticle,
    Reply,
    ScopedPost,
    SlugPost,
    Topic,
    Unregistered,
    UuidPost,
)

pytestmark = pytest.mark.django_db(databases=["default", "other"])


class Replica:
    def db_for_read(self, model, **hints):
        return "other"

    def db_for_write(self, model, **hints):
        return "default"


def found(text, model=Ad, **more):
    return names(neardup.find_similar(text, model, **more))


class TestWhatIsFound:
    def test_the_best_comes_first(self):
        three, two, one = post(PILES.format("С90.30")), post(PILES.format("С140.35, новые")), post(PIANO)
        exact, older = post(PILES.format("С140.35")), post(PILES.format("С140.35").upper())
        work()
        matches = neardup.find_similar(PILES.format("С140.35"), Ad)
        assert [each.object for each in matches] == [exact, older, two, three]
        assert [(each.verdict, each.exact) for each in matches] == [
            ("duplicate", True),
            ("duplicate", True),
            ("duplicate", False),
            ("variant", False),
        ]
        scores = [each.score for each in matches]
        assert scores == sorted(scores, reverse=True) and scores[0] == 1.0 and one not in matches

    @pytest.mark.parametrize("limit", [0, 1, 2, 3, 30, 10**30])
    def test_at_most_so_many(self, limit):
        kept = [post(edited(1, edits)).pk for edits in (0, 1, 3)]
        work()
        assert [pk for pk, _ in found(edited(1, 0), limit=limit)] == kept[:limit]
        (checked,) = neardup.check_many([edited(1, 0)], Ad, limit=limit)
        assert [each.object.pk for each in checked.matches] == kept[:limit]

    def test_what_differs_is_said_from_the_text(self):
        post(PILES.format("С140.35"))
        work()
        (match,) = neardup.find_similar(PILES.format("С90.30"), Ad)
        with only_reading() as queries:
            (hint,) = match.hints
        assert (hint.kind, hint.before, hint.after) == ("code", "С90.30", "С140.35") and not queries

    def test_title_and_address(self):
        one = post(SOFA, title="Диван " * 30)
        work()
        (match,) = neardup.find_similar(Ad(title=one.title, text=SOFA))
        assert (
            match.title.startswith("Диван Диван")
            and len(match.title) <= 121
            and match.url == f"/ads/{one.pk}/"
        )

    def test_a_post_whose_address_cannot_be_told_is_found_without_it(self, monkeypatch, caplog):
        one = post(SOFA)
        work()
        monkeypatch.setattr(Ad, "get_absolute_url", lambda ad: reverse("no-such-page", args=[ad.title]))
        (match,) = neardup.find_similar(SOFA, Ad)
        assert (match.object, match.url) == (one, "")
        assert "cannot be built: NoReverseMatch" in caplog.text

    @pytest.mark.parametrize("text", ["", "   ", "диван", "и в на не или", "\0", "👍" * 50])
    def test_too_little_is_like_nothing(self, text):
        post("диван"), post(SOFA)
        work()
        assert found(text) == []

    def test_a_post_that_has_changed_since_is_compared_as_it_is(self):
        one, two = post(SOFA), post(SOFA)
        work()
        Ad.objects.filter(pk=one.pk).update(text=CAT)
        Ad.objects.filter(pk=two.pk).update(text=SOFA_EDITED)
        (match,) = neardup.find_similar(SOFA, Ad)
        assert match.object == two and not match.exact and match.hints == [] and match.score < 1

    @pytest.mark.parametrize("copies", [2, 14])
    def test_copies_that_have_changed_since_hide_no_others(self, copies):
        posts = [post(SOFA) for _ in range(copies)] + [post(SOFA_EDITED)]
        work()
        Ad.objects.filter(pk__in=[each.pk for each in posts[: copies - 1]]).update(text=CAT)
        Ad.objects.filter(pk=posts[0].pk).delete()
        assert found(SOFA, limit=1) == [(posts[-2].pk, "duplicate")]
        assert neardup.uniqueness(SOFA, Ad) == 0
        Ad.objects.filter(pk=posts[-2].pk).update(text=CAT)
        assert len(found(SOFA, limit=1)) == (copies == 2)

    def test_a_deleted_post_is_not_found(self):
        one = post(SOFA)
        work()
        Ad.objects.filter(pk=one.pk).delete()
        assert found(SOFA) == []


class TestObjects:
    def test_an_unsaved_one(self):
        one = post(SOFA)
        work()
        assert found(Ad(text=SOFA_EDITED), None) == [(one.pk, "duplicate")]

    def test_a_saved_one_never_finds_itself(self):
        one, two = post(SOFA), post(SOFA)
        work()
        assert found(one, None) == [(two.pk, "duplicate")] and found(two) == [(one.pk, "duplicate")]

    def test_a_saved_one_is_compared_as_it_stands_in_memory(self):
        one, two = post(SOFA), post(CAT)
        work()
        two.text = SOFA_EDITED
        assert found(two) == [(one.pk, "duplicate")]
        assert Ad.objects.get(pk=two.pk).text == CAT

    @pytest.mark.parametrize("model, key", [(UuidPost, {}), (SlugPost, {"slug": "a/б 1"})])
    def test_any_key(self, model, key):
        one = model.objects.create(text=SOFA, **key)
        work()
        assert found(SOFA_EDITED, model) == [(one.pk, "duplicate")] and found(one, model) == []
        assert [each.object for each in neardup.find_similar(model(text=SOFA))] == [one]

    def test_children_go_by_their_parents(self):
        one, two = LongArticle.objects.create(text=SOFA), Article.objects.create(text=SOFA_EDITED)
        work()
        assert found(LongArticle(text=SOFA), None) == [(one.pk, "duplicate"), (two.pk, "duplicate")]
        assert found(one, None) == [(two.pk, "duplicate")]
        assert found(SOFA, LongArticle, visible=LongArticle.objects.all()) == [(one.pk, "duplicate")]

    def test_equal_and_unequal_identity(self):
        same, other = post(PIANO, sku="7"), post(SOFA, sku="8")
        none = post(SOFA)
        work()
        assert found(Ad(text=SOFA, sku="7"), None) == [
            (none.pk, "duplicate"),
            (same.pk, "duplicate"),
            (other.pk, "variant"),
        ]

    def test_ones_own_are_told(self):
        me, you = Author.objects.create(name="я"), Author.objects.create(name="ты")
        mine, yours, nobodys = post(SOFA, author=me), post(SOFA, author=you), post(SOFA)
        work()
        for asked in (
            neardup.find_similar(SOFA, Ad, author=me.pk),
            neardup.find_similar(SOFA, Ad, author=me),
            neardup.find_similar(Ad(text=SOFA, author=me)),
            neardup.find_similar(Ad(text=SOFA, author=you), author=me.pk),
        ):
            assert {each.object: each.own for each in asked} == {mine: True, yours: False, nobodys: False}
        assert not any(each.own for each in neardup.find_similar(SOFA, Ad))


class TestWhere:
    def test_inside_one_scope(self):
        here = ScopedPost.objects.create(site=1, text=SOFA)
        ScopedPost.objects.create(site=2, text=SOFA)
        work()
        assert found(SOFA_EDITED, ScopedPost, scope=[1]) == [(here.pk, "duplicate")]
        assert found(ScopedPost(site=1, text=SOFA), None) == [(here.pk, "duplicate")]
        assert found(SOFA, ScopedPost, scope=[3]) == []

    @pytest.mark.parametrize("scope", [(), [1, 2]])
    def test_a_text_needs_its_scope(self, scope):
        with pytest.raises(GroupingError, match=r"a value for each of .*site"):
            neardup.find_similar(SOFA, ScopedPost, scope=scope)

    def test_models_that_are_compared(self):
        one, two = Topic.objects.create(text=SOFA), Reply.objects.create(text=SOFA_EDITED)
        Article.objects.create(text=SOFA)
        work()
        for model in (Topic, Reply):
            assert {each.object for each in neardup.find_similar(SOFA, model)} == {one, two}
        assert found(SOFA, Topic, visible=Topic.objects.all()) == [(one.pk, "duplicate")]
        both = [Topic.objects.none(), Reply.objects.all()]
        assert found(SOFA, Topic, visible=both) == [(two.pk, "duplicate")]

    def test_quotations_are_dropped_where_the_adapter_drops_them(self):
        Reply.objects.create(text=SOFA)
        work()
        assert found(f"<blockquote>{SOFA}</blockquote> Согласен, и я так думаю давно", Reply) == []

    def test_each_database_by_itself(self):
        one = Ad.objects.using("other").create(text=SOFA)
        work("other")
        assert found(SOFA) == []
        assert found(SOFA, using="other") == [(one.pk, "duplicate")]
        assert found(Ad(pk=one.pk, text=SOFA), using="other") == [(one.pk, "duplicate")]
        assert found(one) == [] and one._state.db == "other"
        two = Ad.objects.using("other").create(text=SOFA)
        assert found(two) == [(one.pk, "duplicate")]

    def test_a_post_read_from_a_replica_is_itself(self, settings):
        """Written in "default", read in "other": both hold the same rows."""
        one, read = (Ad.objects.using(alias).create(pk=7, text=SOFA) for alias in ("default", "other"))
        work("other")
        assert found(one, using="other") == [(7, "duplicate")]
        settings.DATABASE_ROUTERS = [Replica()]
        for each in (one, read):
            assert found(each, using="other") == [] == neardup.check_many([each], Ad)[0].matches
        assert found(Ad(text=SOFA), using="other") == [(7, "duplicate")]

    def test_of_a_new_scheme_only_what_is_signed_by_it(self):
        from django_neardup.conf import get_profile
        from django_neardup.pipeline import mark_queryset
        from django_neardup.pipeline.schemes import begin_generation

        one = post(SOFA)
        work()
        assert found(SOFA) == [(one.pk, "duplicate")]
        begin_generation(get_profile(), "default")
        assert found(SOFA) == []
        mark_queryset(Ad.objects.all())
        work()
        assert found(SOFA) == [(one.pk, "duplicate")]


class TestNothingIsWritten:
    def test_in_an_empty_database(self):
        with only_reading():
            assert found(SOFA) == [] and neardup.uniqueness(SOFA, Ad) == 100
        assert not Scheme.objects.exists() and not Space.objects.exists()

    def test_where_there_are_no_tables(self, monkeypatch):
        for name, nothing in (("_complete", set()), ("_next_checks", {}), ("_reported", set())):
            monkeypatch.setattr(availability, name, nothing)
        monkeypatch.setattr(Scheme._meta, "db_table", "neardup_never_migrated")
        assert found(SOFA) == [] and neardup.uniqueness(SOFA, Ad) == 100
        assert [each.repeats for each in neardup.check_many([SOFA, SOFA], Ad)] == [[], [0]]

    def test_where_there_is_something_to_find(self):
        post(SOFA), post(SOFA_EDITED), post(PIANO)
        work()
        found(SOFA)
        with only_reading() as queries:
            assert len(found(SOFA)) == 2
        most = 6 if connections["default"].vendor == "postgresql" else 7
        assert len(queries) <= most

    def test_where_a_post_waits_or_has_changed(self):
        one = post(SOFA)
        work()
        Ad.objects.filter(pk=one.pk).update(text=SOFA_EDITED)
        post(SOFA)
        with only_reading():
            assert found(SOFA) == [(one.pk, "duplicate")]


class TestBounds:
    def test_of_many_with_one_identity_the_most_similar_are_read(self):
        for number in range(12):
            post(" ".join(family(100 + number)), sku="A1")
        same = post(edited(3, 2, 1), sku="A1")
        work()
        best, *others = neardup.find_similar(Ad(text=edited(3, 2, 2), sku="A1"), limit=5)
        assert best.object.pk == same.pk and best.score > 0.5
        assert len(others) == 4 and all(other.score < 0.1 for other in others)

    def test_a_small_max_aligned_is_a_limit_of_the_worker_alone(self, settings):
        for number in range(9):
            post(edited(3, 2, number))
        work()
        settings.NEARDUP = {"default": {**settings.NEARDUP.get("default", {}), "MAX_ALIGNED": 3}}
        assert len(found(edited(3, 2, 99), limit=10)) == 9

    def test_the_identity_of_one_text_changes_nothing_for_the_next(self, settings):
        """Nor does a post that has changed since: an algorithm without a guard reads no texts."""
        settings.NEARDUP = {
            "default": {"ALGORITHM": "minhash-lsh", "OPTIONS": {"guard": False}, "SECRET": "tests"}
        }
        one = post(edited(3, 0))
        work()
        Ad.objects.filter(pk=one.pk).update(text=PIANO)
        near = edited(3, 1)
        alone, with_identity = Ad(text=near), Ad(text=near, sku="X")
        assert (
            names(neardup.find_similar(with_identity))
            == names(neardup.find_similar(alone))
            == [(one.pk, "duplicate")]
        )
        results = neardup.check_many([alone, with_identity], Ad)
        assert [names(result.matches) for result in results] == [[(one.pk, "duplicate")]] * 2

    def test_at_most_ten_are_aligned(self, monkeypatch):
        seen = []
        judge = verify.judge_pair
        monkeypatch.setattr(verify, "judge_pair", lambda *sides: seen.append(sides) or judge(*sides))
        for number in range(25):
            post(edited(3, 4, number))
        work()
        seen.clear()
        assert len(found(edited(3, 1), limit=30)) == len(seen) == 10

    def test_adverts_of_other_items_do_not_crowd_out_the_same_one(self):
        for number in range(20):
            post(PILES.format(f"С{number}0.35"))
        same = post(PILES.format("С990.35").replace("хорошем рабочем", "отличном") + " Звоните!")
        work()
        assert found(PILES.format("С990.35"), limit=1) == [(same.pk, "duplicate")]

    def test_copies_enough_are_not_aligned(self, monkeypatch):
        for number in range(5):
            post(edited(3, 0)), post(edited(3, 4, number))
        work()
        monkeypatch.setattr(verify, "judge_pair", None)
        assert len(found(edited(3, 0), limit=5)) == 5

    def test_a_long_text_is_read_whole(self):
        one = post(f"{SOFA} {CAT * 200} {PIANO}")
        work()
        (match,) = neardup.find_similar(f"{SOFA} {CAT * 200} {PIANO}", Ad)
        assert match.object == one and match.exact

    def test_a_text_over_the_limit_is_not_read(self):
        post(f"{SOFA} {CAT * 20_000} {PIANO}")
        work()
        matches = neardup.find_similar(f"{SOFA} {CAT * 20_000} {PIANO}", Ad)
        assert (matches, matches.too_long) == ([], True)

    @pytest.mark.parametrize(
        "text",
        [
            "\0" + SOFA,
            SOFA.replace(" ", "\0 ", 3),
            "\ud800 " + SOFA + " \udfff",
            f"<script>alert(1)</script><p onclick='x'>{SOFA}</p><!-- ",
            f"[quote][b]{SOFA}[/b]",
            SOFA + "\u202e\u0301\ufeff",
        ],
    )
    def test_hostile_dress(self, text):
        one = post(SOFA)
        work()
        assert found(text) == [(one.pk, "duplicate")]

    @pytest.mark.parametrize(
        ("unit", "times"), [("а", 50_000_000), ("<", 3_000_000), ("&#x1F4A9;", 200_000), ("\ud800", 999)]
    )
    def test_hostile_length(self, unit, times):
        post(SOFA)
        work()
        assert found(unit * times) == []


class TestMisuse:
    @pytest.mark.parametrize("item", [None, 5, b"text", ["text"], Ad, lazystr("text")])
    def test_neither_text_nor_object(self, item):
        with pytest.raises(TypeError, match=r"a text or an object of testapp\.Ad"):
            neardup.find_similar(item, Ad)

    @pytest.mark.parametrize("model", [None, "testapp.Ad", 5, VISIBLE])
    def test_a_text_without_a_model(self, model):
        with pytest.raises(TypeError, match="Pass the class"):
            neardup.find_similar(SOFA, model)

    def test_without_an_adapter(self):
        with pytest.raises(NotRegistered):
            neardup.find_similar(SOFA, Unregistered)
        with pytest.raises(NotRegistered):
            neardup.find_similar(Unregistered(text=SOFA))

    def test_an_object_of_another_model(self):
        with pytest.raises(TypeError, match=r"testapp.UuidPost is not a testapp.Ad"):
            neardup.find_similar(UuidPost(text=SOFA), Ad)

    @pytest.mark.parametrize("visible", ["", [1], VISIBLE[:3], VISIBLE.values("pk"), VISIBLE.union(VISIBLE)])
    def test_what_cannot_be_narrowed(self, visible):
        with pytest.raises(GroupingError):
            neardup.find_similar(SOFA, Ad, visible=visible)

    @pytest.mark.parametrize("limit", [-1, "5", None])
    def test_no_number(self, limit):
        with pytest.raises(ValueError, match="limit is"):
            neardup.find_similar(SOFA, Ad, limit=limit)


def test_the_async_twin():
    one = post(SOFA)
    work()
    matches = async_to_sync(neardup.afind_similar)(SOFA_EDITED, Ad, visible=VISIBLE, limit=1)
    assert names(matches) == [(one.pk, "duplicate")]
