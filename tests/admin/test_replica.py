"""A router that reads from a replica: people decide on what is in the primary, and there the decision is."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from django_neardup.models import (
    Cluster,
    Decision,
    Document,
    Membership,
    MergeRecord,
    Pair,
    Queue,
    Scheme,
    Space,
)
from django_neardup.moderation.relations import rows_of
from tests import builders
from tests.admin import test_site_admin
from tests.admin.tools import confirm, list_of, page_of
from tests.moderation.tools import snapshot
from tests.testapp.models import Ad

pytestmark = [pytest.mark.django_db(databases=["default", "other"]), pytest.mark.engine_alike]


class Replica:
    """Posts and what is known of them are read in "other", and written in "default"."""

    def db_for_read(self, model: Any, **hints: Any) -> str | None:
        return "other" if model._meta.app_label in ("testapp", "neardup") else None

    def db_for_write(self, model: Any, **hints: Any) -> str:
        return "default"

    def allow_relation(self, one: Any, two: Any, **hints: Any) -> bool:
        return True


@pytest.fixture
def cluster(ads, settings):
    """A cluster, and the databases as a replica leaves them."""
    made = builders.cluster(*ads("сегодня", "завтра"))
    for model in (Ad, Scheme, Space, Document, Cluster, Membership):
        model.objects.using("other").bulk_create(rows_of(model, "default").order_by("pk"))
    settings.DATABASE_ROUTERS = [f"{__name__}.Replica"]
    return made


def test_a_group_is_hidden_in_the_primary(cluster, root):
    before = snapshot("other")

    assert confirm(root, "hide", cluster).status_code == 302

    assert MergeRecord.objects.using("default").count() == 1
    left = Ad.objects.using("default").filter(published=True)
    assert [ad.title for ad in left] == ["Сваи сегодня"]
    assert snapshot("other") == before


def test_a_decision_is_made_and_taken_back_in_the_primary(cluster, root):
    before = snapshot("other")
    assert confirm(root, "leave", cluster).status_code == 302
    decision = Decision.objects.using("default").get()

    chosen = {"action": "withdraw_selected", "_selected_action": [decision.pk]}
    assert root.post(list_of(Decision), chosen).status_code == 302

    assert Decision.objects.using("default").get().withdrawn is not None
    assert snapshot("other") == before


def test_lists_show_the_primary(cluster, root):
    Cluster.objects.using("other").update(size=9)

    page = root.get(list_of(Cluster))

    assert [row.size for row in page.context["cl"].result_list] == [2]
    assert root.get(page_of(cluster)).status_code == 200
    assert [root.get(list_of(model)).status_code for model in (Pair, Document, Queue)] == [200, 200, 200]


@pytest.mark.urls(test_site_admin.__name__)
def test_the_site_s_own_list_offers_the_actions(cluster, root):
    one = Ad.objects.using("default").earliest("pk")

    page = root.get(test_site_admin.list_of(Ad))
    response = test_site_admin.do(root, "neardup_hide", one)

    assert test_site_admin.actions(page) == ["delete_selected", *test_site_admin.NAMES]
    assert test_site_admin.asked(response)[0] == reverse("admin:neardup_queue_decide", args=["hide"])


@pytest.mark.urls(test_site_admin.__name__)
def test_a_list_of_another_database_does_not(cluster, root, monkeypatch):
    monkeypatch.setattr(
        Replica, "db_for_write", lambda self, model, **hints: "other" if model is Ad else "default"
    )

    page = root.get(test_site_admin.list_of(Ad))

    assert test_site_admin.actions(page) == ["delete_selected"]
