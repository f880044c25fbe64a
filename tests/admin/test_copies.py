"""Exact copies by one author: one row of the queue, and a list of their groups."""

from __future__ import annotations

import pytest
from django.urls import reverse

from django_neardup.admin.decision_groups import COPIES
from django_neardup.models import Cluster, Document, OpenItem
from django_neardup.pipeline.open_items import log_changed_documents, rebuild_open_items, refresh_open_items
from tests import builders
from tests.admin.people import at_the_door, signed_in
from tests.admin.test_queue_deciding import QUEUE
from tests.admin.tools import told
from tests.pipeline.helpers import SOFA
from tests.testapp.models import Ad

pytestmark = pytest.mark.django_db


@pytest.fixture
def copies(ads):
    """Groups of exact copies by one author."""

    def make(groups, author="repeater"):
        made = []
        for number in range(groups):
            posts = ads(f"{author} {number}", f"{author} {number}")
            made.append(builders.cluster(*posts, exact=True))
            Document.objects.filter(membership__cluster=made[-1]).update(author=author)
        return made

    return make


def keys():
    rebuild_open_items("default")
    return [item.item_key for item in OpenItem.objects.order_by("pk")]


def row_of(clusters):
    return f"{COPIES}{min(cluster.leader_id for cluster in clusters)}"


def test_one_group_is_a_row_of_its_own(copies):
    (cluster,) = copies(1)
    assert keys() == [f"c{cluster.pk}"]


def test_several_groups_are_one_row(copies):
    clusters = copies(3)
    assert keys() == [row_of(clusters)]
    item = OpenItem.objects.get()
    assert item.size == 6 and item.copied_by == "repeater"
    assert item.documents.count() == 6


def test_each_author_has_a_row(copies):
    first, second = copies(2), copies(2, "another")
    assert {*keys()} == {row_of(first), row_of(second)}


@pytest.mark.parametrize("change", [
    lambda cluster: Cluster.objects.filter(pk=cluster.pk).update(exact=False),
    lambda cluster: Document.objects.filter(pk=cluster.leader_id).update(author="another"),
    lambda cluster: Document.objects.filter(membership__cluster=cluster).update(author=""),
])  # fmt: skip
def test_what_is_no_exact_copy_by_one_author(change, copies):
    first, *others = copies(3)
    change(first)
    assert {*keys()} == {f"c{first.pk}", row_of(others)}


def test_a_group_comes_and_goes(copies):
    clusters = copies(2)
    refresh_after(clusters)
    assert stored() == {row_of(clusters)}

    (third,) = copies(1)
    refresh_after([third])
    assert stored() == {row_of([*clusters, third])} and OpenItem.objects.get().size == 6

    for cluster in (clusters[0], third):
        Cluster.objects.filter(pk=cluster.pk).update(state=Cluster.State.RESOLVED)
    refresh_after([clusters[0], third])
    assert stored() == {f"c{clusters[1].pk}"}


def refresh_after(clusters):
    log_changed_documents([cluster.leader_id for cluster in clusters], "default")
    refresh_open_items("default")


def stored():
    return {item.item_key for item in OpenItem.objects.all()}


def test_the_row_leads_to_the_groups(root, copies):
    clusters = copies(3)
    # A post with the author's key as its number.
    builders.cluster(Ad.objects.create(pk=777, text=SOFA), Ad.objects.create(text=SOFA), exact=True)
    Document.objects.filter(author="repeater").update(author="777")
    listed_rows = root.get(QUEUE).context["page"].rows
    (row,) = (row for row in listed_rows if row.item_key[0] == COPIES)
    assert (row.size, row.reasons_text, row.is_decidable) == (6, "3 groups of exact copies", False)

    answer = root.get(row.url, follow=True)

    listed = {cluster.pk for cluster in answer.context["cl"].result_list}
    assert listed == {cluster.pk for cluster in clusters}


def test_it_has_no_box_and_takes_part_in_no_bulk(root, copies, ads):
    copies(2)
    builders.cluster(*ads("а", "б"))
    answer = root.get(QUEUE, {"all": "1"})
    assert len(answer.context["page"].rows) == 2
    assert answer.content.decode().count('type="checkbox" name="id"') == 1
    decide = reverse("admin:neardup_queue_decide", args=["hide"])
    assert root.get(decide, {"id": [key for key in stored() if key[0] == COPIES]}).status_code == 404


@pytest.mark.parametrize("number", [1, 2**63])
def test_what_is_no_more_leads_to_the_queue(number, root):
    answer = root.get(reverse("admin:neardup_queue_copies", args=[number]), follow=True)
    assert answer.redirect_chain[-1][0] == QUEUE and "Nothing to review here" in told(answer)[0]


@pytest.mark.parametrize(
    ("name", "status"), [("nobody", 302), ("author", 302), ("clerk", 403), ("review", 302)]
)
def test_who_may_see_it(name, status, copies):
    clusters = copies(2)
    assert keys() == [row_of(clusters)]
    answer = signed_in(name).get(reverse("admin:neardup_queue_copies", args=[row_of(clusters)[1:]]))
    assert answer.status_code == status and at_the_door(answer) is (name in ("nobody", "author"))
