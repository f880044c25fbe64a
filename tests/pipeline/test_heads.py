"""Declared heads reach the judge, on every way on which a text gets there."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.test import RequestFactory

import django_neardup as neardup
from django_neardup.adapters import Adapter, adapter_for
from django_neardup.algorithms.default.neardup import NearDup
from django_neardup.models import Pair
from django_neardup.pipeline import text_cache
from django_neardup.prepublication.check import check_post, load_visitor
from django_neardup.preview import build_preview, build_selection
from tests.pipeline.helpers import SOFA, SOFA_EDITED, pair, post, work
from tests.testapp.models import Ad
from tests.testapp.neardup import AdNeardup

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.engines("sqlite")]
TITLE, LONG_TITLE = "Диван угловой", "Продаю большой угловой диван"
PATH = f"{__name__}.RecordingNearDup"


class RecordingNearDup(NearDup):
    """The default algorithm. It notes the heads of the texts that it judges, in tokens."""

    name = "neardup-recording"
    heads: list[tuple[int, int]] = []

    def compare(self, a, b):
        self.heads.append((a.head_end, b.head_end))
        return super().compare(a, b)


@pytest.fixture(autouse=True)
def recording(settings, monkeypatch):
    """Profile with the algorithm; every text is canonicalized again in each test."""
    settings.NEARDUP = {"default": {"ALGORITHM": PATH, "SECRET": "tests"}}
    monkeypatch.setattr(text_cache, "_text_cache", text_cache._TextCache())
    monkeypatch.setattr(RecordingNearDup, "heads", [])
    return RecordingNearDup.heads


@pytest.fixture
def with_heads(monkeypatch):
    monkeypatch.setattr(AdNeardup, "heads", ["title"])


def take(recorded):
    """Return the recorded heads and forget them."""
    taken = list(recorded)
    recorded.clear()
    return taken


def two_posts():
    return post(SOFA, title=TITLE), post(SOFA_EDITED, title=LONG_TITLE)


class TestSource:
    def read(self, **attributes):
        adapter = type("TestAdapter", (Adapter,), {"fields": ["title", "text"], **attributes})(Ad)
        return adapter.source(Ad(title=TITLE, text=SOFA), compared=True, live=True)

    def test_the_head_is_measured_in_the_text(self):
        source = self.read(heads=["title"])
        assert source.text[: source.head] == TITLE
        assert self.read().head == 0

    def test_several_heads_are_lines(self):
        source = self.read(fields=["title", "sku", "text"], heads=["title", "sku"])
        assert source.text[: source.head] == f"{TITLE}\n"

    def test_declared_heads_change_the_digest(self):
        assert self.read().digest == self.read(heads=()).digest
        assert self.read(heads=["title"]).digest != self.read().digest

    def test_a_post_without_a_head_keeps_its_digest(self):
        adapters = [
            type("TestAdapter", (Adapter,), {"fields": ["title", "text"], "heads": heads})(Ad)
            for heads in ([], ["title"])
        ]
        a, b = (adapter.source(Ad(text=SOFA), compared=True, live=True) for adapter in adapters)
        assert (a.head, a.digest) == (b.head, b.digest)

    def test_a_title_without_a_body_is_no_head(self):
        adapter = type("TestAdapter", (Adapter,), {"fields": ["title", "text"], "heads": ["title"]})(Ad)
        assert adapter.source(Ad(title=TITLE, text=" \n"), compared=True, live=True).head == 0

    def test_a_text_of_its_own_begins_with_its_head(self):
        source = self.read(
            text=lambda self, ad: f"<h1>{ad.title}</h1>{ad.text}",
            head=lambda self, ad: f"<h1>{ad.title}</h1>",
        )
        assert source.text[: source.head] == f"<h1>{TITLE}</h1>"

    def test_a_text_that_does_not_begin_with_its_head_has_none(self):
        assert self.read(heads=["title"], text=lambda self, ad: f"{ad.text} {ad.title}").head == 0


def test_the_worker_judges_texts_with_heads(recording, with_heads):
    one, other = two_posts()
    work()
    assert pair(one, other) is not None
    assert take(recording) == [(2, 4)]


def test_a_stored_text_is_read_again_with_its_head(recording, with_heads):
    one = post(SOFA, title=TITLE)
    work()
    other = post(SOFA_EDITED, title=LONG_TITLE)
    work()
    assert pair(one, other) is not None
    assert take(recording) == [(2, 4)]


def test_without_declared_heads_the_judge_gets_none(recording):
    two_posts()
    work()
    assert take(recording) == [(0, 0)]


def test_posts_are_compared_again_when_heads_are_declared(recording, monkeypatch):
    two_posts()
    work()
    stored = Pair.objects.get()
    assert take(recording) == [(0, 0)]
    monkeypatch.setattr(AdNeardup, "heads", ["title"])
    call_command("neardup_index", "--reconcile", no_progress=True, verbosity=0)
    work()
    judged = Pair.objects.get()
    assert take(recording) == [(2, 4)]
    assert judged.digest_a != stored.digest_a and judged.digest_b != stored.digest_b


def test_searches_judge_with_heads(recording, with_heads):
    post(SOFA, title=TITLE)
    work()
    draft = Ad(text=SOFA_EDITED, title=LONG_TITLE)
    assert len(neardup.find_similar(draft, visible=Ad.objects.all())) == 1
    assert sorted(take(recording)[0]) == [2, 4]
    neardup.check_many([draft], Ad, visible=Ad.objects.all())
    assert sorted(take(recording)[0]) == [2, 4]


def test_texts_of_one_call_are_judged_with_heads(recording, with_heads):
    work()
    post("Совсем другое объявление о продаже дачного участка", title="Дача")
    work()
    take(recording)
    drafts = [Ad(text=SOFA, title=TITLE), Ad(text=SOFA_EDITED, title=LONG_TITLE)]
    neardup.check_many(drafts, Ad, visible=Ad.objects.all())
    assert [sorted(heads) for heads in take(recording)] == [[2, 4]]


def test_the_check_before_publication_judges_with_heads(recording, with_heads):
    post(SOFA, title=TITLE)
    work()
    draft, request = Ad(text=SOFA_EDITED, title=LONG_TITLE), RequestFactory().get("/")
    adapter = adapter_for(Ad)
    result = check_post(request, draft, adapter, load_visitor(request, draft, adapter))
    assert len(result.matches) == 1
    assert sorted(take(recording)[0]) == [2, 4]


def test_compare_reads_heads(recording, with_heads):
    neardup.compare(Ad(text=SOFA, title=TITLE), Ad(text=SOFA_EDITED, title=LONG_TITLE))
    assert take(recording) == [(2, 4)]
    texts = f"{TITLE}\n{SOFA}", f"{LONG_TITLE}\n{SOFA_EDITED}"
    neardup.compare(*texts)
    neardup.compare(*texts, head="first-line")
    neardup.compare(SOFA, texts[1], head="first-line")
    assert take(recording) == [(0, 0), (2, 4), (0, 4)]
    with pytest.raises(ValueError, match="'first-line' or None"):
        neardup.compare(*texts, head="title")


def test_the_preview_judges_with_heads(recording, with_heads):
    two_posts()
    build_preview(build_selection("testapp.Ad"))
    assert take(recording) == [(2, 4)]
