"""Notification over RQ: at most one job that has not started waits in the queue.

Job and marker are written in one MULTI. The job deletes the marker before it reads the database. So if a
marker exists, its job has not read the database yet and will see everything that is committed by now.
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

from ..exceptions import JOB_TIMEOUT_ERRORS, without_message
from .base import Notifier, logger
from .inline import drain_now

JOB = "django_neardup.queues.drain"
MARKER_KEY = "neardup:bell:%s"
MARKER_MILLISECONDS = 60_000
"""How long notifications are missed if a job is lost before it starts."""
JOB_SECONDS = 300
FAILURE_SECONDS = 86_400
REDIS_TIMEOUT = 0.2
"""Longest wait for one reply of Redis, in seconds."""

QUICK_OPTIONS: dict[str, Any] = {
    "socket_timeout": REDIS_TIMEOUT,
    "socket_connect_timeout": REDIS_TIMEOUT,
    "retry_on_timeout": False,
    "retry_on_error": [],
    "health_check_interval": 0,
}
INTERNAL_PREFIXES = (
    "maint_notifications",
    "maintenance_",
    "event_dispatcher",
    "himport_registry",
    "orig_",
    "oss_",
)
"""Prefixes of pool arguments that redis-py 8 adds. They belong to that pool and must not be passed on."""


def check(queue: str) -> None:
    """Raise ``ImproperlyConfigured`` if the queue is not in RQ_QUEUES."""
    queues = getattr(settings, "RQ_QUEUES", {})
    if queue not in queues:
        queue_names = ", ".join(sorted(queues)) or "none"
        raise ImproperlyConfigured(f"The queue {queue!r} of NEARDUP is not in RQ_QUEUES ({queue_names}).")


def notify(notifier: Notifier, queue: str, using: str) -> None:
    """Enqueue the job, unless one is waiting.

    A queue with ``ASYNC: False`` drains immediately and needs no Redis.
    """
    if settings.RQ_QUEUES[queue].get("ASYNC", True):
        notifier.send(lambda: enqueue_job(queue))
    else:
        drain_now(using)


def enqueue_job(name: str) -> bool:
    """Enqueue the job and write its marker.

    Return False if a job is already waiting. Errors of Redis are raised.
    """
    queue = _own_queue(name)
    marker_key = MARKER_KEY % name
    if queue.connection.exists(marker_key):
        return False
    job_id = uuid4().hex
    # One MULTI: a marker without a job would suppress notifications for a minute.
    with queue.connection.pipeline(transaction=True) as transaction:
        queue.enqueue_call(
            JOB,
            job_id=job_id,
            timeout=JOB_SECONDS,
            result_ttl=0,
            failure_ttl=FAILURE_SECONDS,
            pipeline=transaction,
        )
        transaction.set(marker_key, job_id, px=MARKER_MILLISECONDS)
        transaction.execute()
    return True


def delete_marker() -> None:
    """Delete the marker of the running job, so that the next notification enqueues another job.

    Keep it if it already belongs to another job.
    """
    job = get_current_job()
    if job is None:
        return
    marker_key = MARKER_KEY % job.origin
    try:
        marker_job_id = job.connection.get(marker_key)
        if marker_job_id in (job.id, job.id.encode()):
            job.connection.delete(marker_key)
    except RedisError as error:
        logger.error(
            "neardup: the mark of the job could not be removed. Notifications may be delayed by a minute.",
            exc_info=without_message(error),
        )


@cache
def _own_queue(name: str) -> Queue:
    """Return the queue on a connection of our own."""
    # The site's own connection may wait for minutes. Ours has short timeouts and no retries.
    return django_rq.get_queue(
        name, connection=quick_connection(django_rq.get_connection(name)), commit_mode="auto"
    )


def quick_connection(connection: Redis) -> Redis:
    """Return a connection to the same server (TCP, TLS, socket, Sentinel) with short timeouts and no retries.

    A reply may take ``REDIS_TIMEOUT`` seconds.
    """
    pool = connection.connection_pool
    options = {
        key: value for key, value in pool.connection_kwargs.items() if not key.startswith(INTERNAL_PREFIXES)
    }
    if isinstance(pool, SentinelConnectionPool):
        return _quick_master(type(connection), pool, options)
    return type(connection)(
        connection_pool=ConnectionPool(connection_class=pool.connection_class, **options | _quick_options())
    )


def _quick_master(redis_class: type[Redis], pool: SentinelConnectionPool, options: dict[str, Any]) -> Redis:
    quick_sentinel: Any = cast(Any, Sentinel)(
        [], min_other_sentinels=pool.sentinel_manager.min_other_sentinels
    )
    quick_sentinel.sentinels = [quick_connection(sentinel) for sentinel in pool.sentinel_manager.sentinels]
    del options["connection_pool"]
    arguments = options | _quick_options() | {"connection_class": pool.connection_class}
    master: Redis = quick_sentinel.master_for(pool.service_name, redis_class=redis_class, **arguments)
    return master


def _quick_options() -> dict[str, Any]:
    return QUICK_OPTIONS | {"retry": Retry(NoBackoff(), 0)}


def _on_setting_changed(*, setting: str, **kwargs: Any) -> None:
    if setting in ("RQ_QUEUES", "RQ"):
        _own_queue.cache_clear()


setting_changed.connect(_on_setting_changed, dispatch_uid="neardup.queues.rq")
JOB_TIMEOUT_ERRORS.append(BaseTimeoutException)
