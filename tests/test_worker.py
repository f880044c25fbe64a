"""neardup_worker on several databases, one of which may be unwell."""

from __future__ import annotations

import logging
import signal
import subprocess
import sys
import threading
import time

import pytest
from django.core.management import CommandError, call_command
from django.db import connections

from django_neardup.management.commands import neardup_worker
from django_neardup.management.commands.neardup_worker import _run_until_stopped, _WorkerDatabase
from django_neardup.models import Document
from django_neardup.pipeline import DrainResult
from tests.missing_tables import without_column
from tests.queue_tools import TEXT, everywhere, waiting
from tests.testapp.models import Ad

pytestmark = everywhere


class UntilIdle(threading.Event):
    """Asks the worker to stop as soon as it has nothing to do."""

    def wait(self, timeout: float | None = None) -> bool:
        self.set()
        return True


@pytest.fixture
def posts():
    """A post in each database."""
    for using in ("default", "other"):
        Ad.objects.using(using).create(text=TEXT)


@pytest.fixture
def away(posts, monkeypatch, tmp_path):
    """The first of the databases cannot be opened."""
    connections["default"].close()
    monkeypatch.setitem(connections["default"].settings_dict, "NAME", str(tmp_path / "absent" / "file"))


@pytest.fixture
def read_only(posts, monkeypatch):
    """The first of the databases is a replica."""
    connections["default"].close()
    options = {"options": "-c default_transaction_read_only=on"}
    monkeypatch.setitem(connections["default"].settings_dict, "OPTIONS", options)
    yield
    connections["default"].close()


def work():
    _run_until_stopped([_WorkerDatabase("default"), _WorkerDatabase("other")], 60.0, UntilIdle())


@pytest.mark.engines("sqlite")
def test_a_database_that_is_away_keeps_no_other_waiting(away, caplog):
    work()
    assert waiting("other") == 0
    (line,) = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert "the database 'default' is down" in line


@pytest.mark.engines("postgresql")
def test_a_database_that_is_read_only_ends_no_worker(read_only, caplog):
    work()
    assert (waiting("default"), waiting("other")) == (1, 0)
    assert "ReadOnlySqlTransaction" in caplog.text


@pytest.mark.engines("sqlite")
def test_a_database_that_is_away_is_named_once_in_ten_minutes(away, caplog, monkeypatch):
    database = _WorkerDatabase("default")
    assert database.may_have_tables()
    for _ in range(20):
        assert database.process_slice(0.0) == 0
    (line,) = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert "'default'" in line and "OperationalError" in line and "10 minutes" in line

    monkeypatch.setattr(neardup_worker, "WARN_SECONDS", 0.0)
    monkeypatch.setattr(database, "_next_warning", 0.0)
    for _ in range(3):
        database.process_slice(0.0)
    assert len([record for record in caplog.records if record.levelno == logging.WARNING]) == 4


@pytest.mark.engines("postgresql")
def test_a_database_that_is_read_only_is_named_once_in_ten_minutes(read_only, caplog):
    database = _WorkerDatabase("default")
    for _ in range(20):
        assert database.process_slice(0.0) == 0
    assert len([record for record in caplog.records if record.levelno == logging.WARNING]) == 1


@pytest.mark.engines("sqlite")
def test_once_drains_every_database_before_it_fails(away):
    with pytest.raises(CommandError, match=r"database 'default' \(OperationalError"):
        call_command("neardup_worker", "--once", "--verbosity", "0")
    assert waiting("other") == 0


@pytest.mark.engine_alike
def test_a_database_without_our_tables_is_left_alone(monkeypatch):
    monkeypatch.setattr(Document._meta, "db_table", "neardup_absent")
    assert _WorkerDatabase("other").process_slice(1.0) == 0
    with pytest.raises(CommandError, match="Run migrate first"):
        call_command("neardup_worker", "--once")


def test_a_database_that_gets_its_tables_later_is_served_then(posts, monkeypatch, capsys):
    """A worker that was started before ``migrate`` of one of its databases."""
    has_tables = neardup_worker.has_tables
    monkeypatch.setattr(neardup_worker, "LOOK_SECONDS", 0.0)
    looks = []

    class AfterMigrate(threading.Event):
        def wait(self, timeout=None):
            if not looks:
                looks.append("migrated")
            elif not waiting("other"):
                self.set()
            return True

    monkeypatch.setattr(
        neardup_worker, "has_tables", lambda using: has_tables(using) and (using == "default" or bool(looks))
    )
    monkeypatch.setattr(neardup_worker, "_stop_event", AfterMigrate)
    call_command("neardup_worker")
    assert (waiting("default"), waiting("other")) == (0, 0)
    assert (
        "databases: default." in (said := capsys.readouterr().out) and "checked every minute: other" in said
    )


def test_a_missing_column_is_named_with_what_to_run(caplog):
    Ad.objects.create(text=TEXT)
    with without_column("neardup_document", "leased_until"):
        worker = _WorkerDatabase("default")
        for _ in range(3):
            worker.process_slice(0.0)
    lines = [record.getMessage() for record in caplog.records if "lacks the column" in record.getMessage()]
    assert len(lines) == 1 and "migrate --database default" in lines[0]
    assert "down or read-only" not in caplog.text


@pytest.mark.engine_alike
def test_a_signal_is_obeyed_within_a_slice_and_between_databases(monkeypatch):
    stop, asked = threading.Event(), []

    def drain(using, seconds):
        stop.set()
        asked.append((using, seconds))
        return DrainResult(1, True)

    monkeypatch.setattr(neardup_worker, "drain", drain)
    _run_until_stopped([_WorkerDatabase("default"), _WorkerDatabase("other")], 0.01, stop)
    assert asked == [("default", 5.0)]


@pytest.mark.engine_alike
@pytest.mark.parametrize("poll", ["0", "0.001", "-1", "nan", "inf", "often"])
def test_a_pause_that_the_setting_may_not_be_is_refused(poll):
    with pytest.raises(CommandError, match="--poll"):
        call_command("neardup_worker", "--poll", poll)


@pytest.mark.engine_alike
def test_a_worker_that_is_told_to_stop_ends_well(posts, child_environment):
    asked = ["neardup_worker", "--poll", "0.05", "--verbosity", "0"]
    worker = subprocess.Popen([sys.executable, "-m", "django", *asked], env=child_environment)
    end = time.monotonic() + 60
    try:
        while waiting("default") or waiting("other"):
            assert worker.poll() is None and time.monotonic() < end
            time.sleep(0.02)
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(30) == 0
    finally:
        worker.kill()
        worker.wait()
