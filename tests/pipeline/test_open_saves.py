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
from contextlib import contextmanager, nullcontext

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import DatabaseError, DataError, OperationalError, connection, connections, transaction
from django.db.models.functions import Now

from django_neardup import queues
from django_neardup.adapters import adapter_for
from django_neardup.db.queries.documents import OPEN_SAVE_MARKS
from django_neardup.listing.collapse import collapse
from django_neardup.models import Document, PeriodicSearch, Scheme
from django_neardup.models.fields import DatabaseClock
from django_neardup.pipeline import (
    failed_marks,
    open_saves,
    periodic_searches,
    receivers,
    reconcile,
    work_queue,
)
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


def post_unmarked():
    Ad.objects.bulk_create([Ad(text=SOFA)])
    return Ad.objects.order_by("-pk")[0]


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
    for _ in range(OPEN_SAVE_MARKS - 1):
        later()
        work()
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
    assert document(two).open_saves == OPEN_SAVE_MARKS
    Ad.objects.filter(pk=two.pk).update(text=SOFA_EDITED)
    later()
    work()
    assert cluster(two) == cluster(one) is not None


def test_a_worker_that_marks_a_save_that_failed_keeps_the_note_of_another(dies):
    one, two = post(SOFA), post(PIANO)
    work()
    broken = Ad.objects.get(pk=two.pk)
    broken.text = None
    with pytest.raises(DatabaseError):
        broken.save()
    later()
    # This process has noted its save, and will die before its mark.
    receivers.on_pre_save(Ad, Ad.objects.get(pk=two.pk), "default")
    work()
    Ad.objects.filter(pk=two.pk).update(text=SOFA_EDITED)
    later()
    work()
    assert cluster(two) == cluster(one) is not None


@pytest.mark.parametrize("leases", [1, 2])
def test_a_slow_save_is_committed_after_it_was_marked(leases):
    one, two = post(SOFA), post(PIANO)
    work()
    receivers.on_pre_save(Ad, Ad.objects.get(pk=two.pk), "default")
    for _ in range(leases):
        later()
        work()
    Ad.objects.filter(pk=two.pk).update(text=SOFA_EDITED)
    later()
    work()
    assert cluster(two) == cluster(one) is not None


def test_a_key_that_changes_before_the_save_ends_no_other_save():
    two = post(PIANO)
    receivers.on_pre_save(Ad, Ad.objects.get(pk=two.pk), "default")
    copy = Ad(pk=two.pk + 1, text=SOFA)
    receivers.on_pre_save(Ad, copy, "default")
    copy.pk = two.pk
    receivers.on_post_save(Ad, copy, "default")
    assert document(two).open_saves == OPEN_SAVE_MARKS


@pytest.mark.parametrize("key", [None, "", Now()])
def test_a_key_that_the_database_makes_is_not_noted(key):
    one = Ad(text=SOFA)
    one.pk = key
    receivers.on_pre_save(Ad, one, "default")
    assert not Document.objects.exists()


def test_a_faulty_setting_fails_no_save(settings):
    settings.NEARDUP = {"default": {"LESE_SECONDS": 1}}
    settings.NEARDUP_ENABLED = False
    one = post(SOFA)
    one.text = PIANO
    one.save()
    assert Ad.objects.get().text == PIANO


def test_a_mark_in_a_transaction_ends_nothing(dies):
    two = post(PIANO)
    receivers.on_pre_save(Ad, Ad.objects.get(pk=two.pk), "default")
    with transaction.atomic():
        two.save()
    assert document(two).open_saves == OPEN_SAVE_MARKS


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
    Document.objects.update(save_begun=DatabaseClock() + 10 * LEASE_MILLISECONDS, open_saves=OPEN_SAVE_MARKS)
    assert open_saves.mark_overdue_saves("default") == 1
    assert document(one).pending_since is not None


class TestFailedMarks:
    """The site's connection has failed, or the table is locked."""

    @pytest.fixture(autouse=True)
    def marks(self, monkeypatch):
        """Those of another process, which is patient for a shorter time."""
        monkeypatch.setattr(failed_marks, "PAUSES", (0.05, 0.05))
        marks = failed_marks.FailedMarks("default")
        monkeypatch.setattr(receivers, "failed_marks", lambda using: marks)
        yield marks
        marks.wait()
        assert not marks

    @pytest.fixture
    def failing(self, monkeypatch):
        """The mark fails in so many further calls. Returns the names of the threads that tried, and the keys."""
        calls = []

        def use(count, error=OperationalError):
            def fail(adapter, key, using, **kwargs):
                calls.append((threading.current_thread().name, key))
                if len(calls) <= count:
                    raise error("text of a post")
                return work_queue.mark_key(adapter, key, using, **kwargs)

            for module in (receivers, failed_marks):
                monkeypatch.setattr(module, "mark_key", fail)
            return calls

        return use

    def test_a_second_attempt_has_a_connection_of_its_own(self, failing, marks):
        connection.ensure_connection()
        calls, own = failing(1), connection.connection
        one = post(SOFA)
        assert calls[1][0] == "neardup-mark" and connection.connection is own
        assert document(one).pending_since is not None and not marks

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

    def test_a_save_does_not_wait_for_long_and_its_mark_is_tried_again(
        self, failing, marks, monkeypatch, caplog
    ):
        caplog.set_level(logging.INFO, "django_neardup")
        monkeypatch.setattr(failed_marks.FailedMarks.add, "__kwdefaults__", {"wait_seconds": 0.01})
        monkeypatch.setattr(failed_marks, "PAUSES", (0.3, 0.3))
        failing(3)
        one = post(SOFA)
        assert len(marks) == 1 and not Document.objects.exists()
        marks.wait()
        assert document(one).pending_since is not None
        assert (
            f"testapp.Ad {one.pk} was saved, but not marked as pending" in caplog.text
            and "text of a post" not in caplog.text
        )

    def test_the_worker_is_told(self, failing, monkeypatch):
        told = []
        monkeypatch.setattr(failed_marks, "notify_worker", told.append)
        failing(1)
        post(SOFA)
        # The save goes on as soon as its mark is written.
        until(lambda: None, lambda: told)
        assert told == ["default"]

    @pytest.mark.parametrize("error", [OperationalError, DataError])
    def test_a_mark_that_always_fails_holds_up_no_other(self, error, marks, monkeypatch):
        poisoned, keys = post(PIANO), []

        def fail(adapter, key, using, **kwargs):
            keys.append(key)
            if key == poisoned.pk:
                raise error
            return work_queue.mark_key(adapter, key, using, **kwargs)

        monkeypatch.setattr(failed_marks, "mark_key", fail)
        adapter = adapter_for(Ad)
        marks.add(failed_marks.Mark(adapter, poisoned.pk, "default"), wait_seconds=0)
        Ad.objects.bulk_create([Ad(text=SOFA)])
        other = Ad.objects.order_by("-pk")[0]
        marks.add(failed_marks.Mark(adapter, other.pk, "default"))
        until(lambda: None, lambda: len(marks) == 1)
        assert document(other).pending_since is not None
        monkeypatch.setattr(failed_marks, "mark_key", work_queue.mark_key)

    def test_a_hook_that_raises_anything_ends_no_thread(self, marks, monkeypatch, failing):
        monkeypatch.setattr(failed_marks.FailedMarks.add, "__kwdefaults__", {"wait_seconds": 0.01})
        calls = failing(2, error=Died)
        marks.add(failed_marks.Mark(adapter_for(Ad), post_unmarked().pk, "default"))
        until(lambda: None, lambda: not marks)
        assert len(calls) == 3 and Document.objects.filter(pending_since__isnull=False).count() == 1

    def test_without_a_thread_the_next_failed_mark_starts_one(self, marks, monkeypatch):
        def start(self):
            raise RuntimeError("can't start new thread")

        one, two = (failed_marks.Mark(adapter_for(Ad), post_unmarked().pk, "default") for _ in range(2))
        with monkeypatch.context() as crowded:
            crowded.setattr(threading.Thread, "start", start)
            assert not marks.add(one)
        assert marks.add(two)
        until(lambda: None, lambda: not marks)
        assert Document.objects.count() == 2

    def test_while_marks_fail_no_save_waits(self, marks, failing, monkeypatch):
        marks._pause = 60.0
        waits = []
        wait_for = threading.Condition.wait_for
        monkeypatch.setattr(
            threading.Condition,
            "wait_for",
            lambda self, done, timeout: waits.append(timeout) or wait_for(self, done, timeout),
        )
        monkeypatch.setattr(failed_marks.FailedMarks.add, "__kwdefaults__", {"wait_seconds": 0.2})
        calls = failing(20)
        for _ in range(5):
            post(SOFA)
        assert waits == [0.2, 0.0, 0.0, 0.0, 0.0]
        # An old mark is not tried again whenever a new one fails.
        tried = [key for name, key in calls if name == "neardup-mark"]
        assert len(tried) == len(set(tried))
        monkeypatch.setattr(failed_marks, "mark_key", work_queue.mark_key)

    def test_so_many_are_kept(self, failing, marks, monkeypatch, caplog):
        monkeypatch.setattr(failed_marks, "MAX_MARKS", 2)
        monkeypatch.setattr(failed_marks.FailedMarks.add, "__kwdefaults__", {"wait_seconds": 0.0})
        marks._pause = 60.0
        calls, posts = failing(100), []
        for number in range(1, 5):
            posts.append(post(SOFA))
            # The thread puts a mark that fails behind the others.
            until(lambda: None, lambda: len(calls) == 2 * number)
        assert [mark.key for mark in marks._marks.values()] == [each.pk for each in posts[2:]]
        assert caplog.text.count("--reconcile") == 1
        monkeypatch.setattr(failed_marks, "mark_key", work_queue.mark_key)

    @pytest.mark.parametrize("inner", [nullcontext, transaction.atomic])
    def test_in_a_transaction_by_hand_the_save_is_noted(self, inner, failing, marks):
        one = post(PIANO)
        work()
        failing(1)
        connection.set_autocommit(False)
        try:
            one.text = SOFA
            with inner():
                one.save()
            assert document(one).pending_since is None
            connection.commit()
        finally:
            connection.set_autocommit(True)
        marks.wait()
        assert document(one).save_begun is not None
        later()
        work()
        assert document(one).done > 1

    def test_a_process_that_ends_tries_once_more(self, child_environment):
        one = post(PIANO)
        work()
        done = subprocess.run(
            [sys.executable, "-c", ENDING, str(one.pk)], env=child_environment, capture_output=True
        )
        assert done.returncode == 0, done.stderr
        assert b"was saved, but not marked as pending" in done.stderr
        assert document(one).pending_since is not None

    def test_a_child_leaves_the_marks_of_its_parent_alone(self, failing, monkeypatch):
        monkeypatch.setattr(receivers, "failed_marks", failed_marks.failed_marks)
        kept = failed_marks.failed_marks("default")
        monkeypatch.setattr(failed_marks.FailedMarks.add, "__kwdefaults__", {"wait_seconds": 0.0})
        monkeypatch.setattr(failed_marks, "PAUSES", (0.5, 0.5))
        failing(2)
        post(SOFA)
        connections.close_all()
        child = os.fork()
        if child == 0:
            os._exit(len(failed_marks.failed_marks("default")))
        assert len(kept) == 1
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        kept.wait()
        assert not kept


ENDING = """
import sys, time
import django
django.setup()
from django.db import OperationalError
from django_neardup.pipeline import failed_marks, receivers, work_queue
from tests.testapp.models import Ad
began = time.monotonic()
def mark(*args, **kwargs):
    if time.monotonic() < began + 1.5:
        raise OperationalError
    work_queue.mark_key(*args, **kwargs)
receivers.mark_key = failed_marks.mark_key = mark
failed_marks.FailedMarks.add.__kwdefaults__["wait_seconds"] = 0.1
receivers.note_save = lambda *args: None
ad = Ad.objects.get(pk=sys.argv[1])
ad.text += " Торг."
ad.save()
"""
"""A process that ends right after a save whose mark fails for a while."""


def test_saves_that_the_database_refuses_do_not_add_up():
    one = post(SOFA)
    for _ in range(20):
        receivers.on_pre_save(Ad, Ad.objects.get(pk=one.pk), "default")
    rounds = 0
    while document(one).save_begun is not None:
        later()
        work()
        rounds += 1
    assert rounds <= 3 * OPEN_SAVE_MARKS + 1


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

    @pytest.mark.parametrize("live", [0, 1, 2])
    def test_the_first_posts_of_a_site(self, live, dies):
        dies()
        for _ in range(3):
            with pytest.raises(Died):
                post(SOFA)
        dies(False)
        for _ in range(live):
            post(SOFA_EDITED)
        assert mark_missing("default") == 3 and mark_missing("default") == 0

    def test_old_posts_are_left_to_the_first_index(self, monkeypatch):
        monkeypatch.setattr(reconcile, "BATCH", 4)
        Ad.objects.bulk_create(Ad(text=f"{SOFA} {number}") for number in range(5))
        assert mark_missing("default") == 0 and not Scheme.objects.exists()
        post(PIANO)
        assert mark_missing("default") == 0
        call_command("neardup_index", verbosity=0)
        Ad.objects.bulk_create(Ad(text=f"{CAT} {number}") for number in range(5))
        assert (mark_missing("default"), mark_missing("default"), mark_missing("default")) == (4, 1, 0)

    def test_a_site_without_posts_has_no_scheme_yet(self):
        assert mark_missing("default") == 0 and not Scheme.objects.exists()

    @pytest.mark.parametrize("saved", ["17", 17, 17.0])
    def test_the_text_of_a_number_is_its_key(self, saved):
        one, two = Ad.objects.create(pk=saved, text=SOFA), post(SOFA)
        assert mark_missing("default") == 0
        work()
        assert document(Ad(pk=17)).object_key == 17 and cluster(one) == cluster(two) is not None
        assert collapse(Ad.objects.all()).get().pk == 17

    def test_the_text_of_a_uuid_is_its_key(self):
        key = uuid.uuid4()
        UuidPost.objects.create(pk=str(key).upper(), text=SOFA)
        UuidPost.objects.get().save()
        UuidPost(pk=key.hex, text=PIANO).save(force_update=True)
        assert [row.object_id for row in Document.objects.all()] == [str(key)]
        assert mark_missing("default") == 0

    def test_a_document_without_its_number_is_mended(self, monkeypatch):
        monkeypatch.setattr(reconcile, "BATCH", 2)
        for number in range(3):
            post(f"{SOFA} {number}")
        call_command("neardup_index", verbosity=0)
        Document.objects.update(object_key=None)
        (lost,) = Ad.objects.bulk_create([Ad(text=PIANO)])
        assert [mark_missing("default") for _ in range(3)] == [2, 2, 0]

    def test_a_post_that_is_found_each_time_does_not_keep_workers_busy(self, monkeypatch):
        monkeypatch.setitem(periodic_searches.SEARCHES, "missing", lambda using: 1)
        assert periodic_searches.run_due_searches("default") == 1
        assert periodic_searches.run_due_searches("default") == 0
        monkeypatch.setitem(periodic_searches.SEARCHES, "missing", lambda using: periodic_searches.MANY)
        PeriodicSearch.objects.update(due=0)
        for _ in range(2):
            assert periodic_searches.run_due_searches("default") == periodic_searches.MANY

    def test_a_search_that_fails_holds_up_no_other(self, monkeypatch, caplog):
        monkeypatch.setitem(periodic_searches.SEARCHES, "missing", lambda using: 1 / 0)
        monkeypatch.setitem(periodic_searches.SEARCHES, "expired", lambda using: 7)
        assert periodic_searches.run_due_searches("default") == 7
        assert "the periodic search 'missing' failed" in caplog.text

    def test_a_model_whose_table_is_elsewhere(self, monkeypatch):
        monkeypatch.setattr(SlugPost._meta, "managed", False)
        monkeypatch.setattr(SlugPost._meta, "db_table", "elsewhere")
        (lost,) = Ad.objects.bulk_create([Ad(text=SOFA)])
        assert mark_missing("default") == 1

    def test_a_model_that_cannot_be_searched_holds_up_no_other(self, monkeypatch, caplog):
        def fail(adapter, using):
            if adapter.model is not Ad:
                raise ImproperlyConfigured("SYNONYMS names no file.")
            return [] if Document.objects.exists() else [adapter.model.objects.get().pk]

        Ad.objects.bulk_create([Ad(text=SOFA)])
        monkeypatch.setattr(reconcile, "_lost_keys", fail)
        assert mark_missing("default") == 1
        assert (
            "the search for missed posts of testapp.UuidPost failed" in caplog.text
            and "SYNONYMS names no file." in caplog.text
        )

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
        # The work horse of a killed rqworker would work on.
        process.terminate()
        process.wait(60)


def all_are_indexed():
    return (
        Document.objects.filter(state=Document.State.INDEXED, pending_since=None).count()
        == Ad.objects.count()
    )


@pytest.mark.slow
@pytest.mark.django_db(transaction=True, databases=["default", "other"])
@pytest.mark.parametrize("way", [by_cron, by_running_worker, pytest.param(by_rq, marks=pytest.mark.redis)])
def test_killed_between_commit_and_mark(way, child_environment, settings, request):
    PeriodicSearch.objects.bulk_create(PeriodicSearch(name=name) for name in periodic_searches.SEARCHES)
    let_searches_rest()
    with way(child_environment, settings, request) as work_on:
        for number in range(6):
            post(f"{CAT} Лот {number}.")
        until(work_on, all_are_indexed)
        let_searches_rest()
        for number in range(KILLS):
            kill_before_the_mark(number)
        lost = Ad.objects.count() - Document.objects.count()
        assert lost == (KILLS + 1) // 2, "the control: without the search these are lost"
        later()
        until(work_on, all_are_indexed)
    found = snapshot()
    rebuild()
    assert snapshot() == found


def let_searches_rest():
    """A worker that is about to search would find posts that the test loses."""
    PeriodicSearch.objects.update(due=DatabaseClock() + LEASE_MILLISECONDS)


def until(work_on, condition):
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end
        work_on()
        time.sleep(0.1)
