"""A post whose process dies, or whose mark fails, is compared all the same, in autocommit too."""

import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from contextlib import contextmanager

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, connections, transaction

from django_neardup import queues
from django_neardup.models import Document, PeriodicSearch
from django_neardup.models.fields import DatabaseClock
from django_neardup.pipeline import open_saves, receivers, work_queue
from django_neardup.pipeline.reconcile import mark_missing
from tests.pipeline.helpers import CAT, PIANO, SOFA, SOFA_EDITED, cluster, document, post, snapshot, work
from tests.pipeline.test_races import rebuild
from tests.queue_tools import host_form, use_queue
from tests.testapp.models import Ad, SlugPost, UuidPost

pytestmark = pytest.mark.django_db(transaction=True, databases=["default"])
KILLS = int(os.environ.get("KILLS") or 10)
LEASE_MILLISECONDS = 120_000


class Died(Exception):
    """Stands for the end of the process."""


@pytest.fixture
def dies(monkeypatch):
    """From now on the process dies between the commit of a post and its mark."""

    def fall(*args, **kwargs):
        raise Died

    def use(does=True):
        monkeypatch.setattr(receivers, "mark_key", fall if does else work_queue.mark_key)

    yield use


def later(milliseconds=LEASE_MILLISECONDS + 1000):
    """As if that time had passed since every save that has begun."""
    for row in Document.objects.filter(save_begun__isnull=False):
        Document.objects.filter(pk=row.pk).update(save_begun=row.save_begun - milliseconds)
    PeriodicSearch.objects.update(due=0)


def test_a_save_is_noted_before_the_post_and_ended_by_its_mark():
    one = post(SOFA)
    seen = []

    def note(execute, sql, params, many, context):
        seen.append(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        one.save()

    tables = [sql for sql in seen if sql.startswith(("INSERT", "UPDATE"))]
    assert ["neardup_document" in sql for sql in tables] == [True, False, True]
    assert (document(one).save_begun, document(one).open_saves) == (None, 0)


def test_in_a_transaction_only_the_mark_is_written():
    one = post(SOFA)
    with transaction.atomic():
        seen = []

        def note(execute, sql, params, many, context):
            seen.append(sql)
            return execute(sql, params, many, context)

        with connection.execute_wrapper(note):
            one.save()
    assert sum("neardup_document" in sql for sql in seen) == 1
    assert "save_begun" not in "".join(seen)


def test_an_edit_whose_process_died_is_compared_when_its_time_is_up(dies):
    one, two = post(SOFA), post(PIANO)
    work()
    dies()
    two.text = SOFA_EDITED
    with pytest.raises(Died):
        two.save()

    work()
    assert cluster(two) is None, "it may still be marked"
    later()
    work()
    assert cluster(two) == cluster(one) is not None
    assert (document(two).save_begun, document(two).open_saves) == (None, 0)


@pytest.mark.parametrize("make", [
    lambda: UuidPost.objects.create(pk=uuid.uuid4(), text=SOFA),
    lambda: SlugPost.objects.create(slug="диван", text=SOFA),
    lambda: Ad.objects.create(pk=77, text=SOFA),
])  # fmt: skip
def test_a_new_post_with_a_known_key(make, dies):
    dies()
    with pytest.raises(Died):
        make()

    later()
    work()
    assert Document.objects.get().state == Document.State.INDEXED


def test_a_save_that_failed_leaves_no_post_behind():
    Ad.objects.create(pk=1, text=SOFA)
    with pytest.raises(DatabaseError):
        Ad.objects.create(pk=2, author_id=None, text=None)

    later()
    work()
    assert document(Ad(pk=2)).state == Document.State.GONE


def test_a_mark_ends_its_own_save_alone(dies):
    one, two = post(SOFA), post(PIANO)
    work()
    other = Ad.objects.get(pk=two.pk)
    # This process has noted its save, and will die before its mark.
    receivers.on_pre_save(Ad, other, "default")
    two.save()
    assert document(two).open_saves == 1
    Ad.objects.filter(pk=two.pk).update(text=SOFA_EDITED)
    later()
    work()
    assert cluster(two) == cluster(one) is not None


def test_a_mark_in_a_transaction_ends_nothing(dies):
    two = post(PIANO)
    receivers.on_pre_save(Ad, Ad.objects.get(pk=two.pk), "default")
    with transaction.atomic():
        two.save()
    assert document(two).open_saves == 1


def test_the_age_of_the_text_is_that_of_its_save(dies, settings):
    settings.NEARDUP = {"default": {**settings.NEARDUP["default"], "LEASE_SECONDS": 1}}
    copy, victim = post(PIANO), post(SOFA)
    work()
    dies()
    copy.text = SOFA_EDITED
    with pytest.raises(Died):
        copy.save()
    begun = document(copy).save_begun
    time.sleep(1.2)
    work()
    assert document(copy).text_since == begun
    assert cluster(copy).leader == document(victim)


def test_a_save_that_seems_to_begin_in_the_future_is_overdue():
    one = post(SOFA)
    work()
    Document.objects.update(save_begun=DatabaseClock() + 10 * LEASE_MILLISECONDS, open_saves=1)
    assert open_saves.mark_overdue_saves("default") == 1
    assert document(one).pending_since is not None


class TestFailedMarks:
    """The site's connection has failed, or the table is locked."""

    @pytest.fixture(autouse=True)
    def forget(self):
        yield
        open_saves._kept.clear()

    @pytest.fixture
    def failing(self, monkeypatch):
        """The mark fails in so many further calls."""
        calls = []

        def use(count):
            def fail(*args, **kwargs):
                calls.append(threading.current_thread().name)
                if len(calls) <= count:
                    raise DatabaseError("text of a post")
                return work_queue.mark_key(*args, **kwargs)

            for module in (receivers, open_saves):
                monkeypatch.setattr(module, "mark_key", fail)
            return calls

        return use

    def test_a_second_attempt_has_a_connection_of_its_own(self, failing):
        connection.ensure_connection()
        calls, own = failing(1), connection.connection
        one = post(SOFA)
        assert calls[1] == "neardup-mark" and connection.connection is own
        assert document(one).pending_since is not None and not open_saves._kept

    def test_in_a_transaction_it_follows_the_commit(self, failing):
        calls = failing(1)
        with transaction.atomic():
            one = post(SOFA)
            assert len(calls) == 1
        assert len(calls) == 2 and document(one).pending_since is not None

    def test_a_rolled_back_post_is_not_marked(self, failing):
        calls = failing(1)
        with pytest.raises(ZeroDivisionError), transaction.atomic():
            post(SOFA)
            raise ZeroDivisionError
        assert len(calls) == 1 and not Document.objects.exists()

    def test_the_next_save_of_the_process_writes_what_was_kept(self, failing, caplog):
        caplog.set_level(logging.INFO, "django_neardup")
        failing(2)
        one = post(SOFA)
        assert len(open_saves._kept) == 1 and not Document.objects.exists()
        two = post(PIANO)
        assert not open_saves._kept
        assert document(one).pending_since and document(two).pending_since
        assert f"testapp.Ad {one.pk}" in caplog.text and "text of a post" not in caplog.text

    def test_so_many_are_kept(self, failing, monkeypatch, caplog):
        monkeypatch.setattr(open_saves, "MAX_KEPT", 2)
        failing(100)
        posts = [post(SOFA) for _ in range(3)]
        assert [mark.key for mark in open_saves._kept.values()] == [each.pk for each in posts[1:]]
        assert "--reconcile" in caplog.text

    def test_in_a_transaction_by_hand_it_is_kept(self, failing):
        failing(1)
        connection.set_autocommit(False)
        try:
            one = post(SOFA)
            connection.commit()
        finally:
            connection.set_autocommit(True)
        post(PIANO)
        assert document(one).pending_since is not None


class TestMissing:
    """Posts without a document: their key was not known before they were saved."""

    @pytest.mark.parametrize("make", [
        lambda: Ad(text=SOFA), lambda: SlugPost(slug="Тахта", text=SOFA), lambda: UuidPost(text=SOFA),
    ])  # fmt: skip
    def test_every_kind_of_key(self, make):
        model = type(make())
        if model is SlugPost:
            SlugPost.objects.create(slug="диван", text=PIANO)
        else:
            model.objects.create(text=PIANO)
        model.objects.bulk_create([make()])
        assert mark_missing("default") == 1 and mark_missing("default") == 0
        work()
        assert Document.objects.filter(state=Document.State.INDEXED).count() == 2

    def test_without_any_save_the_posts_are_left_to_the_first_index(self):
        Ad.objects.bulk_create([Ad(text=SOFA)])
        assert mark_missing("default") == 0

    def test_old_posts_are_left_to_the_first_index(self):
        Ad.objects.bulk_create(Ad(text=f"{SOFA} {number}") for number in range(5))
        post(PIANO)
        assert mark_missing("default") == 0
        call_command("neardup_index", verbosity=0)
        Ad.objects.bulk_create(Ad(text=f"{CAT} {number}") for number in range(5))
        assert mark_missing("default") == 5

    def test_once_for_all_processes(self):
        post(PIANO)
        (lost,) = Ad.objects.bulk_create([Ad(text=SOFA)])
        call_command("neardup_worker", once=True, databases=["default"], verbosity=0)
        (later_lost,) = Ad.objects.bulk_create([Ad(text=CAT)])
        call_command("neardup_worker", once=True, databases=["default"], verbosity=0)
        first = Ad.objects.order_by("pk")[1]
        assert document(first).state == Document.State.INDEXED
        assert Document.objects.count() == 2, "the search is not due yet"
        PeriodicSearch.objects.update(due=0)
        call_command("neardup_worker", once=True, databases=["default"], verbosity=0)
        assert Document.objects.filter(state=Document.State.INDEXED).count() == 3


def kill_before_the_mark(number):
    """In a child: save a post, a new one or an edit, and be killed before its mark."""
    connections.close_all()
    child = os.fork()
    if child == 0:
        receivers.mark_key = lambda *args, **kwargs: os.kill(os.getpid(), signal.SIGKILL)
        try:
            if number % 2:
                ad = Ad.objects.order_by("pk")[number % 4]
                ad.text = f"{SOFA_EDITED} Лот {number}."
                ad.save()
            else:
                Ad.objects.create(text=f"{PIANO} Лот {number}.")
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


@contextmanager
def by_cron(environment, settings, request):
    yield lambda: call_command("neardup_worker", once=True, databases=["default"], verbosity=0)


@contextmanager
def by_running_worker(environment, settings, request):
    asked = ["neardup_worker", "--database", "default", "--poll", "0.05", "--verbosity", "0"]
    with running(asked, environment):
        yield lambda: None


@contextmanager
def by_rq(environment, settings, request):
    redis = {"default": host_form(request.getfixturevalue("redis_server"))}
    use_queue(settings, redis["default"])
    environment = environment | {"NEARDUP_TEST_RQ_QUEUES": json.dumps(redis)}
    with running(["rqworker", "default", "--verbosity", "0"], environment):
        # As the next save of the site does.
        yield lambda: queues.notify_worker("default")


@contextmanager
def running(command, environment):
    """A process of that command, as long as it is needed."""
    process = subprocess.Popen([sys.executable, "-m", "django", *command], env=environment)
    try:
        yield
        assert process.poll() is None, "it has ended by itself"
    finally:
        process.kill()
        process.wait()


def all_are_indexed():
    return (
        Document.objects.filter(state=Document.State.INDEXED, pending_since=None).count()
        == Ad.objects.count()
    )


@pytest.mark.slow
@pytest.mark.django_db(transaction=True, databases=["default", "other"])
@pytest.mark.parametrize("way", [by_cron, by_running_worker, pytest.param(by_rq, marks=pytest.mark.redis)])
def test_killed_between_commit_and_mark(way, child_environment, settings, request):
    with way(child_environment, settings, request) as work_on:
        for number in range(6):
            post(f"{CAT} Лот {number}.")
        until(work_on, all_are_indexed)
        PeriodicSearch.objects.update(due=DatabaseClock() + LEASE_MILLISECONDS)
        for number in range(KILLS):
            kill_before_the_mark(number)
        lost = Ad.objects.count() - Document.objects.count()
        assert lost == (KILLS + 1) // 2, "the control: without the search these are lost"
        later()
        until(work_on, all_are_indexed)
    found = snapshot()
    rebuild()
    assert snapshot() == found


def until(work_on, condition):
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end
        work_on()
        time.sleep(0.1)
