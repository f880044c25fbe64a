"""How often one may ask: by user or by address, a window at a time, in a cache that may fail."""

import logging
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.core.cache import caches
from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.locmem import LocMemCache
from django.core.exceptions import ImproperlyConfigured
from django.urls import reverse

from django_neardup.api import crawlers, throttling, views
from django_neardup.api.throttling import Rate, Throttle, build_throttle, parse_rate
from tests.api.asking import address, ask, post
from tests.testapp.models import Ad

NOON = 1_800_000_000.0


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until it is set."""

    class Clock:
        now = NOON

        def time(self):
            return self.now

    made = Clock()
    monkeypatch.setattr(throttling, "time", made)
    monkeypatch.setattr(throttling, "_logged_topics", set())
    return made


@pytest.fixture
def throttle(settings, clock):
    def chosen(value):
        settings.NEARDUP = {"default": {"BACKEND": None, "THROTTLE": value}}

    return chosen


def asked(rf, user=None, address="10.0.0.1", **headers):
    request = rf.post("/", headers=headers, REMOTE_ADDR=address)
    request.user = user or AnonymousUser()
    return request


def waits(throttle, requests):
    return [throttle.wait(request, "check") for request in requests]


@pytest.mark.parametrize(
    ("rate", "parsed"),
    [("1/s", (1, 1)), ("30/m", (30, 60)), ("5/h", (5, 3600)), ("1000/d", (1000, 86_400))],
)
def test_rates(rate, parsed):
    assert parse_rate(rate) == Rate(*parsed)


@pytest.mark.parametrize("rate", ["", "30", "30/min", "0/m", "-1/m", " 3/m", "3/m\n", "1.5/m", "3/w", "3//m"])
def test_no_rates(rate):
    with pytest.raises(ValueError, match="no rate"):
        parse_rate(rate)


@pytest.mark.parametrize(
    ("rate", "later", "expected"),
    [
        ("2/m", 0, [0, 0, 60, 60]), ("2/m", 20, [0, 0, 20, 0]), ("2/m", 60, [0, 0, 0, 0]), ("1/s", 0, [0, 1, 1, 1]),
        ("3/h", 600, [0, 0, 0, 1800]), ("1/d", 0, [0, 57_600, 57_600, 57_600]),
    ],
)  # fmt: skip
def test_limits(rf, clock, rate, later, expected):
    counted, found = Throttle(rate), []
    for step in range(4):
        clock.now = NOON + later * step
        found += waits(counted, [asked(rf)])
    assert found == expected


def test_visitors_apart(rf, clock):
    throttle = Throttle("1/m")
    anna, peter = User(pk=1), User(pk=2)
    first = [
        asked(rf, anna), asked(rf, peter), asked(rf), asked(rf, address="10.0.0.2"), asked(rf, address="2001:db8::1"),
        asked(rf, address="2001:db8:1::1"), asked(rf, address="not an address"),
    ]  # fmt: skip
    again = [
        asked(rf, anna, address="10.9.9.9"), asked(rf, peter), asked(rf), asked(rf, address="::ffff:10.0.0.2"),
        asked(rf, address="2001:db8::ffff"), asked(rf, address="2001:db8:1:2:3::"), asked(rf, address="not an address"),
    ]  # fmt: skip
    assert waits(throttle, first) == [0] * len(first)
    assert waits(throttle, again) == [60] * len(again)


def test_things_apart(rf, clock):
    throttle = Throttle("1/m")
    assert [throttle.wait(asked(rf), name) for name in ("check", "similar", "check")] == [0, 0, 60]


def test_nobody_is_counted_without_an_address_which_is_said_once(rf, clock, caplog):
    with caplog.at_level(logging.WARNING):
        assert waits(Throttle("1/m"), [asked(rf, address="")] * 3) == [0, 0, 0]
    assert [record.message for record in caplog.records] == [
        "Visitors without an address are not counted: see THROTTLE in the documentation."
    ]


def test_a_site_behind_a_proxy(rf, clock):
    class Proxied(Throttle):
        rate = "1/m"

        def address(self, request):
            return request.headers["X-Real-Ip"]

    there = [asked(rf, **{"X-Real-Ip": address}) for address in ("10.0.0.1", "10.0.0.2", "10.0.0.1")]
    assert waits(Proxied(), there) == [0, 0, 60]


def test_a_proxy_that_nobody_told_of_is_named_once(rf, clock, caplog):
    with caplog.at_level(logging.WARNING):
        waits(Throttle("1/m"), [asked(rf, **{"X-Forwarded-For": "10.1.1.1"})] * 4)
    assert [record.message for record in caplog.records] == [
        "Visitors behind a proxy are counted as one: see THROTTLE in the documentation."
    ]


class Broken(LocMemCache):
    def incr(self, *args, **kwargs):
        raise ConnectionError("no server at 10.0.0.1")


@pytest.mark.parametrize(
    "backend", ["tests.api.test_throttle.Broken", "django.core.cache.backends.dummy.DummyCache", "no.such"]
)
def test_a_cache_that_fails_lets_through_and_is_named_once(rf, clock, settings, caplog, backend):
    settings.CACHES = {"default": {"BACKEND": backend}}
    with caplog.at_level(logging.WARNING):
        assert waits(Throttle("1/m"), [asked(rf)] * 4) == [0] * 4
    assert len(caplog.records) == 1
    assert "10.0.0.1" not in caplog.text


class Forgetful(LocMemCache):
    """As caches in files and in the database are: an increment lasts no longer than any other value."""

    incr = BaseCache.incr


def test_a_long_window_outlasts_what_a_cache_keeps_by_itself(rf, clock, settings):
    backend = f"{__name__}.Forgetful"
    settings.CACHES = {"default": {"BACKEND": backend, "LOCATION": "forgetful"}}
    assert waits(Throttle("1/d"), [asked(rf)] * 3) == [0, 57_600, 57_600]
    (until,) = caches["default"]._expire_info.values()
    assert until - time.time() > 86_400


@pytest.mark.redis
def test_a_crowd_in_redis_and_then_no_redis(rf, clock, settings, redis_server):
    place = f"redis://127.0.0.1:{redis_server.port}/0"
    settings.CACHES = {
        "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": place}
    }
    with ThreadPoolExecutor(8) as crowd:
        found = list(crowd.map(lambda _: Throttle("5/m").wait(asked(rf), "check"), range(40)))
    assert sorted(found) == [0] * 5 + [60] * 35
    redis_server.halt()
    assert waits(Throttle("5/m"), [asked(rf)] * 3) == [0] * 3


def test_nobody_can_be_told_by_the_keys(rf, clock, monkeypatch):
    kept = []
    monkeypatch.setattr(LocMemCache, "add", lambda self, key, *args, **kwargs: kept.append(key))
    waits(Throttle("1/m"), [asked(rf), asked(rf, User(pk=77))])
    assert len(set(kept)) == 2
    assert not [key for key in kept if "10.0.0.1" in key or "77:" in key]


GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
NAMES = {
    "66.249.66.1": "crawl-66-249-66-1.googlebot.com",
    "2001:4860:4801:10::1": "crawl-2001-4860.googlebot.com",
    "10.0.0.7": "googlebot.com.example.org",
    "10.0.0.8": "crawl-66-249-66-1.googlebot.com",  # the name is another address's
    "10.0.0.9": "evilgooglebot.com",
}


@pytest.fixture
def names(monkeypatch):
    """A server of names, and what it was asked."""
    asked_names = []

    def name_of(address):
        asked_names.append(address)
        if address not in NAMES:
            raise OSError
        return NAMES[address], [], [address]

    def addresses_of(host, port):
        # The first address that has a name is the one that the name has.
        (first, *_) = [address for address, name in NAMES.items() if name == host]
        return [(None, None, None, "", (first, 0))]

    monkeypatch.setattr(crawlers.socket, "gethostbyaddr", name_of)
    monkeypatch.setattr(crawlers.socket, "getaddrinfo", addresses_of)
    caches["default"].clear()
    return asked_names


@pytest.mark.parametrize(
    ("agent", "address", "expected"),
    [
        (GOOGLEBOT, "66.249.66.1", True), (GOOGLEBOT, "2001:4860:4801:10::1", True), (GOOGLEBOT, "10.0.0.7", False),
        (GOOGLEBOT, "10.0.0.8", False), (GOOGLEBOT, "10.0.0.9", False), (GOOGLEBOT, "10.0.0.1", False),
        ("Firefox", "66.249.66.1", False), ("bingbot/2.0", "66.249.66.1", False), (GOOGLEBOT, "", False),
    ],
)  # fmt: skip
def test_crawlers_are_verified_by_their_names(rf, names, agent, address, expected):
    request = asked(rf, address=address, **{"User-Agent": agent})
    assert [Throttle("1/m").is_crawler(request) for _ in range(3)] == [expected] * 3
    assert len(names) <= 1, "the answer is remembered"


def test_names_that_nobody_tells_in_time_are_not_waited_for(rf, names, monkeypatch):
    told = Event()
    monkeypatch.setattr(crawlers, "LOOKUP_SECONDS", 0.01)
    monkeypatch.setattr(crawlers.socket, "gethostbyaddr", lambda address: told.wait(10))
    try:
        assert not Throttle("1/m").is_crawler(asked(rf, address="66.249.66.1", **{"User-Agent": GOOGLEBOT}))
    finally:
        told.set()


@pytest.mark.parametrize(
    "value", ["often", 30, "no.such.Thing", "os.path.join", [], "tests.test_checks.Wrong"]
)
def test_what_means_nothing(value):
    with pytest.raises(ImproperlyConfigured, match="THROTTLE"):
        build_throttle(value)


# The views ------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_visitor_who_asks_too_often(client, throttle):
    throttle("2/m")
    answers = [ask(client, text="a") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[2].headers["Retry-After"] == "60"
    assert answers[2].json() == {"error": "Too many requests: try again later."}
    assert "no-store" in answers[2].headers["Cache-Control"]
    html = ask(client, html=True, text="a")
    assert html.content == b'<p class="neardup-quiet">Too many requests: try again later.</p>'


@pytest.mark.django_db
def test_no_limit(client, throttle):
    throttle(None)
    assert {ask(client, text="a").status_code for _ in range(40)} == {200}


@pytest.mark.django_db
def test_the_list_of_similar_is_counted_too(client, throttle):
    throttle("1/m")
    path = reverse("neardup:api-similar", args=["testapp.ad", post().pk])
    assert [client.get(path).status_code for _ in range(2)] == [200, 429]
    assert ask(client, text="a").status_code == 200


@pytest.mark.django_db
def test_another_method_is_not_counted_and_a_body_that_cannot_be_read_is(client, throttle):
    throttle("2/m")
    client.get(address())
    client.post(address(), b"{", content_type="application/json")
    assert [ask(client, text="a").status_code for _ in range(2)] == [200, 429]


class Once(Throttle):
    rate = "1/d"


@pytest.mark.django_db
def test_a_throttle_of_the_sites_own(client, throttle):
    throttle("tests.api.test_throttle.Once")
    assert [ask(client, text="a").status_code for _ in range(2)] == [200, 429]
    assert Ad.objects.count() == 0


@pytest.mark.django_db
def test_the_page_of_similar_posts(client, throttle, names):
    throttle("2/m")
    page = reverse(
        "neardup:similar", args=["testapp.ad", post("a text of some words for a page of its own").pk]
    )
    answers = [client.get(page) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[2].headers["Retry-After"] == "60" and b"Too many requests" in answers[2].content
    crawler = {"REMOTE_ADDR": "66.249.66.1", "HTTP_USER_AGENT": GOOGLEBOT}
    assert [client.get(page, **crawler).status_code for _ in range(4)] == [200] * 4
    liar = {"REMOTE_ADDR": "10.0.0.9", "HTTP_USER_AGENT": GOOGLEBOT}
    assert [client.get(page, **liar).status_code for _ in range(4)] == [200, 200, 429, 429]


@pytest.mark.django_db
@pytest.mark.parametrize("view", ["check", "open_check"])
def test_a_request_is_counted_before_its_body_is_read(rf, throttle, monkeypatch, view):
    throttle("1/m")
    bodies = []
    monkeypatch.setattr(views, "read_values", lambda request: bodies.append(request) or {})
    answers = [getattr(views, view)(asked(rf), label="testapp.ad") for _ in range(3)]
    assert [answer.status_code for answer in answers[1:]] == [429, 429]
    assert len(bodies) == 1
