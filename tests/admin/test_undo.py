"""The pages of records, and the undo of what was decided together."""

from __future__ import annotations

import pytest
from django.urls import reverse

from django_neardup.models import Cluster, Decision, Membership, MergeRecord
from django_neardup.moderation import ActionContext, delete, hide, merge
from django_neardup.pipeline import decide, withdraw
from tests import builders
from tests.admin.tools import confirm, list_of, page_of, told
from tests.moderation.tools import history, pieces, site, snapshot
from tests.testapp import zoo
from tests.testapp.models import Ad, Comment, Tag

pytestmark = pytest.mark.django_db

RIGHTS = ("testapp.delete_ad", "testapp.change_ad", "testapp.change_comment", "testapp.delete_comment")
REVIEWER = "neardup.review"


def undo_url(record):
    return reverse("admin:neardup_mergerecord_undo", args=[record.batch])


@pytest.fixture
def merged(ads):
    """Two adverts with comments in a third: their records."""
    keeper, *losers = ads("главное", "сегодня", "завтра")
    for loser in losers:
        Comment.objects.create(ad=loser, text="c"), Comment.objects.create(ad=loser, text="d")
        loser.tags.add(Tag.objects.create(name=loser.title))
    return merge(keeper, losers, ActionContext())


def ticked(*records):
    return {"record": [record.pk for record in records]}


def test_a_get_shows_what_would_come_back_and_changes_nothing(root, merged):
    before = snapshot()

    answer = root.get(undo_url(merged[0]))

    assert snapshot() == before
    page = answer.content.decode()
    for words in ("Сваи сегодня", "Сваи завтра", "Undo selected", "Comments"):
        assert words in page
    assert page.count(" checked>") == 2
    assert root.get(undo_url(merged[0]), ticked(merged[1])).content.decode().count(" checked>") == 1
    assert root.put(undo_url(merged[0])).status_code == 405


def test_one_member_comes_back(root, merged):
    answer = root.post(undo_url(merged[0]), ticked(merged[1]))

    assert answer.url == undo_url(merged[0])
    assert told(answer) == ["Undone: 1 post."]
    assert list(Ad.objects.order_by("pk").values_list("title", flat=True)) == ["Сваи главное", "Сваи завтра"]
    assert list(MergeRecord.objects.order_by("pk").values_list("undone_by", flat=True)) == ["", "root"]
    page = root.get(answer.url).content.decode()
    assert page.count('name="record"') == 1
    assert ", root</p>" in page
    assert len(history()) == 2


def test_all_members_come_back_with_what_was_refused_and_left(root, merged):
    Comment.objects.filter(ad__title="Сваи главное").last().delete()
    first, second = merged
    Ad.objects.create(pk=int(first.loser_id), title="новое", text="x")

    answer = root.post(undo_url(first), ticked(first, second))

    words = told(answer)
    assert words[0] == "Undone: 1 post."
    assert words[1] == "Part of 1 post could not be restored. See the list below."
    assert words[2].startswith(
        f"Not undone, Сваи сегодня, №\xa0{first.loser_id}: Ad №\xa0{first.loser_id} cannot be restored"
    )
    page = root.get(answer.url).content.decode()
    assert "deleted since" in page
    assert "its key is in use again" in page


def test_nothing_ticked(root, merged):
    before = snapshot()

    assert told(root.post(undo_url(merged[0]))) == ["Nothing was changed: select at least one post."]

    assert snapshot() == before


def test_two_at_once_are_told(root, merged):
    root.post(undo_url(merged[0]), ticked(merged[0]))

    answer = root.post(undo_url(merged[0]), ticked(merged[0]))

    assert told(answer)[-1] == f"Not undone, Сваи сегодня, №\xa0{merged[0].loser_id}: It is already undone."


def test_hidden_and_left_of_one_batch(root, ads):
    one, two, three = ads("сегодня", "завтра", "вечером")
    cluster, pair = builders.cluster(one, two), builders.pair(one, three, "variant")
    (record,) = hide([two], ActionContext(cluster_id=cluster.pk, resolves_cluster=True))
    decision = decide("different", [pair.a, pair.b], root.user, "default", batch=record.batch)
    page = root.get(undo_url(record)).content.decode()
    assert "The post is shown again." in page
    assert "the posts will be grouped again" in page

    answer = root.post(undo_url(record), {**ticked(record), "decision": [decision.pk]})

    assert told(answer) == ["Undone: 1 post.", "1 decision was withdrawn."]
    two.refresh_from_db(), cluster.refresh_from_db()
    assert two.published
    assert cluster.state == Cluster.State.OPEN
    assert Decision.objects.get().withdrawn
    assert "Undone " in root.get(answer.url).content.decode()
    assert root.post(answer.url, {"decision": [decision.pk]}).status_code == 302


def test_a_batch_of_decisions_alone(person, ads):
    client = person(REVIEWER)
    pair = builders.pair(*ads("сегодня", "завтра"), "variant")
    decision = decide("different", [pair.a, pair.b], client.user, "default")
    url = reverse("admin:neardup_mergerecord_undo", args=[decision.batch])

    assert told(client.post(url, {"decision": [decision.pk]})) == ["1 decision was withdrawn."]

    decision.refresh_from_db()
    assert decision.withdrawn_by == "irina"


def test_several_records_from_the_list(root, ads):
    one, two = ads("сегодня", "завтра")
    before = site()
    records = [*delete([one], ActionContext()), *delete([two], ActionContext())]
    asked = root.post(
        list_of(MergeRecord), {"action": "undo_selected", "_selected_action": [each.pk for each in records]}
    )

    answer = root.post(asked.url, ticked(*records))

    assert site() == before
    assert told(answer) == ["Undone: 2 posts."]
    url = reverse("admin:neardup_mergerecord_undo_selected")
    for query in ("?id=x", "?id=99999", "", "?id=99999999999999999999"):
        assert root.get(url + query).status_code == 404


def test_the_filter(root, merged):
    root.post(undo_url(merged[0]), ticked(merged[0]))

    def listed(**query):
        return list(root.get(list_of(MergeRecord), query).context["cl"].result_list)

    assert listed(undone="yes") == [merged[0]]
    assert listed(undone="no") == [merged[1]]
    assert len(listed()) == 2


def test_the_page_of_a_record_in_words(root, merged):
    before = snapshot()

    page = root.get(page_of(merged[0])).content.decode()

    assert snapshot() == before
    for words in ("Merged into", "Сваи главное", "Comments", "rows kept", "1 other post", "Restored"):
        assert words in page
    assert f"{undo_url(merged[0])}?record={merged[0].pk}" in page
    root.post(undo_url(merged[0]), ticked(merged[0]))
    assert "Undone" in root.get(page_of(merged[0])).content.decode()
    gone = root.get(page_of(merged[0]).replace(f"/{merged[0].pk}/", "/9999/"))
    assert gone.url == list_of(MergeRecord)


def test_an_exact_copy_was_one_hundred_percent_alike(root, ads):
    cluster = builders.cluster(*ads("сегодня", "завтра", "вечером"))
    Membership.objects.filter(cluster=cluster).update(score=1.0)
    Membership.objects.filter(document__object_id=str(Ad.objects.get(title="Сваи завтра").pk)).update(
        exact=True
    )
    confirm(root, "hide", cluster)

    page = root.get(list_of(MergeRecord)).content.decode()

    assert [page.count(f">{score}\N{NO-BREAK SPACE}%<") for score in (100, 99)] == [1, 1]


MATRIX = [
    # permissions besides neardup.review, what is undone, whether it may be
    (("neardup.merge_cluster", *RIGHTS), "merge", True),
    (RIGHTS, "merge", False),
    (("neardup.merge_cluster", *RIGHTS[1:]), "merge", False),
    (("neardup.merge_cluster", RIGHTS[0], *RIGHTS[2:]), "merge", False),
    (("neardup.merge_cluster", *RIGHTS[:2]), "merge", False),
    (("testapp.delete_ad", "testapp.delete_comment", "testapp.change_ad"), "delete", True),
    (("testapp.delete_ad",), "delete", False),
    (("testapp.delete_comment", "testapp.change_ad"), "delete", False),
    (("testapp.change_ad",), "hide", True),
    (("testapp.delete_ad", "testapp.view_ad"), "hide", False),
    ((), "hide", False),
]


@pytest.mark.engine_alike
@pytest.mark.parametrize(("names", "act", "may"), MATRIX)
def test_rights(names, act, may, person, ads):
    keeper, loser = ads("главное", "сегодня")
    Comment.objects.create(ad=loser, text="c")
    loser.tags.add(Tag.objects.create(name="t"))
    deeds = {
        "merge": lambda: merge(keeper, [loser], ActionContext()),
        "delete": lambda: delete([loser], ActionContext()),
        "hide": lambda: hide([loser], ActionContext()),
    }
    (record,) = deeds[act]()
    client, before = person(REVIEWER, *names), site()
    page = client.get(undo_url(record)).content.decode()
    assert ("You do not have the permission to:" in page) is not may
    assert ('name="record"' in page) is may

    answer = client.post(undo_url(record), ticked(record))

    assert answer.status_code == (302 if may else 403)
    assert (site() == before) is not may


def test_objects_of_others_and_strangers(person, ads, merged):
    client = person(REVIEWER, "neardup.merge_cluster", *RIGHTS)
    strangers = person(name="nobody"), person(REVIEWER, name="guest", staff=False)
    Ad.objects.filter(title="Сваи главное").update(phone="house")
    before = site()
    assert client.post(undo_url(merged[0]), ticked(merged[0])).status_code == 403
    for stranger in strangers:
        for url in (undo_url(merged[0]), page_of(merged[0])):
            assert stranger.get(url).status_code in (302, 403)
        assert stranger.post(undo_url(merged[0]), ticked(merged[0])).status_code in (302, 403)
    assert site() == before


def test_what_is_left_is_told_only_to_those_who_may(person, merged):
    Comment.objects.all().delete()
    client = person(REVIEWER)

    assert "deleted since" not in client.get(undo_url(merged[0])).content.decode()
    assert "deleted since" not in client.get(page_of(merged[0])).content.decode()


def test_titles_are_escaped(root):
    keeper, loser = (Ad.objects.create(title="<script>alert(1)</script>", text=text) for text in "ab")
    records = merge(keeper, [loser], ActionContext())

    for url in (undo_url(records[0]), page_of(records[0]), list_of(MergeRecord)):
        assert "<script>alert" not in root.get(url).content.decode()


def test_a_batch_that_is_not_there(root):
    assert (
        root.get("/admin/neardup/mergerecord/undo/00000000-0000-4000-8000-00000000000a/").status_code == 404
    )


def test_models_that_the_admin_does_not_know(person):
    """The post needs a permission all the same; rows that only go along need none."""
    keeper, loser = pieces("keeper", "loser")
    zoo.Cascading.objects.create(piece=loser)
    (record,) = merge(keeper, [loser], ActionContext())
    names = ("neardup.merge_cluster", "testapp.change_piece", "testapp.delete_piece")
    assert person(REVIEWER, *names[:2]).post(undo_url(record), ticked(record)).status_code == 403

    assert person(REVIEWER, *names, name="root").post(undo_url(record), ticked(record)).status_code == 302

    assert zoo.Cascading.objects.get().piece.code == "loser"


@pytest.mark.parametrize("state", ["there", "gone"])
def test_titles_are_told_to_those_who_may_see_the_posts(state, root, person, ads):
    keeper, loser = ads("сегодня", "тайное")
    confirm(root, "hide", builders.cluster(keeper, loser))
    record = MergeRecord.objects.get()
    Ad.objects.filter(pk=loser.pk).update(sku="secret")
    if state == "gone":
        Ad.objects.filter(pk=loser.pk).delete()
    pages = (
        "/admin/neardup/queue/?tab=decided", "/admin/neardup/mergerecord/",
        f"/admin/neardup/mergerecord/{record.pk}/change/", f"/admin/neardup/mergerecord/undo/{record.batch}/",
    )  # fmt: skip
    stranger = person("neardup.review")

    for page in pages:
        assert "тайное" not in stranger.get(page).content.decode()
        assert "тайное" in root.get(page).content.decode()


@pytest.mark.parametrize("state", ["there", "gone"])
def test_records_are_found_by_titles_that_may_be_read(state, root, person, ads):
    keeper, loser, public = ads("сегодня", "тайное", "явное")
    (secret,), (open_one,) = (hide([each], ActionContext(user=root.user)) for each in (loser, public))
    Ad.objects.filter(pk=loser.pk).update(sku="secret")
    Ad.objects.filter(pk=public.pk).update(published=True)
    if state == "gone":
        (secret,) = merge(keeper, [loser], ActionContext(user=root.user))
        MergeRecord.objects.exclude(pk__in=[secret.pk, open_one.pk]).delete()
    stranger = person(REVIEWER)

    def found(client, words):
        return {*client.get(list_of(MergeRecord), {"q": words}).context["cl"].result_list}

    for words in ("тайное", "Сваи тайное", "root тайное"):
        assert found(stranger, words) == set()
        assert found(root, words) == {secret}
    for words in ("явное", "root явное", "Сваи"):
        assert found(stranger, words) == {open_one}
    for words in (str(loser.pk), f"root {loser.pk}"):
        assert secret in found(stranger, words)
    assert found(stranger, "root") == found(stranger, "") == found(root, "Сваи") == {secret, open_one}


def test_a_decision_is_taken_back_once(root, cluster):
    confirm(root, "leave", cluster)
    decision = Decision.objects.get()

    assert withdraw(decision, root.user, "default") is True
    then = Decision.objects.values("withdrawn", "withdrawn_by").get()
    assert withdraw(decision, None, "default") is False
    assert Decision.objects.values("withdrawn", "withdrawn_by").get() == then
