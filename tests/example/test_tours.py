"""The tours of the demonstration over HTTP: steps, the switch of user, the reset."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from typing import Any

import pytest

from tests.example.conftest import PROJECT, environment

pytestmark = pytest.mark.xdist_group("example")

TOURS = {"visitor": ("", 8), "author": ("demo", 7), "moderator": ("moderator", 8)}
WALK = """
import json
from django.test import Client

def begin(name, username):
    client.post("/start/account/", {"account": username, "next": f"/start/{name}/"})

client, seen = Client(HTTP_HOST="localhost", HTTP_ACCEPT_LANGUAGE="ru"), {}
for name, (username, count) in TOURS.items():
    begin(name, username)
    pages = [client.get(f"/start/{name}/{number}/") for number in range(1, count + 1)]
    seen[name] = [(page.status_code, page.headers.get("Location", "")) for page in pages]
    seen[name + " statuses"] = [client.get(page.headers["Location"]).status_code for page in pages]
seen["start"] = client.get("/start/").content.decode()
strict = Client(enforce_csrf_checks=True, HTTP_HOST="localhost")
seen["without a token"] = [strict.post(path).status_code for path in ("/start/account/", "/start/reset/")]
seen["by a link"] = client.get("/start/account/?account=admin").status_code
seen["elsewhere"] = client.post("/start/account/", {"account": "", "next": "//evil.example/"}).headers["Location"]
seen["another user"] = client.get("/start/moderator/1/").headers["Location"]
seen["no step"] = client.get("/start/visitor/9/").status_code
client.cookies["tours"] = "visitor.99-x.1-author.²-visitor.2-%00"
seen["odd cookie"] = client.get("/start/").status_code
"""
RESET = """
from board.models import Ad
from django.contrib.auth.models import User
from django.test import Client
from django_neardup.models import Document
from news.models import Article

client = Client(HTTP_HOST="localhost", HTTP_ACCEPT_LANGUAGE="en")
client.post("/start/account/", {"account": "demo"})
client.get("/start/author/1/")
texts, numbers = sorted(Ad.objects.values_list("text", flat=True)), set(Ad.objects.values_list("pk", flat=True))
Article.objects.all().delete()
asked = client.get("/start/reset/").content.decode()
kept = Ad.objects.count() == len(texts) and not Article.objects.exists()
answer = client.post("/start/reset/", follow=True)
seen["reset"] = {
    "asked": "Delete and load again" in asked and kept,
    "said": answer.content.decode(),
    "texts": sorted(Ad.objects.values_list("text", flat=True)) == texts,
    "old numbers": len(numbers & set(Ad.objects.values_list("pk", flat=True))),
    "articles": Article.objects.count(),
    "pending": Document.objects.filter(pending_since__isnull=False).count(),
    "documents": Document.objects.count(),
    "taken": "tours" in client.cookies and client.cookies["tours"].value,
    "accounts": sorted(User.objects.exclude(password__startswith="!").values_list("username", flat=True)),
}
print(json.dumps(seen))
"""


@pytest.fixture(scope="module")
def seen(indexed, tmp_path_factory) -> dict[str, Any]:
    """What the scripts see, in one process, on a copy of the indexed site."""
    database = tmp_path_factory.mktemp("tours") / "db.sqlite3"
    with closing(sqlite3.connect(indexed.database)) as source, closing(sqlite3.connect(database)) as target:
        source.backup(target)
    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "-v", "0", "-c", f"TOURS = {TOURS}\n{WALK}\n{RESET}"],
        cwd=PROJECT,
        env={**environment(database), "DEMO": "1"},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", TOURS)
def test_every_step_leads_to_a_page_and_is_remembered(name, seen):
    _username, count = TOURS[name]
    addresses = [address for status, address in seen[name] if status == 302]
    assert len(addresses) == count and len(set(addresses)) >= count - 1
    assert not [address for address in addresses if address.startswith("/start/")]
    assert set(seen[f"{name} statuses"]) == {200}
    assert f"шагов: {count} из {count}" in seen["start"]


def test_a_switch_of_user_needs_a_form_of_the_site(seen):
    assert seen["without a token"] == [403, 403] and seen["by a link"] == 405
    assert seen["elsewhere"] == "/start/"


def test_a_step_is_taken_by_the_user_of_its_tour(seen):
    assert seen["another user"] == "/start/moderator/"


def test_what_is_no_step_is_left_out(seen):
    assert seen["no step"] == 404 and seen["odd cookie"] == 200


def test_a_reset_asks_first_and_loads_everything_anew(seen):
    reset = seen["reset"]
    assert reset["asked"] and "as it was at the beginning" in reset["said"]
    assert reset["texts"] and reset["articles"] >= 25 and reset["old numbers"] == 0
    assert reset["accounts"] == ["admin", "demo", "moderator"]


def test_a_reset_leaves_every_post_to_the_worker_and_takes_the_progress_back(seen):
    reset = seen["reset"]
    assert reset["pending"] == reset["documents"] > 500
    assert f"{reset['pending']} posts to compare" in reset["said"]
    assert not reset["taken"] and "0 of 7 steps" in reset["said"]


def test_without_the_setting_there_are_no_tours(browser):
    assert browser.get("/start/").status == 404
    assert "demo-strip" not in browser.get("/").html + browser.get("/admin/login/").html
