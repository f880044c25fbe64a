"""Old addresses: which way of writing finds them, what is answered, chains, and undoing in any order."""

from __future__ import annotations

from itertools import count, permutations, takewhile
from unicodedata import normalize
from urllib.parse import quote
from uuid import uuid4

import pytest
from asgiref.sync import async_to_sync
from django.db import connection
from django.http import HttpResponse
from django.test import AsyncRequestFactory, RequestFactory, override_settings
from django.urls import NoReverseMatch, set_script_prefix

from django_neardup import moderation, registry
from django_neardup.middleware import MovedUrlMiddleware
from django_neardup.models import MergeRecord, MovedUrl
from django_neardup.moderation import ActionContext, addresses
from django_neardup.moderation.url_paths import with_query
from django_neardup.pipeline.content_objects import content_type_of
from tests.testapp.models import Ad, Article, LongArticle, SlugPost, Unregistered
from tests.testapp.neardup import NoticeNeardup
from tests.testapp.zoo import Bulletin, Notice

pytestmark = pytest.mark.django_db
BOTH = pytest.mark.django_db(databases=["default", "other"])

ORDERS = list(permutations(range(3)))
LONG = "/" + "сваи-железобетонные-" * 100 + "/"


@pytest.fixture(autouse=True)
def _addresses(monkeypatch):
    """The text of an advert is its address."""
    monkeypatch.setattr(Ad, "get_absolute_url", lambda ad: ad.text)


@pytest.fixture
def ad():
    """An advert at that address."""
    return lambda url, using="default", **fields: Ad.objects.using(using).create(text=url, **fields)


def recorded(action, loser, keeper=None, using="default"):
    kept = {} if keeper is None else {"keeper_type": kind(keeper, using), "keeper_id": str(keeper.pk)}
    return MergeRecord.objects.using(using).create(
        action=action, batch=uuid4(), loser_type=kind(loser, using), loser_id=str(loser.pk), **kept
    )


def kind(instance, using="default"):
    return content_type_of(type(instance), using)


def merge(loser, keeper, using="default"):
    """What a merge does about addresses, and the end of the loser."""
    record = recorded("merge", loser, keeper, using)
    addresses.redirect_to_keeper(addresses.public_urls(loser), keeper, record, using)
    type(loser).objects.using(using).filter(pk=loser.pk).delete()
    return record


def delete(loser, using="default"):
    record = recorded("delete", loser, using=using)
    addresses.mark_gone(addresses.public_urls(loser), record, using)
    type(loser).objects.using(using).filter(pk=loser.pk).delete()
    return record


def undo(record, using="default"):
    addresses.revert_entries(record, using)
    MergeRecord.objects.using(using).filter(pk=record.pk).update(undone="2026-01-01T00:00Z")


def ask(path, method="get", status=404, databases=("default",), **extra):
    """What the middleware makes of a view's answer."""
    middleware = MovedUrlMiddleware(lambda request: HttpResponse("from the view", status=status))
    middleware.databases = list(databases)
    return middleware(getattr(RequestFactory(), method)(path, **extra))


def told(path, **options):
    """Status and target."""
    response = ask(path, **options)
    return response.status_code, response.headers.get("Location")


def table(using="default"):
    """Every entry: where it leads."""
    return {entry.path: entry.object_id for entry in MovedUrl.objects.using(using)}


@pytest.mark.parametrize(
    ("address", "asked"),
    [
        ("/ads/5/", "/ads/5/"),
        ("/ads/5", "/ads/5"),
        ("/объявления/сваи/", "/объявления/сваи/"),
        ("/объявления/сваи/", quote("/объявления/сваи/")),
        (quote("/объявления/сваи/"), "/объявления/сваи/"),
        (quote("/объявления/сваи/").lower(), quote("/объявления/сваи/")),
        (normalize("NFC", "/йод и ёж/"), quote(normalize("NFD", "/йод и ёж/"))),
        (normalize("NFD", "/йод и ёж/"), quote(normalize("NFC", "/йод и ёж/"))),
        (LONG, quote(LONG)),
        ("/a%20b/", "/a b/"),
        ("/%E3%28/", "/%E3%28/"),
        ("/100%/", "/100%25/"),
        ("https://testserver/ads/5/", "/ads/5/"),
        ("//testserver/ads/5/", "/ads/5/"),
    ],
)
def test_an_old_address_leads_to_the_keeper(ad, address, asked):
    merge(ad(address), ad("/kept/"))
    assert told(asked) == (301, "/kept/")


@pytest.mark.parametrize(
    ("address", "asked"),
    [
        ("/ads/5/", "/ads/5"),
        ("/ads/5", "/ads/5/"),
        ("/Ads/5/", "/ads/5/"),
        ("/ads/5/", "/ads/"),
        ("/topics/7/#post-5", "/topics/7/"),
        ("/topic?id=5", "/topic?id=5"),
        ("https://other.example/ads/5/", "/ads/5/"),
        ("//other.example/ads/5/", "/ads/5/"),
        ("https:///ads/5/", "/ads/5/"),
        ("https://[/ads/5/", "/ads/5/"),
        ("ads/5/", "/ads/5/"),
        ("mailto:a@b.ru", "/"),
        ("/a%00b/", "/a%00b/"),
        ("", "/"),
    ],
)
def test_what_is_not_a_post_s_own_address_here_is_not_kept(ad, address, asked):
    with override_settings(ALLOWED_HOSTS=["testserver"]):
        merge(ad(address), ad("/kept/"))
        assert told(asked) == (404, None)


@pytest.mark.parametrize(
    ("host", "status"),
    [("example.com", 301), ("example.com:8000", 301), ("other.example", 404), ("testserver", 404)],
)
@override_settings(ALLOWED_HOSTS=["*"])
def test_where_every_host_is_allowed_the_site_s_own_is_known(ad, host, status):
    merge(ad(f"https://{host}/ads/5/"), ad("/kept/"))
    assert told("/ads/5/")[0] == status


def test_a_site_that_is_not_there_has_no_domain(ad, settings):
    settings.ALLOWED_HOSTS, settings.SITE_ID = ["*"], 77
    merge(ad("https://example.com/ads/5/"), ad("/kept/"))
    assert table() == {}


@pytest.mark.parametrize(
    ("method", "status", "answer"),
    [
        ("get", 404, 301), ("head", 404, 301), ("get", 410, 301), ("post", 404, 404), ("put", 410, 410),
        ("get", 200, 200), ("get", 403, 403), ("get", 500, 500), ("get", 302, 302),
    ],
)  # fmt: skip
def test_only_what_was_not_found_is_looked_up(ad, method, status, answer):
    merge(ad("/old/"), ad("/kept/"))
    assert told("/old/", method=method, status=status)[0] == answer


def test_the_target_is_where_the_keeper_is_today(ad):
    keeper = ad("/kept/")
    merge(ad("/old/"), keeper)
    Ad.objects.filter(pk=keeper.pk).update(text="/renamed/")
    assert told("/old/") == (301, "/renamed/")


def test_a_target_that_the_visitor_may_not_see_is_not_told(ad):
    keeper = ad("/kept/", published=False)
    merge(ad("/old/"), keeper)
    assert ask("/old/").content == ask("/never/").content == b"from the view"
    assert told("/old/") == told("/never/") == (404, None)
    Ad.objects.filter(pk=keeper.pk).delete()
    assert told("/old/") == (404, None)


def test_nobody_is_sent_back_to_where_he_came_from(ad):
    keeper = ad("/kept/")
    merge(ad("/old/"), keeper)
    for url in ("/old/", "/old/#top", "/old/?a=b", "http://testserver/old/", quote("/old/")):
        Ad.objects.filter(pk=keeper.pk).update(text=url)
        assert told("/old/") == (404, None), url
        with override_settings(ALLOWED_HOSTS=["*"]):
            assert told("/old/") == (404, None), url


@pytest.mark.parametrize(
    ("url", "hosts", "location"),
    [
        ("/kept/", ["board.ru"], "/kept/"),
        ("https://board.ru/kept/", ["board.ru"], "https://board.ru/kept/"),
        ("https://spb.board.ru:8000/kept/", [".board.ru"], "https://spb.board.ru:8000/kept/"),
        ("//spb.board.ru/kept/", [".board.ru"], "//spb.board.ru/kept/"),
        ("http://testserver/kept/", ["*"], "http://testserver/kept/"),
        ("/сваи/", ["*"], quote("/сваи/")),
        ("//evil.example/", ["board.ru"], None),
        ("//evil.example/", ["*"], None),
        ("///evil.example/", ["*"], None),
        ("https://evil.example/", ["*"], None),
        ("https:///evil.example/", ["*"], None),
        ("https://board.ru@evil.example/", ["board.ru"], None),
        ("https://board.ru.evil.example/", [".board.ru"], None),
        ("javascript:alert(1)", ["*"], None),
        ("https://[/", ["*"], None),
        ("kept/", ["*"], None),
    ],
)
def test_a_redirect_stays_on_the_site(ad, url, hosts, location):
    merge(ad("/old/"), ad(url))
    with override_settings(ALLOWED_HOSTS=[*hosts, "testserver"][: 1 if hosts == ["*"] else 2]):
        assert told("/old/") == (404 if location is None else 301, location)


@pytest.mark.parametrize(
    ("url", "query", "whole"),
    [
        ("/kept/", "", "/kept/"),
        ("/kept/", "page=2&q=a%20b", "/kept/?page=2&q=a%20b"),
        ("/topic?id=5", "page=2", "/topic?id=5&page=2"),
        ("/topic/#post-5", "page=2", "/topic/?page=2#post-5"),
        ("/kept/", "a" * 17_000, "/kept/"),
    ],
)
def test_the_query_string_is_kept(ad, url, query, whole):
    merge(ad("/old/"), ad(url))
    assert told(f"/old/?{query}") == (301, whole)
    assert with_query(url, query) == whole or len(query) > 16_000


def test_what_was_deleted_is_gone(ad):
    delete(ad("/old/"))
    response = ask("/old/")
    assert response.status_code == 410
    assert "This post is gone" in response.content.decode()
    assert ask("/old/", status=410).content == b"from the view"
    assert ask("/old/", method="post").status_code == 404


def test_the_answer_is_for_this_visitor_and_not_for_long(ad):
    merge(ad("/old/"), ad("/kept/"))
    delete(ad("/gone/"))
    for path in ("/old/", "/gone/"):
        response = ask(path)
        assert response.headers["Cache-Control"] == "private, max-age=600"
        assert "Vary" not in response.headers


def test_it_costs_one_query_and_one_more_for_a_target(ad, django_assert_num_queries):
    merge(ad("/old/"), ad("/kept/"))
    delete(ad("/gone/"))
    ask("/old/")
    for path, queries in (("/old/", 2), ("/gone/", 1), ("/never/", 1)):
        with django_assert_num_queries(queries):
            ask(path)


def test_under_a_script_name(ad):
    set_script_prefix("/forum/")
    try:
        merge(ad("/forum/ads/5/"), ad("/forum/kept/"))
        assert table() == {"/ads/5/": str(Ad.objects.get().pk)}
        assert told("/ads/5/", SCRIPT_NAME="/forum") == (301, "/forum/kept/")
        assert told("/forum/ads/5/", SCRIPT_NAME="/forum") == (404, None)
    finally:
        set_script_prefix("/")


def test_asynchronously(ad):
    merge(ad("/old/"), ad("/kept/"))

    async def view(request):
        return HttpResponse(status=200 if request.path == "/there/" else 404)

    middleware = MovedUrlMiddleware(view)
    middleware.databases = ["default"]
    found = [
        async_to_sync(middleware)(AsyncRequestFactory().get(path)) for path in ("/old/", "/there/", "/no/")
    ]
    assert [response.status_code for response in found] == [301, 200, 404]
    assert found[0].headers["Location"] == "/kept/"


def test_in_the_order_of_a_real_site(client, ad, settings):
    settings.MIDDLEWARE = [*settings.MIDDLEWARE, "django_neardup.middleware.MovedUrlMiddleware"]
    settings.DATABASE_ROUTERS = ["tests.test_moved_urls.OneDatabase"]
    merge(ad("/объявления/5/"), ad("/kept/"))
    delete(ad("/gone/"))
    response = client.get("/объявления/5/", {"page": "2"})
    assert (response.status_code, response.headers["Location"]) == (301, "/kept/?page=2")
    assert client.get("/объявления/5").status_code == 404
    assert client.get("/gone/").status_code == 410
    assert client.get("/never/").status_code == 404


class OneDatabase:
    """The tables of neardup are in one database alone."""

    def allow_migrate(self, db, app_label, **hints):
        return db == "default"


@BOTH
def test_every_database_is_asked(ad):
    merge(ad("/old/", "other"), ad("/kept/", "other"), "other")
    delete(ad("/old/"))
    delete(ad("/gone/", "other"), "other")
    both = {"databases": ("default", "other")}
    assert [told(path, **both) for path in ("/old/", "/gone/")] == [(301, "/kept/"), (410, None)]
    assert told("/old/") == (410, None)
    assert table() == {"/old/": ""}


@pytest.mark.engines("sqlite")
def test_a_table_that_is_missing_breaks_no_page(caplog):
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE neardup_movedurl RENAME TO elsewhere")
    assert told("/old/") == (404, None)
    assert "cannot be looked up" in caplog.text


def test_a_real_merge_a_real_deletion_and_their_undo(ad):
    old, kept = ad("/old/"), ad("/kept/")
    for deed, answer in (
        (lambda: moderation.merge(kept, [old], ActionContext()), (301, "/kept/")),
        (lambda: moderation.delete([old], ActionContext(), keeper=kept), (301, "/kept/")),
    ):
        (record,) = deed()
        assert told("/old/") == answer
        moderation.undo(record, None, "default")
        assert told("/old/") == (404, None)
        assert Ad.objects.filter(pk=old.pk).exists()


# Writing and taking back ----------------------------------------------------------------------------------


def test_a_chain_is_one_step_long(ad):
    a, b, c, d = (ad(f"/{name}/") for name in "abcd")
    merge(a, b), merge(b, c), merge(c, d)
    assert table() == dict.fromkeys(("/a/", "/b/", "/c/"), str(d.pk))
    assert [told(path) for path in ("/a/", "/b/", "/c/")] == [(301, "/d/")] * 3


def test_what_led_to_a_deleted_post_is_gone_too(ad):
    a, b = ad("/a/"), ad("/b/")
    merge(a, b)
    record = delete(b)
    assert table() == {"/a/": "", "/b/": ""}
    undo(record)
    assert table() == {"/a/": str(b.pk)}


@pytest.mark.parametrize("last", [merge, delete], ids=["merged", "deleted"])
@pytest.mark.parametrize("order", ORDERS)
def test_undone_in_any_order_it_is_as_if_it_had_not_been(ad, order, last):
    """A into B, B into C, then C into D or deleted: after each undo, what the merges in force make of it."""
    a, b, c, d = (ad(f"/{name}/") for name in "abcd")
    records = [merge(a, b), merge(b, c), merge(c, d) if last is merge else delete(c)]
    heirs, end = [b, c], d if last is merge else None
    in_force = {0, 1, 2}
    for number in order:
        undo(records[number])
        in_force -= {number}
        assert table() == expected(heirs, end, in_force)
    assert not MovedUrl.objects.exists()


def expected(heirs, end, in_force):
    """Each entry in force leads on as long as its target was merged by a record in force."""
    found = {}
    for first in in_force:
        step = first
        while step + 1 in in_force:
            step += 1
        target = heirs[step] if step < 2 else end
        found[f"/{'abc'[first]}/"] = "" if target is None else str(target.pk)
    return found


@pytest.mark.parametrize("order", ORDERS)
def test_a_path_used_again_replaces_the_older_entry_until_undone(ad, order):
    keepers = [ad(f"/kept-{number}/") for number in range(3)]
    records = [merge(ad("/same/"), keeper) for keeper in keepers]
    in_force = {0, 1, 2}
    for number in order:
        undo(records[number])
        in_force -= {number}
        assert table() == ({"/same/": str(keepers[max(in_force)].pk)} if in_force else {})


def test_a_replaced_entry_comes_back_to_where_its_keeper_went_meanwhile(ad):
    first, second, third = ad("/first/"), ad("/second/"), ad("/third/")
    merge(ad("/same/"), first)
    since = MovedUrl.objects.get().created
    later = merge(ad("/same/"), second)
    merge(first, third)
    undo(later)
    assert table() == {"/same/": str(third.pk), "/first/": str(third.pk)}
    assert MovedUrl.objects.get(path="/same/").created == since


def test_an_entry_of_nobody_s_record_is_turned_and_put_back(ad):
    b, c = ad("/b/"), ad("/c/")
    old = addresses.path_digest("/imported/")
    MovedUrl.objects.create(digest=old, path="/imported/", content_type=kind(b), object_id=str(b.pk))
    record = merge(b, c)
    assert told("/imported/") == (301, "/c/")
    undo(record)
    assert table() == {"/imported/": str(b.pk)}


def test_a_primary_key_that_is_used_again_belongs_to_no_old_chain():
    """SlugPost has no address; entries of a site's own lead to it all the same."""
    a, b, c, d = (SlugPost.objects.create(slug=name, text="t") for name in "abcd")
    merge(a, b)
    again = SlugPost.objects.create(slug="a", text="t")
    first, second = recorded("merge", c, again), None
    addresses.redirect_to_keeper(["/c/"], again, first, "default")
    second = recorded("merge", again, d)
    addresses.redirect_to_keeper([], d, second, "default")
    assert table() == {"/c/": "d"}
    undo(second)
    assert table() == {"/c/": "a"}


def test_a_child_of_a_registered_model_is_its_parent():
    article, child, keeper = (
        Article.objects.create(text="a"),
        LongArticle.objects.create(text="b"),
        LongArticle.objects.create(text="c"),
    )
    addresses.redirect_to_keeper(["/a/"], child, recorded("merge", article, child), "default")
    addresses.redirect_to_keeper(["/b/"], keeper, recorded("merge", child, keeper), "default")
    assert table() == {"/a/": str(keeper.pk), "/b/": str(keeper.pk)}
    assert {entry.content_type for entry in MovedUrl.objects.all()} == {kind(article)}


def test_an_undo_follows_a_keeper_that_was_merged_as_a_child():
    a, keeper = Article.objects.create(text="a"), LongArticle.objects.create(text="b")
    c, d = (LongArticle.objects.create(text=text) for text in "cd")
    addresses.redirect_to_keeper(
        ["/a/"], keeper.article_ptr, recorded("merge", a, keeper.article_ptr), "default"
    )
    addresses.redirect_to_keeper(["/b/"], c, recorded("merge", keeper, c), "default")
    last = recorded("merge", c, d)
    addresses.redirect_to_keeper([], d, last, "default")
    assert table() == {"/a/": str(d.pk), "/b/": str(d.pk)}
    undo(last)
    assert table() == {"/a/": str(c.pk), "/b/": str(c.pk)}


class TestChildrenWithKeysOfTheirOwn:
    @pytest.fixture(autouse=True)
    def notices(self, monkeypatch):
        """Each one's number is another's key as its parent's post."""
        monkeypatch.setitem(registry._registry, Notice, NoticeNeardup(Notice))
        monkeypatch.setattr(Notice, "get_absolute_url", lambda notice: notice.text, raising=False)
        notices = [Notice.objects.create(text=f"/{name}/") for name in "abcd"]
        for place, notice in enumerate(notices):
            Bulletin(number=notices[place - 1].pk, notice=notice, text=notice.text).save()

    @staticmethod
    def post(name, model=Bulletin):
        return model.objects.get(text=f"/{name}/")

    def merge(self, loser, keeper, model=Bulletin):
        (record,) = moderation.merge(self.post(keeper, model), [self.post(loser, model)], ActionContext())
        return record

    def keys(self, **heirs):
        return {f"/{name}/": str(self.post(heir, Notice).pk) for name, heir in heirs.items()}

    @pytest.mark.parametrize("second", [Notice, Bulletin])
    @pytest.mark.parametrize("first", [Notice, Bulletin])
    def test_a_chain_is_one_step_long(self, first, second):
        self.merge("a", "b", first), self.merge("b", "c", second)
        assert table() == self.keys(a="c", b="c")

    def test_what_led_to_one_that_was_deleted_is_gone_and_nothing_else(self):
        self.merge("a", "b"), self.merge("c", "d")
        (record,) = moderation.delete([self.post("b")], ActionContext())
        assert table() == {"/a/": "", "/b/": "", **self.keys(c="d")}
        moderation.undo(record, None, "default")
        assert table() == self.keys(a="b", c="d")

    @pytest.mark.parametrize("models", [[Notice, Bulletin] * 2, [Bulletin, Notice] * 2, [Bulletin] * 3])
    @pytest.mark.parametrize("order", ORDERS)
    def test_undone_in_any_order_it_is_as_if_it_had_not_been(self, order, models):
        keys = {name: str(self.post(name, Notice).pk) for name in "abcd"}
        steps = list(zip("abc", "bcd", models, strict=False))
        records = [self.merge(*step) for step in steps]
        in_force = {0, 1, 2}
        for number in order:
            moderation.undo(records[number], None, "default")
            in_force -= {number}
            heirs = {first: max(_run(first, in_force)) for first in in_force}
            assert table() == {f"/{'abcd'[first]}/": keys["abcd"[last + 1]] for first, last in heirs.items()}


def _run(first, in_force):
    """The records in force, one after another, from that one on."""
    return takewhile(in_force.__contains__, count(first))


def test_several_addresses_of_one_post(ad, monkeypatch):
    from tests.testapp.neardup import AdNeardup

    monkeypatch.setattr(AdNeardup, "addresses", lambda self, ad: [ad.text, f"/short/{ad.pk}/", "", ad.text])
    old = ad("/old/")
    record = merge(old, ad("/kept/"))
    assert set(table()) == {"/old/", f"/short/{old.pk}/"}
    undo(record)
    assert table() == {}


@pytest.mark.parametrize("url", ["", None])
def test_without_an_address_nothing_is_written(ad, url, monkeypatch):
    monkeypatch.setattr(Ad, "get_absolute_url", lambda ad: url)
    assert addresses.public_urls(ad("x")) == []
    undo(merge(ad("x"), ad("y")))
    undo(delete(ad("x")))
    assert table() == {}


def test_an_address_that_cannot_be_told_stops_nothing(ad, monkeypatch, caplog):
    monkeypatch.setattr(Ad, "get_absolute_url", lambda ad: 1 / 0)
    assert addresses.public_urls(ad("x")) == []
    assert "ZeroDivisionError" in caplog.text


def test_a_model_without_an_adapter_has_no_addresses():
    one, two = Unregistered.objects.create(text="a"), Unregistered.objects.create(text="b")
    assert addresses.public_urls(one) == []
    addresses.redirect_to_keeper(["/a/"], two, recorded("merge", one, two), "default")
    assert table() == {}


def test_a_keeper_whose_address_cannot_be_told_leads_nowhere(ad, monkeypatch):
    merge(ad("/old/"), ad("/new/"))

    def fails(ad):
        raise NoReverseMatch("no such page")

    monkeypatch.setattr(Ad, "get_absolute_url", fails)
    assert told("/old/") == (404, None)
