"""The job of the doorbell: one at a time, run by stock workers, on every database."""

from __future__ import annotations

import json
import subprocess
import sys
import zlib
from typing import Any

import pytest
from rq.timeouts import JobTimeoutException

from django_neardup import queues
from django_neardup.adapters import adapter_for
from django_neardup.exceptions import NeardupError
from django_neardup.models import Document
from django_neardup.queues import base
from tests import services
from tests.queue_tools import (
    TEXT,
    Result,
    be_patient,
    everywhere,
    host_form,
    queued,
    record_drains,
    redis_client,
    told,
    use_queue,
    waiting,
    work,
)
from tests.testapp.models import Ad


@pytest.mark.redis
class TestJobs:
    @pytest.fixture(autouse=True)
    def patient(self, monkeypatch: pytest.MonkeyPatch) -> None:
        be_patient(monkeypatch)

    def test_a_thousand_rings_are_one_job(self, redis_server, settings) -> None:
        use_queue(settings, host_form(redis_server))
        for _ in range(1000):
            queues.notify_worker("default")
        assert queued() == 1

    @everywhere
    def test_a_run_job_makes_way_for_the_next(self, redis_server, settings) -> None:
        use_queue(settings, host_form(redis_server))
        for _ in range(3):
            Ad.objects.create(text=TEXT)
            assert queued() == 1
            work()
            assert (queued(), waiting()) == (0, 0)

    @everywhere
    def test_every_database_is_drained(self, redis_server, settings) -> None:
        use_queue(settings, host_form(redis_server))
        Ad.objects.using("default").create(text=TEXT)
        Ad.objects.using("other").create(text=TEXT)
        assert queued() == 1
        work()
        assert (waiting("default"), waiting("other")) == (0, 0)

    @pytest.mark.parametrize(
        "serializer", ["rq.serializers.DefaultSerializer", "rq.serializers.JSONSerializer"]
    )
    @everywhere
    def test_the_stock_worker_runs_it(self, serializer, redis_server, settings, child_environment) -> None:
        queue = host_form(redis_server) | {"SERIALIZER": serializer}
        use_queue(settings, queue)
        Ad.objects.create(text=TEXT)
        Ad.objects.create(text=TEXT)
        done = rqworker(child_environment, queue, "--burst", "--serializer", serializer)
        assert done.returncode == 0, done.stderr
        assert (waiting(), queued()) == (0, 0), done.stderr

    @pytest.mark.django_db(transaction=True)
    def test_nothing_of_the_post_is_in_redis(self, redis_server, settings) -> None:
        use_queue(settings, host_form(redis_server))
        Ad.objects.create(text=TEXT, title="canary")
        kept = everything_in(redis_client(redis_server))
        assert b"django_neardup.queues.drain" in kept
        assert b"canary" not in kept and "велосипед".encode() not in kept

    def test_the_job_keeps_little_and_has_no_arguments(self, redis_server, settings) -> None:
        import django_rq

        use_queue(settings, host_form(redis_server))
        queues.notify_worker("default")
        (job,) = django_rq.get_queue("default").jobs
        assert (job.func_name, job.args, job.kwargs) == ("django_neardup.queues.drain", (), {})
        assert job.result_ttl == 0
        assert 0 < job.failure_ttl <= 7 * 86_400

    def test_a_queue_that_is_not_async_needs_no_redis(self, settings, monkeypatch, caplog) -> None:
        use_queue(settings, {"HOST": "127.0.0.1", "PORT": 1, "ASYNC": False})
        drained = record_drains(monkeypatch)
        queues.notify_worker("other")
        assert (drained, told(caplog)) == (["other"], [])


def everything_in(client: Any) -> bytes:
    """All fields of all hashes, unpacked: jobs are kept compressed."""
    hashes = [client.hgetall(key) for key in client.scan_iter() if client.type(key) == b"hash"]
    values = [value for fields in hashes for value in fields.values()]
    return b"\n".join(zlib.decompress(value) if value.startswith(b"x\x9c") else value for value in values)


def rqworker(
    environment: dict[str, str], queue: dict[str, Any], *options: str
) -> subprocess.CompletedProcess[str]:
    environment = environment | {"NEARDUP_TEST_RQ_QUEUES": json.dumps({"default": queue})}
    command = [sys.executable, "-m", "django", "rqworker", "default", *options]
    return subprocess.run(
        command, env=environment, cwd=services.ROOT, capture_output=True, text=True, timeout=120
    )


class TestDrain:
    def test_one_fault_does_not_stop_the_other_databases(self, monkeypatch, caplog) -> None:
        drained = record_drains(monkeypatch, fault="default")
        with pytest.raises(NeardupError, match=r"database 'default' \(ZeroDivisionError\)"):
            queues.drain()
        assert drained == ["default", "other"]

    def test_one_fault_does_not_silence_the_bell_for_the_others(self, monkeypatch) -> None:
        heard: list[str] = []
        record_drains(monkeypatch, fault="default", result=Result(5, True))
        monkeypatch.setattr(queues, "notify_worker", heard.append)
        with pytest.raises(NeardupError, match=r"database 'default' \(ZeroDivisionError\)"):
            queues.drain()
        assert heard == ["default"]

    @everywhere
    @pytest.mark.engine_alike
    def test_a_jobs_timeout_is_no_posts_failure(self, monkeypatch) -> None:
        """Nor does the job go on without the alarm that has gone off."""

        def too_long(self: Any, post: Ad) -> str:
            raise JobTimeoutException

        one, _ = (Ad.objects.create(text=f"{TEXT} {number}") for number in range(2))
        Ad.objects.using("other").create(text=TEXT)
        monkeypatch.setattr(type(adapter_for(Ad)), "text", too_long)
        with pytest.raises(JobTimeoutException):
            queues.drain()
        assert waiting("other") == 1
        leases = Document.objects.values_list("attempts", "leased_until")
        assert len(set(leases)) == 1 and leases[0][0] == 1

    def test_the_time_is_shared(self, monkeypatch) -> None:
        seconds: list[float] = []
        record_drains(monkeypatch, seconds=seconds)
        queues.drain()
        assert seconds[0] <= base.DRAIN_SECONDS / 2 + 1
        assert sum(seconds) <= base.DRAIN_SECONDS * 1.5 + 1

    @pytest.mark.parametrize(
        ("turns", "pending", "rings"), [(5, True, ["default"]), (0, True, []), (5, False, [])]
    )
    def test_it_rings_again_while_there_is_progress(self, turns, pending, rings, monkeypatch) -> None:
        heard: list[str] = []
        record_drains(monkeypatch, result=Result(turns, pending))
        monkeypatch.setattr(queues, "notify_worker", heard.append)
        queues.drain()
        assert heard == rings

    @everywhere
    def test_a_database_without_our_tables_is_left_alone(self, monkeypatch) -> None:
        monkeypatch.setattr(Document._meta, "db_table", "neardup_absent")
        assert not base._has_documents("other")
