"""Who asks: forms with a token alone, and whatever strangers send."""

import json

import pytest
from django.test import Client
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from django_neardup import api
from django_neardup.api.views import MAX_LETTERS
from tests.api.asking import address, ask, ask_json, indexed, post, texts

pytestmark = pytest.mark.django_db

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
MANY = 3_000_000

urlpatterns = [path("open/<str:label>/", csrf_exempt(api.open_check))]


@pytest.fixture
def posts():
    return indexed(post())


@pytest.fixture
def strict():
    return Client(enforce_csrf_checks=True)


def test_a_form_needs_its_token(strict, posts):
    assert ask(strict, **texts()).status_code == 403
    assert ask_json(strict, texts()).status_code == 403
    strict.get("/admin/login/")
    token = strict.cookies["csrftoken"].value
    assert ask(strict, csrfmiddlewaretoken=token, **texts()).json()["count"] == 1
    assert strict.post(address(), texts(), headers={"X-CSRFToken": token}).json()["count"] == 1
    assert ask(strict, csrfmiddlewaretoken="x" * 32, **texts()).status_code == 403


@pytest.mark.urls(__name__)
def test_programs_bring_an_authentication_of_their_own(strict, posts):
    assert strict.post("/open/testapp.ad/", texts()).json()["count"] == 1


BAD = {
    "no JSON": (b"{", JSON),
    "a list": (b'[{"text": "a"}]', JSON),
    "a text": (b'"text"', JSON),
    "a number": (b"1", JSON),
    "null": (b"null", JSON),
    "no UTF-8": (b'{"text": "\xff\xfe\xfd"}', JSON),
    "deep lists": (b"[" * 200_000, JSON),
    "deep objects": (b'{"text":' * 100_000, JSON),
    "a long number": (b'{"text": ' + b"9" * 10_000 + b"}", JSON),
    "many fields": ("&".join(f"a{number}=1" for number in range(1500)).encode(), FORM),
    "a form in another encoding": (b"text=a", f"{FORM}; charset=koi8-r"),
    "a form in parts without any": (b"text", "multipart/form-data"),
    "parts in what encodes no text": (
        b'--x\r\nContent-Disposition: form-data; name="text"\r\n\r\na\r\n--x--\r\n',
        "multipart/form-data; boundary=x; charset=rot13",
    ),
    "parts cut short": (b"--x\r\nContent-Disposition: form-data; name=", "multipart/form-data; boundary="),
    "a text alone": (b"text=a", "text/plain"),
    "what is not said": (b"text=a", ""),
    "JSON that does not say so": (b'{"text": "a"}', "text/json"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_read(client, name):
    body, kind = BAD[name]
    response = client.generic("POST", address(), body, content_type=kind)
    assert (response.status_code, response.json()) == (400, {"error": "The request cannot be read."})
    assert "no-store" in response.headers["Cache-Control"]


@pytest.mark.parametrize("kind", [JSON, FORM])
@pytest.mark.parametrize("strictly", [False, True])
def test_what_is_too_large(kind, strictly):
    body = json.dumps({"text": "a" * MANY}) if kind == JSON else "text=" + "a" * MANY
    response = Client(enforce_csrf_checks=strictly).post(address(), body, content_type=kind)
    assert (response.status_code, response.json()) == (413, {"error": "The request is too large."})


def test_in_words_for_the_page(client):
    response = client.post(address(), b"{", content_type=JSON, headers={"Accept": "text/html"})
    assert response.content == b'<p class="neardup-quiet">The request cannot be read.</p>'


VALUES = {
    "NUL": "a\0b",
    "half a letter": "\ud800",
    "a list": ["a"],
    "an object": {"a": "b"},
    "null": None,
    "a deep list": [[[[["a"]]]]],
}


@pytest.mark.parametrize("name", VALUES)
def test_a_value_that_no_form_would_send_is_left_out(client, posts, name):
    for field in ("title", "phone", "sku", "pk", "nonsense"):
        answer = ask_json(client, {**texts(), field: VALUES[name]})
        assert answer.status_code == 200, field
        assert answer.json()["count"] == 1
    assert ask_json(client, {"text": VALUES[name]}).json()["count"] == 0


PLAIN = [
    True,
    0,
    -1,
    1.5,
    10**300,
    float("nan"),
    float("inf"),
    "",
    "\u202e\u200b",
    "a" * 1_000_000,
    "<" * 100_000,
]


@pytest.mark.parametrize("value", PLAIN, ids=lambda value: str(value)[:12])
def test_every_other_value_is_answered(client, posts, value):
    for field in ("text", "sku", "phone", "pk"):
        is_long = isinstance(value, str) and len(value) > MAX_LETTERS
        assert ask_json(client, {field: value}).status_code == (413 if is_long else 200), field


def test_text_of_two_megabytes(client, posts):
    assert ask(client, text="сваи железобетонные " * 50_000).status_code == 413


@pytest.mark.django_db
@pytest.mark.parametrize("text, status", [("сваи " * 4000, 200), ("сваи " * 4000 + "и", 413)])
def test_a_text_that_is_too_long_to_look_up_while_it_is_written(client, text, status):
    response = client.post(address(), json.dumps({"title": "", "text": text}), content_type=JSON)
    assert response.status_code == status
    if status == 413:
        assert "too long to search for similar posts" in response.json()["error"]
