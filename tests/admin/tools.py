"""Going through a confirmation as a browser would."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils.html import strip_tags

from django_neardup.admin.decision_groups import build_item_key
from django_neardup.models import Cluster, Pair

OUTCOMES = ("leave", "hide", "merge", "delete")


def url_of(source: Any, outcome: str) -> str:
    return reverse("admin:neardup_queue_decide", args=[outcome])


def page_of(source: Any) -> str:
    return reverse(f"admin:neardup_{source._meta.model_name}_change", args=[source.pk])


def list_of(model: Any) -> str:
    return reverse(f"admin:neardup_{model._meta.model_name}_changelist")


def look(client: Client, outcome: str, *sources: Cluster | Pair, **query: Any) -> HttpResponse:
    """The confirmation."""
    return client.get(
        url_of(sources[0], outcome), {"id": [build_item_key(each) for each in sources], **query}
    )


def fields(response: HttpResponse) -> dict[str, list[str]]:
    """The hidden inputs of the confirmation's form."""
    found: dict[str, list[str]] = {}

    class Inputs(HTMLParser):
        def handle_starttag(self, tag: str, attrs: Any) -> None:
            given = dict(attrs)
            if tag == "input" and given.get("type") == "hidden":
                found.setdefault(given["name"], []).append(given.get("value") or "")

    Inputs().feed(response.content.decode())
    return found


def confirm(client: Client, outcome: str, *sources: Cluster | Pair, **query: Any) -> HttpResponse:
    """Look, then press the button."""
    seen = look(client, outcome, *sources, **query)
    assert seen.status_code == 200, seen.status_code
    return client.post(url_of(sources[0], outcome), fields(seen))


def told(response: HttpResponse) -> list[str]:
    """The messages of the page that the answer leads to, without their links."""
    said = (str(message) for message in response.wsgi_request._messages)
    return [strip_tags(re.sub(r"<a .*?</a>", "", each)).strip() for each in said]


def links(response: HttpResponse) -> list[str]:
    """The addresses that those messages lead to."""
    return [
        html.unescape(url)
        for message in response.wsgi_request._messages
        for url in re.findall(r'href="([^"]*)"', str(message))
    ]


def request_of(user: Any) -> HttpRequest:
    """A request of a signed-in user."""
    request = RequestFactory().get("/admin/")
    request.user = user
    return request
