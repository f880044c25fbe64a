"""From the texts to a decision and back: the worker runs between the pages."""

import re

import pytest
from django.core.management import call_command
from django.urls import reverse

from django_neardup.admin.review_queue.queue_query import QueueQuery
from django_neardup.models import Cluster, Decision, Document, MergeRecord
from django_neardup.pipeline import mark
from django_neardup.pipeline.open_items import refresh_open_items
from django_neardup.signals import post_merge
from tests.admin.tools import confirm, fields, look, page_of, told, url_of
from tests.moderation.tools import site
from tests.pipeline.helpers import SOFA, SOFA_EDITED, cluster, document, post, work
from tests.testapp.models import Ad, Article, LongArticle, ScopedPost, SlugPost, UuidPost

pytestmark = [pytest.mark.django_db(databases=["default", "other"]), pytest.mark.logged_rows]

ENDS = ("Звоните.", "Пишите.", "Торг.", "Даром.")
POSTS = {
    Ad: [{}, {}], UuidPost: [{}, {}], Article: [{}, {}], LongArticle: [{}, {}], ScopedPost: [{"site": 1}] * 2,
    SlugPost: [{"slug": "a/b c&d=%_\"'<"}, {"slug": "ы:x"}],
}  # fmt: skip


def waiting():
    """The rows formed of what was logged: nothing here writes past the pipeline."""
    refresh_open_items("default")
    return [item.item_key for item in QueueQuery("default", {}).items]


def take_back(client, batch):
    """Tick all that the page offers."""
    url = reverse("admin:neardup_mergerecord_undo", args=[batch])
    offered = re.findall(r'name="(record|decision)" value="(\d+)"', client.get(url).content.decode())
    return client.post(url, {name: [key for each, key in offered if each == name] for name, _key in offered})


def rebuild(posts, settings):
    call_command("neardup_index", rebuild=True)


def reconcile(posts, settings):
    call_command("neardup_index", reconcile=True)


def another_algorithm(posts, settings):
    settings.NEARDUP = {"default": {"BACKEND": None, "ALGORITHM": "winnowing"}}
    rebuild(posts, settings)


def clusters_lost(posts, settings):
    Cluster.objects.all().delete()
    for each in posts:
        mark(each, recheck=True)


@pytest.mark.parametrize(
    "event", [rebuild, reconcile, another_algorithm, clusters_lost], ids=lambda f: f.__name__
)
@pytest.mark.parametrize(("size", "alone", "left"), [(3, False, 0), (2, False, 0), (3, True, 1)])
def test_what_was_left_does_not_come_back(size, alone, left, event, root, settings):
    """A whole group, two posts, one member against the rest."""
    posts = [post(f"{SOFA} {end}") for end in ENDS[:size]]
    work()
    ticks = {"ticked": "1", "member": [document(posts[-1]).pk]} if alone else {}
    confirm(root, "leave", Cluster.objects.get(), **ticks)
    assert len(waiting()) == left

    event(posts, settings)
    work()
    posts[0].text += " Срочно."
    posts[0].save()
    work()

    assert len(waiting()) == left
    assert cluster(posts[-1]) is None


@pytest.mark.parametrize("model", POSTS, ids=lambda model: model.__name__)
@pytest.mark.parametrize("outcome", ["leave", "hide", "merge", "delete"])
def test_any_post_there_and_back(outcome, model, root):
    for text, more in zip((SOFA, SOFA_EDITED), POSTS[model], strict=True):
        model.objects.create(text=text, **more)
    work()
    group, before = Cluster.objects.get(), site()
    loser = Document.objects.exclude(pk=group.leader_id).get().object_id
    value = {"value.text": loser} if outcome == "merge" else {}
    assert root.get(page_of(group)).status_code == 200

    answer = root.post(url_of(group, outcome), {**fields(look(root, outcome, group)), **value})

    if outcome == "hide" and model is not Ad:
        assert (answer.status_code, site()) == (422, before)
        return
    assert answer.status_code == 302
    assert outcome != "merge" or model.objects.get().text == SOFA_EDITED
    work()
    assert waiting() == []
    batch = (Decision if outcome == "leave" else MergeRecord).objects.get().batch
    answer = take_back(root, batch)
    assert site() == before, told(answer)
    work()
    assert len(waiting()) == 1


def test_a_batch_partly_undone_and_merged_again(root):
    for end in ENDS:
        post(f"{SOFA} {end}")
    work()
    before = site()
    confirm(root, "merge", Cluster.objects.get())
    work()
    first, second, third = MergeRecord.objects.order_by("pk")
    url = reverse("admin:neardup_mergerecord_undo", args=[first.batch])
    root.post(url, {"record": second.pk})
    work()
    confirm(root, "merge", Cluster.objects.get())
    work()

    take_back(root, first.batch)
    assert Ad.objects.count() == 3
    take_back(root, MergeRecord.objects.latest("pk").batch)
    assert site() == before


def test_a_worker_that_is_faster_than_the_page(root):
    """The rest is remembered though the merged post's document has gone meanwhile."""
    posts = [post(f"{SOFA} {end}") for end in ENDS[:3]]
    work()
    ticked = [document(each).pk for each in posts[:2]]

    def at_once(**_kwargs):
        work()

    post_merge.connect(at_once)
    try:
        answer = confirm(root, "merge", Cluster.objects.get(), ticked="1", member=ticked, rest="1")
    finally:
        post_merge.disconnect(at_once)

    assert (answer.status_code, Ad.objects.count()) == (302, 2)
    work()
    assert waiting() == []
