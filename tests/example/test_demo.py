"""`make demo`: the script behind it, from an empty database to Ctrl-C."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.example.browser import Browser
from tests.example.conftest import PROJECT, Site, environment, free_port
from tests.queue_tools import redis_client

pytestmark = pytest.mark.xdist_group("example")

SECONDS = 300


def start(database: Path, output: Path, **variables: str) -> subprocess.Popen[bytes]:
    with output.open("wb") as written:
        return subprocess.Popen(
            [sys.executable, os.fspath(PROJECT / "demo.py")],
            env={**environment(database), **variables},
            stdout=written,
            stderr=subprocess.STDOUT,
        )


def until(condition: Callable[[], object], process: subprocess.Popen[bytes]) -> bool:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end and process.poll() is None:
        if condition():
            return True
        time.sleep(0.5)
    return bool(condition())


def test_a_taken_port_is_said(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        process = start(tmp_path / "db.sqlite3", tmp_path / "out", PORT=str(taken.getsockname()[1]))
        assert process.wait(SECONDS) == 1
    assert "make demo PORT=" in (tmp_path / "out").read_text(encoding="utf-8")
    assert not (tmp_path / "db.sqlite3").exists()


def test_a_port_is_a_number(tmp_path):
    assert start(tmp_path / "db.sqlite3", tmp_path / "out", PORT="web").wait(SECONDS) == 1
    assert "PORT" in (tmp_path / "out").read_text(encoding="utf-8")


WORKERS = "import demo, json; print(json.dumps(demo.workers()))"
SAVE = "from board.models import Ad; Ad.objects.first().save()"


def commands(site: Site, **variables: str) -> list[list[str]]:
    """What runs beside the server."""
    return json.loads(site.manage("shell", "--verbosity", "0", "-c", WORKERS, **variables))


def test_one_worker_runs_without_redis(site):
    assert commands(site) == [["neardup_worker"]]


@pytest.mark.redis
def test_with_redis_what_rings_is_heard(site, redis_server):
    url, queue = {"REDIS_URL": f"redis://127.0.0.1:{redis_server.port}/0"}, "rq:queue:default"
    site.manage("shell", "-c", SAVE, **url)
    assert redis_client(redis_server).llen(queue) == 1
    heard = [command for command in commands(site, **url) if command != ["neardup_worker"]]
    site.manage(*heard[0], "--burst", **url)
    assert redis_client(redis_server).llen(queue) == 0


@pytest.mark.parametrize(
    ("host", "variables", "address"),
    [
        ("127.0.0.1", {}, "http://127.0.0.1:8001"),
        ("0.0.0.0", {}, "http://127.0.0.1:8001"),
        ("::1", {}, "http://[::1]:8001"),
        ("127.0.0.1", {"SITE_ADDRESS": "https://example.org"}, "https://example.org"),
    ],
)
def test_mails_link_to_where_the_demo_listens(host, variables, address, tmp_path):
    show = (
        "import demo; demo.set_defaults('{}', '8001'); import config.settings as it; print(it.SITE_ADDRESS)"
    )
    known = {**environment(tmp_path / "db.sqlite3"), **variables}
    done = subprocess.run(
        [sys.executable, "-c", show.format(host)], cwd=PROJECT, env=known, capture_output=True, text=True
    )
    assert done.stdout.strip() == address


@pytest.mark.slow
def test_the_demo_shows_groups_takes_an_advert_and_stops(tmp_path):
    output, port = tmp_path / "out", free_port()
    process = start(tmp_path / "db.sqlite3", output, PORT=str(port))
    address = f"http://127.0.0.1:{port}"
    try:
        assert until(lambda: f"{address}/admin/" in output.read_text(encoding="utf-8"), process), (
            output.read_text()
        )
        said = output.read_text(encoding="utf-8")
        assert re.findall(r"^\[(\d)/4\] \S", said, re.MULTILINE) == list("1234")
        assert f"{address}/start/" in said and "Ctrl-C" in said
        browser = Browser(address)
        assert browser.get("/start/").status == 200
        found = browser.get("/search/", q="сваи")
        assert re.search(r"получилось \d+", found.text)
        similar = found.links("/similar/")
        assert similar and browser.get(similar[0]).status == 200
        original = next(ad for ad in found.links("/ads/") if ad != "/ads/new/")
        advert = posted_again(browser, original)
        assert until(lambda: f'href="{original}"' in browser.get(advert).html, process)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
    finally:
        process.terminate()
        process.wait(60)
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", port), 1)


def posted_again(browser: Browser, original: str) -> str:
    """The address of a repeat of that advert, which is warned of first."""
    page = browser.get(original)
    title = re.search(r"<h1>(.*?)</h1>", page.html)
    text = re.search(r'site-text"><p>(.*?)</p>', page.html, re.DOTALL)
    shelf = re.search(r'<option value="(\d+)">Стройматериалы', browser.get("/ads/new/").html)
    assert title and text and shelf
    fields = {
        "title": title[1],
        "text": text[1],
        "city": "Пермь",
        "phone": "89000000000",
        "category": shelf[1],
    }
    warned = browser.post("/ads/new/", **fields)
    token = re.search(r'name="neardup_token" value="([^"]+)"', warned.html)
    assert token and title[1] in warned.text
    answer = browser.post("/ads/new/", **fields, neardup_token=token[1], neardup_confirm="1")
    return answer.url.partition(str(browser.address))[2]


@pytest.mark.opensearch
@pytest.mark.long
def test_with_opensearch_keys_and_the_search_page_are_there(tmp_path):
    """`make demo OPENSEARCH=1`: the command runs beside a node, and no process of it is left."""
    port, output = str(free_port()), tmp_path / "out"
    with output.open("wb") as written:
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "tests.opensearch_service",
                sys.executable,
                os.fspath(PROJECT / "demo.py"),
            ],
            env={**environment(tmp_path / "db.sqlite3"), "PORT": port},
            cwd=PROJECT.parent,
            stdout=written,
            stderr=subprocess.STDOUT,
        )
    try:
        assert until(lambda: "Ctrl-C" in output.read_text(encoding="utf-8"), process), output.read_text()
        node = re.search(r"OpenSearch [\d.]+ answers at http://([\d.]+):(\d+)", output.read_text())
        assert until(lambda: count_entries(*node.groups()) > 500, process), output.read_text()
        # No advert has the word in this form: only the site's own search index finds it, and shows groups.
        browser = Browser(f"http://127.0.0.1:{port}")
        assert until(lambda: browser.get("/search/", q="сваями").links("/similar/"), process), (
            output.read_text()
        )
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) in (0, -signal.SIGTERM), output.read_text()
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", int(node[2])), 1)


def count_entries(host: str, port: str) -> int:
    connection = http.client.HTTPConnection(host, int(port), timeout=10)
    connection.request("GET", "/ural-board-default/_count")
    return json.loads(connection.getresponse().read()).get("count", 0)
