"""Plain forms that edit a post: what is compared tells whether it is looked at, not how the form names its fields."""

from __future__ import annotations

import time

import pytest
from django import forms
from django.db import transaction
from django.test import RequestFactory

from django_neardup.forms import NearDuplicateFormMixin
from django_neardup.models import Hold
from django_neardup.pipeline import drain
from django_neardup.prepublication.holds import hold_in_state
from tests.pipeline.helpers import CAT, SOFA, SOFA_EDITED
from tests.testapp.models import Ad

pytestmark = pytest.mark.django_db


class EditForm(NearDuplicateFormMixin, forms.Form):
    """Its words have a name of their own."""

    words = forms.CharField()
    phone = forms.CharField(required=False)
    remark = forms.CharField(required=False)

    def __init__(self, *args, ad, **kwargs):
        super().__init__(*args, **kwargs)
        self.ad = ad

    def get_neardup_instance(self):
        self.ad.text = self.cleaned_data.get("words", "")
        self.ad.phone = self.cleaned_data.get("phone", "")
        return self.ad


@pytest.fixture
def edit(people):
    """The form as the post's author sends it."""

    def send(ad, **data):
        request = RequestFactory().post("/", data)
        request.author, request.trust = ad.author, "member"
        initial = {"words": ad.text, "phone": ad.phone}
        return EditForm(request.POST, request=request, ad=Ad.objects.get(pk=ad.pk), initial=initial)

    return send


@pytest.mark.parametrize("again", [False, True])
def test_what_says_nothing_new_stays_published(again, adapt, people, publish, edit):
    adapt(hold_until_checked=True)
    form = edit(publish(SOFA, people.ann), words=SOFA, remark="x")
    assert form.is_valid()
    saved = form.publish(Ad.objects.get() if again else form.ad)
    assert form.neardup.outcome == "published" and Ad.objects.get(pk=saved.pk).published
    assert not Hold.objects.exists()


def test_what_says_nothing_new_is_not_judged(adapt, people, publish, edit):
    adapt(publication=[{"action": "block"}])
    publish(SOFA, people.bob)
    form = edit(publish(SOFA, people.ann, phone="1"), words=SOFA, phone="1", remark="x")
    form.initial = {}  # a form need not tell what was there
    assert form.is_valid() and form.publish(form.ad).published


def test_new_words_are_judged_whatever_the_field_is_called(board, people, publish, edit):
    publish(SOFA, people.bob)
    form = edit(publish(CAT, people.ann), words=SOFA_EDITED)
    assert not form.is_valid() and form.neardup.action == "warn"


@pytest.mark.parametrize("data", [{"words": CAT}, {"words": SOFA, "phone": "555-12-34"}])
def test_new_words_wait_for_their_check(data, adapt, people, publish, edit):
    adapt(hold_until_checked=True)
    form = edit(publish(SOFA, people.ann), **data)
    assert form.is_valid() and not form.publish(form.ad).published
    assert form.neardup.outcome == "checking"


def test_another_post_than_the_one_that_was_looked_at_waits(adapt, people, publish, edit):
    adapt(hold_until_checked=True)
    form = edit(publish(SOFA, people.ann), words=SOFA)
    assert form.is_valid()
    form.publish(Ad(text=CAT, author=people.ann))
    assert form.neardup.outcome == "checking" and not Ad.objects.get(text=CAT).published


@pytest.fixture
def stolen(board, people, publish):
    """A post by Ann, and an older one by Bob that he has edited into a copy of it."""
    copy = publish(CAT, people.bob)
    original = publish(SOFA, people.ann)
    copy.text = SOFA
    copy.save()
    drain()
    return original, copy


def test_the_author_of_a_copied_post_is_not_warned_of_the_copy(stolen, edit):
    original, copy = stolen
    form = edit(original, words=SOFA_EDITED)
    assert form.is_valid() and not form.neardup.matches
    form = edit(copy, words=SOFA_EDITED)
    assert not form.is_valid() and form.neardup.action == "warn"


def test_a_held_post_is_not_stopped_by_its_copy(stolen, adapt):
    adapt(publication=[{"action": "hold", "verdict": "duplicate"}])
    for ad, is_shown in zip(stolen, (True, False), strict=True):
        hold_in_state(ad, "checking", trust="member")
        drain()
        assert Ad.objects.get(pk=ad.pk).published is is_shown


def test_nobody_copies_a_held_post_that_was_never_shown(board, people, publish, adapt):
    adapt(publication=[{"action": "hold", "verdict": "duplicate"}])
    publish(CAT)
    with transaction.atomic():
        held = Ad.objects.create(text=SOFA, author=people.ann)
        hold_in_state(held, "checking", trust="member")
    time.sleep(0.01)  # ages are milliseconds
    publish(SOFA, people.bob)
    drain()
    assert not Ad.objects.get(pk=held.pk).published
