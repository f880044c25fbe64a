"""Undo of a merge: the site's tables are what they were, but for what people have changed since."""

import pytest
from django.contrib import admin
from django.contrib.admin.models import CHANGE
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.db import IntegrityError, models
from django.db.models.signals import post_save

from django_neardup import registry
from django_neardup.adapters import Adapter, register
from django_neardup.exceptions import Conflict, MergeRefused
from django_neardup.models import Document, Membership, MergeRecord, MovedUrl
from django_neardup.moderation import ActionContext, delete, merge, plan_merge, plan_undo, undo_batch
from django_neardup.moderation.cascade import cascaded_rows
from django_neardup.moderation.permissions import permissions_for_delete
from django_neardup.moderation.undo.permission_check import missing_undo_permissions
from django_neardup.pipeline import drain
from django_neardup.signals import post_undo
from tests.moderation.population import CLASHING, surround
from tests.moderation.tools import history, kind, pieces, run, site, undone
from tests.testapp import zoo
from tests.testapp.models import Ad, Article, Comment, LongArticle, Tag
from tests.testapp.zoo import Group, Person, Piece

pytestmark = pytest.mark.django_db


def a_zoo(*losers, shared=""):
    """A keeper and losers, each with rows of every kind; with a shared name the keeper has the same already."""
    keeper, *others = pieces("keeper", *losers)
    for each in (*([keeper] if shared else []), *others):
        surround(each, shared)
    return keeper, others


def test_every_relation_goes_undone():
    keeper, (loser,) = a_zoo("loser")
    Piece.objects.create(code="twin", twin=loser)
    before = site()

    (record,) = run(keeper, loser)
    assert zoo.Passport.objects.get().pk == keeper.pk
    (record,) = undone(record)

    assert site() == before
    assert record.undone
    assert record.left == []


@pytest.mark.parametrize("choice", ["keeper", "loser"])
def test_what_the_keeper_has_already_goes_back_whoever_was_chosen(choice):
    keeper, (loser,) = a_zoo("loser", shared="x")
    before = site()

    records = merge(keeper, [loser], ActionContext(), choices=dict.fromkeys(CLASHING, choice))
    (record,) = undone(*records)

    assert site() == before
    assert record.left == []


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_members_come_back_one_by_one_in_any_order(order):
    keeper, losers = a_zoo("one", "two", "three", shared="x")
    one, two, three = losers
    Piece.objects.filter(pk=two.pk).update(parent=one, twin=one)
    Piece.objects.filter(pk=three.pk).update(parent=two)
    Piece.objects.filter(pk=keeper.pk).update(parent=three)
    before = site()

    records = merge(keeper, losers, ActionContext(), choices=dict.fromkeys(CLASHING, "loser"))
    for number in order:
        undone(records[number])
        assert Piece.objects.filter(pk=losers[number].pk).exists()

    assert site() == before


def test_one_member_comes_back_and_the_others_stay_merged():
    keeper, one, two = pieces("keeper", "one", "two")
    rows = [zoo.Cascading.objects.create(piece=piece) for piece in (one, two, two)]

    first, second = run(keeper, one, two)
    undone(second)

    for row in rows:
        row.refresh_from_db()
    assert [row.piece for row in rows] == [keeper, two, two]
    assert not Piece.objects.filter(pk=one.pk).exists()


def test_values_that_the_keeper_took_go_undone():
    keeper = Piece.objects.create(code="keeper", text="")
    loser = Piece.objects.create(code="loser", text="loser's")
    before = site()

    records = merge(keeper, [loser], ActionContext(), values={"code": loser.pk, "text": loser.pk})
    keeper.refresh_from_db()
    assert (keeper.code, keeper.text) == ("loser", "loser's")
    undone(*records)

    assert site() == before


def test_edits_made_since_are_kept_and_told():
    keeper, loser, other = pieces("keeper", "loser", "other")
    Piece.objects.filter(pk=loser.pk).update(text="loser's")
    edited, gone, untouched = (zoo.Cascading.objects.create(piece=loser) for _ in range(3))
    records = merge(keeper, [loser], ActionContext(), values={"text": loser.pk})
    zoo.Cascading.objects.filter(pk=edited.pk).update(piece=other)
    zoo.Cascading.objects.filter(pk=gone.pk).delete()
    later = zoo.Cascading.objects.create(piece=keeper)
    Piece.objects.filter(pk=keeper.pk).update(text="by hand")

    (record,) = undone(*records)

    places = dict(zoo.Cascading.objects.values_list("pk", "piece"))
    assert places == {edited.pk: other.pk, untouched.pk: loser.pk, later.pk: keeper.pk}
    keeper.refresh_from_db()
    assert keeper.text == "by hand"
    assert sorted(record.left) == sorted([
        f"Cascading, piece №\xa0{edited.pk}: changed since, stays unchanged.",
        f"Cascading №\xa0{gone.pk}: deleted since, is not restored.",
        f"Piece, text №\xa0{keeper.pk}: changed since, stays unchanged.",
    ])  # fmt: skip


def test_many_rows_that_stay_are_counted():
    keeper, loser, other = pieces("keeper", "loser", "other")
    rows = [zoo.Cascading.objects.create(piece=loser) for _ in range(7)]
    records = run(keeper, loser)
    zoo.Cascading.objects.update(piece=other)

    (record,) = undone(*records)

    first = ", ".join(f"№\xa0{row.pk}" for row in rows[:3])
    assert record.left == [f"Cascading, piece {first} and 4 more: changed since, stays unchanged."]


@pytest.mark.parametrize("values", [{"pk": True}, {"code": True}])
def test_a_key_or_a_value_that_is_taken_again_refuses(values):
    keeper, loser = pieces("keeper", "loser")
    zoo.Cascading.objects.create(piece=loser)
    records = run(keeper, loser)
    Piece.objects.create(code="loser" if "code" in values else "new", pk=loser.pk if "pk" in values else None)
    before = site()

    with pytest.raises(MergeRefused, match="cannot be restored: "):
        undone(*records)

    assert site() == before
    assert MergeRecord.objects.get().undone is None


def test_a_row_whose_place_somebody_has_taken_is_left():
    keeper, loser = pieces("keeper", "loser")
    own = zoo.Boost.objects.create(piece=keeper)
    zoo.Boost.objects.create(piece=loser)
    records = merge(keeper, [loser], ActionContext(), choices={"testapp.boost": "loser"})
    zoo.Boost.objects.update(active=False)
    new = zoo.Boost.objects.create(piece=keeper)

    (record,) = undone(*records)

    assert list(zoo.Boost.objects.filter(piece=keeper)) == [new]
    assert record.left == [f"Boost №\xa0{own.pk}: another row has taken its place."]


def test_what_the_database_refuses_is_told_and_changes_nothing():
    keeper, loser = pieces("keeper", "loser")
    zoo.Cascading.objects.create(piece=loser)
    records = run(keeper, loser)
    before = site()

    def refuse(**kwargs):
        raise IntegrityError("no")

    post_save.connect(refuse, sender=Piece)
    try:
        with pytest.raises(MergeRefused, match="The database refuses: no"):
            undone(*records)
    finally:
        post_save.disconnect(refuse, sender=Piece)

    assert site() == before
    assert MergeRecord.objects.get().undone is None


def test_what_the_post_points_at_is_gone():
    author = Person.objects.create(name="a")
    keeper, loser, parent = pieces("keeper", "loser", "parent")
    Piece.objects.filter(pk=loser.pk).update(parent=parent)
    rating = zoo.Rating.objects.create(piece=loser, person=author)
    zoo.Rating.objects.create(piece=keeper, person=author)
    records = run(keeper, loser)
    parent.delete(), author.delete()

    (record,) = undone(*records)

    assert Piece.objects.get(pk=loser.pk).parent is None
    assert sorted(record.left) == sorted([
        f"Piece, parent №\xa0{loser.pk}: its target no longer exists, the reference stays empty.",
        f"Rating №\xa0{rating.pk}: its owner no longer exists.",
    ])  # fmt: skip


def test_a_post_that_cannot_be_without_what_is_gone_is_refused():
    root, keeper, loser = (zoo.Bound.objects.create(pk=pk, root_id=1) for pk in (1, 2, 3))
    records = run(keeper, loser)
    zoo.Bound.objects.filter(pk=keeper.pk).update(root=keeper)
    root.root = keeper
    root.save()
    root.delete()

    with pytest.raises(MergeRefused, match=r"its target \(root\) no longer exists"):
        undone(*records)


def test_undoing_twice_is_a_conflict():
    keeper, loser = pieces("keeper", "loser")
    records = run(keeper, loser)
    undone(*records)
    before = site()

    with pytest.raises(Conflict):
        undone(*records)

    assert site() == before


def test_soft_deletion_is_taken_back_with_what_it_changed():
    keeper, loser = zoo.Soft.objects.create(text="keeper"), zoo.Soft.objects.create(text="loser")
    zoo.SoftReply.everything.create(soft=loser, deleted=True)
    before = site()

    records = run(keeper, loser)
    assert zoo.Soft.everything.get(pk=loser.pk).deleted
    undone(*records)

    assert site() == before


def test_multi_table_posts_come_back_in_every_table():
    keeper, loser = (zoo.Poster.objects.create(code=code, paper=code) for code in ("keeper", "loser"))
    for each in (keeper, loser):
        surround(each)
        zoo.Pixel.objects.create(poster=each)
    zoo.Remark.objects.create(kind=kind(zoo.Poster), key=loser.pk)
    before = site()

    records = merge(keeper, [loser], ActionContext(), choices=dict.fromkeys(CLASHING, "keeper"))
    undone(*records)

    assert site() == before


def test_a_child_row_that_came_to_the_keeper_goes_undone():
    keeper = Piece.objects.create(code="keeper")
    poster = zoo.Poster.objects.create(code="loser", paper="a2")
    zoo.Pixel.objects.create(poster=poster)
    before = site()

    records = run(keeper, Piece.objects.get(code="loser"))
    undone(*records)

    assert site() == before


def test_text_keys_uuids_and_dates_that_set_themselves():
    sealed = [zoo.Sealed.objects.create() for _ in range(3)]
    zoo.Sealed.objects.filter(pk=sealed[2].pk).update(above=sealed[1])
    slugged = [zoo.Slugged.objects.create(slug=slug) for slug in ("keeper", "loser", "third")]
    zoo.Slugged.objects.filter(pk="third").update(heir="loser")
    zoo.SealedNote.objects.create(sealed=sealed[1]), zoo.SluggedNote.objects.create(slugged=slugged[1])
    zoo.Remark.objects.create(about=sealed[1]), zoo.Remark.objects.create(about=slugged[1])
    before = site()

    records = [*run(sealed[0], sealed[1]), *run(slugged[0], slugged[1])]
    assert zoo.SealedNote.objects.get().sealed == sealed[0]
    undone(*records)

    assert site() == before


def test_posts_with_adapters_are_compared_anew_and_told(django_capture_on_commit_callbacks):
    user = get_user_model().objects.create(username="moderator")
    keeper, loser = Ad.objects.create(text="keeper"), Ad.objects.create(text="loser")
    loser.tags.add(Tag.objects.create(name="t")), Comment.objects.create(ad=loser, text="c")
    before, told = site(), []
    (record,) = run(keeper, loser)
    Document.objects.update(recheck=False, wanted=1, done=1, pending_since=None)

    def listen(sender, record, using, **kwargs):
        told.append((sender, record.loser_id, using))

    post_undo.connect(listen)
    try:
        with django_capture_on_commit_callbacks(execute=True):
            (record,) = undone(record, by=user)
            assert told == []
    finally:
        post_undo.disconnect(listen)

    assert site() == before
    assert told == [(Ad, str(loser.pk), "default")]
    document = Document.objects.get(object_id=str(loser.pk))
    assert document.recheck
    assert document.wanted > document.done
    assert record.undone_by == "moderator"
    assert history() == [("loser", CHANGE), ("keeper", CHANGE)]


def test_old_addresses_lead_to_the_post_itself_again():
    keeper, loser = Ad.objects.create(text="keeper"), Ad.objects.create(text="loser")
    records = run(keeper, loser)
    assert MovedUrl.objects.get().path == f"/ads/{loser.pk}/"

    undone(*records)

    assert not MovedUrl.objects.exists()


def test_the_worker_groups_them_again():
    text = "Продам сваи железобетонные С140.35 длиной 14 м, новые, звоните вечером"
    keeper, loser = (Ad.objects.create(text=text, phone="1") for _ in range(2))
    drain("default")
    assert Membership.objects.count() == 2
    records = run(keeper, loser)
    drain("default")
    assert not Membership.objects.exists()

    undone(*records)
    drain("default")

    assert Membership.objects.count() == 2


def test_children_of_a_registered_parent_mark_the_parents_document():
    keeper, loser = (LongArticle.objects.create(text=text) for text in ("keeper", "loser"))
    before = site()

    undone(*run(keeper, loser))

    assert site() == before
    assert set(Document.objects.values_list("object_id", flat=True)) == {str(keeper.pk), str(loser.pk)}
    assert Article.objects.count() == 2


def test_a_file_that_is_gone_is_told(tmp_path, settings):
    settings.MEDIA_ROOT = tmp_path
    (tmp_path / "kept.pdf").write_text("x")
    keeper, *losers = (zoo.Sealed.objects.create(scan=name) for name in ("", "kept.pdf", "lost.pdf"))
    before = site()

    first, second = undone(*run(keeper, *losers))

    assert site() == before
    assert first.left == []
    assert second.left == [f"Sealed №\xa0{losers[1].pk}: its file is missing from the storage."]


def test_a_batch_comes_back_whole_but_for_what_cannot():
    keeper, one, two = pieces("keeper", "one", "two")
    records = run(keeper, one, two)
    Piece.objects.create(code="two")

    outcomes = undo_batch(records[0].batch, None, "default")

    assert [(each.record.loser_text, each.is_done) for each in outcomes] == [("two", False), ("one", True)]
    assert "another row has a value" in outcomes[0].reasons[0]
    assert Piece.objects.filter(pk=one.pk).exists()
    assert not Piece.objects.filter(pk=two.pk).exists()


def test_a_plan_changes_nothing_and_says_what_comes_undone():
    keeper, loser = pieces("keeper", "loser")
    zoo.Cascading.objects.create(piece=loser), zoo.Cascading.objects.create(piece=loser)
    group = Group.objects.create(name="g")
    keeper.groups.add(group), loser.groups.add(group)
    assert plan_merge(keeper, [loser], "default").reasons == []
    (record,) = run(keeper, loser)
    before, journal = site(), MergeRecord.objects.values().get()

    found = plan_undo(record, "default")

    assert sorted(found.lines()) == [("Cascadings", "piece", 2), ("Groups", "", 1), ("Pieces", "", 1)]
    assert (found.reasons, found.left_messages, found.keeper, found.post) == ([], [], keeper, None)
    assert site() == before
    assert MergeRecord.objects.values().get() == journal


@pytest.mark.parametrize(("names", "lacks"), [((), ["delete: long articles"]), (("delete_longarticle",), [])])
def test_an_undo_asks_for_the_rights_on_the_posts_rows_as_a_child(names, lacks, rf):
    keeper, loser = (LongArticle.objects.create(text=text).article_ptr for text in ("keeper", "loser"))
    (record,) = run(keeper, loser)
    names = ("change_article", "delete_article", "merge_cluster", *names)
    request = rf.get("/")
    request.user = get_user_model().objects.create_user("person", is_staff=True)
    request.user.user_permissions.set(Permission.objects.filter(codename__in=names))

    assert [
        str(need) for need in missing_undo_permissions(plan_undo(record, "default"), request, admin.site)
    ] == lacks


def test_an_undo_asks_for_no_more_than_the_deed_did(monkeypatch, rf):
    """Nobody was asked for what the model's own ``delete()`` did besides, nor for rows that stay with the post."""
    monkeypatch.setattr(registry, "_registry", {})
    register(Piece)(
        type("Rules", (Adapter,), {"fields": ["text"], "relations": {"testapp.cascading": "stay"}})
    )
    topic, person = Group.objects.create(name="topic"), Person.objects.create(name="topic")
    keeper, loser = pieces("keeper", "loser")
    zoo.Cascading.objects.create(piece=loser)

    def with_topic(self, *args, **kwargs):
        models.Model.delete(self, *args, **kwargs)
        Group.objects.filter(pk=topic.pk).delete()
        Person.objects.filter(pk=person.pk).update(name="nobody")

    monkeypatch.setattr(Piece, "delete", with_topic)
    request = rf.get("/")
    request.user = get_user_model().objects.create_user("person", is_staff=True)
    names = ("change_piece", "delete_piece", "merge_cluster")
    request.user.user_permissions.set(Permission.objects.filter(codename__in=names))
    needs = permissions_for_delete([loser], cascaded_rows([loser], "default"))
    assert [need.model for need in needs] == [Piece]

    for act in (lambda: run(keeper, loser), lambda: delete([loser], ActionContext())):
        (record,) = act()
        assert not Group.objects.exists()

        assert missing_undo_permissions(plan_undo(record, "default"), request, admin.site) == []
        undone(record)


def test_a_unique_reference_of_the_post_that_another_row_has_meanwhile():
    """The other row pointed at the post, and the post at the keeper: each place is taken until both go back."""
    keeper, loser, other = pieces("keeper", "loser", "other")
    Piece.objects.filter(pk=loser.pk).update(twin=keeper)
    Piece.objects.filter(pk=other.pk).update(twin=loser)
    before = site()

    (record,) = run(keeper, loser)
    assert Piece.objects.get(pk=other.pk).twin_id == keeper.pk
    (record,) = undone(record)

    assert site() == before
    assert record.left == []
