"""What strangers write, in the post that is found and in the text that is typed, stays text."""

import pytest

from tests.admin.xss import HARMLESS, HOSTILE, counted, kinds, runs
from tests.api.asking import CODE, OTHER, TEXT, ask, indexed, post
from tests.testapp.models import Ad

pytestmark = pytest.mark.django_db


def fragment(client, words):
    """The list for a text with those words, where posts have them in title, text and sku."""
    Ad.objects.all().delete()
    values = {"title": words, "text": f"{words} {TEXT.format(CODE, '18 900')} {words}"}
    indexed(
        post(**values),
        post(**{**values, "text": f"{TEXT.format(CODE, '17 900')} {words}"}),
        post(**{**values, "text": f"{TEXT.format(OTHER, '9 450')} {words}"}),
    )
    answer = ask(client, html=True, **values)
    assert answer.content.count(b"<li>") == 3
    return answer


@pytest.mark.parametrize("hostile", HOSTILE)
def test_in_the_fragment(client, hostile):
    harmless = fragment(client, HARMLESS)
    answer = fragment(client, hostile)
    assert runs(answer) == []
    assert kinds(answer) <= kinds(harmless)
    assert counted(answer) == counted(harmless)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_as_json(client, hostile):
    fragment(client, hostile)
    answer = ask(client, title=hostile, text=f"{hostile} {TEXT.format(CODE, '18 900')} {hostile}")
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.json()["count"] == 3


@pytest.mark.parametrize(
    "bad", ["javascript:alert(1)", " JavaScript:alert(1)", "data:text/html,x", "http://[x"]
)
def test_addresses_are_of_the_web(client, monkeypatch, bad):
    monkeypatch.setattr(Ad, "get_absolute_url", lambda self: bad)
    answer = fragment(client, HARMLESS)
    assert b"href" not in answer.content
