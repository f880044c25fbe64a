"""What staff see of posts that repeat a deleted one."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from django_neardup.models import Document
from tests.memory.helpers import deleted
from tests.pipeline.helpers import PIANO, SOFA, SOFA_EDITED, document, post, work

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "other"])
LIST = "admin:neardup_document_changelist"


def listed(client, **query):
    return {row.pk for row in client.get(reverse(LIST), query).context["cl"].result_list}


def test_posts_that_repeat_a_deleted_one_are_listed_and_filtered(memory, admin_client):
    gone, exact, edited, other = deleted(SOFA), post(SOFA), post(SOFA_EDITED), post(PIANO)
    work()
    exact, edited = document(exact), document(edited)
    assert listed(admin_client, repeats="exact") == {exact.pk}
    assert listed(admin_client, repeats="edited") == {edited.pk}
    assert listed(admin_client, repeats="yes") == {exact.pk, edited.pk} and len(listed(admin_client)) == 4
    shown = admin_client.get(reverse(LIST)).content.decode()
    assert f"№\N{NO-BREAK SPACE}{gone.object_id}, word for word, " in shown
    page = admin_client.get(reverse("admin:neardup_document_change", args=[edited.pk])).content.decode()
    assert f"№\N{NO-BREAK SPACE}{gone.object_id}, " in page and "Repeats a deleted post" in page
    assert document(other).repeats is None


def test_nobody_is_told_of_a_post_whose_days_are_over(memory, admin_client):
    gone = deleted(SOFA)
    post(SOFA)
    work()
    Document.objects.filter(pk=gone.pk).update(forget_at=timezone.now() - timedelta(seconds=1))
    assert listed(admin_client, repeats="yes") == set()
    assert "word for word, " not in admin_client.get(reverse(LIST)).content.decode()


def test_nothing_is_shown_where_nothing_is_remembered(admin_client):
    post(SOFA)
    work()
    page = admin_client.get(reverse(LIST), {"repeats": "yes"}).content.decode()
    assert "repeats a deleted post" not in page.lower()
