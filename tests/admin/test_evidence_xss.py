"""Hostile texts in every field that somebody may fill, on every page of ours: no tag that a harmless text has not."""

from __future__ import annotations

import uuid

import pytest
from django.db import transaction
from django.urls import reverse

from django_neardup.models import (
    Cluster,
    Contact,
    Decision,
    Document,
    IgnoredPassage,
    KeyPhrase,
    MergeRecord,
    Pair,
    Queue,
    Scheme,
)
from django_neardup.pipeline import decide, withdraw
from django_neardup.pipeline.hash_secrets import secret_of
from django_neardup.pipeline.key_phrases import normalize_phrase
from django_neardup.pipeline.source_properties import contact_hash
from tests import builders
from tests.admin.tools import OUTCOMES, list_of, look, page_of
from tests.admin.xss import HARMLESS, HOSTILE, counted, kinds, runs
from tests.testapp.models import Ad, Author, Comment

pytestmark = [pytest.mark.django_db, pytest.mark.engine_alike]

TEXT = "Продам сваи железобетонные С140.35 длиной 14 м {} звоните и пишите вечером {} mail{}@example.ru"


@pytest.fixture
def pages(root):
    """The pages of ours, by name, with a word wherever a stranger or a colleague may write."""

    def fetch(word):
        author = Author.objects.create(name=word[:100])
        ads = [
            Ad.objects.create(
                title=word[:200],
                text=TEXT.format(word, number, number),
                author=author,
                phone=word[:50],
                sku=word[:50],
            )
            for number in range(4)
        ]
        Comment.objects.create(ad=ads[1], text=word)
        cluster = builders.cluster(*ads[:2])
        pair, other = builders.pair(ads[1], ads[2], "variant"), builders.pair(ads[2], ads[3], "variant")
        Document.objects.update(author=word)
        Pair.objects.filter(pk=other.pk).update(evidence=evidence(word))
        KeyPhrase.objects.create(text=word[:200], note=word, by_name=word)
        IgnoredPassage.objects.create(text=word, note=word, by_name=word)
        secret = secret_of(Scheme.objects.get())
        for document in (pair.a, pair.b):
            value = contact_hash("phrase", normalize_phrase(word[:200]), secret)
            Contact.objects.create(hash=value, document=document, kind=Contact.Kind.PHRASE)
        decision = decide("different", [pair.a, pair.b], root.user, "default", note=word)
        withdraw(decision, root.user, "default")
        Decision.objects.update(by_name=word, withdrawn_by=word)
        records(cluster, pair, word)
        root.user.username = word[:150]
        root.user.save()
        yield from ((f"pair {number}", root.get(page_of(each))) for number, each in enumerate((pair, other)))
        yield "cluster", root.get(page_of(cluster))
        yield "member", root.get(page_of(cluster), {"member": word, "p": word, "_changelist_filters": word})
        for outcome in OUTCOMES:
            for name, source in (("pair", pair), ("cluster", cluster)):
                yield f"{outcome} {name}", look(root, outcome, source, _changelist_filters=word)
        for model in (Cluster, Pair, Decision, Document, MergeRecord, KeyPhrase, IgnoredPassage, Queue):
            yield f"list {model.__name__}", root.get(list_of(model))
            yield f"search {model.__name__}", root.get(list_of(model), {"q": word})
            yield f"empty {model.__name__}", root.get(list_of(model), {"q": "7777777"})
        preview = {"text": TEXT.format(word, 1, 1), "profile": ""}
        yield "preview", root.post(reverse("admin:neardup_ignoredpassage_preview_new"), preview)
        for row in (decision, pair.a, MergeRecord.objects.first()):
            yield f"row {type(row).__name__}", root.get(page_of(row))

    return lambda word: list(fetch(word))


def records(cluster, pair, word):
    names = {
        "keeper_text": word[:200],
        "loser_text": word[:200],
        "by_name": word[:255],
        "undone_by": word[:255],
    }
    for action in MergeRecord.Action:
        MergeRecord.objects.create(
            action=action, batch=uuid.uuid4(), cluster=cluster.pk, keeper_type=pair.a.content_type,
            keeper_id=pair.a.object_id, loser_type=pair.b.content_type, loser_id=pair.b.object_id,
            undone=pair.found, left=[word], journal={"rows": [], "moves": []}, **names,
        )  # fmt: skip


def evidence(word):
    sides = {"text": word, "span": [0, 4]}
    return {
        "omitted": word, "exact": word, "passages": [word, {"a": word, "b": [0, 4]}, {"a": [0, 9], "b": [0, 9]}],
        "differences": [
            {"kind": "code", "decides": True, "a": sides, "b": sides},
            {"kind": word, "decides": word, "a": word, "b": {"text": word, "span": [word, 2]}},
            word,
        ],
    }  # fmt: skip


@pytest.fixture
def harmless(pages):
    point = transaction.savepoint()
    found = {name: (kinds(page), counted(page)) for name, page in pages(HARMLESS)}
    transaction.savepoint_rollback(point)
    return found


@pytest.mark.parametrize(
    "word",
    [
        pytest.param(word, id=str(place), marks=[pytest.mark.long] * (place > 2))
        for place, word in enumerate(HOSTILE)
    ],
)
def test_no_page_has_a_tag_that_a_harmless_text_has_not(word, pages, harmless):
    for name, page in pages(word):
        assert page.status_code == 200, name
        usual = [harmless[each] for each in (name, name.replace("search", "empty"))]
        assert not kinds(page) - set().union(*(tags for tags, _counts in usual)), name
        assert counted(page) in [counts for _tags, counts in usual], name
        assert not runs(page), name
        assert word not in page.content.decode(), name
        assert "<script>alert" not in page.content.decode(), name


def test_the_pages_that_are_looked_through_show_what_was_written(pages):
    told = {name: page.content.decode() for name, page in pages(HARMLESS)}

    assert len(told) > 20
    for name in ("pair 0", "cluster", "merge pair", "list Decision", "row MergeRecord"):
        assert "Сваи С140.35 и «балки»" in told[name], name
    for words in ("key phrases", "Decided: not duplicates.", "was merged into"):
        assert words.lower() in told["pair 0"].lower(), words
