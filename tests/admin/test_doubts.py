"""A doubt from the worker to the pages: stored with the pair, said as "maybe" to staff, and not at all to visitors."""

from __future__ import annotations

import pytest

from django_neardup.models import Pair
from django_neardup.pipeline import drain
from django_neardup.search import find_similar
from django_neardup.similar_posts import SimilarPosts
from tests.admin.tools import page_of
from tests.testapp.models import Ad, Author

pytestmark = [pytest.mark.django_db, pytest.mark.engine_alike]

FRAME = "Требуется {} на автомобиль, смена с утра до вечера, обеды за счёт фирмы, оплата раз в неделю"
DRIVER, HELPER = FRAME.format("водитель"), FRAME.format("помощник водителя")
COOK = FRAME.format("повар")


@pytest.fixture
def saved():
    """Save adverts with these texts and compare them."""
    authors = [Author.objects.create(name=name) for name in ("ann", "bob", "eve")]

    def make(*texts: str) -> list[Ad]:
        ads = [Ad.objects.create(text=text, author=author) for text, author in zip(texts, authors)]
        drain()
        return ads

    return make


def evidence_page(client, pair: Pair) -> str:
    return " ".join(client.get(page_of(pair)).content.decode().split())


@pytest.mark.parametrize(("other", "doubtful"), [(HELPER, True), (COOK, False)])
def test_the_worker_stores_how_sure_the_verdict_is(other, doubtful, saved):
    saved(DRIVER, other)
    pair = Pair.objects.get()
    assert (pair.verdict, pair.doubtful) == ("variant", doubtful)
    assert pair.evidence["certainty"] == ("maybe" if doubtful else "sure")


def test_staff_read_maybe_with_the_reason_and_an_example(root, saved):
    saved(DRIVER, HELPER)
    page = evidence_page(root, Pair.objects.get())
    assert "they may describe two items" in page
    assert "May be decisive: perhaps another item" in page
    # The reason stands beside an example of the rule.
    assert "as in iPhone 13 → iPhone 13 Pro" in page.replace("&#x27;", "'")
    assert "Suggested: View" in page and "neardup-first" not in page


def test_the_row_of_the_queue_says_maybe(root, saved):
    saved(DRIVER, HELPER, COOK)
    page = root.get("/admin/neardup/queue/").content.decode()
    assert (
        page.count('<span class="neardup-flag">maybe</span>')
        == Pair.objects.filter(doubtful=True).count()
        == 1
    )


def test_declared_identity_is_sure(saved):
    first = Author.objects.create(name="first")
    for text, sku in ((DRIVER, "X"), (HELPER, "X"), (FRAME.format("старший водитель"), "Y")):
        Ad.objects.create(text=text, author=first, sku=sku)
    drain()
    assert {(pair.verdict, pair.doubtful, pair.evidence["certainty"]) for pair in Pair.objects.all()} == {
        ("duplicate", False, "sure"), ("variant", False, "sure"),
    }  # fmt: skip


def test_a_doubt_beside_a_sure_difference_is_not_told(saved):
    first, second = saved(
        "Сдам комнату до 10 мая, 2 этаж, окна во двор, мебель есть, тихие соседи, рядом парк",
        "Сдам комнату от 10 мая, 3 этаж, окна во двор, мебель есть, тихие соседи, рядом парк",
    )
    pair = Pair.objects.get()
    assert (pair.verdict, pair.doubtful, pair.classes) == ("variant", False, "number")
    (entry,) = SimilarPosts(first, Ad.objects.all()).variants
    assert [(hint.kind, hint.after) for hint in entry.hints] == [("number", "3")]


def test_staff_read_what_is_sure(root, saved):
    saved(DRIVER, COOK)
    page = evidence_page(root, Pair.objects.get())
    assert "but describe two items" in page and "may describe" not in page
    assert "Decisive: another item" in page and "the item has another name, as in диван → комод" in page


def test_visitors_never_read_a_doubt(client, saved):
    driver, helper, cook = saved(DRIVER, HELPER, COOK)
    page = SimilarPosts(driver, Ad.objects.filter(published=True))
    assert [(entry.object, entry.is_other_item) for entry in page.variants] == [(cook, True)]
    assert [(entry.object, entry.is_other_item) for entry in page.related] == [(helper, False)]
    assert [hint.after for hint in page.variants[0].hints] == ["повар"]
    assert page.related[0].hints == []


def test_a_search_says_how_sure_it_is(saved):
    driver, helper, cook = saved(DRIVER, HELPER, COOK)
    found = {match.object: match for match in find_similar(driver, visible=Ad.objects.all())}
    assert (found[helper].doubtful, found[helper].certainty, found[helper].hints) == (True, "maybe", [])
    assert (found[cook].doubtful, found[cook].certainty) == (False, "sure")
    assert [hint.after for hint in found[cook].hints] == ["повар"]
