"""The call that the guide shows, as it stands there."""

from __future__ import annotations

import shlex
from argparse import ArgumentParser, Namespace
from urllib.parse import urlsplit

import pytest
from django.test import Client

from tests.api.asking import indexed, post
from tests.services import ROOT

pytestmark = pytest.mark.django_db

FORM = "application/x-www-form-urlencoded"
TOKEN = "x" * 32


def documented() -> Namespace:
    """The arguments of the guide's curl."""
    page = (ROOT / "docs" / "guide" / "api.md").read_text(encoding="utf-8")
    command = page.partition("$ curl ")[2].partition("```")[0].replace("\\\n", "").replace("...", TOKEN)
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
