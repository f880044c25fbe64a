"""The private servers of the suite: they answer, and they end with the process that has asked for them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests import services
from tests.opensearch_service import VERSION, OpenSearch
from tests.services import Service

ASK = "import sys; from tests import services; s = services.private('redis'); print(s.pid, s.directory, flush=True)"


@pytest.mark.postgresql
def test_postgresql_answers(postgresql: Service) -> None:
    import psycopg

    place = postgresql.parameters
    arguments = {key: place[key] for key in ("host", "port", "user", "password")}
    with psycopg.connect(**arguments, dbname="postgres") as connection:
        assert connection.execute("SELECT lower('ЁЖ')").fetchone() == ("ёж",)


@pytest.mark.mariadb
def test_mariadb_answers(mariadb: Service) -> None:
    import pymysql

    place = mariadb.parameters
    arguments = {key: place[key] for key in ("host", "port", "user", "password")}
    with pymysql.connect(**arguments) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT lower('ЁЖ')")
        assert cursor.fetchone() == ("ёж",)


@pytest.mark.opensearch
def test_opensearch_answers(opensearch: OpenSearch) -> None:
    assert opensearch.ask("GET", "/")["version"]["number"] == VERSION
    assert Path(f"/proc/{opensearch.pid}").stat().st_uid != 0


@pytest.mark.redis
def test_a_halted_server_comes_back_on_its_port(redis_server: Service) -> None:
    port = redis_server.port
    redis_server.halt()
    assert not redis_server.answers()
    redis_server.launch()
    assert redis_server.answers()
    assert redis_server.port == port


@pytest.mark.redis
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_no_server_outlives_the_process_that_wanted_it(end: signal.Signals) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", f"{ASK}; sys.stdin.read()"], cwd=services.ROOT, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert owner.stdout
    pid, directory = owner.stdout.readline().split()
    os.kill(int(pid), 0)
    owner.send_signal(end)
    owner.communicate()
    deadline = time.monotonic() + services.STOP_SECONDS * 2
    while os.path.exists(directory) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not os.path.exists(directory)
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)


def test_a_missing_program_is_named() -> None:
    with pytest.raises(services.MissingServiceError, match=r"no-such-server .*make services"):
        services.find("no-such-server")
