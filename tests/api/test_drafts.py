"""What a visitor may fill in, and what is left as it is."""

import json

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import ObjectDoesNotExist
from django.db import models
from django.test.utils import isolate_apps

import django_neardup as neardup
from django_neardup import registry
from django_neardup.adapters import Adapter
from django_neardup.api.drafts import build_draft, fillable_fields
from tests.api.asking import ask, indexed, post, texts, told
from tests.testapp.models import Ad, Author, Comment, ScopedPost, SlugPost

pytestmark = pytest.mark.django_db


def adapter(model=Ad, **attributes):
    return type("Draft", (Adapter,), attributes)(model)


def text(self, instance):
    return instance.title


@pytest.mark.parametrize(
    ("model", "attributes", "names"),
    [
        (
            Ad,
            {"fields": ["title", "text"], "contacts": ["phone"], "identity": ["sku"]},
            "phone sku text title",
        ),
        (
            Ad,
            {"fields": ["title", "nothing", "get_absolute_url", "tags", "notes", "comments", "pk"]},
            "title",
        ),
        (Ad, {"fields": ["text", "author"], "contacts": ["parent_id"]}, "text"),
        (Ad, {"fields": ["text"], "identity": ["author"], "scope": ["parent_id"]}, "author parent text"),
        (Ad, {"fields": ["author"], "scope": ["author_id"]}, ""),
        (Ad, {"fields": ["title"], "watch": ["published"]}, "title"),
        (Ad, {"text": text, "watch": ["published", "title", "author"]}, "published title"),
        (Ad, {"fields": ["get_absolute_url"], "watch": ["title", "author"]}, "title"),
        (Ad, {"fields": ["text"], "scope": ["get_absolute_url"], "watch": ["title"]}, "text title"),
        (SlugPost, {"fields": ["text"], "identity": ["slug"]}, "text"),
        (ScopedPost, {"fields": ["text"], "scope": ["site"]}, "site text"),
    ],
)
def test_what_is_asked(model, attributes, names):
    assert sorted(field.name for field in fillable_fields(adapter(model, **attributes))) == names.split()


@isolate_apps("tests.testapp")
def test_files_are_not_asked():
    class Paper(models.Model):
        scan = models.FileField()
        picture = models.FilePathField()

        class Meta:
            app_label = "testapp"

    assert [field.name for field in fillable_fields(adapter(Paper, fields=["scan", "picture"]))] == []


@isolate_apps("tests.testapp")
def test_what_a_field_cannot_read_is_left_out(rf):
    class Listed(models.TextField):
        """As fields of lists are on PostgreSQL."""

        def to_python(self, value):
            return json.loads(value)

    class Paper(models.Model):
        words = Listed(default="")

        class Meta:
            app_label = "testapp"

    request = rf.post("/")
    for value, expected in [('["a"]', ["a"]), ("[", ""), ("[" * 200_000, ""), (1, "")]:
        assert build_draft(adapter(Paper, fields=["words"]), request, {"words": value}).words == expected


def test_relations_lead_to_what_there_is(rf):
    author = Author.objects.create(name="Анна")
    own = adapter(fields=["text"], identity=["author"])
    request = rf.post("/")
    request.user = AnonymousUser()
    for value, expected in [
        (author.pk, author.pk),
        (str(author.pk), author.pk),
        (author.pk + 9, None),
        ("x", None),
    ]:
        assert build_draft(own, request, {"author": value}).author_id == expected
        assert build_draft(own, request, {"author_id": value}).author_id == expected


def test_what_a_property_reads_is_taken_from_the_visitor(client, monkeypatch):
    monkeypatch.setattr(Ad, "words", property(lambda ad: f"{ad.title}\n{ad.text}"), raising=False)
    own = adapter(fields=["words"], watch=["title", "text"])
    monkeypatch.setitem(registry._registry, Ad, own)
    indexed(post())
    assert [each["same"] for each in told(client, **texts())] == [True]
    assert told(client, title="", text="") == []


@pytest.mark.parametrize("attributes", [{"scope": ["ad"]}, {"fields": ["text", "ad"]}, {"identity": ["ad"]}])
def test_a_relation_that_is_not_sent_is_none(client, monkeypatch, attributes):
    monkeypatch.setitem(registry._registry, Comment, adapter(Comment, **{"fields": ["text"], **attributes}))
    comment = Comment.objects.create(ad=post(), text=texts()["text"])
    neardup.drain()
    assert ask(client, label="testapp.comment", text=comment.text).status_code == 200
    neardup.find_similar(Comment(text=comment.text))
    comment.ad_id = None
    with pytest.raises(ObjectDoesNotExist):
        registry.adapter_for(comment).source(comment, compared=True, live=True)


def test_a_stored_post_keeps_what_is_not_sent(rf):
    request = rf.post("/")
    request.user = AnonymousUser()
    stored = Ad.objects.create(title="Старый", text="Старый текст", hits=7)
    found = build_draft(
        adapter(fields=["title", "text"]), request, {"pk": stored.pk, "title": "Новый", "hits": 0}
    )
    assert (found.pk, found.title, found.text, found.hits) == (stored.pk, "Новый", "Старый текст", 7)
