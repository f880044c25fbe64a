"""Texts are read in the language of their adapter, whoever asks."""

import pytest
from django.core.exceptions import ObjectDoesNotExist
from django.utils.translation import get_language, override

from django_neardup import registry
from django_neardup.adapters import Adapter, adapter_for, register
from django_neardup.models import Document
from django_neardup.pipeline import drain, mark
from django_neardup.search import find_similar
from tests.testapp.models import Ad

pytestmark = pytest.mark.django_db

TEXTS = {"ru": "продаю зимние шины почти новые недорого", "en": "winter tyres for sale nearly new and cheap"}


class Translated(Adapter):
    """As a translated model does, it gives the text of the active language."""

    def text(self, instance):
        return TEXTS[(get_language() or "")[:2]]


@pytest.fixture(autouse=True)
def translated(monkeypatch):
    monkeypatch.setattr(registry, "_registry", {})
    register(Ad)(Translated)


@pytest.mark.parametrize("active", ["en", "ru", None])
@pytest.mark.parametrize(("language", "code"), [(None, "ru"), ("en", "en"), ("en_GB", "en-gb")])
def test_in_the_language_of_the_adapter(monkeypatch, active, language, code):
    monkeypatch.setattr(Translated, "language", language)
    ad = Ad.objects.create()

    with override(active):
        adapter = adapter_for(ad)
        read = [adapter.source(ad, compared=True, live=True), adapter.sources([ad.pk], "default")[ad.pk]]
        assert get_language() == active

    assert adapter.language_code == code
    assert {source.text for source in read} == {TEXTS[code[:2]]}


def test_a_moderator_with_another_interface_finds_the_same():
    ads = [Ad.objects.create() for _ in range(2)]
    with override("en"):
        for ad in ads:
            mark(ad)
        drain()
        found = find_similar(ads[0])

    assert [match.object for match in found] == [ads[1]]
    assert Document.objects.filter(state=Document.State.INDEXED).count() == 2


def test_a_column_of_a_language_is_watched_with_its_field(monkeypatch):
    """With django-modeltranslation, ``title`` has a column for each language."""
    monkeypatch.setattr(
        Ad._meta.get_field("phone"), "translated_field", Ad._meta.get_field("title"), raising=False
    )
    registry.unregister(Ad)
    register(Ad)(type("Titled", (Adapter,), {"fields": ["title"]}))

    assert adapter_for(Ad).watched == {"title", "phone"}


class Posted:
    """As a post of django-parler does, it keeps the language in which it was loaded."""

    pk = 1

    def __init__(self, language):
        self.language = language

    def get_current_language(self):
        return self.language

    def set_current_language(self, language):
        self.language = language

    @property
    def text(self):
        return TEXTS[self.language]


@pytest.mark.parametrize("adapter_language", ["ru", "en"])
def test_an_object_that_has_a_language(monkeypatch, adapter_language):
    registry.unregister(Ad)
    register(Ad)(type("OwnLanguage", (Adapter,), {"fields": ["text"], "language": adapter_language}))
    post = Posted("en")

    source = adapter_for(Ad).source(post, compared=True, live=True)

    assert source.text == TEXTS[adapter_language]
    assert post.language == "en"


class TranslationDoesNotExist(ObjectDoesNotExist):
    """As that of django-parler."""


def test_a_field_without_a_translation_is_empty(monkeypatch):
    def missing(self):
        raise TranslationDoesNotExist

    ad = Ad.objects.create(text=TEXTS["ru"])
    registry.unregister(Ad)
    register(Ad)(type("WithHeading", (Adapter,), {"fields": ["heading", "text"]}))
    monkeypatch.setattr(Ad, "heading", property(missing), raising=False)

    assert adapter_for(Ad).sources([ad.pk], "default")[ad.pk].text == TEXTS["ru"]
