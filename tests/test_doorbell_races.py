"""No ring is lost: a post saved at any point of a running job is drained by that job or by one of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from django_neardup import pipeline, queues
from django_neardup.queues import rq
from django_neardup.signals import document_checked
from tests.queue_tools import be_patient, host_form, in_thread, use_queue, waiting, work
from tests.testapp.models import Ad

TEXT = "Сдаю однокомнатную квартиру у метро «Академическая», пятый этаж, окна во двор, без животных"

pytestmark = [pytest.mark.redis, pytest.mark.django_db(transaction=True, databases=["default", "other"])]


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    be_patient(monkeypatch)


class Visitor:
    """Saves one post, once, over a database connection of its own, as another process of the site would."""

    def __init__(self) -> None:
        self.came = False

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        if self.came:
            return
        self.came = True
        in_thread(lambda: Ad.objects.create(text=f"{TEXT}, торг")).join()


def calling(
    before: Callable[..., Any] | None, middle: Callable[..., Any], after: Callable[..., Any] | None = None
):
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        if before:
            before()
        result = middle(*args, **kwargs)
        if after:
            after()
        return result

    return wrapped


POINTS = [
    "before the mark is cleared",
    "after the mark is cleared",
    "before the first read",
    "in a turn",
    "after the last read",
    "at the end of the job",
]


@pytest.fixture(params=POINTS)
def visitor(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Visitor]:
    """Someone who saves a post when the job comes to that point."""
    someone = Visitor()
    if request.param == "before the mark is cleared":
        monkeypatch.setattr(rq, "delete_marker", calling(someone, rq.delete_marker))
    if request.param == "after the mark is cleared":
        monkeypatch.setattr(rq, "delete_marker", calling(None, rq.delete_marker, someone))
    if request.param == "before the first read":
        monkeypatch.setattr(pipeline, "drain", calling(someone, pipeline.drain))
    if request.param == "after the last read":
        monkeypatch.setattr(pipeline, "drain", calling(None, pipeline.drain, someone))
    if request.param == "at the end of the job":
        monkeypatch.setattr(queues, "drain", calling(None, queues.drain, someone))
    if request.param == "in a turn":
        document_checked.connect(someone)
    yield someone
    document_checked.disconnect(someone)


def test_a_post_saved_at_any_point_of_a_job_is_seen(visitor, redis_server, settings) -> None:
    use_queue(settings, host_form(redis_server))
    Ad.objects.create(text=TEXT)
    work()
    assert visitor.came
    assert (Ad.objects.count(), waiting()) == (2, 0)


def test_a_mark_that_is_cleared_last_would_lose_it(redis_server, settings, monkeypatch) -> None:
    """The control: the same visit, and the order of a lock instead of ours."""
    use_queue(settings, host_form(redis_server))
    someone, clear = Visitor(), rq.delete_marker
    monkeypatch.setattr(rq, "delete_marker", lambda: None)
    monkeypatch.setattr(pipeline, "drain", calling(None, pipeline.drain, someone))
    monkeypatch.setattr(queues, "drain", calling(None, queues.drain, clear))
    Ad.objects.create(text=TEXT)
    work()
    assert (Ad.objects.count(), waiting()) == (2, 1)


def test_writers_and_a_worker_at_once(redis_server, settings) -> None:
    use_queue(settings, host_form(redis_server))

    def write() -> None:
        for number in range(20):
            Ad.objects.create(text=f"номер {number}")
            time.sleep(0.002)

    writers: list[threading.Thread] = [in_thread(write) for _ in range(4)]
    while any(writer.is_alive() for writer in writers):
        work()
    work()
    assert (Ad.objects.count(), waiting()) == (80, 0)
