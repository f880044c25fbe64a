"""What the tests of the doorbell share: queues on a private Redis, workers, a look at the ledger."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from django.db import connections
from django.db.models import F

from django_neardup import pipeline
from django_neardup.models import Document
from django_neardup.queues import base
from tests.services import Redis, Service

TEXT = "Продаю велосипед «Аист», синий, складной, почти не ездил; отдам насос и запасную камеру, торг уместен"

everywhere = pytest.mark.django_db(transaction=True, databases=["default", "other"])

LONG = 30.0
"""Seconds that no test waits, unless something hangs."""


class Sentinel(Redis):
    """One sentinel that watches one Redis under the name "neardup"."""

    name = "sentinel"

    def __init__(self, master_port: int) -> None:
        super().__init__()
        self.master_port = master_port

    def command(self) -> list[str]:
        configuration = self.directory / "sentinel.conf"
        configuration.write_text(
            f"port {self.port}\nbind 127.0.0.1\ndir {self.directory}\n"
            f"sentinel monitor neardup 127.0.0.1 {self.master_port} 1\n"
        )
        configuration.chmod(0o666)
        return [self.paths[0], str(configuration), "--sentinel"]


def host_form(server: Service) -> dict[str, Any]:
    """The queue in the form that django-rq's documentation shows first."""
    return {"HOST": "127.0.0.1", "PORT": server.port, "DB": 0}


def use_queue(settings: Any, queue: dict[str, Any]) -> None:
    """Let the site ring through that queue of RQ, with django_rq loaded as INSTALLED_APPS loads it."""
    import django_rq  # noqa: F401

    settings.RQ_QUEUES = {"default": queue}
    settings.NEARDUP = {"default": {"BACKEND": "rq"}}


def waiting(using: str = "default") -> int:
    """How many documents wait for a worker."""
    return Document.objects.using(using).filter(done__lt=F("wanted")).count()


def queued() -> int:
    """How many jobs stand in the queue."""
    import django_rq

    return int(django_rq.get_queue("default").count)


def work() -> None:
    """Run the jobs of the queue in this process until none is left."""
    import django_rq

    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        worker = django_rq.get_worker("default", worker_class="rq.SimpleWorker")
        # It is sent no commands; to stop listening for them takes a second.
        worker.subscribe = worker.unsubscribe = lambda: None
        worker.work(burst=True, logging_level="WARNING")
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def in_thread(action: Callable[[], Any]) -> threading.Thread:
    """Start the action as another process of the site would run it: with database connections of its own."""

    def run() -> None:
        try:
            action()
        finally:
            connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def record_waits(monkeypatch: pytest.MonkeyPatch) -> list[float | None]:
    """Return the list of the longest times that callers wait for their notification; None is for ever."""
    waits: list[float | None] = []
    join = threading.Thread.join

    def recorded_join(thread: threading.Thread, timeout: float | None = None) -> None:
        if thread.name == "neardup-bell":
            waits.append(timeout)
        join(thread, timeout)

    monkeypatch.setattr(threading.Thread, "join", recorded_join)
    return waits


def redis_client(server: Service) -> Any:
    """A client of that server with redis-py's own settings."""
    import redis

    return redis.Redis(port=server.port)


class Result(NamedTuple):
    """What ``pipeline.drain`` answers."""

    processed: int = 1
    has_pending: bool = False


DONE = Result()


def record_drains(
    monkeypatch: pytest.MonkeyPatch,
    fault: str = "",
    seconds: list[float] | None = None,
    result: Result = DONE,
) -> list[str]:
    """Put lists in the place of the work: the databases that were to be drained, and the seconds of each."""
    drained: list[str] = []

    def drain(using: str, **arguments: Any) -> Result:
        drained.append(using)
        if seconds is not None:
            seconds.append(arguments["seconds"])
        if using == fault:
            raise ZeroDivisionError
        return result

    monkeypatch.setattr(pipeline, "drain", drain)
    monkeypatch.setattr(base, "_has_documents", lambda alias: True)
    monkeypatch.setattr(base, "run_due_searches", lambda using: 0)
    return drained


def broken_drain(**kwargs: Any) -> Result:
    """Work that always fails."""
    raise ZeroDivisionError


def be_patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Redis is well: no stall of a busy machine silences the bell."""
    from django_neardup.queues import rq

    monkeypatch.setattr(base, "SEND_TIMEOUT", LONG)
    for name in ("socket_timeout", "socket_connect_timeout"):
        monkeypatch.setitem(rq.QUICK_OPTIONS, name, LONG)


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What was logged as an error of ours."""
    return [
        record.getMessage()
        for record in caplog.records
        if record.name.startswith("django_neardup.") and record.levelno >= logging.ERROR
    ]
