"""neardup_index in sorted runs comes to what the ordinary drain makes of the same posts, whoever else is at work."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest
from django.core.management import call_command
from django.db import connections

from django_neardup.models import Document, IndexRange
from tests.pipeline.families import SYLLABLES, family
from tests.pipeline.helpers import snapshot, work
from tests.pipeline.test_races import rebuild
from tests.testapp.models import Ad

pytestmark = pytest.mark.django_db(transaction=True, databases=["default"])

FAMILIES = 40
"""Few posts a family: what is compared with what is then a fact of the texts, not of the order of events."""


POSTS, KILLS = int(os.environ.get("POSTS", 400)), int(os.environ.get("KILLS", 3))
"""Of the index that is killed at random: ``make kills`` has more of both."""
SLOWEST_RATE = 500
"""Posts that an index compares in a second, at least: kills are spread by it."""


def some_text(chance, families=FAMILIES):
    words = family(chance.randrange(families))
    # Most posts are copies: another word makes another item in a text of 40 words.
    for _ in range(chance.choice([0, 0, 0, 0, 0, 1, 2, 3])):
        words[chance.randrange(len(words))] = "".join(chance.choices(SYLLABLES, k=3))
    return " ".join(words[: chance.choice([3, 20, 40, 40, 40])])


def posts(number, seed):
    chance = random.Random(seed)
    return Ad.objects.bulk_create([Ad(text=some_text(chance)) for _ in range(number)])


def command(*options):
    return [
        sys.executable, "-m", "django", "neardup_index", "--database", "default", "--no-progress", *options
    ]  # fmt: skip


def index(environment, *options, statuses=(0,)):
    timeout = 300 + POSTS // 100
    ended = subprocess.run(
        command(*options), env=environment, capture_output=True, text=True, timeout=timeout
    )
    assert ended.returncode in statuses, ended.stdout + ended.stderr


@pytest.mark.parametrize("workers", [1, 2])
def test_runs_come_to_what_the_drain_does(workers, child_environment):
    posts(140, seed=workers)
    index(child_environment, "--workers", str(workers), "--run", "30")
    by_runs = snapshot()
    assert not Document.objects.filter(pending_since__isnull=False).exists()
    assert IndexRange.objects.filter(finished=True).count() == 5 and len(by_runs["clusters"]) > 10
    rebuild()
    assert snapshot() == by_runs


def edit_or_delete(chance):
    ad = chance.choice(list(Ad.objects.all()))
    if chance.random() < 0.2:
        ad.delete()
    elif chance.random() < 0.2:
        Ad.objects.create(text=some_text(chance))
    else:
        ad.text = some_text(chance)
        ad.save()


def is_at_work():
    """Whether a run has a range of posts just now."""
    return IndexRange.objects.filter(finished=False, leased_until__gt=1).exists()


def live_keys(state):
    """The state, of keys those of posts that are there alone."""
    there = {
        (row.content_type_id, row.object_id) for row in Document.objects.exclude(state=Document.State.GONE)
    }
    return {**state, "keys": [row for row in state["keys"] if row[0] in there]}


@pytest.mark.slow
def test_killed_runs_are_taken_over_while_posts_are_edited(child_environment):
    chance, kills = random.Random(7), 0
    posts(200, seed=7)
    for pause in (0.0, 0.4, 0.8, 1.2):
        running = subprocess.Popen(
            command("--run", "40"),
            env=child_environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while not is_at_work() and running.poll() is None:
            edit_or_delete(chance)
            time.sleep(0.05)
        end = time.monotonic() + pause
        while time.monotonic() < end and running.poll() is None:
            edit_or_delete(chance)
            if chance.random() < 0.3:
                call_command("neardup_worker", once=True, database=["default"], verbosity=0)
        at_work = is_at_work()
        running.send_signal(signal.SIGKILL)
        kills += running.wait() == -signal.SIGKILL and at_work
    # Nothing waits for a lease: the next process sees that the one before was killed.
    assert kills, "no run was killed at its work"
    # On a slow machine all kills hit one range, which is then given up: its posts are left to the drain, status 1.
    index(child_environment, "--run", "40", statuses=(0, 1))
    Document.objects.update(leased_until=None)
    work()
    by_runs = live_keys(snapshot())
    assert Document.objects.filter(state=Document.State.INDEXED).count() > 100
    connections.close_all()
    rebuild()
    assert live_keys(snapshot()) == by_runs


@pytest.mark.slow
def test_an_index_that_is_killed_at_random_equals_one_that_is_not(child_environment):
    chance, killed = random.Random(11), 0
    texts = [some_text(chance, POSTS // 4) for _ in range(POSTS)]
    Ad.objects.bulk_create([Ad(text=text) for text in texts], batch_size=1000)
    while killed < KILLS:
        running = subprocess.Popen(
            command(), env=child_environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while not is_at_work():
            assert running.poll() is None, "the index was complete before it was killed as often"
            time.sleep(0.02)
        time.sleep(chance.uniform(0, POSTS / SLOWEST_RATE / KILLS))
        running.send_signal(signal.SIGKILL)
        killed += running.wait() == -signal.SIGKILL
    index(child_environment)
    killed_index = snapshot()
    assert not Document.objects.filter(pending_since__isnull=False).exists()
    connections.close_all()
    rebuild()
    assert snapshot() == killed_index
