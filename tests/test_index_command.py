"""neardup_index interrupted, killed, silent, and before there are tables."""

import io
import os
import signal
import subprocess
import sys
import time

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import F

from django_neardup.adapters import adapter_for
from django_neardup.checks.unfinished_work import check_unfinished_runs
from django_neardup.management.progress_bars import IndexBars
from django_neardup.models import Document, Fingerprint, IndexRange, OpenItem
from django_neardup.pipeline.backfill import PostCounts, begin_pass, owner_tokens, posts_per_range, ranges
from tests.pipeline.families import family
from tests.pipeline.helpers import snapshot
from tests.testapp.models import Ad

pytestmark = pytest.mark.django_db(transaction=True, databases=["default"])

POSTS = 300
SECONDS = 60


def posts(count=POSTS):
    Ad.objects.bulk_create([Ad(text=" ".join(family(number % 90))) for number in range(count)])


def started(environment, *options):
    return subprocess.Popen(
        [sys.executable, "-m", "django", "neardup_index", "--no-progress", "--run", "20", *options],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # As in a terminal, where Ctrl-C reaches a group of processes. A shell's background job ignores it.
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def wait_for(condition):
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.02)


@pytest.mark.parametrize("workers", [pytest.param(1, marks=pytest.mark.long), 2])
def test_ctrl_c_says_how_far_it_came_and_the_next_run_goes_on(workers, child_environment):
    posts()
    process = started(child_environment, "--workers", str(workers))
    wait_for(lambda: IndexRange.objects.filter(finished=True).count() >= 3)
    for pid in _group(process):
        os.kill(pid, signal.SIGINT)
    _out, error = process.communicate(timeout=SECONDS)

    assert process.returncode == 130
    assert "Traceback" not in error
    (line,) = error.splitlines()
    done = int(line.removeprefix("CommandError: testapp.Ad: stopped at ").split(" of ")[0])
    assert line.endswith(f" of {POSTS}. Run the same command to continue.")
    finished = IndexRange.objects.filter(finished=True).count()
    assert 60 <= finished * 20 <= done < POSTS
    assert not IndexRange.objects.filter(leased_until__isnull=False).exists()

    out, _error = started(child_environment).communicate(timeout=SECONDS)
    assert f"testapp.Ad: {POSTS - finished * 20} posts in" in out
    interrupted = snapshot()
    assert Fingerprint.objects.count() == POSTS
    call_command("neardup_index", restart=True, rebuild=True, verbosity=0, no_progress=True)
    assert snapshot()["clusters"] == interrupted["clusters"]


def test_a_check_names_a_run_that_was_killed_and_the_command_that_goes_on(child_environment):
    posts()
    process = started(child_environment, "testapp.Ad")
    wait_for(lambda: IndexRange.objects.filter(finished=True).count() >= 3)
    process.kill()
    process.communicate(timeout=SECONDS)

    (message,) = check_unfinished_runs(databases=["default"])
    assert "neardup_index testapp.Ad --database default" in message.hint
    started(child_environment, "testapp.Ad", "--database", "default").communicate(timeout=SECONDS)
    assert check_unfinished_runs(databases=["default"]) == []
    assert Fingerprint.objects.count() == POSTS


def test_ctrl_c_in_the_middle_of_a_statement_says_how_far_it_came(monkeypatch):
    if connection.vendor == "sqlite":
        pytest.skip("SQLite has no statement whose answer is under way")
    posts(40)

    def interrupt(*_args, **_kwargs):
        connection.ensure_connection()
        raw = connection.connection
        # The answer is never read: the connection takes no other statement.
        raw.pgconn.send_query(b"SELECT 1") if connection.vendor == "postgresql" else raw.query("SELECT 1")
        raise KeyboardInterrupt

    monkeypatch.setattr("django_neardup.management.index_run.process_ranges", interrupt)
    with pytest.raises(CommandError, match="stopped at 0 of 40") as caught:
        call_command("neardup_index", no_progress=True, verbosity=0)
    assert caught.value.returncode == 130


def _group(process):
    """Return the process and those that it has started."""
    found = subprocess.run(
        ["ps", "-o", "pid=", "--sid", str(process.pid)], capture_output=True, text=True, check=True
    )
    return [int(pid) for pid in found.stdout.split()]


def test_a_small_board_has_ranges_enough_to_go_on():
    assert [posts_per_range(count) for count in (0, 1_000, 5_000, 100_000, 10**7)] == [
        250,
        250,
        250,
        5_000,
        50_000,
    ]


def test_a_range_of_a_killed_process_of_this_machine_is_free_at_once(monkeypatch):
    posts(40)
    index_pass = begin_pass(adapter_for(Ad), "default")
    process = subprocess.Popen([sys.executable, "-c", ""])
    monkeypatch.setattr("os.getpid", lambda: process.pid)
    killed = ranges.claim_range(index_pass, 40)
    wait_for(lambda: owner_tokens.is_of_dead_process(killed.index_range.token))  # a zombie
    monkeypatch.undo()

    again = ranges.claim_range(index_pass, 40)
    assert again.index_range.pk == killed.index_range.pk and again.is_retry
    process.wait()


def test_a_range_of_another_machine_is_waited_for(monkeypatch):
    posts(40)
    index_pass = begin_pass(adapter_for(Ad), "default")
    with monkeypatch.context() as patch:
        patch.setattr(owner_tokens, "_machine", lambda: "0" * 12)
        patch.setattr("os.getpid", lambda: 2**31 - 5)
        ranges.claim_range(index_pass, 40)

    assert ranges.claim_range(index_pass, 40) is None
    assert 0 < index_pass.seconds_until_free() <= index_pass.lease_milliseconds / 1000

    # The clock of the database was set back by an hour.
    IndexRange.objects.update(leased_until=F("leased_until") + 3600 * 1000)
    assert ranges.claim_range(index_pass, 40).is_retry


def test_without_tables_one_line_says_what_to_do():
    with connection.schema_editor() as editor:
        editor.execute("ALTER TABLE testapp_ad RENAME TO testapp_gone")
    try:
        with pytest.raises(
            CommandError, match=r"no table testapp_ad\. Run python manage\.py migrate"
        ) as caught:
            call_command("neardup_index", "testapp.Ad")
        assert "\n" not in str(caught.value)
    finally:
        with connection.schema_editor() as editor:
            editor.execute("ALTER TABLE testapp_gone RENAME TO testapp_ad")


def test_verbosity_0_is_silent():
    posts(4)
    out, error = io.StringIO(), io.StringIO()
    for options in ({}, {"rebuild": True}, {"reconcile": True}, {"dry_run": True}):
        call_command("neardup_index", verbosity=0, stdout=out, stderr=error, **options)
    assert (out.getvalue(), error.getvalue()) == ("", "")
    assert Document.objects.filter(state=Document.State.INDEXED).count() == 4


def test_rates_count_the_time_of_their_own_work(monkeypatch):
    clock = iter([0.0, 2.0, 5.0, 6.0])
    monkeypatch.setattr("django_neardup.management.progress_bars.time.monotonic", lambda: next(clock))
    bars = IndexBars("ads", total=100, done=0, quiet=True, is_shared=False)

    bars.update("signing", PostCounts(40, 0))
    bars.update("comparing", PostCounts(0, 30))
    bars.update("writing", PostCounts())

    assert (bars._rate_text("signing"), bars._rate_text("comparing")) == ("20 posts/s", "8 posts/s")
    # 60 posts at 20 a second, and 70 at 7.5 a second.
    assert bars._left_text() == "00:12 left"
    assert bars.compared_now == 30


def test_lost_rows_of_the_queue_are_formed_again():
    posts(200)
    call_command("neardup_index", verbosity=0)
    before = {item.item_key for item in OpenItem.objects.all()}
    OpenItem.objects.all().delete()

    call_command("neardup_index", verbosity=0)

    assert before and {item.item_key for item in OpenItem.objects.all()} == before
