"""Workers killed, stalled, told to stop and cut off at random while posts are saved and edited: nothing is lost.

``make chaos`` does it for longer: SAVES and FAULTS of the environment.
"""

import os
import random
import signal
import subprocess
import sys
import time
from itertools import cycle

import pytest
from django.db import connection, transaction

from django_neardup.models import Cluster, Document
from django_neardup.pipeline import drain
from tests.pipeline.families import SYLLABLES, family
from tests.pipeline.helpers import snapshot
from tests.pipeline.test_races import rebuild
from tests.testapp.models import Ad

SAVES, FAULTS = (int(os.environ.get(name) or few) for name, few in (("SAVES", 500), ("FAULTS", 12)))
FAMILY = 8
"""Few posts a family: what is compared with what is then a fact of the texts, not of the order of events."""

WORKERS = 2
PATIENCE = 120.0
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


KINDS = (is_killed, is_told_to_stop, stalls, is_cut_off)


def end_leases(**changes):
    """As if their time were over; but of rows that a worker holds, which may be stalled."""
    for model in (Document, Cluster):
        with transaction.atomic():
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


@pytest.mark.slow
@pytest.mark.django_db(transaction=True, databases=["default"])
@pytest.mark.engines("postgresql", "mariadb")
def test_workers_that_fail_lose_nothing(child_environment):
    seed = int(os.environ.get("SEED") or random.randrange(10**6))
    chance, saved, faults = random.Random(seed), [], cycle(KINDS)
    print(f"SEED={seed}")
    crew = Crew(child_environment, chance)
    try:
        saved.append(Ad.objects.create(text=some_text(chance)))
        until_indexed(1)
        fault_at = set(chance.sample(range(20, SAVES), FAULTS))
        for number in range(SAVES):
            save_or_edit(chance, saved)
            if number in fault_at:
                next(faults)(crew)
                time.sleep(chance.uniform(0.2, 0.8))
        assert all(worker.poll() is None for worker in crew.workers), "a fault has ended a worker"
        until_indexed(len(saved) // 2)
    finally:
        crew.dismiss()
    with connection.cursor() as cursor:
        until(
            lambda: not found(cursor, CONNECTIONS[connection.vendor][0]), "a killed worker is still connected"
        )
    until(all_is_done, "what the workers held is still held")
    odd = Document.objects.exclude(state__in=[Document.State.INDEXED, Document.State.GONE])
    assert not list(odd.values_list("object_id", "state", "reason"))
    after_the_faults = snapshot()
    assert Document.objects.filter(state=Document.State.INDEXED).count() == Ad.objects.count()
    rebuild()
    assert snapshot() == after_the_faults


def some_text(chance):
    words = family(chance.randrange(SAVES // FAMILY))
    for _ in range(chance.randrange(4)):
        words[chance.randrange(len(words))] = "".join(chance.choices(SYLLABLES, k=3))
    return " ".join(words)


def save_or_edit(chance, saved):
    if not saved or chance.random() > 0.3:
        saved.append(Ad.objects.create(text=some_text(chance)))
        return
    ad = chance.choice(saved)
    if chance.random() < 0.15:
        saved.remove(ad)
        ad.delete()
    else:
        ad.text = some_text(chance)
        ad.save()
