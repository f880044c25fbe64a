"""The queue: what stands in it and in which order, counts that agree, pages that skip nothing."""

import itertools
import random
import re
from datetime import timedelta
from urllib.parse import quote

import pytest
from django.contrib.admin import site
from django.db import connection
from django.db.models import Case, CharField, Value, When
from django.template import Context, Template
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone, translation

from django_neardup.admin.review_queue import COLUMNS, FILTERS, Column, Filter, queue_query
from django_neardup.admin.review_queue.queue_page import scope_text
from django_neardup.admin.review_queue.queue_query import ITEMS_PER_PAGE, Cursor, QueueQuery, parse_cursor
from django_neardup.db import counts
from django_neardup.judge.certainty import DOUBTFUL, SURE, Certainty
from django_neardup.models import (
    Cluster,
    Contact,
    Decision,
    Document,
    FamilyMember,
    Membership,
    Pair,
    Queue,
    Space,
)
from django_neardup.pipeline import decide, drain
from django_neardup.pipeline.hash_secrets import secret_of
from django_neardup.pipeline.open_items import log_changed_documents, rebuild_open_items, refresh_open_items
from django_neardup.pipeline.source_properties import contact_hash
from tests import builders
from tests.admin.tools import confirm, list_of
from tests.admin.xss import HARMLESS, HOSTILE, counted, runs
from tests.testapp.admin import AdAdmin
from tests.testapp.models import Ad, Author, UuidPost
from tests.testapp.neardup import AdNeardup

pytestmark = pytest.mark.django_db

QUEUE = "/admin/neardup/queue/"


def keys(response):
    """The keys of the rows, in their order."""
    return re.findall(r'name="id" value="([cp]\d+)"', response.content.decode())


def page(client, path="", **query):
    response = client.get(QUEUE + path, query)
    assert response.status_code == 200
    return response


def waiting(**chosen):
    return builders.waiting(values=chosen)


def listed(**chosen):
    return [item.item_key for item in waiting(**chosen).items]


@pytest.fixture
def two(ads):
    """A pair of adverts; values of the pair."""

    def make(verdict="duplicate", **values):
        number = Ad.objects.count()
        values = {"doubtful": verdict in ("variant", "related"), **values}
        return builders.pair(*ads(f"слово{number}", f"слово{number + 1}"), verdict, **values)

    return make


@pytest.fixture
def many(ads):
    """A cluster of that many adverts."""

    def make(size=2, **values):
        number = Ad.objects.count()
        return builders.cluster(*ads(*(f"слово{number + place}" for place in range(size))), **values)

    return make


@pytest.mark.parametrize(
    ("scope", "words"),
    [('["1", "ru"]', "1, ru"), ("[4]", "4"), ("", ""), ("[]", ""), ("a [b", "a [b"), ("7", "7")],
)
def test_a_scope_in_words(scope, words):
    assert scope_text(scope) == words


def reopen(pair):
    """A decision on the pair that holds no more: a text has changed, and the verdict."""
    decision = decide("different", [pair.a, pair.b], None, "default")
    decision.members.filter(document=pair.a).update(digest="0" * 32)
    Decision.objects.filter(pk=decision.pk).update(known={f"{pair.a_id}-{pair.b_id}": ["related", "", 0.5]})
    Pair.objects.filter(pk=pair.pk).update(decision=None)
    return pair


@pytest.mark.parametrize(("language", "words"), [("en", "= duplicate"), ("ru", "= дубликат")])
def test_filters_speak_the_language_of_the_request(language, words, root, two):
    two(), two("variant")

    answer = root.get(QUEUE, headers={"accept-language": language})

    (panel,) = (
        each for each in answer.context["page"].filter_panels if each.choices[1].query.endswith("duplicate")
    )
    assert str(panel.choices[1].label) == words
    assert words in answer.content.decode()


def test_a_search_that_finds_nothing_tells_how_much_waits_without_it(root, two):
    two(), two("variant")

    found = page(root, "", q="0").context["page"]

    assert (found.queue_query.total, found.unfiltered_count, found.tabs[0].count) == (0, 2, 0)


class TestOrder:
    def test_what_is_worth_deciding_first(self, two, many):
        variant, quoted = two("variant", score=0.95), two("contained", score=0.4)
        sure, unsure = two(score=0.93), two(score=0.71)
        exact, large = many(4, exact=True, lowest=1.0), many(6, lowest=0.72, weakest=0.7)
        again = reopen(two("related", score=0.3))

        assert listed() == [
            f"p{again.pk}", f"c{large.pk}", f"c{exact.pk}", f"p{sure.pk}", f"p{unsure.pk}", f"p{variant.pk}",
            f"p{quoted.pk}",
        ]  # fmt: skip

    def test_among_equals_the_older(self, two):
        new, old = two(), two()
        Pair.objects.filter(pk=old.pk).update(found=timezone.now() - timedelta(days=3))

        assert listed() == [f"p{old.pk}", f"p{new.pk}"]

    @pytest.mark.parametrize(("order", "first"), [("score", "p"), ("size", "c"), ("age", "p")])
    def test_other_orders(self, order, first, two, many):
        cluster, pair = many(3, lowest=0.8), two("variant", score=0.9)
        Cluster.objects.filter(pk=cluster.pk).update(created=timezone.now() + timedelta(hours=1))

        found = builders.listed(order=order)

        assert found[0][0] == first
        assert len(found) == 2
        assert pair.pk != cluster.pk or found[0] != found[1]

    def test_only_what_waits(self, two, many):
        many(state=Cluster.State.RESOLVED)
        gone = two()
        Document.objects.filter(pk=gone.a_id).update(live=False)
        left = two("variant")
        decide("different", [left.a, left.b], None, "default")

        assert listed() == []


class TestParts:
    def test_what_is_surely_another_item_asks_nothing(self, root, two, ads):
        doubt, (first, *others) = two("variant"), ads("одно", "другое", "третье")
        builders.family(first, *others)
        family = f"f{builders.document(first).pk}"
        assert listed() == [f"p{doubt.pk}"]
        shown = page(root, show="families").context["page"]
        (row,) = shown.rows
        assert (row.item_key, row.size, row.is_doubtful) == (family, 3, False)
        assert row.suggestion.action_name == "leave" and row.reasons_text == "3 posts of one template"
        tabs = {str(tab.label): (tab.count, tab.is_current) for tab in shown.tabs}
        assert tabs == {"To review": (1, False), "Families": (1, True)}
        tabs = {str(tab.label): (tab.count, tab.is_current) for tab in page(root).context["page"].tabs}
        assert tabs["To review"] == (1, True) and tabs["Families"] == (1, False)

    @pytest.mark.parametrize(
        ("authors", "is_asked"), [(("a", "a"), False), (("a", "b"), True), (("", ""), True)]
    )
    def test_a_text_inside_another_one_of_its_author_asks_nothing(self, authors, is_asked, two):
        pair = two("contained")
        for document, author in zip((pair.a_id, pair.b_id), authors, strict=True):
            Document.objects.filter(pk=document).update(author=author)
        assert bool(listed()) is is_asked

    def test_a_related_pair_asks_only_in_doubt(self, two):
        two("related", doubtful=False)
        assert listed() == []

    def test_two_groups_ask_once(self, many, ads):
        groups = [many(2), many(2)]
        documents = [[row.document for row in each.memberships.order_by("document")] for each in groups]
        pairs = [
            builders.pair(*(Ad.objects.get(pk=row.object_id) for row in sides), "variant", doubtful=True)
            for sides in itertools.product(*documents)
        ]
        assert set(listed()) == {f"c{each.pk}" for each in groups} | {f"p{pairs[0].pk}"}
        decide("different", [documents[0][0], documents[1][0]], None, "default")
        assert set(listed()) == {f"c{each.pk}" for each in groups}


FOOTER = (
    "Интернет-магазин «Уют» работает с 2009 года. Доставка по городу бесплатно при заказе от трёх тысяч рублей, по "
    "области за счёт покупателя. Оплата наличными, картой или по счёту для организаций. Гарантия на все товары один "
    "год, возврат в течение двух недель при сохранении упаковки и чека. Звоните ежедневно с девяти до двадцати "
    "одного часа, пишите в любое время, отвечаем быстро."
)
GOODS = (
    "стол",
    "диван",
    "кресло",
    "шкаф",
    "комод",
    "кровать",
    "тумба",
    "полка",
    "стеллаж",
    "вешалка",
    "люстра",
)
TOWNS = ("Пермь", "Казань", "Самара", "Омск", "Томск", "Тула", "Уфа", "Тверь", "Псков", "Рязань", "Калуга")
FREIGHT = (
    "Грузоперевозки в городе {} и области, газель тент, грузчики без вредных привычек, работаем без выходных. "
    "Переезды квартирные, офисные, дачные, вывоз мусора и старой мебели. Цена от 600 рублей в час."
)
TEMPLATES = {
    "goods of a shop": [f"Продаётся {item}, новый, в наличии. {FOOTER}" for item in GOODS],
    "one service in many towns": [FREIGHT.format(town) for town in TOWNS],
    "goods in colours": [
        f"Продаётся {item}, {colour}, новый, в наличии. {FOOTER}"
        for item in GOODS[:5]
        for colour in ("белый", "серый", "синий")
    ],
}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("in_doubt", [False, True], ids=["as judged", "all in doubt"])
@pytest.mark.parametrize("texts", TEMPLATES.values(), ids=[*TEMPLATES])
def test_items_of_one_template_ask_next_to_nothing(texts, in_doubt, monkeypatch):
    if in_doubt:
        tier = Certainty.tier
        tiers = {SURE: DOUBTFUL}
        monkeypatch.setattr(
            Certainty, "tier", lambda self, *rule: tiers.get(tier(self, *rule), tier(self, *rule))
        )
    author = Author.objects.create(name="магазин")
    for text in texts:
        Ad.objects.create(text=text, author=author)
    drain()
    assert len(listed()) <= 1
    # They are known to be alike, each beside the first of its family.
    of_leaders = Pair.objects.filter(a=Document.objects.order_by("pk")[0])
    assert FamilyMember.objects.count() == of_leaders.count() == len(texts) - 1
    assert Pair.objects.count() <= 1.2 * len(texts)
    if in_doubt:
        assert of_leaders.filter(doubtful=True).count() == len(texts) - 1 and len(listed()) == 1


def fill(seed):
    """Clusters and pairs with whatever a filter may ask for."""
    chance = random.Random(seed)
    authors = [None, *(Author.objects.create(name=name) for name in "аб")]
    spaces = [builders.space(), Space.objects.create(digest="6" * 32, profile="default", scope='["Пермь"]')]
    for number in range(10):
        size = chance.choice([2, 2, 2, 3, 4])
        adverts = [
            Ad.objects.create(
                title=f"№ {number}", text=f"Продам сваи {number} {place}", author=chance.choice(authors)
            )
            for place in range(size)
        ]
        score = chance.choice([0.55, 0.69999, 0.7, 0.8999, 0.9, 0.97])
        if size > 2 or chance.random() < 0.4:
            made = builders.cluster(*adverts, lowest=score, weakest=score, exact=chance.random() < 0.4)
            Cluster.objects.filter(pk=made.pk).update(space=chance.choice(spaces), created=_when(chance))
        else:
            verdict = chance.choice(["duplicate", "variant", "contained", "related"])
            pair = builders.pair(
                *adverts, verdict, score=score, exact=chance.random() < 0.2,
                doubtful=verdict in ("variant", "related"),
            )  # fmt: skip
            Pair.objects.filter(pk=pair.pk).update(space=chance.choice(spaces), found=_when(chance))
            if chance.random() < 0.3:
                reopen(pair)
    for document in Document.objects.all():
        for kind in (Contact.Kind.CONTACT, Contact.Kind.PHRASE, Contact.Kind.NAME):
            if chance.random() < 0.4:
                value = chance.randrange(6) + 10 * len(kind)
                Contact.objects.get_or_create(document=document, hash=value, defaults={"kind": kind})


def _when(chance):
    return timezone.now() - timedelta(days=chance.choice([0, 3, 30]))


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2))])
def test_all_counts_agree_with_the_lists(seed):
    """Each value of each filter, and with a value of another filter: its count is the length of the list."""
    fill(seed)
    chance, everything = random.Random(seed), waiting()

    assert everything.total == Cluster.objects.count() + Pair.objects.count() - _inside()
    for each in everything.filters:
        counts, total = everything.facet_counts(each)
        assert total == sum(counts.values()) == everything.total
        assert not each.labels or set(counts) <= set(each.labels), each.name
        for value, count in counts.items():
            chosen = waiting(**{each.name: value})
            other = chance.choice(chosen.filters)
            more, number = chance.choice(list(chosen.facet_counts(other)[0].items()))
            assert len(chosen.items) == chosen.total == count == sum(chosen.count_by_kind().values())
            assert other is each or len(listed(**{each.name: value, other.name: more})) == number


def _inside():
    """Pairs that a cluster holds, and texts inside others by the same author."""
    rows = dict(Membership.objects.values_list("document", "cluster"))
    return sum(
        (pair.a_id in rows and rows[pair.a_id] == rows.get(pair.b_id))
        or (pair.verdict == "contained" and pair.a.author == pair.b.author != "")
        for pair in Pair.objects.select_related("a", "b")
    )


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long)])
def test_heading_tabs_filters_and_pager_give_one_number(seed, root):
    fill(seed)
    response = page(root)
    text, shown = response.content.decode(), response.context["page"]

    for tab in shown.tabs:
        assert page(root, tab.query).context["page"].items_page.total == tab.count
        assert f"{tab.label} {tab.count}" in text
    for panel in shown.filter_panels:
        for choice in panel.choices:
            assert page(root, choice.query).context["page"].items_page.total == choice.count, panel.title
    assert f"of {shown.unfiltered_count}</span>" in text
    assert f"<strong>{shown.unfiltered_count}</strong> to review" in text


class TestFilters:
    """What each value means."""

    @pytest.fixture
    def value(self):
        def of(name):
            found = waiting()
            each = next(each for each in found.filters if each.name == name)
            ((value, _count),) = found.facet_counts(each)[0].items()
            return value

        return of

    @pytest.mark.parametrize(
        ("first", "second", "expected"),
        [
            ([1], [1], "same"), ([1, 2], [2, 3], "same"), ([1], [2], "different"), ([1], [], "none"),
            ([], [], "none"),
        ],
    )  # fmt: skip
    @pytest.mark.parametrize("kind", ["pair", "cluster"])
    def test_contacts(self, kind, first, second, expected, two, many, value):
        source = two() if kind == "pair" else many(2)
        documents = (
            [source.a, source.b] if kind == "pair" else [each.document for each in source.memberships.all()]
        )
        for document, hashes in zip(documents, (first, second), strict=True):
            Contact.objects.bulk_create(Contact(document=document, hash=each) for each in hashes)
            Contact.objects.create(document=document, hash=99, kind=Contact.Kind.NAME)

        assert value("contact") == expected

    @pytest.mark.parametrize(
        ("first", "second", "expected"),
        [("a", "a", "same"), ("a", "b", "different"), ("", "", "none"), ("a", "", None)],
    )
    @pytest.mark.parametrize("kind", ["pair", "cluster"])
    def test_authors(self, kind, first, second, expected, two, many, value):
        source = two() if kind == "pair" else many(2)
        for document, author in zip(Document.objects.order_by("pk"), (first, second), strict=True):
            Document.objects.filter(pk=document.pk).update(author=author)

        assert source.pk
        assert value("author") == (expected or ("none" if kind == "pair" else "different"))

    def test_key_phrases(self, two, value):
        pair = two()
        assert value("phrase") == "no"
        Contact.objects.create(document=pair.b, hash=7, kind=Contact.Kind.PHRASE)
        assert value("phrase") == "yes"

    def test_reopened(self, two, value):
        pair = two()
        assert value("again") == "no"
        reopen(pair)
        assert value("again") == "yes"
        Decision.objects.update(withdrawn=timezone.now())
        assert value("again") == "no"

    def test_a_cluster_with_a_reopened_pair(self, many, value):
        cluster = many(2)
        decision = Decision.objects.create(kind="different", space=cluster.space)
        for member in cluster.memberships.all():
            decision.members.create(document=member.document)

        assert value("again") == "yes"

    @pytest.mark.parametrize("kind", ["pair", "cluster"])
    def test_posts_set_against_a_third_one_are_not_reopened(self, kind, ads, two, many, value):
        row = two() if kind == "pair" else many(2)
        (third,) = ads("третье")
        decision = Decision.objects.create(kind="different", space=row.space)
        for document in Document.objects.exclude(pk=builders.document(third).pk):
            decision.members.create(document=document, side=2)
        decision.members.create(document=builders.document(third), side=1)

        assert value("again") == "no"

    def test_two_models(self, ads, value):
        (ad,) = ads("слово")
        post = UuidPost.objects.create(text="Продам сваи железобетонные длиной 14 м")
        pair = builders.pair(ad, post)

        assert value("model") == "-".join(map(str, sorted({pair.a.content_type_id, pair.b.content_type_id})))

    def test_unknown_values_and_filters_do_no_harm(self, root, two):
        two()
        for query in (
            {"verdict": "x"},
            {"no": "such"},
            {"o": "x"},
            {"after": "x"},
            {"before": "1_2_3_4"},
            {"all": "1"},
        ):
            page(root, "", **query)


@pytest.mark.logged_rows
class TestPages:
    """The rows are formed once: on a site they keep their ids while they stay open."""

    @pytest.fixture
    def long(self, ads):
        """More than two pages, many of equal worth."""
        words = ads(*(f"слово{number}" for number in range(4 * ITEMS_PER_PAGE + 50)))
        for one, other in zip(words[::2], words[1::2], strict=True):
            builders.pair(one, other, "variant", score=0.9, evidence={}, doubtful=True)
        builders.cluster(*ads("а", "б"))
        rebuild_open_items("default")

    def walk(self, backwards=False):
        found, shelf = [], QueueQuery("default", {}).get_page()
        while True:
            found.append([item.item_key for item in shelf.items])
            if not shelf.next_cursor:
                break
            shelf = QueueQuery("default", {}).get_page(after=parse_cursor(shelf.next_cursor))
        if not backwards:
            return found
        back = [found[-1]]
        while shelf.previous_cursor:
            shelf = QueueQuery("default", {}).get_page(before=parse_cursor(shelf.previous_cursor))
            back.append([item.item_key for item in shelf.items])
        return back

    def test_pages_hold_every_item_once(self, long):
        whole = [item.item_key for item in QueueQuery("default", {}).items]
        assert [key for part in self.walk() for key in part] == whole
        assert [key for part in reversed(self.walk(backwards=True)) for key in part] == whole

    def test_places(self, long, root):
        total = len(QueueQuery("default", {}).items)
        first = page(root)
        second = page(root, first.context["page"].page_queries["next"])

        assert f"1–{ITEMS_PER_PAGE} of {total}" in first.content.decode()
        assert f"{ITEMS_PER_PAGE + 1}–{2 * ITEMS_PER_PAGE} of {total}" in second.content.decode()
        assert keys(page(root, second.context["page"].page_queries["previous"])) == keys(first)

    def test_what_is_decided_between_two_pages_hides_nothing(self, long):
        shelf = QueueQuery("default", {}).get_page()
        cursor = parse_cursor(shelf.next_cursor)
        after = [item.item_key for item in QueueQuery("default", {}).get_page(after=cursor).items]
        gone = Pair.objects.filter(pk__in=[item.number for item in shelf.items if item.kind == "p"][:20])
        log_changed_documents(gone.values_list("a", flat=True), "default")
        gone.delete()
        refresh_open_items("default")

        assert [item.item_key for item in QueueQuery("default", {}).get_page(after=cursor).items] == after

    def test_past_the_end(self, two):
        pair = two()
        (last,) = waiting().items

        after = Cursor(last.priority, last.since, last.pk)
        assert [item.item_key for item in QueueQuery("default", {}).get_page(after=after).items] == [
            f"p{pair.pk}"
        ]

    @pytest.mark.parametrize(
        "cursor", ["", "x", "1_2_3", "1_2026-01-01T00:00:00+00:00", f"{2**70}_2026-01-01T00:00:00+00:00_1"]
    )
    def test_places_that_are_none(self, cursor):
        assert parse_cursor(cursor) is None


class TestSearch:
    @pytest.mark.parametrize(
        ("asked", "found"),
        [
            ("{number}", True), ("№ {number}", True), ("kadry", True), ("KADRY", True), ("+7 (903) 123-45-67", True),
            ("8 903 123 45 67", True), ("c140", True), ("Сваи особые", True), ("nobody", False),
            ("+7 903 000-00-00", False),
        ],
    )  # fmt: skip
    def test_what_is_found(self, asked, found, root, ads, monkeypatch):
        monkeypatch.setattr(AdAdmin, "search_fields", ["title"])
        one, other = ads("особые", "завтра")
        pair = builders.pair(one, other)
        builders.pair(*ads("а", "б"))
        document = Document.objects.get(object_id=str(one.pk))
        Document.objects.filter(pk=document.pk).update(author="kadry")
        document.fingerprints.update(codes="c140.35 x9")
        Ad.objects.filter(pk=one.pk).update(title="Сваи особые")
        secret = secret_of(builders.scheme())
        Contact.objects.create(document=document, hash=contact_hash("contact", "tel:9031234567", secret))

        assert (f"p{pair.pk}" in keys(page(root, "", q=asked.format(number=one.pk)))) is found

    def test_counts_are_of_what_is_found(self, root, two):
        pair, _other = two("variant"), two()
        shown = page(root, "", q=pair.a.object_id).context["page"]

        assert shown.tabs[0].count == shown.items_page.total == 1


class TestNarrow:
    def test_posts_of_an_author(self, root, two):
        pair, _other = two(), two()
        Document.objects.filter(pk=pair.b_id).update(author="а/б ?&..")
        url = reverse("admin:neardup_queue_author", args=["а/б ?&.."])

        assert keys(root.get(url)) == [f"p{pair.pk}"]
        assert "Posts of the author а/б ?&amp;.." in root.get(url).content.decode()

    def test_an_author_is_named_to_those_who_see_a_post(self, root, person, ads, monkeypatch):
        monkeypatch.setattr(AdNeardup, "authors", Author)
        author = Author.objects.create(name="Дмитрий")
        builders.pair(*ads("сегодня", "завтра", author=author, published=False))
        Document.objects.update(live=True)
        url = reverse("admin:neardup_queue_author", args=[author.pk])

        assert "Posts of the author Дмитрий" in root.get(url).content.decode()
        text = person("neardup.review").get(url).content.decode()
        assert f"Posts of the author {author.pk}" in text
        assert "Дмитрий" not in text

    @pytest.mark.parametrize("value", [5, -5])
    def test_posts_with_a_contact(self, value, root, many, two):
        cluster, _other = many(3), two()
        Contact.objects.create(document=cluster.leader, hash=value)

        assert keys(root.get(reverse("admin:neardup_queue_contact", args=[value]))) == [f"c{cluster.pk}"]

    @pytest.mark.parametrize("value", ["x", "1.5", "--1", "9" * 30, "١"])
    def test_strange_contacts(self, value, root):
        assert root.get(f"{QUEUE}contact/{value}/").status_code == 404

    def test_rows_lead_there(self, root, ads):
        one, two = ads("сегодня", "завтра", author=Author.objects.create(name="а"))
        pair = builders.pair(one, two)
        for document in (pair.a, pair.b):
            Contact.objects.create(document=document, hash=-17)
        text = page(root).content.decode()

        assert f'href="{QUEUE}author/{pair.a.author}/"' in text
        assert f'href="{QUEUE}contact/-17/"' in text
        assert "the same contact" in text
        assert "the same author" in text


class TestRows:
    def test_a_pair(self, root, ads):
        one, other = ads("сегодня", "сегодня", hits=5)
        Ad.objects.filter(pk=other.pk).update(text=other.text.replace("С140.35", "С90.30"))
        other.refresh_from_db()
        pair = builders.pair(one, other, "variant", score=0.7199, doubtful=True)
        (row,) = page(root).context["page"].rows

        assert (row.item_key, row.score_text, row.size, row.verdict_sign, row.verdict) == (
            f"p{pair.pk}",
            "71\xa0%",
            2,
            "≠",
            "variant",
        )
        assert [each.labelled_text for each in row.differences] == ["code С140.35\xa0→ С90.30"]
        assert (row.suggestion.action_name, row.suggestion.button_label, row.reasons_text) == (
            "look",
            "View",
            "10 visits",
        )
        assert row.url.startswith(reverse("admin:neardup_pair_change", args=[pair.pk]))

    def test_a_cluster(self, root, many):
        cluster = many(3, lowest=0.81, weakest=0.74)
        (row,) = page(root).context["page"].rows

        assert (row.item_key, row.score_text, row.weakest_score_text, row.size) == (
            f"c{cluster.pk}",
            "81–91\xa0%",
            "74\xa0%",
            3,
        )
        assert row.suggestion.button_label == "Hide 2"
        assert row.reasons_text == "3 posts in the group"

    def test_exact_copies(self, root, many):
        many(3, exact=True, lowest=1.0, weakest=1.0)
        response = page(root)
        (row,) = response.context["page"].rows

        assert (row.score_text, row.no_difference_text, row.reasons_text) == (
            "100\xa0%",
            "Identical text",
            "3 copies",
        )
        assert ">exact copies<" in response.content.decode()

    def test_a_reopened_pair(self, root, two):
        reopen(two("variant"))
        response = page(root)

        assert "reopened: a text has changed" in response.content.decode()
        assert (
            "A text has changed since the decision “not duplicates”"
            in response.context["page"].rows[0].reasons_text
        )

    def test_people_see_only_what_they_may_see(self, root, person, ads):
        one, other = ads("сегодня", "тайное", published=False)
        builders.pair(one, other, "variant", doubtful=True)
        Document.objects.update(live=True, author="someone")
        for document in Document.objects.all():
            Contact.objects.create(document=document, hash=-17)
        everything = page(root).content.decode()
        text = page(person("neardup.review")).content.decode()

        assert "no access" in text
        assert "тайное" not in text
        assert text.count("someone") < everything.count("someone")
        assert "the same contact" in everything
        assert not any(words in text for words in ("contact/-17", "the same contact", "the same author"))

    @pytest.mark.parametrize(
        ("authors", "words"),
        [("aaa", "the same author"), ("aab", "and 1 more author"), ("ab ", "and 1 more author"), ("aa ", "")],
    )
    def test_an_author_that_is_not_known_is_nobody(self, authors, words, root, many):
        many(3)
        for document, author in zip(Document.objects.order_by("pk"), authors, strict=True):
            Document.objects.filter(pk=document.pk).update(author=author.strip())
        (row,) = page(root).context["page"].rows

        assert row.other_authors_text == words

    def test_outcomes_are_offered_to_those_who_may_begin_them(self, person, two):
        two("contained")
        (row,) = page(person("neardup.merge_cluster")).context["page"].rows

        assert row.suggested_action is None
        assert {action.label for action in row.other_actions} == {"Hide", "Merge…", "Delete…"}


@pytest.mark.parametrize(
    "names", [(), ("testapp.view_ad",), ("neardup.view_pair",), ("neardup.view_cluster",)]
)
def test_the_queue_is_for_those_who_decide(names, person, cluster):
    client = person(*names)

    for path in ("", "author/x/", "contact/1/", "?tab=decided"):
        assert client.get(QUEUE + path).status_code == 403
    assert "Queue" not in client.get("/admin/").content.decode()


def test_it_stands_in_the_menu(person, cluster):
    text = person("neardup.review").get("/admin/").content.decode()

    assert f'href="{QUEUE}"' in text
    assert list_of(Queue) == QUEUE


def test_methods(root):
    assert root.post(QUEUE).status_code == 405


class TestEmpty:
    def test_nothing_waits(self, root, ads):
        builders.document(ads("слово")[0])
        text = page(root).content.decode()

        assert "Everything is decided" in text
        assert "Posts compared: 1, waiting to be compared: 0" in text

    @pytest.mark.parametrize("count", [0, 1, 2])
    def test_posts_in_quarantine_are_named(self, root, ads, count):
        for ad in ads(*"ab"[:count]):
            Document.objects.filter(pk=builders.document(ad).pk).update(
                state="quarantined", reason="ValueError"
            )
        link = f'<a href="{list_of(Document)}?work=quarantined">See the reasons</a>'
        text = page(root).content.decode()
        assert (link in text) is bool(count)
        assert ("1 post is in quarantine" in text) is (count == 1)
        assert ("2 posts are in quarantine" in text) is (count == 2)
        assert link not in page(root, tab="decided").content.decode()
        if count:
            shown = root.get(list_of(Document), {"work": "quarantined"}).context["cl"].result_list
            assert len(shown) == count

    def test_posts_in_quarantine_are_named_to_those_who_may_list_them(self, person, ads):
        row = builders.document(ads("слово")[0])
        Document.objects.filter(pk=row.pk).update(state="quarantined")
        viewers = person(*(f"neardup.view_{name}" for name in ("cluster", "pair")))
        assert "in quarantine" not in page(viewers).content.decode()
        assert "in quarantine" in page(person("neardup.review", name="oleg")).content.decode()

    @pytest.mark.engines("sqlite")
    def test_on_a_site_without_time_zones(self, root, settings):
        settings.USE_TZ = False

        assert "0 decided today" in page(root).content.decode()

    def test_under_a_filter(self, root, two):
        two("variant")
        text = page(root, "", verdict="related").content.decode()

        assert "No matches" in text
        assert "Without the filter: 1 to review" in text
        assert "#neardup-filter" not in text

    def test_nothing_decided(self, root):
        assert "No decisions yet" in page(root, "", tab="decided").content.decode()


class TestDecided:
    def test_decisions_and_records(self, root, many, two):
        confirm(root, "hide", many(3))
        confirm(root, "leave", two("variant"))
        response = page(root, "", tab="decided")
        rows = response.context["decided"].rows

        assert [row.action_label for row in rows] == ["not duplicates", "hidden", "hidden"]
        assert {row.by_name for row in rows} == {"root"}
        assert len({row.undo_url for row in rows}) == 2
        assert "Decided 3" in response.content.decode()

    def test_posts_of_one_title_are_told_apart(self, root, ads):
        keeper, *losers = ads("сваи", "сваи", "сваи")
        confirm(root, "merge", builders.cluster(keeper, *losers))
        titles = [row.title for row in page(root, "", tab="decided").context["decided"].rows]

        one, *others = (f"Сваи сваи, №\xa0{ad.pk}" for ad in (keeper, *losers))
        assert sorted(titles) == sorted(f"{each} → {one}" for each in others)

    def test_what_was_taken_back_has_no_way_back(self, root, two):
        pair = two("variant")
        decide("different", [pair.a, pair.b], root.user, "default")
        Decision.objects.update(withdrawn=timezone.now())
        (row,) = page(root, "", tab="decided").context["decided"].rows

        assert (row.undo_url, row.undone_at is not None) == ("", True)

    def test_pages(self, root, two, monkeypatch):
        monkeypatch.setattr("django_neardup.admin.review_queue.recent_decisions.DECISIONS_PER_PAGE", 2)
        for _number in range(3):
            confirm(root, "leave", two("variant"))
            confirm(root, "hide", two())
        found, after = [], ""
        while True:
            decided = page(root, "", tab="decided", after=after).context["decided"]
            found += [row.url for row in decided.rows]
            after = decided.next_cursor
            if not after:
                break

        assert len(found) == len(set(found)) == 6


def test_the_same_queries_for_any_number_of_rows(root, two, many):
    def queries():
        with CaptureQueriesContext(connection) as context:
            page(root)
        return len(context)

    def more():
        many(3)
        reopen(two("variant"))
        two()

    more()
    queries()
    few = queries()
    for _number in range(4):
        more()

    assert queries() == few


@pytest.mark.engine_alike
@pytest.mark.parametrize("word", HOSTILE)
def test_texts_of_strangers_make_no_tags(word, root):
    def pages(said):
        one, other = (Ad.objects.create(title=said, text=f"Продам сваи длиной {n} м {said}") for n in (1, 2))
        builders.pair(one, other, "variant", doubtful=True)
        Document.objects.update(author=said[:200])
        Space.objects.update(scope=said)
        queries = ({}, {"verdict": said}, {"after": said}, {"o": said}, {"tab": said}, {"q": said})
        found = [page(root, "", **query) for query in queries]
        Pair.objects.all().delete()
        return [*found, page(root, "", tab="decided")]

    harmless = pages(HARMLESS)

    for hostile, plain in zip(pages(word), harmless, strict=True):
        assert runs(hostile) == []
        assert "q" in hostile.wsgi_request.GET or counted(hostile) == counted(plain)


TIMES = ["2026-01-01", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"]


@pytest.mark.parametrize("time", TIMES)
@pytest.mark.parametrize(
    "address", ["?after={worth}_{time}_1", "?before={worth}_{time}_1", "?tab=decided&after={time}_0_1"]
)
def test_a_place_of_no_time_of_ours_is_none(address, time, root, cluster):
    worth = waiting().items[0].priority

    assert root.get(QUEUE + address.format(worth=worth, time=quote(time))).status_code == 200


@pytest.mark.parametrize(
    ("address", "status"),
    [("?q=%00", 200), ("?q=a%00b1", 200), ("author/a%00/", 404), (f"contact/{'1' * 5000}/", 404)],
)
def test_what_no_table_can_hold_is_found_nowhere(address, status, root, cluster):
    assert root.get(QUEUE + address).status_code == status


class TestBounds:
    """A page reads its own rows, however many wait."""

    @pytest.fixture(autouse=True)
    def few(self, monkeypatch):
        monkeypatch.setattr(counts, "MAX_COUNTED", 3)
        monkeypatch.setattr(queue_query, "MAX_COUNTED", 3)

    def test_above_the_bound_no_number_is_exact(self, root, two):
        for _ in range(5):
            two("variant")

        answer = page(root)

        text = answer.content.decode()
        assert "<strong>3+</strong> to review" in text
        assert len(answer.context["page"].rows) == 5
        (verdicts, *_rest) = answer.context["page"].filter_panels
        assert {str(choice.label): str(choice.count) for choice in verdicts.choices[1:]} == {
            "= duplicate": "None", "≠ variant": "3+", "≈ related": "None", "⊃ contained": "None",
        }  # fmt: skip

    def test_a_filter_is_counted_in_the_same_rows(self, root, two):
        for _ in range(5):
            two("variant")
        two()

        answer = page(root, verdict="duplicate")

        shown = answer.context["page"]
        assert str(shown.queue_query.total) == "0+" and str(shown.unfiltered_count) == "3+"
        assert len(shown.rows) == 1
        assert "Exact copies</a>" in answer.content.decode()

    @pytest.mark.parametrize("model", [Pair, Document])
    def test_other_lists(self, model, root, two):
        for _ in range(5):
            two("variant")

        text = root.get(list_of(model)).content.decode()

        assert "3+" in text and "facets" in text

    @pytest.mark.parametrize(("language", "shown"), [("en", "10,000+"), ("ru", "10\N{NO-BREAK SPACE}000+")])
    @pytest.mark.parametrize("separated", [False, True])
    def test_the_bound_in_words(self, language, shown, separated, settings, monkeypatch):
        monkeypatch.setattr(counts, "MAX_COUNTED", 10_000)
        settings.USE_THOUSAND_SEPARATOR = separated
        with translation.override(language):
            context = Context({"count": counts.BoundedCount(10_001), "less": counts.BoundedCount(7)})
            text = Template("{{ count.text }} {{ less.text }}").render(context)
            assert text == f"{shown} 7"


def test_a_site_adds_columns_and_filters(root, two, monkeypatch):
    sure, doubt = two(score=0.9), two("variant", score=0.9)
    names = Case(When(verdict="variant", then=Value("b")), default=Value("a"), output_field=CharField())
    admin = site._registry[Queue]
    monkeypatch.setattr(admin, "filters", [*FILTERS, Filter("letter", "Letter", {"a": "A", "b": "B"}, names)])
    monkeypatch.setattr(admin, "columns", [*COLUMNS, Column("Codes", "testapp/cell.html", "size")])

    answer = page(root, letter="b")

    assert keys(answer) == [f"p{doubt.pk}"] and keys(page(root)) == [f"p{sure.pk}", f"p{doubt.pk}"]
    text = answer.content.decode()
    assert '<td class="codes">2 posts</td>' in text and ">Codes</a>" in text
    assert [panel.title for panel in page(root).context["page"].filter_panels][-1] == "Letter"
