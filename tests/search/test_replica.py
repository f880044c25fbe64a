"""Nothing that decides about a post reads a replica: it may lack the newest posts, and has no key index of its own."""

from __future__ import annotations

from typing import Any

import pytest
from django import forms
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.db import connections
from django.test.utils import CaptureQueriesContext

import django_neardup as neardup
from django_neardup.forms import NearDuplicateFormMixin
from django_neardup.pipeline import drain, mark_queryset
from django_neardup.validators import NotNearDuplicate
from tests.pipeline.helpers import PIANO, SOFA, SOFA_EDITED, cluster, document
from tests.testapp.models import Ad

pytestmark = [
    pytest.mark.django_db(databases=["default", "other"], transaction=True),
    pytest.mark.engine_alike,
]


class AdForm(NearDuplicateFormMixin, forms.ModelForm):
    class Meta:
        model = Ad
        fields = ["text"]


class Replica:
    """Everything is read in "other" and written in "default"."""

    def db_for_read(self, model: Any, **hints: Any) -> str:
        return "other"

    def db_for_write(self, model: Any, **hints: Any) -> str:
        return "default"

    def allow_relation(self, one: Any, two: Any, **hints: Any) -> bool:
        return True


@pytest.fixture
def replica(settings):
    """The statements that reach the replica, which lacks every post."""
    settings.DATABASE_ROUTERS = [Replica()]
    with CaptureQueriesContext(connections["other"]) as statements:
        yield statements


def test_a_control_reads_it(replica):
    assert not Ad.objects.exists()
    assert len(replica) == 1


def test_a_worker(replica):
    ads = [Ad.objects.create(text=text) for text in (SOFA, SOFA_EDITED)]
    mark_queryset(Ad.objects.all())
    assert not drain("default").has_pending
    assert cluster(ads[0]) == cluster(ads[1]) is not None
    ads[0].delete()
    Ad.objects.using("default").filter(pk=ads[1].pk).update(text=PIANO)
    mark_queryset(Ad.objects.all())
    assert not drain("default").has_pending
    assert len(replica) == 0
    assert document(ads[1]).done == document(ads[1]).wanted


def test_the_first_index(replica):
    Ad.objects.using("default").bulk_create([Ad(text=SOFA), Ad(text=SOFA_EDITED)])
    call_command("neardup_index", "testapp.Ad", database="default", no_progress=True, verbosity=0)
    call_command("neardup_worker", once=True, databases=["default"], verbosity=0)
    assert len(replica) == 0
    one, other = Ad.objects.using("default").order_by("pk")
    assert cluster(one) == cluster(other) is not None


@pytest.mark.parametrize(
    "search",
    [
        lambda: neardup.find_similar(SOFA, Ad),
        lambda: neardup.find_similar(Ad(text=SOFA)),
        lambda: neardup.find_similar(SOFA, visible=Ad.objects.using("other"), model=Ad),
        lambda: neardup.check_many([SOFA], Ad)[0].matches,
        lambda: neardup.uniqueness(SOFA, Ad) < 50,
        lambda: _is_refused(SOFA),
    ],
    ids=["text", "object", "queryset of the replica", "many texts", "uniqueness", "field"],
)
def test_a_search(search, replica):
    Ad.objects.create(text=SOFA_EDITED)
    drain("default")
    assert search()
    assert len(replica) == 0


def test_a_search_for_a_post_of_the_replica(replica):
    Ad.objects.create(text=SOFA_EDITED)
    own = Ad.objects.create(text=SOFA)
    drain("default")
    Ad.objects.using("other").bulk_create([Ad(pk=own.pk, text=SOFA)])
    read = Ad.objects.get(pk=own.pk)
    assert read._state.db == "other"
    replica.initial_queries = len(connections["other"].queries_log)
    assert [match.object.text for match in neardup.find_similar(read)] == [SOFA_EDITED]
    assert len(replica) == 0


def test_a_form(replica, rf):
    Ad.objects.create(text=SOFA_EDITED)
    drain("default")
    form = AdForm({"text": SOFA}, request=rf.post("/"), instance=Ad())
    assert not form.is_valid()
    assert form.neardup.action == "warn"
    assert len(replica) == 0


def _is_refused(text: str) -> bool:
    try:
        NotNearDuplicate(Ad, actions=("warn",))(text)
    except ValidationError:
        return True
    return False
