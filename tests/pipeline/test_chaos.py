"""Workers and savers killed, stalled, told to stop and cut off at random while posts are saved: nothing is lost.

Meanwhile moderators decide, merge, delete, hide and undo, and the index is rebuilt. ``make chaos`` does it for longer:
SAVES, FAULTS and MODE of the environment.
"""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import nullcontext, suppress
from itertools import cycle

import pytest
from django.core.management import call_command
from django.db import DatabaseError, InterfaceError, connection, connections, transaction

from django_neardup.adapters import adapter_for
from django_neardup.exceptions import NeardupError
from django_neardup.models import Cluster, Document, MergeRecord, PeriodicSearch
from django_neardup.moderation import ActionContext, delete, hide, merge
from django_neardup.moderation.undo.restore import undo
from django_neardup.pipeline import decide, drain, receivers, work_queue
from django_neardup.pipeline.content_objects import objects_of
from django_neardup.pipeline.periodic_searches import run_due_searches
from django_neardup.pipeline.reconcile import reconcile
from tests.pipeline.families import SYLLABLES, family
from tests.pipeline.helpers import snapshot
from tests.pipeline.test_races import rebuild
from tests.testapp.models import Ad

SAVES, FAULTS = (int(os.environ.get(name) or few) for name, few in (("SAVES", 100), ("FAULTS", 8)))
MODES = [os.environ["MODE"]] if os.environ.get("MODE") else ["autocommit", "atomic"]
"""Whether a site saves each post in a transaction of its own."""

FAMILY = 8
"""Few posts a family: what is compared with what is then a fact of the texts, not of the order of events."""

WORKERS = 2
PATIENCE = 120.0 + SAVES / 5
"""Seconds until the workers have done what is waited for. A saver may be faster than they."""

CONNECTIONS = {
    "postgresql": (
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
        "SELECT pg_terminate_backend(%s)",
    ),
    "mysql": (
        "SELECT id FROM information_schema.processlist WHERE db = database() AND id <> connection_id()",
        "KILL %s",
    ),
}
"""By vendor: the connections of all others, and how one is ended."""


class Crew:
    """Workers side by side, each a process of its own."""

    def __init__(self, environment, chance):
        self.environment, self.chance = environment, chance
        self.workers = [self.start() for _ in range(WORKERS)]

    def start(self):
        # The other database may not exist: a worker that cannot start proves nothing.
        asked = ["neardup_worker", "--database", "default", "--poll", "0.05", "--verbosity", "0"]
        return subprocess.Popen([sys.executable, "-m", "django", *asked], env=self.environment)

    def replace(self, place, signal_sent):
        """End one by that signal, and start another in its place; how it ended."""
        worker = self.workers[place]
        worker.send_signal(signal_sent)
        status = worker.wait(60)
        self.workers[place] = self.start()
        return status

    def dismiss(self):
        for worker in self.workers:
            worker.kill()
            worker.wait()


def is_killed(crew):
    assert crew.replace(crew.chance.randrange(WORKERS), signal.SIGKILL) == -signal.SIGKILL
    # A post on which one worker after another dies is given up: here the deaths are not its fault.
    end_leases(attempts=0)


def is_told_to_stop(crew):
    assert crew.replace(crew.chance.randrange(WORKERS), signal.SIGTERM) in (0, -signal.SIGTERM)


def stalls(crew):
    """It comes back when others have long had what it has leased."""
    worker = crew.chance.choice(crew.workers)
    worker.send_signal(signal.SIGSTOP)
    try:
        end_leases()
        time.sleep(crew.chance.uniform(0.2, 0.8))
    finally:
        worker.send_signal(signal.SIGCONT)


def is_cut_off(crew):
    others, end = CONNECTIONS[connection.vendor]
    with connection.cursor() as cursor:
        for (number,) in until(lambda: found(cursor, others), "nobody is connected"):
            try:
                cursor.execute(end, [number])
            except connection.Database.Error as error:
                assert "Unknown thread id" in str(error)  # gone by itself meanwhile


def found(cursor, statement):
    cursor.execute(statement)
    return cursor.fetchall()


class Savers:
    """Processes of the site that end, or lose their connection, where the mark of a post is due."""

    def __init__(self, mode, chance, is_control=False):
        self.mode, self.chance, self.is_control = mode, chance, is_control

    def transaction(self):
        return transaction.atomic() if self.mode == "atomic" else nullcontext()

    def dies(self, crew=None):
        self._save_in_child(lambda *args, **kwargs: os.kill(os.getpid(), signal.SIGKILL))

    def is_cut_off(self, crew=None):
        def mark_without_connection(*args, **kwargs):
            connection.connection.close()
            receivers.mark_key = work_queue.mark_key
            work_queue.mark_key(*args, **kwargs)

        self._save_in_child(mark_without_connection)

    def _save_in_child(self, mark):
        """Save a post, a new one or an edit, in another process with this way of marking."""
        keys, number = [*Ad.objects.values_list("pk", flat=True)], self.chance.random()
        is_edit, text, key = number < 0.5, some_text(self.chance), self.chance.choice(keys)
        connections.close_all()
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            return
        try:
            receivers.mark_key = mark
            if self.is_control:
                receivers.note_save = lambda *args, **kwargs: None
            # A post that cannot be saved is not lost.
            ad = Ad.objects.get(pk=key) if is_edit else Ad()
            ad.text = text
            with suppress(DatabaseError, InterfaceError), self.transaction():
                ad.save()
        finally:
            os._exit(0)


def moderates(crew):
    """A moderator decides on a cluster, merges, deletes or hides posts of one, or takes the last act back."""
    clusters = [*Cluster.objects.filter(state=Cluster.State.OPEN)[:20]]
    kind = crew.chance.choice(["different", "merge", "delete", "hide", "undo"])
    # Somebody edits or deletes the posts at the same time: then the act is refused.
    with suppress(NeardupError, DatabaseError):
        if kind == "undo":
            for record in MergeRecord.objects.filter(undone=None).order_by("-pk")[:1]:
                undo(record, None, "default")
            return
        memberships = crew.chance.choice(clusters).memberships.order_by("pk") if clusters else []
        documents = [row.document for row in memberships]
        posts = [*objects_of(documents, "default").values()]
        if len(posts) < 2:
            return
        if kind == "different":
            decide(kind, documents[:2], None, "default")
        elif kind == "merge":
            merge(posts[0], posts[1:2], ActionContext())
        else:
            {"delete": delete, "hide": hide}[kind](posts[-1:], ActionContext())


def is_rebuilt(crew):
    call_command("neardup_index", rebuild=True, verbosity=0, no_drain=True)


WORKER_FAULTS = (is_killed, is_told_to_stop, stalls, is_cut_off)


def kinds(savers):
    """What happens, in turn. A database without a server cuts nobody off, and its one writer must not be stalled."""
    of_workers = WORKER_FAULTS if connection.vendor in CONNECTIONS else WORKER_FAULTS[:2]
    return (*of_workers, savers.dies, moderates, savers.is_cut_off, moderates)


def end_leases(**changes):
    """As if their time were over; but of rows that a worker holds, which may be stalled."""
    # SQLite, which locks no rows, refuses a write after a read if another one came between.
    locks_rows = connection.features.has_select_for_update
    for model in (Document, Cluster):
        with transaction.atomic() if locks_rows else nullcontext():
            free = model.objects.filter(leased_until__isnull=False).select_for_update(skip_locked=True)
            model.objects.filter(pk__in=[row.pk for row in free]).update(leased_until=1, **changes)


def until(condition, otherwise):
    """What the condition gives, once that is something."""
    end = time.monotonic() + PATIENCE
    while not (given := condition()):
        assert time.monotonic() < end, otherwise
        time.sleep(0.01)
    return given


def until_indexed(least):
    """Wait until the workers, and nobody else, have seen to so many posts."""
    done = Document.objects.filter(state=Document.State.INDEXED, pending_since=None)
    until(lambda: done.count() >= least, "the workers do nothing")


def all_is_done():
    """Work off what is left; a killed worker's locks may outlive its connection for a moment."""
    end_leases(attempts=0)
    return not drain().has_pending


def all_is_found():
    """The same, as if ten minutes had passed."""
    for row in Document.objects.filter(save_begun__isnull=False):
        Document.objects.filter(pk=row.pk).update(save_begun=row.save_begun - 600_000)
    PeriodicSearch.objects.update(due=0)
    return not run_due_searches("default") and all_is_done()


def what_is_lost():
    """Posts without a document, posts whose text is not the stored one, and documents without a post."""
    *_, (_, result) = reconcile(adapter_for(Ad), "default", dry_run=True)
    return result


@pytest.mark.slow
@pytest.mark.django_db(transaction=True, databases=["default"])
@pytest.mark.parametrize("mode", MODES)
def test_whatever_fails_nothing_is_lost(mode, child_environment):
    seed = int(os.environ.get("SEED") or random.randrange(10**6))
    chance, saved = random.Random(seed), []
    print(f"SEED={seed} MODE={mode}")
    savers = Savers(mode, chance)
    faults = cycle(kinds(savers))
    crew = Crew(child_environment, chance)
    try:
        saved.append(Ad.objects.create(text=some_text(chance)))
        until_indexed(1)
        fault_at = set(chance.sample(range(20, SAVES), FAULTS))
        for number in range(SAVES):
            save_or_edit(chance, saved, savers.transaction)
            if number == SAVES // 2:
                is_rebuilt(crew)
            if number in fault_at:
                next(faults)(crew)
                time.sleep(chance.uniform(0.2, 0.8))
        assert all(worker.poll() is None for worker in crew.workers), "a fault has ended a worker"
        until_indexed(len(saved) // 2)
    finally:
        crew.dismiss()
    if connection.vendor in CONNECTIONS:
        with connection.cursor() as cursor:
            until(
                lambda: not found(cursor, CONNECTIONS[connection.vendor][0]),
                "a killed worker is still connected",
            )
    until(all_is_found, "what the workers held is still held")
    odd = Document.objects.exclude(state__in=[Document.State.INDEXED, Document.State.GONE])
    assert not list(odd.values_list("object_id", "state", "reason"))
    assert what_is_lost().total == 0
    after_the_faults = snapshot()
    rebuild()
    assert snapshot() == after_the_faults


@pytest.mark.slow
@pytest.mark.django_db(transaction=True, databases=["default"])
def test_a_mark_after_the_save_alone_loses_posts():
    """The control: without a note before the save, and without a search for posts that have no document."""
    chance = random.Random(5)
    for _ in range(4):
        Ad.objects.create(text=some_text(chance))
    until(all_is_done, "someone holds a post")
    savers = Savers("autocommit", chance, is_control=True)
    for _ in range(FAULTS):
        savers.dies()
    until(all_is_done, "someone holds a post")
    lost = what_is_lost()
    assert lost.missing and lost.stale


def some_text(chance):
    words = family(chance.randrange(SAVES // FAMILY))
    for _ in range(chance.randrange(4)):
        words[chance.randrange(len(words))] = "".join(chance.choices(SYLLABLES, k=3))
    return " ".join(words)


def save_or_edit(chance, saved, begin_transaction):
    if not saved or chance.random() > 0.3:
        ad = Ad(text=some_text(chance))
        with begin_transaction():
            ad.save()
        saved.append(ad)
        return
    ad = Ad.objects.filter(pk=chance.choice(saved).pk).first()
    if ad is None:  # merged or deleted by a moderator
        return
    if chance.random() < 0.15:
        saved.remove(ad)
        ad.delete()
    else:
        ad.text = some_text(chance)
        with begin_transaction():
            ad.save()
