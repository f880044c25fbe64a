"""A board whose adverts are looked at before they are published, and the people who write them."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from django import forms
from django.test import RequestFactory

from django_neardup import registry
from django_neardup.forms import NearDuplicateFormMixin
from django_neardup.pipeline import drain
from tests.testapp.models import Ad, Author
from tests.testapp.neardup import AdNeardup


class BoardNeardup(AdNeardup):
    """Guests write without an account; ``told`` are those whom the adapter wrote to."""

    told: list[tuple[str, int]] = []

    def request_author(self, request):
        return request.author and request.author.pk

    def trust(self, request):
        return request.trust

    def renew(self, old, new):
        old.text, old.hits = new.text, old.hits + 1
        old.save()

    def published(self, ad):
        self.told.append(("published", ad.pk))

    def refused(self, ad):
        self.told.append(("refused", ad.pk))

    def appeal_url(self, ad):
        return "/appeal/"


class AdForm(NearDuplicateFormMixin, forms.ModelForm):
    class Meta:
        model = Ad
        fields = ["title", "text", "phone"]


@pytest.fixture
def adapt(monkeypatch):
    """Put an adapter of that kind in force, with those attributes."""

    def put(base=BoardNeardup, **attributes):
        adapter = type("TestNeardup", (base,), {"told": [], **attributes})(Ad)
        monkeypatch.setitem(registry._registry, Ad, adapter)
        return adapter

    return put


@pytest.fixture
def board(adapt):
    return adapt()


@pytest.fixture
def people(db):
    """Two authors."""
    return SimpleNamespace(ann=Author.objects.create(name="Ann"), bob=Author.objects.create(name="Bob"))


@pytest.fixture
def submit():
    """A form as somebody sends it. Whoever has no author is a guest."""

    def send(author, *buttons, instance=None, kind=AdForm, trust="member", **data):
        request = RequestFactory().post("/", {"title": "", "text": "", **data, **dict(buttons)})
        request.author, request.trust = author, trust
        instance = Ad(author=author) if instance is None else instance
        return kind(request.POST, request=request, instance=instance)

    return send


@pytest.fixture
def publish():
    """A post that is there and compared."""

    def make(text, author=None, **fields):
        ad = Ad.objects.create(text=text, author=author, **fields)
        drain()
        return ad

    return make
