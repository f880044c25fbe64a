"""The call that the guide shows, as it stands there."""

from __future__ import annotations

import json
import shlex
from argparse import ArgumentParser, Namespace
from urllib.parse import urlsplit

import pytest
from django.test import Client

from tests.api.asking import address, indexed, post, texts
from tests.services import ROOT

pytestmark = pytest.mark.django_db

FORM = "application/x-www-form-urlencoded"
TOKEN = "x" * 32


def guide() -> str:
    return (ROOT / "docs" / "guide" / "api.md").read_text(encoding="utf-8")


def documented() -> Namespace:
    """The arguments of the guide's curl."""
    command = guide().partition("$ curl ")[2].partition("```")[0].replace("\\\n", "").replace("...", TOKEN)
    curl = ArgumentParser()
    for name in ("-d", "-b", "-H", "-e"):
        curl.add_argument(name)
    curl.add_argument("address")
    return curl.parse_args(shlex.split(command))


def test_the_call_of_the_guide_is_answered_over_https(settings):
    settings.ALLOWED_HOSTS = ["example.org"]
    indexed(post())
    call, client = documented(), Client(enforce_csrf_checks=True)
    address = urlsplit(call.address.replace("board.ad", "testapp.ad"))
    assert address.scheme == "https"
    headers = dict([call.H.split(": ")], Host=address.netloc, Cookie=call.b)
    headers |= {"Referer": call.e} if call.e else {}
    answer = client.post(address.path, call.d.encode(), content_type=FORM, headers=headers, secure=True)
    assert answer.status_code == 200
    assert answer.json()["similar"]


def test_the_answer_of_the_guide_has_the_fields_of_the_answer(client):
    indexed(post())
    shown = json.loads(guide().partition("```json")[2].partition("```")[0])
    answer = client.post(address(), texts(price="17 900")).json()
    (post_shown,), (post_answered,) = shown["similar"], answer["similar"]
    assert shown.keys() == answer.keys() and post_shown.keys() == post_answered.keys()
    assert post_shown["differs"][0].keys() == post_answered["differs"][0].keys()
