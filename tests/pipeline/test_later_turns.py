"""A turn aligns as many long posts as its limit allows. Later turns align the others, behind other posts."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter

import pytest

from django_neardup.comparison.work_limit import alignment_units
from django_neardup.models import Document, Pair
from django_neardup.pipeline import compare_documents, drain, stored_posts
from django_neardup.pipeline.later_turns import MAX_LATER_TURNS
from django_neardup.pipeline.work_queue import mark, mark_document
from tests.pipeline.helpers import PIANO, document, post, snapshot
from tests.text.hostile import random_words

pytestmark = pytest.mark.django_db(transaction=True)

WORDS = 40
PAIR_UNITS = alignment_units(WORDS, WORDS, 9 * WORDS)
"""Work of a pair of these texts, a little more than is estimated."""


@pytest.fixture
def turn_limit(monkeypatch):
    """Set how many pairs fit into one turn."""

    def set_pairs(pairs):
        monkeypatch.setattr(stored_posts, "TURN_UNITS", pairs * PAIR_UNITS)

    return set_pairs


def variants(count):
    """Copies of one text, each with other neighbours swapped: each pair of them is a duplicate."""
    words = random_words(WORDS)
    for place in range(0, 3 * count, 3):
        yield " ".join([*words[:place], words[place + 1], words[place], *words[place + 2 :]])


def turns_of(instance):
    """Take turns one by one until nothing is pending. Return the pairs of the post after each of them."""
    pairs = []
    while drain(limit=1).has_pending:
        pairs.append(Pair.objects.filter(b=document(instance)).count())
    return [*pairs, Pair.objects.filter(b=document(instance)).count()]


def after_turns(turn_limit, turns, candidates, pairs_of_a_turn):
    """A post after so many of its turns."""
    *texts, last = variants(candidates + 1)
    for text in texts:
        post(text)
    drain()
    turn_limit(pairs_of_a_turn)
    long = post(last)
    for _ in range(turns):
        drain(limit=1)
    return long


def after_its_first_turn(turn_limit):
    """A post with five candidates. Its first turn has aligned at most two of them."""
    return after_turns(turn_limit, 1, 5, 2)


def test_later_turns_end_as_one_turn_without_a_limit(turn_limit):
    turn_limit(2)
    posts = [post(text) for text in variants(6)]
    drain()
    assert not Document.objects.exclude(unaligned=None).exists()
    limited = snapshot()
    turn_limit(100)
    for instance in posts:
        mark(instance, recheck=True)
    drain()
    assert snapshot() == limited and len(limited["pairs"]) == 15


def test_a_turn_aligns_as_much_as_its_limit_allows(turn_limit):
    *texts, last = variants(8)
    for text in texts:
        post(text)
    drain()
    turn_limit(3)
    assert turns_of(post(last)) == [3, 6, 7]


def test_other_posts_come_before_a_later_turn(turn_limit):
    *texts, last = variants(5)
    for text in texts:
        post(text)
    drain()
    turn_limit(2)
    long, other = post(last), post(PIANO)
    drain(limit=1)
    assert document(long).unaligned and document(long).pending_since
    drain(limit=1)
    assert document(other).done == 1 and document(other).pending_since is None
    assert document(long).pending_since


def test_there_are_at_most_five_later_turns(turn_limit):
    numbers = turns_of(long := after_turns(turn_limit, 0, 9, 1))
    assert len(numbers) == 1 + MAX_LATER_TURNS
    assert numbers[:-1] == [1, 2, 3, 4, 5]
    # What is left is compared by fingerprint: all words are equal.
    assert numbers[-1] == 9
    screened = Pair.objects.filter(b=document(long), doubtful=True)
    assert [pair.verdict for pair in screened] == 3 * ["related"]


def test_a_pair_that_fits_into_no_turn_is_compared_by_fingerprint(turn_limit):
    first, second = variants(2)
    post(first)
    drain()
    turn_limit(0.5)
    assert turns_of(post(second)) == [1]
    (pair,) = Pair.objects.all()
    assert (pair.verdict, pair.doubtful, pair.exact) == ("related", True, False) and pair.score == 1


def test_an_exact_copy_needs_no_work(turn_limit):
    (text,) = variants(1)
    post(text)
    drain()
    turn_limit(0)
    assert turns_of(post(text)) == [1]
    assert Pair.objects.get().exact


def test_another_text_begins_anew(turn_limit):
    long = after_its_first_turn(turn_limit)
    assert document(long).unaligned
    long.text = PIANO
    long.save()
    drain()
    assert document(long).unaligned is None
    assert not Pair.objects.filter(b=document(long)).exists()


def test_a_recheck_looks_for_all_candidates_again(turn_limit):
    long = after_its_first_turn(turn_limit)
    Document.objects.filter(pk=document(long).pk).update(recheck=True)
    drain()
    assert Pair.objects.filter(b=document(long)).count() == 5
    assert document(long).unaligned is None


@pytest.mark.parametrize("turns", [1, 3, MAX_LATER_TURNS])
def test_a_recheck_between_later_turns_is_one_of_them(turns, turn_limit):
    long = after_turns(turn_limit, turns, 9, 1)
    Document.objects.filter(pk=document(long).pk).update(recheck=True)
    # What has been compared is left out.
    assert turns_of(long) == [*range(turns + 1, 1 + MAX_LATER_TURNS), 9]
    assert Pair.objects.filter(b=document(long), verdict="duplicate").count() == 1 + MAX_LATER_TURNS


def test_a_recheck_after_the_last_later_turn_aligns_nothing(turn_limit, monkeypatch):
    long = after_turns(turn_limit, MAX_LATER_TURNS, 9, 1)
    record_reposts = compare_documents.record_reposts

    def mark_meanwhile(*arguments):
        record_reposts(*arguments)
        # As a turn does that moves its own post to another family. It leaves pairs of the former one for later.
        Pair.objects.filter(b=document(long), verdict="duplicate").first().delete()
        mark_document(document(long).pk, "default", recheck=True)

    with monkeypatch.context() as patch:
        patch.setattr(compare_documents, "record_reposts", mark_meanwhile)
        drain(limit=1)
    assert document(long).recheck and document(long).pending_since is not None
    assert turns_of(long) == [9]
    verdicts = Counter(Pair.objects.filter(b=document(long)).values_list("verdict", flat=True))
    assert verdicts == {"duplicate": MAX_LATER_TURNS, "related": 4}
    assert document(long).unaligned is None


DYING_WORKER = """
import os, signal, sys
import django
django.setup()
from django_neardup.pipeline import drain, process_documents, stored_posts
stored_posts.TURN_UNITS = int(sys.argv[1])
setattr(process_documents, sys.argv[2], lambda *arguments: os.kill(os.getpid(), signal.SIGKILL))
drain(limit=1)
"""


@pytest.mark.parametrize(
    "died_in, deaths",
    [
        ("finish_many", 1),
        pytest.param("finish_many", MAX_LATER_TURNS, marks=pytest.mark.long),
        pytest.param("send_signals", MAX_LATER_TURNS, marks=pytest.mark.long),
    ],
)
def test_a_worker_killed_behind_the_request_of_a_later_turn_loses_nothing(
    died_in, deaths, turn_limit, child_environment
):
    *texts, last = variants(6)
    for text in texts:
        post(text)
    drain()
    long = post(last)
    turn_limit(2)
    pairs = []
    while document(long).pending_since is not None:
        done = document(long).done
        if len(pairs) < deaths:
            # Each turn is taken by a process that is killed when it calls this function.
            worker = subprocess.run(
                [sys.executable, "-c", DYING_WORKER, str(2 * PAIR_UNITS), died_in], env=child_environment
            )
            assert worker.returncode == -signal.SIGKILL
            assert document(long).pending_since is not None and document(long).done == done
            # The lease of the dead worker has run out.
            Document.objects.exclude(pending_since=None).update(leased_until=1)
        drain(limit=1)
        pairs.append(Pair.objects.filter(b=document(long)).count())
        assert len(pairs) <= 1 + MAX_LATER_TURNS
    assert pairs[-1] == 5 and document(long).unaligned is None
    assert Pair.objects.filter(b=document(long), verdict="duplicate", doubtful=False).count() == 5
    limited = snapshot()
    turn_limit(100)
    mark(long, recheck=True)
    drain()
    assert snapshot() == limited


def test_an_erased_post_keeps_no_candidates(turn_limit):
    long = after_its_first_turn(turn_limit)
    found = document(long)
    assert found.unaligned
    long.delete()
    drain()
    found.refresh_from_db()
    assert (found.state, found.unaligned) == (Document.State.GONE, None)
