"""Ringing without Redis: no queue, work in the request, Django's own tasks, settings that cannot work."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import django
import pytest
from django.db import transaction

from django_neardup import pipeline, queues
from django_neardup.queues import base
from django_neardup.signals import document_checked
from tests.queue_tools import (
    TEXT,
    broken_drain,
    everywhere,
    record_drains,
    record_waits,
    told,
    waiting,
)
from tests.testapp.models import Ad


class TestWithoutQueue:
    def test_no_backend_does_nothing(self, monkeypatch) -> None:
        drained = record_drains(monkeypatch)
        queues.notify_worker("default")
        assert drained == []

    @pytest.mark.django_db(transaction=True)
    def test_inline_works_in_the_request(self, settings) -> None:
        settings.NEARDUP = {"default": {"BACKEND": "inline"}}
        Ad.objects.create(text=TEXT)
        assert waiting() == 0

    @pytest.mark.django_db(transaction=True)
    def test_a_failing_drain_does_not_fail_the_save(self, settings, monkeypatch, caplog) -> None:
        settings.NEARDUP = {"default": {"BACKEND": "inline"}}
        monkeypatch.setattr(pipeline, "drain", broken_drain)
        Ad.objects.create(text=TEXT)
        assert (Ad.objects.count(), waiting()) == (1, 1)
        assert len(told(caplog)) == 1

    @everywhere
    def test_a_listener_that_saves_is_answered_too(self, settings) -> None:
        settings.NEARDUP = {"default": {"BACKEND": "inline"}}

        def copy(**kwargs: Any) -> None:
            if not Ad.objects.using("other").exists():
                Ad.objects.using("other").create(text=TEXT)

        document_checked.connect(copy)
        try:
            Ad.objects.create(text=TEXT)
        finally:
            document_checked.disconnect(copy)
        assert (waiting("default"), waiting("other")) == (0, 0)


class TestWrongSettings:
    @pytest.mark.parametrize(
        ("neardup", "hint"),
        [
            ({"BACKEND": "rq", "QUEUE": "absent"}, "not in RQ_QUEUES (default)"),
            ({"BACKEND": "celery"}, 'use "rq", "tasks", "inline" or None'),
        ],
    )
    def test_they_are_explained_and_hurt_no_save(self, neardup, hint, settings, caplog) -> None:
        settings.RQ_QUEUES = {"default": {"HOST": "127.0.0.1", "PORT": 1}}
        settings.NEARDUP = {"default": neardup}
        for _ in range(3):
            queues.notify_worker("default")
        (line,) = told(caplog)
        assert hint in line
        assert hint in (
            queues.configuration_problem(neardup["BACKEND"], neardup.get("QUEUE", "default")) or ""
        )

    def test_an_unknown_key_hurts_no_save(self, settings, caplog) -> None:
        settings.NEARDUP = {"default": {"BAKEND": "rq"}}
        queues.notify_worker("default")
        assert len(told(caplog)) == 1

    def test_a_missing_library_is_named(self, monkeypatch) -> None:
        monkeypatch.setitem(sys.modules, "django_neardup.queues.rq", None)
        assert "pip install" in (queues.configuration_problem("rq", "default") or "")

    @pytest.mark.parametrize("backend", [None, "inline"])
    def test_nothing_is_wrong_without_a_queue(self, backend) -> None:
        assert queues.configuration_problem(backend, "default") is None

    @pytest.mark.skipif(django.VERSION >= (6, 0), reason="Django has tasks from 6.0 on")
    def test_an_old_django_has_no_tasks(self, settings, caplog) -> None:
        settings.NEARDUP = {"default": {"BACKEND": "tasks"}}
        queues.notify_worker("default")
        assert "Django 6.0" in told(caplog)[0]


@pytest.mark.skipif(django.VERSION < (6, 0), reason="Django has no tasks before 6.0")
class TestTasks:
    @pytest.fixture
    def backend(self, settings) -> Callable[..., None]:
        def use(path: str, **more: Any) -> None:
            settings.TASKS = {"default": {"BACKEND": path, **more}}
            settings.NEARDUP = {"default": {"BACKEND": "tasks"}}

        return use

    @everywhere
    def test_the_immediate_backend_drains(self, backend) -> None:
        backend("django.tasks.backends.immediate.ImmediateBackend")
        Ad.objects.create(text=TEXT)
        assert waiting() == 0

    @everywhere
    def test_the_immediate_backend_leaves_connections_alone(self, backend) -> None:
        """Of a transaction that is under way elsewhere nothing is lost."""
        backend("django.tasks.backends.immediate.ImmediateBackend")
        with transaction.atomic(using="other"):
            Ad.objects.using("other").create(text=TEXT)
            Ad.objects.create(text=TEXT)
        assert Ad.objects.using("other").count() == 1
        assert (waiting("default"), waiting("other")) == (0, 0)

    @everywhere
    def test_a_listener_that_always_saves_ends(self, backend) -> None:
        backend("django.tasks.backends.immediate.ImmediateBackend")

        def again(**kwargs: Any) -> None:
            if Ad.objects.count() < 5:
                Ad.objects.create(text=TEXT)

        document_checked.connect(again)
        try:
            Ad.objects.create(text=TEXT)
        finally:
            document_checked.disconnect(again)
        assert (Ad.objects.count(), waiting()) == (5, 0)

    def test_the_task_is_found_by_its_path(self, backend) -> None:
        from django.tasks import default_task_backend

        backend("django.tasks.backends.dummy.DummyBackend")
        queues.notify_worker("default")
        (result,) = default_task_backend.results
        assert result.task.module_path == "django_neardup.queues.tasks.drain"

    @pytest.mark.parametrize("name", ["SlowBackend", "BrokenBackend"])
    def test_a_backend_that_is_unwell(self, name, backend, monkeypatch, caplog) -> None:
        waits = record_waits(monkeypatch)
        backend(f"tests.task_backends.{name}")
        queues.notify_worker("default")
        queues.notify_worker("default")
        assert (waits, len(told(caplog))) == ([base.SEND_TIMEOUT], 1)

    def test_a_queue_that_the_backend_does_not_serve(self, backend) -> None:
        backend("django.tasks.backends.dummy.DummyBackend", QUEUES=["low"])
        assert "TASKS" in (queues.configuration_problem("tasks", "default") or "")
        assert queues.configuration_problem("tasks", "low") is None
