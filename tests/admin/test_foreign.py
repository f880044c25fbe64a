"""Keys that do not belong together, and clicks on what was never shown: refused, whoever sends them."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from django_neardup.models import Cluster, Document, MergeRecord
from tests import builders
from tests.admin.tools import OUTCOMES, confirm, fields, look, url_of
from tests.moderation.tools import snapshot
from tests.testapp.models import Ad

pytestmark = [pytest.mark.django_db(databases=["default", "other"]), pytest.mark.engine_alike]


class TestForeign:
    """Keys that do not belong together are refused, whoever sends them."""

    @pytest.fixture
    def other(self, ads) -> Cluster:
        return builders.cluster(*ads("чужое", "чужое тоже"))

    def test_a_member_of_another_cluster(self, cluster, other, root):
        alien = other.memberships.exclude(document=other.leader).get().document_id
        self.refused(root, cluster, ticked="1", member=[alien])

    def test_a_keeper_from_elsewhere(self, cluster, other, root):
        self.refused(root, cluster, deeds=("hide", "merge", "delete"), keeper=other.leader_id)

    def test_a_row_of_another_database(self, cluster, root, ads):
        far = Cluster.objects.using("other")
        number = max(Cluster.objects.latest("pk").pk, 1) + 1000
        space = builders.space("other")
        builders.document(Ad.objects.using("other").create(text="далеко"))
        far.create(
            pk=number,
            space=space,
            scheme=builders.scheme("other"),
            leader=Document.objects.using("other").get(),
        )
        before = snapshot(), snapshot("other")

        for key in (f"c{number}", f"p{number}"):
            for deed in OUTCOMES:
                url, data = reverse("admin:neardup_queue_decide", args=[deed]), {"id": key, "token": "0" * 32}
                assert root.get(url, data).status_code == 409
                assert root.post(url, data).status_code == 409
        assert (snapshot(), snapshot("other")) == before

    def refused(self, client: Client, source: Cluster, deeds: Any = OUTCOMES, **data: Any) -> None:
        before = snapshot()
        for deed in deeds:
            seen = fields(look(client, deed, source))
            assert look(client, deed, source, **data).status_code == 409, deed
            assert client.post(url_of(source, deed), {**seen, **data}).status_code == 409, deed
        assert snapshot() == before

    @pytest.mark.parametrize("token", [{}, {"token": ""}, {"token": "0" * 32}, {"seen.c1": "0" * 32}])
    @pytest.mark.parametrize("deed", OUTCOMES)
    def test_a_click_on_what_was_never_shown(self, deed, token, cluster, root):
        before = snapshot()
        data = {"id": f"c{cluster.pk}", **token}

        answer = root.post(url_of(cluster, deed), data)

        assert answer.status_code == 409 or (
            answer.status_code == 302 and url_of(cluster, deed) in answer.url
        )
        assert snapshot() == before

    def test_a_record_of_another_batch(self, cluster, other, root):
        confirm(root, "hide", cluster)
        confirm(root, "hide", other)
        first, *_rest, last = MergeRecord.objects.order_by("pk")
        before = snapshot()

        root.post(reverse("admin:neardup_mergerecord_undo", args=[first.batch]), {"record": [last.pk]})

        assert snapshot() == before
