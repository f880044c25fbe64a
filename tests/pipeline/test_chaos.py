"""Workers killed with -9 at random while posts are saved and edited: nothing is lost."""

import random
import signal
import subprocess
import sys
import time

import pytest

from django_neardup.models import Document
from tests.testapp.models import Ad

from .families import SYLLABLES, family
from .helpers import snapshot, work
from .test_races import rebuild

POSTS = 500
KILLS = 12
FAMILIES = 60
"""Few posts a family: what is compared with what is then a fact of the texts, not of the order of events."""


@pytest.mark.slow
@pytest.mark.django_db(transaction=True, databases=["default"])
@pytest.mark.engines("postgresql", "mariadb")
def test_killed_workers_lose_nothing(child_environment):
    seed = random.randrange(10**6)
    chance, saved = random.Random(seed), []
    print(f"seed {seed}")
    worker = start(child_environment)
    try:
        kill_at = set(chance.sample(range(20, POSTS), KILLS))
        for number in range(POSTS):
            save_or_edit(chance, saved)
            if number in kill_at:
                worker.send_signal(signal.SIGKILL)
                worker.wait()
                # A post on which one worker after another dies is given up: here the deaths are not its fault.
                Document.objects.filter(leased_until__isnull=False).update(leased_until=1, attempts=0)
                worker = start(child_environment)
                time.sleep(chance.uniform(0.2, 0.8))
    finally:
        worker.send_signal(signal.SIGKILL)
        worker.wait()
    Document.objects.filter(leased_until__isnull=False).update(leased_until=None)
    work()
    odd = Document.objects.exclude(state__in=[Document.State.INDEXED, Document.State.GONE])
    assert not list(odd.values_list("object_id", "state", "reason"))
    after_the_kills = snapshot()
    assert Document.objects.filter(state=Document.State.INDEXED).count() == Ad.objects.count()
    rebuild()
    assert snapshot() == after_the_kills


def start(environment):
    command = [sys.executable, "-m", "django", "neardup_worker", "--poll", "0.05", "--verbosity", "0"]
    command += ["--database", "default"]  # the other may not exist: a worker that cannot start proves nothing
    return subprocess.Popen(command, env=environment)


def some_text(chance):
    words = family(chance.randrange(FAMILIES))
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
