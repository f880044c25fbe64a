"""A listener of ``document_checked`` may save the post, which marks it again. The work ends nevertheless."""

from __future__ import annotations

from functools import partial

import pytest

from django_neardup.models import Document, KeyPhrase
from django_neardup.pipeline import mark
from django_neardup.pipeline.key_phrases import request_phrase_search
from django_neardup.signals import document_checked
from tests.pipeline import helpers
from tests.pipeline.helpers import PILES, SOFA, SOFA_EDITED, document, post
from tests.testapp.models import Ad

pytestmark = [pytest.mark.django_db(transaction=True, databases=["default"]), pytest.mark.engine_alike]


@pytest.fixture(autouse=True)
def told():
    """The documents for which the listener was called."""
    documents = []

    def save(sender, document, using, **kwargs):
        documents.append(document.pk)
        for one in Ad.objects.filter(pk=document.object_id):
            one.hits += 1
            one.save()

    document_checked.connect(save, weak=False, dispatch_uid="saves")
    yield documents
    document_checked.disconnect(dispatch_uid="saves")


@pytest.fixture(params=[1, 50])
def finish(request):
    """Posts are drained one by one, and in one batch."""
    return partial(helpers.finish, request.param, turns=30)


def test_new_and_edited_posts(finish, told):
    one, two = post(SOFA), post(SOFA_EDITED)
    finish()
    assert sorted(told) == [document(one).pk, document(two).pk]
    one.refresh_from_db()
    one.text += " Торг."
    one.save()
    finish()
    assert told[2:] == [document(one).pk]


def test_a_recheck(finish, told):
    one, _two = post(SOFA), post(SOFA_EDITED)
    finish()
    told.clear()
    mark(one, recheck=True)
    finish()
    assert told == [] and not document(one).recheck


def test_a_recheck_of_an_edited_post(finish, told):
    one, _two = post(SOFA), post(SOFA_EDITED)
    finish()
    told.clear()
    Ad.objects.filter(pk=one.pk).update(text=f"{SOFA} Торг.")
    mark(one, recheck=True)
    finish()
    assert told == [document(one).pk]


def test_a_family_that_loses_its_leader(finish):
    leader, *_ = [post(PILES.format(code)) for code in ("С140.35", "С90.30", "С80.30")]
    finish()
    leader.delete()
    finish()
    assert Document.objects.filter(state="gone").count() == 1


def test_a_search_for_a_key_phrase(finish):
    for text in (SOFA, SOFA_EDITED):
        post(text)
    finish()
    request_phrase_search([KeyPhrase.objects.create(text="грузовой лифт")], "default")
    finish()


@pytest.mark.parametrize("text", ["привет", SOFA * 8000])
def test_a_post_that_is_skipped(finish, told, text):
    one = post(text)
    finish()
    assert document(one).state == "skipped" and told == [document(one).pk]
    # It is told of again when it is skipped no more.
    Ad.objects.filter(pk=one.pk).update(text=SOFA)
    mark(one)
    finish()
    assert document(one).state == "indexed" and len(told) == 2
