"""Copies of a site's posts, saved while a worker in a process of its own waits for them."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from benchmarks import site as sites
from benchmarks.million import Site, neardup
from benchmarks.onsave import post_of
from benchmarks.planted import background, is_template
from benchmarks.processes import command, environment, running
from benchmarks.texts import edited
from benchmarks.timing import percentile, seconds

LOOK_SECONDS = 0.004
PATIENCE = 60.0
IDLE_SECONDS = 0.3
"""A worker that has had nothing to do for so long waits for a ring."""

READABLE = (
    "SELECT 1 FROM neardup_document d WHERE d.content_type_id = %s AND d.object_key = %s AND ("
    "EXISTS (SELECT 1 FROM neardup_pair p WHERE p.a_id = d.id) OR "
    "EXISTS (SELECT 1 FROM neardup_pair p WHERE p.b_id = d.id) OR "
    "EXISTS (SELECT 1 FROM neardup_membership m WHERE m.document_id = d.id))"
)
Idle = Callable[[], bool]

_chance = random.Random(17)


def saves(made: Site, wanted: int, idle: Idle, progress: Any) -> list[float]:
    """Seconds, sorted, from each of so many saves to its verdict; one before them, of a worker that starts, does not
    count. The pauses between them are of no fixed length, or they would keep step with a worker that polls."""
    taken = []
    for number in range(wanted + 1):
        _rest(idle)
        taken.append(_seconds_to_verdict(made))
        if number:
            progress.update(1)
    return sorted(taken[1:])


def turn_seconds(made: Site, wanted: int) -> float:
    """What a turn of such a copy takes in this process, 95th percentile."""
    from django_neardup.pipeline import drain, mark

    taken = []
    with sites.unheard("board.Post"):
        for _ in range(wanted + 1):
            post = _copy(made)
            post.save(using=made.alias)
            mark(post, made.alias)
            taken.append(seconds(partial(drain, made.alias)))
    return percentile(sorted(taken[1:]), 0.95)


@contextmanager
def rung_worker(made: Site) -> Iterator[Idle]:
    """The stock worker of django-rq on a Redis of the run, rung by the saves of this process."""
    import django_rq
    from django.test.utils import override_settings

    queues = {"default": {"HOST": "127.0.0.1", "PORT": sites.server("redis").port, "DB": 0}}
    settings = neardup(made.algorithm, BACKEND="rq")
    worker = running(command("rqworker", "default"), environment(made.alias, settings, queues))
    with override_settings(RQ_QUEUES=queues, NEARDUP={"default": settings}), worker as process:
        yield lambda: _alive(process) and not django_rq.get_queue("default").count and not _pending(made)


@contextmanager
def polling_worker(made: Site, poll: float) -> Iterator[Idle]:
    """`neardup_worker`, which nobody rings."""
    asked = command("neardup_worker", "--poll", str(poll))
    with running(asked, environment(made.alias, made.settings)) as process:
        yield lambda: _alive(process) and not _pending(made)


def _alive(process: Any) -> bool:
    if process.poll() is not None:
        raise RuntimeError(f"the worker has ended with status {process.returncode}")
    return True


def _pending(made: Site) -> bool:
    from django_neardup.pipeline import has_pending

    return has_pending(made.alias)


def _rest(idle: Idle) -> None:
    """Until the worker has been idle for a while."""
    _wait(idle)
    time.sleep(IDLE_SECONDS + _chance.random())


def _seconds_to_verdict(made: Site) -> float:
    post = _copy(made)
    start = time.perf_counter()
    post.save(using=made.alias)
    _wait(partial(_is_judged, made.alias, post))
    return time.perf_counter() - start


def _copy(made: Site) -> Any:
    """A post with a few words of an older one changed."""
    planted, source = set(made.layout.places), 1
    while is_template(source) or source in planted:
        source = _chance.randrange(made.layout.size)
    return post_of(edited(background(source), _chance, 0.1))


def _is_judged(alias: str, post: Any) -> bool:
    from django.db import connections

    from django_neardup.pipeline.content_objects import content_type_of

    with connections[alias].cursor() as cursor:
        cursor.execute(READABLE, [content_type_of(type(post), alias).pk, post.pk])
        return cursor.fetchone() is not None


def _wait(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError(f"nothing has happened for {PATIENCE:.0f} seconds")
        time.sleep(LOOK_SECONDS)
