"""Cases of the example's search index, run by one process with the settings of the example.

`python -m tests.example.site_search_cases HISTORIES STEPS [all]` prints a line of JSON for each case: its name, and
the traceback of its failure. Long cases are run with "all".
OPENSEARCH_URL names the node, DATABASE_URL an empty database.
"""

from __future__ import annotations

import json
import os
import random
import socket
import sys
import time
import traceback
from collections import defaultdict
from contextlib import contextmanager, suppress
from pathlib import Path

import django

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "example_project"))

from django.conf import settings

# The keys stay in the database: these tests are about the other index.
settings.NEARDUP["default"].pop("INDEX", None)
# Tables are made of the models, which takes less time. Migrations are run by the test of the demo.
settings.MIGRATION_MODULES = {name.rpartition(".")[2]: None for name in settings.INSTALLED_APPS} | {
    "neardup": None
}
settings.SITE_SEARCH["NAME"] = f"site-search-{os.getpid()}"
settings.LOGGING = {"version": 1, "disable_existing_loggers": True}
django.setup()

from board.models import Ad  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import transaction  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import setup_test_environment  # noqa: E402
from opensearchpy import TransportError  # noqa: E402
from site_search import connection as clients  # noqa: E402
from site_search import indexing, searching  # noqa: E402
from site_search.indexing import Batch, RestoredDatabase, rebuild, repair, send_all  # noqa: E402
from site_search.models import SearchChange, SearchCounter  # noqa: E402
from site_search.searching import Filters, FoundAds, FoundAdsPaginator  # noqa: E402

import django_neardup as neardup  # noqa: E402
from django_neardup.exceptions import MergeRefused  # noqa: E402
from django_neardup.models import (  # noqa: E402
    ChangedDocument,
    Cluster,
    Decision,
    DecisionMember,
    Document,
    FamilyMember,
    Fingerprint,
    Hold,
    Key,
    Membership,
    MergeRecord,
    OpenItem,
    Pair,
)
from django_neardup.moderation import ActionContext, hide, merge, undo  # noqa: E402
from django_neardup.pipeline import decide, documents_of, withdraw  # noqa: E402
from tests.pipeline.advert_texts import PIANO, SOFA, SOFA_EDITED  # noqa: E402
from tests.pipeline.families import family  # noqa: E402

# A busy machine answers later than a visitor would wait.
searching.PAGE_SECONDS = 30.0
EVERYTHING = (
    Ad, OpenItem, ChangedDocument, MergeRecord, FamilyMember, DecisionMember, Decision, Hold, Key, Fingerprint, Pair,
    Membership, Cluster, Document,
)  # fmt: skip
CITIES = ("Пермь", "Уфа", "Екатеринбург")
CASES, LONG_CASES = [], []


def case(function):
    CASES.append(function)
    return function


def long_case(function):
    LONG_CASES.append(function)
    return function


def ad(text=SOFA, title="Диван", city="Пермь", **values):
    return Ad.objects.create(title=title, text=text, city=city, **values)


def settle():
    """The worker's turns, then the index."""
    assert not neardup.drain().has_pending
    send()


def send():
    send_all()
    assert not SearchChange.objects.exists()
    refresh()


def refresh():
    clients.connect(30.0).indices.refresh(index=clients.alias())


def found(*words, separate=False, **filters):
    """The results of all pages: each advert with its similar ones."""
    ads = FoundAds(words, Filters(**filters), separate)
    pages = FoundAdsPaginator(ads, 3)
    results = [entry for number in pages.page_range for entry in pages.page(number)]
    assert len(results) == pages.count == len(ads), (len(results), pages.count)
    return [(entry.pk, [other.pk for other in entry.neardup.others]) for entry in results]


def decided(kind, *ads):
    return decide(kind, [*documents_of(ads, "default").values()], None, "default")


@case
def a_group_is_one_result_with_the_others_inside():
    one, two, other = ad(), ad(SOFA_EDITED), ad(PIANO, "Пианино")
    settle()
    assert found("диван") == [(two.pk, [one.pk])]
    assert sorted(found()) == [(two.pk, [one.pk]), (other.pk, [])]
    assert FoundAds(["диван"], Filters()).totals == (2, 1)
    assert found("диван", separate=True) == [(two.pk, []), (one.pk, [])]


@long_case
def words_are_found_in_other_forms_and_with_io():
    one = ad("Ёлка пушистая, лёгкая", "Ёлки")
    settle()
    for query in ("елка", "ёлками", "ЕЛКИ пушистые", "легкой"):
        assert found(*query.split()) == [(one.pk, [])], query
    assert found("ёлка", "диван") == []


@long_case
def a_filter_finds_a_group_by_any_member_and_shows_that_one():
    one, two = ad(city="Уфа", price=100), ad(SOFA_EDITED, price=900)
    settle()
    assert found("диван", city="Уфа") == [(one.pk, [])]
    assert found("диван", price_to=500) == [(one.pk, [])]
    assert found("диван", city="Пермь", price_to=500) == []
    assert FoundAds(["диван"], Filters(city="Пермь")).totals == (1, 1)
    assert two.pk == found("диван")[0][0]


@case
def decisions_split_and_join_groups():
    one, two, other = ad(), ad(SOFA_EDITED), ad(PIANO, "Пианино и диван")
    settle()
    apart = decided("different", one, two)
    settle()
    assert sorted(key for key, similar in found("диван") if not similar) == [one.pk, two.pk, other.pk]
    withdraw(apart, None, "default")
    together = decided("same", one, other)
    settle()
    ((shown, similar),) = found("диван")
    assert {shown, *similar} == {one.pk, two.pk, other.pk}
    withdraw(together, None, "default")
    settle()
    assert len(found("диван")) == 2


@long_case
def an_edit_or_a_deletion_dissolves_a_group():
    one, two = ad(), ad(SOFA_EDITED)
    settle()
    two.text = PIANO
    two.save()
    settle()
    assert Cluster.objects.count() == 0 and len(found("диван")) == 2
    two.text = SOFA_EDITED
    two.save()
    settle()
    assert len(found("диван")) == 1
    one.delete()
    settle()
    assert found("диван") == [(two.pk, [])]


@case
def a_merge_and_its_undo_are_followed():
    one, two, three = ad(), ad(SOFA_EDITED), ad(SOFA + " Торг.")
    settle()
    (record,) = merge(one, [two], ActionContext())
    settle()
    ((shown, similar),) = found("диван")
    assert {shown, *similar} == {one.pk, three.pk}
    undo(record, None, "default")
    settle()
    ((shown, similar),) = found("диван")
    assert {shown, *similar} == {one.pk, two.pk, three.pk}


@case
def what_is_hidden_or_held_is_not_found():
    one, two, three = ad(), ad(SOFA_EDITED), ad(PIANO, "Пианино")
    settle()
    (record,) = hide([two], ActionContext())
    neardup.hold(three)
    # The index does not know it yet.
    assert found_now("диван") == [(one.pk, [])] and found_now("пианино") == []
    settle()
    assert found("диван") == [(one.pk, [])] and found("пианино") == []
    undo(record, None, "default")
    neardup.release(three)
    settle()
    assert found("диван") == [(two.pk, [one.pk])] and found("пианино") == [(three.pk, [])]


def found_now(*words):
    """The results of the first page, while changes wait."""
    return [
        (entry.pk, [other.pk for other in entry.neardup.others]) for entry in FoundAds(words, Filters())[0:9]
    ]


@long_case
def what_is_rolled_back_is_not_noted():
    one = ad()
    settle()
    try:
        with transaction.atomic():
            one.title = "Софа"
            one.save()
            raise ZeroDivisionError
    except ZeroDivisionError:
        pass
    assert not SearchChange.objects.exists()


@case
def a_batch_that_was_overtaken_neither_wins_nor_forgets():
    one = ad()
    settle()
    one.title = "Старое"
    one.save()
    early = Batch()
    one.title = "Новое"
    one.save()
    late = Batch()
    assert late.send() and not early.send()
    refresh()
    assert found("новое") == [(one.pk, [])] and found("старое") == []
    # The other way round: the later batch has read the advert first.
    one.title = "Третье"
    one.save()
    early = Batch()
    early.documents = {}
    late = Batch()
    one.delete()
    early.documents = indexing.read_documents(early.keys)
    assert not early.send()
    assert late.send() and SearchChange.objects.exists()
    send()
    assert found("третье") == [] and repair() == 0


@long_case
def an_index_is_built_again_while_adverts_change():
    first, second, third = ad(PIANO, "Гармонь"), ad(), ad(SOFA_EDITED)
    settle()
    read, done = indexing.read_documents, []

    def change_meanwhile(keys):
        documents = read(keys)
        if not done:
            done.append(True)
            # These changes are sent by another process, before the batch that was read earlier.
            first.title = "Рояль"
            first.save()
            second.delete()
            send_all()
        return documents

    with replaced(indexing, "read_documents", change_meanwhile), replaced(indexing, "ADS_PER_BATCH", 2):
        before = indexing._indexes_of(clients.alias())
        rebuild()
    assert done and before != indexing._indexes_of(clients.alias())
    assert not clients.connect(30.0).indices.exists(index=before[0])
    settle()
    assert found("рояль") == [(first.pk, [])] and found("гармонь") == []
    assert found("диван") == [(third.pk, [])] and repair() == 0


@long_case
def a_rebuild_that_died_is_begun_again():
    one = ad()
    settle()

    def die(*arguments):
        raise ZeroDivisionError

    with replaced(indexing, "write", die):
        try:
            rebuild()
        except ZeroDivisionError:
            pass
        else:
            raise AssertionError
    assert found("диван") == [(one.pk, [])]
    one.title = "Софа"
    one.save()
    send()
    rebuild()
    assert found("софа") == [(one.pk, [])]
    assert len(clients.connect(30.0).indices.get(index=f"{clients.alias()}-*")) == 1


@long_case
def what_differs_is_found_and_sent_again():
    one, two, three = ad(), ad(SOFA_EDITED), ad(PIANO, "Пианино")
    settle()
    Ad.objects.filter(pk=one.pk).update(title="Софа")
    Ad.objects.filter(pk=two.pk).delete()
    Ad.objects.filter(pk=three.pk).update(published=False)
    SearchChange.objects.all().delete()
    with replaced(indexing, "ADS_PER_BATCH", 1):
        assert repair() == 3
    refresh()
    assert [key for key, _ in found()] == [one.pk] == [key for key, _ in found("софа")]
    assert repair() == 0


@long_case
def a_database_from_a_backup_asks_for_a_new_index():
    one = ad()
    settle()
    SearchCounter.objects.update(value=0)
    one.save()
    try:
        send_all()
    except RestoredDatabase:
        pass
    else:
        raise AssertionError
    assert SearchChange.objects.exists()
    rebuild()
    send()
    assert found("диван") == [(one.pk, [])]


@long_case
def more_groups_than_one_request_counts_are_counted():
    texts = [" ".join(family(number)) for number in range(100, 105)]
    for text in texts:
        ad(text, "Пара"), ad(text, "Пара")
    ad(PIANO, "Пара")
    settle()
    assert Cluster.objects.count() == 5
    for buckets in (1, 2, 4, 5, 6):
        with replaced(searching, "BUCKETS", buckets):
            assert FoundAds(["пара"], Filters()).totals == (11, 6), buckets


@long_case
def pages_end_where_the_engine_gives_no_more():
    for number in range(7):
        ad(" ".join(family(200 + number)), "Окно")
    settle()
    with replaced(searching, "WINDOW", 5):
        pages = FoundAdsPaginator(FoundAds(["окно"], Filters()), 2)
        assert (pages.count, pages.num_pages) == (7, 2)
        assert len(pages.get_page(9).object_list) == 2


@case
def the_page_shows_groups_and_totals():
    ad(), ad(SOFA_EDITED, city="Уфа"), ad(PIANO, "Пианино")
    settle()
    with counted_searches() as searches:
        page = Client().get("/search/", {"q": "диван"}, headers={"accept-language": "ru"})
    assert searches and page.context["total"] == 2 and page.context["hidden"] == 1
    html = page.content.decode()
    assert "+ 1 похож" in html and "/similar/" in html and "similar=all" in html
    assert Client().get("/search/", {"q": "диван", "similar": "all"}).context["hidden"] == 1
    assert Client().get("/search/", {"q": "диван", "city": "Уфа"}).context["total"] == 1
    assert Client().get("/search/", {"q": "диван", "price_to": "много"}).context["total"] == 2
    forum = Client().get("/search/", {"q": "диван", "where": "forum"})
    assert forum.context["ads_found"] == 2 and forum.context["total"] == 0


@case
def without_the_engine_the_database_is_searched():
    one = ad(city="Уфа")
    ad(PIANO, "Диван", city="Пермь")
    settle()
    silent = socket.create_server(("127.0.0.1", 0))
    for port in (silent.getsockname()[1], unused_port()):
        settings_of_port = {**settings.SITE_SEARCH, "HOST": f"http://127.0.0.1:{port}"}
        with replaced(settings, "SITE_SEARCH", settings_of_port), replaced(searching, "PAGE_SECONDS", 0.3):
            clients.connect.cache_clear()
            searching._rest_until = 0.0
            started = time.monotonic()
            page = Client().get("/search/", {"q": "диван", "city": "Уфа"})
            assert page.status_code == 200 and page.context["total"] == 1
            assert [entry.pk for entry in page.context["page_obj"]] == [one.pk]
            assert time.monotonic() - started < 10
            # The next visitor does not wait.
            with counted_searches() as searches:
                assert Client().get("/search/", {"q": "диван"}).context["total"] == 2
            assert not searches
            one.price = (one.price or 0) + 1
            one.save()
            try:
                with replaced(indexing, "BATCH_SECONDS", 0.3):
                    Batch().send()
            except TransportError:
                pass
            else:
                raise AssertionError
            assert SearchChange.objects.exists()
    silent.close()
    clients.connect.cache_clear()
    searching._rest_until = 0.0
    send()
    assert found("диван", price_to=5) == [(one.pk, [])]


@long_case
def without_an_index_the_database_is_searched():
    ad()
    with replaced(settings, "SITE_SEARCH", {**settings.SITE_SEARCH, "NAME": "not-built"}):
        assert Client().get("/search/", {"q": "диван"}).context["total"] == 1
        assert send_all() == 0 and SearchChange.objects.exists()
    searching._rest_until = 0.0
    with replaced(settings, "SITE_SEARCH", {}), counted_searches() as searches:
        assert Client().get("/search/", {"q": "диван"}).context["total"] == 1
    assert not searches


@contextmanager
def replaced(owner, name, value):
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


@contextmanager
def counted_searches():
    search, searches = FoundAds._search, []

    def count(self, *arguments, **options):
        searches.append(arguments)
        return search(self, *arguments, **options)

    with replaced(FoundAds, "_search", count):
        yield searches


def unused_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


class History:
    """Random changes of adverts and groups. The results of random searches are those that Python groups."""

    MARKS = ("alpha", "beta", "gamma")

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.kinds = [name.removeprefix("do_") for name in dir(self) if name.startswith("do_")]

    def run(self, steps):
        """Return how many results had similar ones, and how many groups were found by a part of their members."""
        for _ in range(8):
            self.do_write()
        for _ in range(steps):
            getattr(self, f"do_{self.rng.choice(self.kinds)}")()
        settle()
        compared = [self.compare() for _ in range(steps // 3)]
        assert repair() == 0
        return [sum(numbers) for numbers in zip(*compared)]

    def text(self):
        words = family(self.rng.choice((1, 1, 1, 1, 2, 2, 3)))
        for position in self.rng.sample(range(40), self.rng.choice((0, 0, 1, 2, 20))):
            words[position] = self.rng.choice(family(9))
        return " ".join([*words, *self.rng.sample(self.MARKS, self.rng.randrange(3))])

    def any(self, model):
        rows = list(model.objects.order_by("pk"))
        return self.rng.choice(rows) if rows else None

    def do_write(self):
        for _ in range(2):
            ad(
                self.text(), "Объявление", self.rng.choice(CITIES),
                price=self.rng.choice((None, 100, 500)), published=self.rng.random() < 0.85,
            )  # fmt: skip

    def do_edit(self):
        if each := self.any(Ad):
            each.text, each.city = self.text(), self.rng.choice(CITIES)
            each.save()

    def do_hide_or_show(self):
        if each := self.any(Ad):
            each.published = not each.published
            each.save(update_fields=["published"])

    def do_delete(self):
        if each := self.any(Ad):
            each.delete()

    def do_decide(self):
        neardup.drain()
        ads = list(Ad.objects.order_by("pk"))
        documents = [*documents_of(self.rng.sample(ads, min(2, len(ads))), "default").values()]
        if len(documents) == 2 and documents[0].space_id == documents[1].space_id is not None:
            decide(self.rng.choice(("same", "different")), documents, None, "default")

    def do_withdraw(self):
        if each := self.any(Decision):
            withdraw(each, None, "default")

    def do_merge(self):
        neardup.drain()
        if each := self.any(Cluster):
            members = (
                Membership.objects.filter(cluster=each).order_by("pk").values_list("object_key", flat=True)
            )
            keeper, *losers = Ad.objects.filter(pk__in=members).order_by("pk")
            merge(keeper, losers, ActionContext())

    def do_undo(self):
        for record in MergeRecord.objects.filter(undone=None).order_by("-pk")[:1]:
            # The post may have been written again since.
            with suppress(MergeRefused):
                undo(record, None, "default")

    def do_drain_some(self):
        neardup.drain(limit=self.rng.randrange(1, 4))

    def do_drain(self):
        neardup.drain()

    def do_send(self):
        send_all()

    def do_send_some(self):
        with replaced(indexing, "ADS_PER_BATCH", 1):
            Batch().send()

    def do_rebuild(self):
        rebuild()

    def compare(self):
        words = self.rng.sample(self.MARKS, self.rng.choice((0, 0, 1, 1, 2)))
        city = self.rng.choice(("", *CITIES))
        price_to = self.rng.choice((None, None, 100))
        matching = [
            each
            for each in Ad.objects.filter(published=True).order_by("-created", "-pk")
            if {*words} <= {*each.text.split()}
            and city in ("", each.city)
            and (price_to is None or (each.price is not None and each.price <= price_to))
        ]
        clusters = dict(Membership.objects.values_list("object_key", "cluster"))
        groups = defaultdict(list)
        for each in matching:
            groups[clusters.get(each.pk, f"ad {each.pk}")].append(each.pk)
        ads = FoundAds(words, Filters(city, price_to))
        assert ads.totals == (len(matching), len(groups)), (ads.totals, len(matching), len(groups))
        results = found(*words, city=city, price_to=price_to)
        assert sorted(sorted([key, *similar]) for key, similar in results) == sorted(
            map(sorted, groups.values())
        )
        # The shown one is the first of its group in the list of all, and results keep the order of that list.
        order = [key for key, _ in found(*words, city=city, price_to=price_to, separate=True)]
        if not words:
            assert order == [each.pk for each in matching]
        assert sorted(order) == sorted(each.pk for each in matching)
        firsts = {}
        for key in order:
            firsts.setdefault(clusters.get(key, f"ad {key}"), key)
        assert [key for key, _ in results] == [*firsts.values()]
        visible = defaultdict(set)
        for key in Ad.objects.filter(published=True).values_list("pk", flat=True):
            visible[clusters.get(key)].add(key)
        parts = [name for name, keys in groups.items() if name in visible and {*keys} < visible[name]]
        return sum(len(keys) > 1 for keys in groups.values()), len(parts)


def random_histories(number, steps):
    """Return how many results had similar ones, and how many groups were found by a part of their members."""
    totals = [0, 0]
    for seed in range(number):
        fresh()
        try:
            counts = History(seed).run(steps)
        except Exception as error:
            raise AssertionError(f"seed {seed}") from error
        totals = [a + b for a, b in zip(totals, counts)]
    # There were groups to compare; in many histories also groups that matched in part.
    assert totals[0] > 0 and (number < 10 or totals[1] > number), totals
    return totals


def fresh(is_new=False):
    """Empty the tables and the index, or build a new one."""
    for model in EVERYTHING:
        model.objects.all().delete()
    searching._rest_until = 0.0
    clients.connect.cache_clear()
    if is_new:
        rebuild()
    send()


def main(histories, steps, are_all):
    setup_test_environment()
    call_command("migrate", run_syncdb=True, verbosity=0)
    failure = "no index yet"
    for function in [*CASES, *(LONG_CASES if are_all else []), random_histories]:
        started, result = time.monotonic(), None
        try:
            fresh(is_new=bool(failure))
            result = function(histories, steps) if function is random_histories else function()
            failure = ""
        except Exception:
            failure = traceback.format_exc()
        seconds = round(time.monotonic() - started, 2)
        line = {"case": function.__name__, "failure": failure, "seconds": seconds, "result": result}
        print(json.dumps(line), flush=True)
    for index in clients.connect(30.0).indices.get(index=f"{clients.alias()}-*"):
        clients.connect(30.0).indices.delete(index=index)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:] == ["all"])
