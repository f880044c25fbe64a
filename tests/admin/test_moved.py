"""Old addresses in the admin: where they lead, for whom; found as they were copied; deleted by those who may."""

from __future__ import annotations

import pytest
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from django_neardup.models import Document, MovedUrl
from django_neardup.moderation.addresses import path_digest
from tests import builders
from tests.admin.test_lists import counts, rows
from tests.admin.tools import list_of
from tests.testapp.models import Ad

pytestmark = pytest.mark.django_db


def entry(path, target=None):
    end = {} if target is None else {
        "content_type": ContentType.objects.get_for_model(Ad), "object_id": str(target.pk)
    }  # fmt: skip
    return MovedUrl.objects.create(digest=path_digest(path), path=path, **end)


def cells(response):
    return [row[:2] for row in rows(response)]


def test_where_an_address_leads(person, ads):
    shown, secret, unknown = ads("а"), ads("б", sku="secret", published=False), ads("в")
    for number, ad in enumerate((*shown, *secret, *unknown)):
        entry(f"/{number}/", ad)
    Document.objects.filter(object_id=str(unknown[0].pk)).delete()
    entry("/объявления/")
    found = cells(person("neardup.review", "testapp.view_ad").get(list_of(MovedUrl)))
    assert found == [
        ["/объявления/", "no target: permanently gone"],
        ["/2/", f"№ {unknown[0].pk}"],
        ["/1/", f"no access, № {secret[0].pk}"],
        ["/0/", f"Сваи а, № {shown[0].pk}"],
    ]


@pytest.mark.parametrize(
    ("term", "found"),
    [
        ("", 2), ("сваи", 1), ("/сваи/", 1), ("https://testserver/%D1%81%D0%B2%D0%B0%D0%B8/?page=2", 1), ("<b>", 0),
    ],
)  # fmt: skip
def test_an_address_is_found_as_it_was_copied(root, ads, term, found):
    entry("/сваи/", *ads("а"))
    entry("/трубы/")
    assert len(rows(root.get(list_of(MovedUrl), {"q": term}))) == found


def test_filtered_by_the_answer(root, ads):
    entry("/old/", *ads("а"))
    entry("/gone/")
    entry("/gone-too/")
    answer = root.get(list_of(MovedUrl), {"_facets": "True"})
    assert counts(answer, "answer") == {"moved": 1, "gone": 2, "All": 3}
    assert len(rows(root.get(list_of(MovedUrl), {"answer": "gone"}))) == 2


def test_a_row_costs_no_query_of_its_own(root, ads):
    def queries():
        with CaptureQueriesContext(
            connection,
        ) as seen:
            root.get(list_of(MovedUrl))
        return len(seen)

    for ad in ads("а", "б"):
        builders.document(ad)
        entry(ad.get_absolute_url(), ad)
    queries()
    few = queries()
    for ad in ads("в", "г", "д"):
        builders.document(ad)
        entry(ad.get_absolute_url(), ad)
    assert queries() == few


@pytest.mark.parametrize(
    ("permissions", "look", "delete"),
    [
        ([], 403, 403),
        (["neardup.review"], 200, 403),
        (["neardup.delete_movedurl"], 403, 302),
        (["neardup.review", "neardup.delete_movedurl"], 200, 302),
    ],
)
def test_who_may(person, permissions, look, delete):
    made = entry("/gone/")
    client = person(*permissions)
    assert client.get(list_of(MovedUrl)).status_code == look
    url = reverse("admin:neardup_movedurl_delete", args=[made.pk])
    assert client.post(url, {"post": "yes"}).status_code == delete
    assert MovedUrl.objects.exists() is (delete == 403)
    assert client.get(reverse("admin:neardup_movedurl_add")).status_code == 403


def test_the_page_of_an_entry_changes_nothing(root, ads):
    made = entry("/<b>old</b>/", *ads("а"))
    url = reverse("admin:neardup_movedurl_change", args=[made.pk])
    page = root.get(url)
    assert "/&lt;b&gt;old&lt;/b&gt;/" in page.content.decode()
    assert root.post(url, {"path": "/new/"}).status_code == 403
