"""The page of a cluster and of a pair; texts of strangers in every page; what the pages are made of."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

import django_neardup
from django_neardup.models import Cluster, Decision, Document, Membership, MergeRecord, Pair, Queue
from django_neardup.pipeline import decide, drain
from tests import builders
from tests.admin.tools import OUTCOMES, confirm, list_of, look, page_of
from tests.testapp.models import Ad, Author, Comment, Favourite, Statistics

pytestmark = pytest.mark.django_db


class TestCluster:
    def test_members_against_the_representative(self, root, ads):
        keeper, loser = ads("сегодня", "завтра", hits=7)
        builders.cluster(keeper, loser)

        page = root.get(page_of(Cluster.objects.get())).content.decode()

        assert "Сваи сегодня: 2 similar posts" in page
        assert "91\xa0%" in page
        assert '<mark class="neardup-word neardup-idle">сегодня\xa0→ завтра</mark>' in page
        assert page.count("<article") == 2

    def test_a_chosen_member_is_compared(self, root, cluster):
        places = list(Membership.objects.filter(reason="duplicate").order_by("document"))

        for place in places:
            page = root.get(page_of(cluster), {"member": place.document_id})
            assert page.context["page"].comparison.right.post.document.pk == place.document_id
        assert root.get(page_of(cluster), {"member": "x' OR 1=1"}).status_code == 200

    def test_exact_copies_have_a_badge(self, root, ads):
        keeper, loser = ads("сегодня", "сегодня")
        cluster = builders.cluster(keeper, loser, exact=True, lowest=1.0, weakest=1.0)

        page = root.get(page_of(cluster)).content.decode()

        assert "exact copy" in page
        assert "100\xa0%" in page
        assert "the texts are the same" in page

    def test_a_text_that_has_changed_is_not_marked(self, root, cluster):
        Ad.objects.update(text="совсем другие слова о другом предмете")

        page = root.get(page_of(cluster))

        assert page.context["page"].comparison.is_stale
        assert "A text has changed since the comparison" in page.content.decode()
        assert "<mark" not in re.search(r"<article.*</article>", page.content.decode(), re.S).group()

    def test_a_deleted_object(self, root, cluster):
        Ad.objects.filter(pk=int(cluster.leader.object_id)).delete()

        page = root.get(page_of(cluster)).content.decode()

        assert "deleted: 3 similar posts" in page
        assert "The text is not shown here." in page

    def test_variants_nearby(self, root, cluster, ads):
        (near,) = ads("послезавтра")
        Ad.objects.filter(pk=near.pk).update(text=near.text.replace("С140.35", "С90.30"))
        near.refresh_from_db()
        inside = Ad.objects.order_by("pk").first()
        builders.pair(inside, near, "variant")

        page = root.get(page_of(cluster)).content.decode()

        assert "Nearby but not in the group" in page
        assert f"variant of №\xa0{inside.pk}" in page
        assert "С140.35\xa0→ С90.30" in page

    def test_the_weakest_pair_inside(self, root, cluster):
        _one, two, three = Ad.objects.order_by("pk")
        builders.pair(two, three, score=0.7463)

        page = root.get(page_of(cluster)).content.decode()

        assert f"the weakest pair inside has 74\xa0%: №\xa0{two.pk} and №\xa0{three.pk}" in page

    def test_members_come_in_pages(self, root, ads):
        many = builders.cluster(*ads(*(f"слово{number}" for number in range(60))))

        first, second = (root.get(page_of(many), {"p": number}) for number in (1, 2))

        assert first.content.decode().count('name="member"') == 51
        assert second.content.decode().count('name="member"') == 10
        assert root.get(page_of(many), {"p": "x"}).status_code == 200

    def test_the_same_queries_for_any_number_of_members(self, root, ads):
        few, many = builders.cluster(*ads("а", "б")), builders.cluster(*ads(*"вгдежзик"))
        for cluster in (few, many):
            root.get(page_of(cluster))

        assert queries(root, few) == queries(root, many)

    def test_a_cluster_that_is_no_more(self, root, cluster):
        url = page_of(cluster)
        cluster.delete()

        assert root.get(url).url == list_of(Cluster)
        came_from = {"_list": "queue", "_changelist_filters": "exact=yes"}
        assert root.get(url, came_from).url == f"{list_of(Queue)}?exact=yes"
        assert root.get(url, {"_list": "elsewhere"}).url == list_of(Cluster)


def queries(client, cluster):
    with CaptureQueriesContext(connection) as context:
        assert client.get(page_of(cluster)).status_code == 200
    return len(context)


class TestPair:
    def test_both_texts_side_by_side(self, root, ads):
        one, two = ads("сегодня", "сегодня")
        two.text = two.text.replace("С140.35", "С90.30")
        two.save()
        pair = builders.pair(one, two, "variant", score=0.7199)

        page = root.get(page_of(pair)).content.decode()

        assert "describe two items" in page
        assert page.count("<article") == 2
        assert "71\xa0%" in page
        assert "С140.35\xa0→ С90.30" in page


HOSTILE = [
    "<script>alert(1)</script> \"><img src=x onerror=alert(1)> '><svg/onload=alert(1)>",
    "</title></textarea></script><script>alert(1)</script> <a href='javascript:alert(1)'>x</a>",
    "&lt;script&gt;alert(1)&lt;/script&gt; &#60;img src=x onerror=alert(1)&#62; {{ 7|add:7 }}{% load static %}",
    "<mark class=neardup-code onclick=alert(1)>x</mark> \u202e<b style=color:red>\u2028\u2029",
]


class Tags(HTMLParser):
    """What could run."""

    def __init__(self) -> None:
        super().__init__()
        self.runs = []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag in ("script", "img", "iframe", "object", "embed") or any(
            name.startswith("on") for name in given
        ):
            self.runs.append((tag, given.get("src", "")))
        if tag == "a" and str(given.get("href", "")).strip().lower().startswith("javascript"):
            self.runs.append((tag, given["href"]))
        if "style" in given or tag == "style":
            self.runs.append((tag, "style"))


def parsed(response):
    tags = Tags()
    tags.feed(response.content.decode())
    return tags


def hostile_pages(root, word):
    """Every page of ours with that word wherever a stranger may write."""
    author = Author.objects.create(name=word[:100])
    text = f"Продам сваи железобетонные длиной {word} звоните и пишите"
    one, two, three = (Ad.objects.create(title=word, text=f"{text} {n}", author=author) for n in range(3))
    Comment.objects.create(ad=two, text=word)
    cluster, pair = builders.cluster(one, two), builders.pair(two, three, "variant")
    Document.objects.update(author=word)
    Pair.objects.update(evidence=evil(word))
    yield root.get(page_of(pair))
    yield from (look(root, outcome, pair) for outcome in OUTCOMES)
    decision = decide("different", [pair.a, pair.b], root.user, "default", note=word)
    for model in (Cluster, Pair, Decision, Document):
        yield root.get(list_of(model), {"q": word})
        yield root.get(list_of(model))
    yield from (root.get(page_of(source)) for source in (cluster, decision, pair.a))
    yield root.get(list_of(Cluster), {"size": word, "state": word, "model": word})
    yield from (look(root, outcome, cluster, _changelist_filters=word) for outcome in OUTCOMES)
    for ad in (one, two):
        Statistics.objects.create(ad=ad)
        Favourite.objects.create(ad=ad, author=author)
    yield from (look(root, outcome, cluster) for outcome in ("merge", "delete"))
    confirm(root, "delete", cluster)
    yield root.get(list_of(MergeRecord))
    yield root.get(page_of(MergeRecord.objects.latest("pk")))


@pytest.mark.engine_alike
@pytest.mark.parametrize("hostile", HOSTILE)
def test_texts_of_strangers_make_no_tags(hostile, root):
    for page in hostile_pages(root, hostile):
        assert page.status_code == 200
        text = page.content.decode()
        assert hostile not in text
        assert "<script>alert" not in text
        for tag, what in parsed(page).runs:
            assert tag in ("script", "img")
            assert what.startswith("/static/") or what == "/admin/jsi18n/"


def evil(word):
    sides = {"text": word, "span": [0, 4]}
    return {"differences": [
        {"kind": "code", "decides": True, "a": sides, "b": sides},
        {"kind": word, "decides": word, "a": word, "b": {"text": word, "span": [word, 2]}},
        word,
    ]}  # fmt: skip


def test_titles_do_not_turn_into_markup_in_messages(root, ads):
    one, two = ads("<script>alert(1)</script>", "завтра")
    three, four = ads("а", "б")
    Statistics.objects.create(ad=one)
    Statistics.objects.create(ad=two)
    first, second = builders.cluster(one, two), builders.cluster(three, four)

    answer = confirm(root, "merge", first, second)
    page = root.get(answer.url).content.decode()

    assert "Not possible" in page
    assert "<script>alert" not in page


@pytest.mark.parametrize(
    ("title", "shown"), [("\u200b \u00ad", "without a title"), ("Сваи \u202e53.041С", "Сваи \ufffd53.041С")]
)
def test_titles_that_nobody_sees_or_that_turn_round_what_follows(title, shown, root, ads):
    cluster = builders.cluster(*ads("сегодня", "завтра"))
    Ad.objects.update(title=title)

    pages = [root.get(page_of(cluster)), look(root, "merge", cluster), root.get(list_of(Queue))]
    confirm(root, "hide", cluster)
    pages += [root.get(list_of(Queue), {"tab": "decided"}), root.get(page_of(MergeRecord.objects.get()))]

    for answer in pages:
        text = answer.content.decode()
        assert shown in text or "\ufffd" not in shown
        assert "\u202e" not in text
    assert f">{shown}</a>" in pages[0].content.decode()


PACKAGE = Path(django_neardup.__file__).parent


def test_our_templates_have_neither_scripts_nor_styles_of_their_own():
    for path in (PACKAGE / "templates/neardup/admin").rglob("*.html"):
        text = path.read_text()
        assert not re.search(r"<script|<style|\sstyle=|\son[a-z]+=|\|safe\b|autoescape off", text), path


def test_nothing_is_marked_safe():
    for path in [*(PACKAGE / "admin").rglob("*.py"), *(PACKAGE / "merging").rglob("*.py")]:
        assert "mark_safe" not in path.read_text(), path


def test_the_whole_way(root):
    """From saved adverts through the worker to a merge, without rows made by hand."""
    texts = [
        "Продаю угловой диван в хорошем состоянии, обивка без пятен, механизм работает исправно. Самовывоз, лифт есть.",
        "Продам угловой диван в хорошем состоянии, обивка без пятен, механизм исправно работает. Самовывоз, лифт есть.",
    ]
    keeper, loser = (Ad.objects.create(title="Диван", text=text) for text in texts)
    Comment.objects.create(ad=loser, text="c")
    drain()
    cluster = Cluster.objects.get()

    assert root.get(page_of(cluster)).status_code == 200
    assert confirm(root, "merge", cluster).status_code == 302
    drain()

    assert Ad.objects.get() == keeper
    assert Comment.objects.get().ad == keeper
    assert not Cluster.objects.exists()
