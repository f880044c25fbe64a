"""The doorbell over RQ: at most one job that has not begun waits in the queue.

Job and mark are written in one MULTI; the job removes the mark before it reads the database. So where a mark
is found, its job has not read yet and will see what the finder has committed. The connection is our own: same
server, short timeouts, no retries, because the site's may wait for minutes.
"""

from __future__ import annotations

from functools import cache
from typing import Any, cast
from uuid import uuid4

import django_rq
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.signals import setting_changed
from redis import ConnectionPool, Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from redis.sentinel import Sentinel, SentinelConnectionPool
from rq import Queue, get_current_job
from rq.timeouts import BaseTimeoutException

from ..faults import INTERRUPTS
from .base import Bell, logger
from .inline import drain_now

JOB = "django_neardup.queues.drain"
MARK = "neardup:bell:%s"
MARK_MILLISECONDS = 60_000
"""How long a job that was lost before it began can silence the bell."""
JOB_SECONDS = 300
FAILURE_SECONDS = 86_400
WAIT = 0.2
"""Seconds that one answer of Redis may take."""

QUICK: dict[str, Any] = {
    "socket_timeout": WAIT,
    "socket_connect_timeout": WAIT,
    "retry_on_timeout": False,
    "retry_on_error": [],
    "health_check_interval": 0,
}
INTERNAL = ("maint_notifications", "maintenance_", "event_dispatcher", "himport_registry", "orig_", "oss_")
"""Prefixes of what redis-py 8 puts among a pool's arguments: bound to that pool, not to be passed on."""


def check(queue: str) -> None:
    """The queue must be one of RQ_QUEUES."""
    queues = getattr(settings, "RQ_QUEUES", {})
    if queue not in queues:
        known = ", ".join(sorted(queues)) or "none"
        raise ImproperlyConfigured(f"The queue {queue!r} of NEARDUP is not in RQ_QUEUES ({known}).")


def ring(bell: Bell, queue: str, using: str) -> None:
    """Enqueue the job, unless one waits. A queue with ``ASYNC: False`` works at once and needs no Redis."""
    if settings.RQ_QUEUES[queue].get("ASYNC", True):
        bell.press(lambda: send(queue))
    else:
        drain_now(using)


def send(name: str) -> bool:
    """Put the job and its mark into the queue; False where one waits. Raises what Redis answers."""
    queue = _own_queue(name)
    mark = MARK % name
    if queue.connection.exists(mark):
        return False
    job_id = uuid4().hex
    with queue.connection.pipeline(transaction=True) as pipe:
        queue.enqueue_call(
            JOB, job_id=job_id, timeout=JOB_SECONDS, result_ttl=0, failure_ttl=FAILURE_SECONDS, pipeline=pipe
        )
        pipe.set(mark, job_id, px=MARK_MILLISECONDS)
        pipe.execute()
    return True


def clear_mark() -> None:
    """Remove the running job's mark, if it is still its own: from now on a ring sends another job."""
    job = get_current_job()
    if job is None:
        return
    mark = MARK % job.origin
    try:
        holder = job.connection.get(mark)
        if holder in (job.id, job.id.encode()):
            job.connection.delete(mark)
    except RedisError:
        logger.exception("The mark of the job could not be removed; the bell may be silent for a minute.")


@cache
def _own_queue(name: str) -> Queue:
    return django_rq.get_queue(name, connection=quick(django_rq.get_connection(name)), commit_mode="auto")


def quick(connection: Redis) -> Redis:
    """A connection to the same server (TCP, TLS, socket, Sentinel) that gives up after ``WAIT`` seconds."""
    pool = connection.connection_pool
    kept = {key: value for key, value in pool.connection_kwargs.items() if not key.startswith(INTERNAL)}
    if isinstance(pool, SentinelConnectionPool):
        return _quick_master(type(connection), pool, kept)
    return type(connection)(
        connection_pool=ConnectionPool(connection_class=pool.connection_class, **kept | _quick())
    )


def _quick_master(kind: type[Redis], pool: SentinelConnectionPool, kept: dict[str, Any]) -> Redis:
    own: Any = cast(Any, Sentinel)([], min_other_sentinels=pool.sentinel_manager.min_other_sentinels)
    own.sentinels = [quick(sentinel) for sentinel in pool.sentinel_manager.sentinels]
    del kept["connection_pool"]
    arguments = kept | _quick() | {"connection_class": pool.connection_class}
    master: Redis = own.master_for(pool.service_name, redis_class=kind, **arguments)
    return master


def _quick() -> dict[str, Any]:
    return QUICK | {"retry": Retry(NoBackoff(), 0)}


def _forget(*, setting: str, **kwargs: Any) -> None:
    if setting in ("RQ_QUEUES", "RQ"):
        _own_queue.cache_clear()


setting_changed.connect(_forget, dispatch_uid="neardup.queues.rq")
INTERRUPTS.append(BaseTimeoutException)
