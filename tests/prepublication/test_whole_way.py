"""The whole way as a browser without scripts goes it: buttons and hidden fields of the page, and nothing else."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from django.http import HttpResponse, HttpResponseRedirect
from django.template import engines
from django.test import Client, override_settings
from django.urls import path

from django_neardup import release
from django_neardup.models import Cluster, Hold
from django_neardup.pipeline import drain
from django_neardup.prepublication.holds import hold_in_state
from tests.pipeline.helpers import CAT, SOFA, SOFA_EDITED
from tests.prepublication.conftest import AdForm
from tests.testapp.models import Ad

pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]
PAGE = """<form method="post">{% csrf_token %}{{ form.neardup }}{{ form.as_div }}
<button>Publish</button><button name="{{ form.neardup.check_name }}" value="1">Check</button></form>"""


def view(request):
    request.author, request.trust = view.author, "member"
    form = AdForm(request.POST or None, request=request, instance=Ad(author=view.author))
    if form.is_valid():
        ad = form.save()
        return HttpResponseRedirect(f"/ads/{ad.pk}/?{form.neardup.outcome}")
    return HttpResponse(engines["django"].from_string(PAGE).render({"form": form}, request))


urlpatterns = [path("new/", view)]


class Browser:
    """Fills in the form and presses buttons by the words on them."""

    def __init__(self, author) -> None:
        view.author = author
        self.client = Client(enforce_csrf_checks=True)
        self.open(self.client.get("/new/"))

    def open(self, answer) -> None:
        self.answer, self.hidden, self.buttons = answer, {}, {}
        browser = self

        class Reader(HTMLParser):
            pressed: dict | None = None

            def handle_starttag(self, tag, attrs):
                given = dict(attrs)
                if tag == "input" and given.get("type") == "hidden":
                    browser.hidden[given["name"]] = given["value"]
                self.pressed = given if tag == "button" else None

            def handle_data(self, data):
                if self.pressed is not None and data.strip():
                    name = self.pressed.get("name")
                    browser.buttons[data.strip()] = {name: self.pressed["value"]} if name else {}

        Reader().feed(answer.content.decode())

    def press(self, words, **written) -> str:
        """Where the button leads; empty where the form is shown again."""
        data = {"title": "", "phone": "", **written, **self.hidden, **self.buttons[words]}
        self.open(self.client.post("/new/", data))
        return self.answer.headers.get("Location", "")


def test_shown_and_published_anyway_it_lands_in_the_queue(board, people, publish):
    publish(SOFA, people.bob)
    browser = Browser(people.ann)
    assert browser.press("Check", text=SOFA_EDITED) == ""
    assert "1 similar post exists" in browser.answer.content.decode()
    assert browser.press("Publish", text=SOFA_EDITED) == ""
    assert list(browser.buttons) == ["Publish anyway", "Publish", "Check"]
    assert browser.press("Publish anyway", text=SOFA_EDITED).endswith("?published")
    drain()
    assert (Cluster.objects.get().state, Cluster.objects.get().size) == ("open", 2)


def test_the_enter_key_confirms_nothing(board, people, publish):
    """A browser presses the first button of the form."""
    publish(SOFA, people.ann)
    browser = Browser(people.ann)
    browser.press("Publish", text=SOFA_EDITED)
    page = browser.answer.content.decode()
    first = page[page.index("<button") :].split(">")[0]
    assert "name=" not in first


def test_held_until_a_moderator_lets_it_through(board, people, publish):
    publish(SOFA, people.ann)
    browser = Browser(people.ann)
    browser.press("Publish", text=SOFA_EDITED)
    assert browser.press("Send it to a moderator", text=SOFA_EDITED).endswith("?review")
    drain()
    ad = Ad.objects.order_by("pk").last()
    assert not ad.published
    assert release(ad)
    drain()
    assert Ad.objects.filter(published=True).count() == 2
    assert not Hold.objects.exists()


def test_renewed(board, people, publish):
    old = publish(SOFA, people.ann)
    browser = Browser(people.ann)
    browser.press("Publish", text=SOFA)
    assert list(browser.buttons) == ["Renew the earlier post", "Publish", "Check"]
    assert browser.press("Renew the earlier post", text=SOFA) == f"/ads/{old.pk}/?renewed"
    assert Ad.objects.get().hits == 1


@pytest.mark.parametrize(("text", "published"), [(CAT, True), (SOFA_EDITED, False)])
def test_checked_within_the_request_where_there_is_no_queue_to_wait_for(
    text, published, adapt, people, publish, django_capture_on_commit_callbacks
):
    adapt(hold_until_checked=True, publication=[{"action": "hold", "verdict": "duplicate"}], visible=nothing)
    publish(SOFA, people.bob)
    browser = Browser(people.ann)
    inline = override_settings(NEARDUP={"default": {"BACKEND": "inline"}})
    with inline, django_capture_on_commit_callbacks(execute=True):
        assert browser.press("Publish", text=text).endswith("?checking")
    assert Ad.objects.order_by("pk").last().published is published
    assert list(Hold.objects.values_list("state", flat=True)) == ([] if published else ["review"])


def nothing(adapter, request):
    return Ad.objects.none()


@pytest.mark.django_db(databases=["default", "other"])
def test_a_post_of_another_database(adapt, people, django_capture_on_commit_callbacks):
    board = adapt(publication=[{"action": "block"}])
    Ad.objects.using("other").create(text=SOFA)
    drain("other")
    twin = Ad.objects.using("other").create(text=SOFA)
    hold_in_state(twin, "checking")
    with django_capture_on_commit_callbacks(using="other", execute=True):
        drain("other")
    assert Hold.objects.using("other").get().state == "refused"
    assert not Hold.objects.exists()
    with django_capture_on_commit_callbacks(using="other", execute=True):
        assert release(twin)
    assert Ad.objects.using("other").filter(published=True).count() == 2
    assert board.told == [("refused", twin.pk), ("published", twin.pk)]
