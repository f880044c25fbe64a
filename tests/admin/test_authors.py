"""Authors are shown by the names that the adapter gives for their keys."""

import pytest
from django.urls import reverse

from django_neardup.adapters import adapter_for
from django_neardup.models import Queue
from tests import builders
from tests.admin.tools import list_of, page_of
from tests.testapp.models import Author
from tests.testapp.neardup import AdNeardup


@pytest.fixture
def written(ads):
    author = Author.objects.create(name="Pushkin <b>")
    return author, builders.cluster(*ads("today", "tomorrow", author=author))


@pytest.mark.parametrize("named", [True, False])
def test_pages_say_the_name_or_else_the_key(root, written, monkeypatch, named):
    author, cluster = written
    monkeypatch.setattr(AdNeardup, "authors", "testapp.Author" if named else None)
    shown = "Pushkin &lt;b&gt;" if named else str(author.pk)
    by_author = reverse("admin:neardup_queue_author", args=[author.pk])
    for page in (list_of(Queue), page_of(cluster)):
        assert f'<a href="{by_author}">{shown}</a>' in root.get(page).content.decode()
    assert shown in root.get(by_author).content.decode()


@pytest.mark.django_db
def test_keys_that_are_nobodys_have_no_name(ads, monkeypatch):
    monkeypatch.setattr(AdNeardup, "authors", Author)
    adapter = adapter_for(type(ads("today")[0]))
    assert adapter.author_names(["", "x", "77"]) == {}
