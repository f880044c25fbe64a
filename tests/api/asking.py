"""Posts in an index, and a client that asks what a text is like."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

import django_neardup as neardup
from tests.testapp.models import Ad

TITLE = "Сваи железобетонные {}"
TEXT = (
    "Завод реализует сваи железобетонные забивные {}, составные, сечением 350 на 350 мм, по серии, в наличии на "
    "складе в Екатеринбурге, отгрузка в день оплаты. Цена {} ₽ за штуку с НДС."
)
CODE, OTHER = "С140.35", "С90.30"
HTML = {"Accept": "text/html"}


def texts(code: str = CODE, price: str = "18 900") -> dict[str, str]:
    """Title and text of an advert for piles."""
    return {"title": TITLE.format(code), "text": TEXT.format(code, price)}


def post(code: str = CODE, price: str = "18 900", **values: Any) -> Ad:
    return Ad.objects.create(**{**texts(code, price), **values})


def indexed(*posts: Ad) -> tuple[Ad, ...]:
    neardup.drain()
    return posts


def address(label: str = "testapp.ad") -> str:
    return reverse("neardup:check", args=[label])


def ask(client: Client, label: str = "testapp.ad", html: bool = False, **values: Any) -> HttpResponse:
    """The answer to a form with those values."""
    return client.post(address(label), values, headers=HTML if html else {})


def ask_json(client: Client, values: Any, html: bool = False) -> HttpResponse:
    """The answer to those values as JSON."""
    return client.post(
        address(), json.dumps(values), content_type="application/json", headers=HTML if html else {}
    )


def told(client: Client, **values: Any) -> list[dict[str, Any]]:
    """The posts of the answer."""
    response = ask(client, **values)
    assert response.status_code == 200, response.content
    return response.json()["similar"]
