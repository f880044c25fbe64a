"""The doorbell: what it does for a post, and what it never does to the request that saves one."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from django_neardup import queues
from django_neardup.queues import base, rq
from tests import services
from tests.queue_tools import (
    LONG,
    TEXT,
    Sentinel,
    be_patient,
    everywhere,
    host_form,
    in_thread,
    queued,
    record_waits,
    redis_client,
    told,
    use_queue,
    waiting,
    work,
)
from tests.testapp.models import Ad


def refuse(server: services.Service) -> None:
    server.halt()


def hang(server: services.Service) -> None:
    server.pause()


def fill(server: services.Service) -> None:
    client = redis_client(server)
    client.config_set("maxmemory-policy", "noeviction")
    client.config_set("maxmemory", "1")


FAULTS = [refuse, hang, fill]


@pytest.mark.redis
@pytest.mark.engine_alike
class TestSavingWhileRedisIsUnwell:
    @pytest.mark.parametrize("fault", FAULTS)
    @pytest.mark.django_db(transaction=True)
    def test_saves_go_through_at_once(
        self, fault: Callable[..., None], redis_server, settings, monkeypatch, caplog
    ) -> None:
        """One save waits for Redis, and not for long."""
        monkeypatch.setattr(base, "SUSPEND_SECONDS", 3600.0)
        waits = record_waits(monkeypatch)
        use_queue(settings, host_form(redis_server))
        fault(redis_server)
        for number in range(100):
            Ad.objects.create(text=f"{TEXT} {number}")
        assert (Ad.objects.count(), waiting()) == (100, 100)
        assert (waits, len(told(caplog))) == ([base.SEND_TIMEOUT], 1)

    @pytest.mark.parametrize("fault", FAULTS)
    def test_rings_are_free_in_the_silence_after_a_fault(
        self, fault, redis_server, settings, monkeypatch, caplog
    ) -> None:
        use_queue(settings, host_form(redis_server))
        sent, send = [], rq.enqueue_job
        monkeypatch.setattr(rq, "enqueue_job", lambda name: sent.append(name) or send(name))
        fault(redis_server)
        for _ in range(1000):
            queues.notify_worker("default")
        assert (len(sent), len(told(caplog))) == (1, 1)

    def test_many_threads_wait_no_longer_than_one(self, redis_server, settings, monkeypatch, caplog) -> None:
        monkeypatch.setattr(base, "SUSPEND_SECONDS", 3600.0)
        use_queue(settings, host_form(redis_server))
        redis_server.pause()
        waits = record_waits(monkeypatch)
        threads = [in_thread(lambda: queues.notify_worker("default")) for _ in range(50)]
        for thread in threads:
            thread.join(LONG)
        assert not any(thread.is_alive() for thread in threads)
        assert (set(waits), len(told(caplog))) == ({base.SEND_TIMEOUT}, 1)
        assert len(waits) <= len(threads)

    @everywhere
    def test_the_bell_rings_again_after_the_silence(
        self, redis_server, settings, monkeypatch, caplog
    ) -> None:
        monkeypatch.setattr(base, "SUSPEND_SECONDS", 0.1)
        use_queue(settings, host_form(redis_server))
        redis_server.halt()
        Ad.objects.create(text=TEXT)
        redis_server.launch()
        time.sleep(0.15)
        Ad.objects.create(text=TEXT)
        work()
        assert waiting() == 0

    @everywhere
    def test_a_flushed_queue_costs_nothing_but_time(self, redis_server, settings, monkeypatch) -> None:
        be_patient(monkeypatch)
        use_queue(settings, host_form(redis_server))
        Ad.objects.create(text=TEXT)
        redis_client(redis_server).flushall()
        work()
        assert waiting() == 1
        Ad.objects.create(text=TEXT)
        work()
        assert waiting() == 0

    def test_a_name_server_that_does_not_answer(self, redis_server, settings, monkeypatch, caplog) -> None:
        monkeypatch.setattr(base, "SUSPEND_SECONDS", 0.0)
        use_queue(settings, {"HOST": "redis.example", "PORT": redis_server.port})
        asked: list[str] = []
        answers = threading.Event()
        monkeypatch.setattr(
            socket, "getaddrinfo", lambda host, *rest, **more: (asked.append(host), answers.wait(LONG))
        )
        waits = record_waits(monkeypatch)
        queues.notify_worker("default")
        queues.notify_worker("default")
        answers.set()
        assert asked == ["redis.example"]
        assert waits == [base.SEND_TIMEOUT] == [0.4]  # as the documents promise


@pytest.mark.redis
class TestFormsOfSettings:
    """However a site describes its queue, a ring arrives, and a hung Redis does not hold the request."""

    @pytest.fixture(
        params=[
            "host",
            "host and arguments",
            "password",
            "url",
            "url and timeouts",
            "unix socket",
            "sentinel",
        ]
    )
    def queue(self, request: pytest.FixtureRequest, redis_server: services.Service) -> dict[str, Any]:
        if request.param == "sentinel":
            return request.getfixturevalue("sentinel_form")
        if request.param == "password":
            redis_client(redis_server).config_set("requirepass", "secret")
        patient = {"socket_timeout": LONG, "socket_connect_timeout": LONG, "health_check_interval": 5}
        port = redis_server.port
        return {
            "host": host_form(redis_server),
            "host and arguments": {"HOST": "127.0.0.1", "PORT": port, "REDIS_CLIENT_KWARGS": patient},
            "password": {"HOST": "127.0.0.1", "PORT": port, "PASSWORD": "secret"},
            "url": {"URL": f"redis://127.0.0.1:{port}/1"},
            "url and timeouts": {
                "URL": f"redis://127.0.0.1:{port}/1?socket_timeout=30&health_check_interval=5"
            },
            "unix socket": {"UNIX_SOCKET_PATH": redis_server.socket, "DB": 2},
        }[request.param]

    @pytest.fixture
    def sentinel_form(self, redis_server: services.Service):
        sentinel = Sentinel(redis_server.port)
        sentinel.start()
        yield {
            "SENTINELS": [("127.0.0.1", sentinel.port)], "MASTER_NAME": "neardup", "DB": 3,
            "SOCKET_TIMEOUT": 30, "CONNECTION_KWARGS": {"socket_connect_timeout": 30},
        }  # fmt: skip
        sentinel.stop()

    def test_ring_then_hang(self, queue, redis_server, settings, monkeypatch, caplog) -> None:
        waits = record_waits(monkeypatch)
        use_queue(settings, queue)
        queues.notify_worker("default")
        queues.notify_worker("default")
        assert (queued(), told(caplog)) == (1, [])
        redis_server.pause()
        queues.notify_worker("default")
        assert (waits, len(told(caplog))) == ([base.SEND_TIMEOUT] * 3, 1)
