"""A page asks once which posts a person may see, however many parts of it need the answer."""

import pytest
from django.urls import reverse

from django_neardup.pipeline import decide
from tests import builders
from tests.admin.tools import fields, look, url_of
from tests.testapp.neardup import AdNeardup

pytestmark = [pytest.mark.django_db, pytest.mark.engine_alike]


@pytest.fixture
def questions(monkeypatch):
    """The calls of ``Adapter.visible()``: a reviewer without permissions on adverts sees what the site shows."""
    asked, visible = [], AdNeardup.visible

    def counted(adapter, request):
        asked.append(request.path)
        return visible(adapter, request)

    monkeypatch.setattr(AdNeardup, "visible", counted)
    return asked


def test_the_confirmation_of_leave(person, cluster, questions):
    page = look(person("neardup.review"), "leave", cluster)
    assert page.status_code == 200 and len(questions) == 1


def test_the_decision_asks_again_under_the_lock(person, cluster, questions):
    client = person("neardup.review")
    seen = fields(look(client, "leave", cluster))
    questions.clear()
    assert client.post(url_of(cluster, "leave"), seen).status_code == 302
    assert len(questions) == 2


def test_the_undo_of_a_decision(person, root, ads, questions):
    pair = builders.pair(*ads("а", "б"), "variant")
    decision = decide("different", [pair.a, pair.b], root.user, "default")
    page = person("neardup.review").get(reverse("admin:neardup_mergerecord_undo", args=[decision.batch]))
    assert page.status_code == 200 and len(questions) == 1
