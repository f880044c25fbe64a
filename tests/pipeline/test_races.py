"""Two twins saved at once must meet, and two edits at once must leave the newer text in the index."""

import threading

import pytest
from django.db import connections, transaction

from django_neardup.comparison.candidates import candidates_many
from django_neardup.comparison.packed_keys import unpack_keys
from django_neardup.index import keys as storage
from django_neardup.models import Document, Fingerprint, Key, Pair
from django_neardup.pipeline import process_documents, schemes, work_queue
from django_neardup.pipeline.read import read_many
from django_neardup.pipeline.sign import sign_many
from django_neardup.pipeline.stored_posts import StoredPosts
from tests.pipeline.families import family
from tests.pipeline.helpers import CAT, PIANO, SOFA, SOFA_EDITED, document, post, snapshot, work

pytestmark = [
    pytest.mark.django_db(transaction=True, databases=["default"]),
    pytest.mark.engines("postgresql", "mariadb"),
]
TRIALS = 300
CONTROL_TRIALS = 5


def both_at_once(jobs):
    """Run a function a thread, started together; errors are raised here."""
    barrier, errors = threading.Barrier(len(jobs)), []

    def run(job):
        try:
            barrier.wait(20)
            job()
        except Exception as error:
            errors.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=[job]) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(600)
    if errors:
        raise errors[0]
    assert not any(thread.is_alive() for thread in threads)


def own_turn(pk):
    row = work_queue.lease_row(Document, pk, "default", 60)
    process_documents.process_documents([row], "default")


def naive_turn(pk, both):
    """The control: look for candidates inside the transaction that stores the keys, as the twin does just then."""
    row = Document.objects.get(pk=pk)
    reads = read_many([row], "default")
    scheme = schemes.active_scheme(reads[0].adapter.settings, "default")
    (signed,), _ = sign_many(reads, scheme, "default")
    with transaction.atomic():
        Fingerprint.objects.create(
            document=row, scheme=scheme, version=row.wanted, source_digest=signed.source_digest,
            exact_digest=signed.exact_digest, word_count=signed.word_count, payload=signed.payload,
            keys=signed.keys.tobytes(),
        )  # fmt: skip
        Document.objects.filter(pk=pk).update(space=signed.space_id)
        storage.replace_keys("default", pk, (), signed.keys.tolist())
        both.wait(20)
        found = candidates_many([signed], StoredPosts.of([signed], "default"))[pk]
        both.wait(20)
    return {each.document_id for each in found.fingerprints}


def fresh_twins(number):
    """Two saved twins, unlike those of all other trials."""
    words = family(number)
    return post(" ".join(words)), post(" ".join([*words[1:], "торг"]))


def race(turn_of, trials):
    """Two threads take the turns of two twins, trial after trial, started together; the twins' ids by trial."""
    twins = [tuple(document(each).pk for each in fresh_twins(number)) for number in range(trials)]
    barrier = threading.Barrier(2, timeout=120)

    def run(side):
        for number, pair_of_twins in enumerate(twins):
            barrier.wait()
            turn_of(pair_of_twins[side], number)

    both_at_once([lambda: run(0), lambda: run(1)])
    return twins


def test_two_twins_saved_at_once_meet_in_every_trial():
    twins = race(lambda pk, number: own_turn(pk), TRIALS)
    met = set(Pair.objects.values_list("a", "b"))
    assert sum((min(each), max(each)) in met for each in twins) == TRIALS


def test_the_naive_order_loses_twins():
    post(PIANO)
    work()
    found, both = {}, threading.Barrier(2)
    twins = race(lambda pk, number: found.update({pk: naive_turn(pk, both)}), CONTROL_TRIALS)
    lost = [one for one, two in twins if one not in found[two] and two not in found[one]]
    assert len(lost) == CONTROL_TRIALS


def test_two_turns_of_one_document_leave_the_newer_text():
    one = post(SOFA)
    work()
    for text in (PIANO, CAT, SOFA) * 8:
        one.text = text
        one.save()
        first = work_queue.lease_row(Document, document(one).pk, "default", 60)
        one.text = text + " Торг."
        one.save()
        Document.objects.update(leased_until=None)
        second = work_queue.lease_row(Document, document(one).pk, "default", 60)
        both_at_once(
            [lambda row=row: process_documents.process_documents([row], "default") for row in (first, second)]
        )
        Document.objects.update(leased_until=None)
        work()
        adapter, source = process_documents.read_source(document(one), "default")
        assert Fingerprint.objects.get().source_digest == source.digest
        stored = set(Key.objects.values_list("key", flat=True))
        assert stored == set(unpack_keys(Fingerprint.objects.get().keys))


def test_four_workers_come_to_what_one_does():
    posts = [
        post(f"{text} {end}")
        for end in ("Торг.", "Звоните.", "Пишите.", "")
        for text in (SOFA, PIANO, CAT, SOFA_EDITED)
    ]
    both_at_once([work_alone] * 4)
    work()
    together = snapshot()
    rebuild()
    assert snapshot() == together and len(together["clusters"]) == 3 and len(posts) == 16


def work_alone():
    from django_neardup.pipeline import drain

    drain("default")


def rebuild():
    """The index from nothing, by the same ledger."""
    from django_neardup.models import Cluster, Membership

    for model in (Key, Fingerprint, Pair, Membership, Cluster):
        model.objects.all().delete()
    for pk in Document.objects.order_by("pk").values_list("pk", flat=True):
        work_queue.mark_document(pk, "default", recheck=True)
    work()
