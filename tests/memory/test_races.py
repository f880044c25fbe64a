"""A deletion and a repost at once: whichever turn comes first, the repost is noticed, and nobody waits for ever."""

import threading
from datetime import timedelta

import pytest
from django.utils import timezone

from django_neardup.models import Document, Fingerprint, Pair
from django_neardup.pipeline import process_documents, work_queue
from django_neardup.pipeline.deleted_posts import purge
from tests.memory.helpers import deleted, repeated
from tests.pipeline.families import family
from tests.pipeline.helpers import document, post, work
from tests.pipeline.test_races import both_at_once
from tests.testapp.models import Ad

pytestmark = [
    pytest.mark.django_db(transaction=True, databases=["default"]),
    pytest.mark.engines("postgresql", "mariadb"),
]
TRIALS = 60


def own_turn(pk):
    row = work_queue.lease_row(Document, pk, "default", 60)
    if row is not None:
        process_documents.process_documents([row], "default")


@pytest.mark.parametrize("edit", ["", " торг"])
def test_a_deletion_and_a_repost_at_once(memory, edit):
    texts = [" ".join(family(number)) for number in range(TRIALS)]
    olds = [post(text) for text in texts]
    work()
    gone = [document(old).pk for old in olds]
    Ad.objects.all().delete()
    new = [post(text + edit) for text in texts]
    again = [document(each).pk for each in new]
    barrier = threading.Barrier(2, timeout=120)

    def run(documents):
        for pk in documents:
            barrier.wait()
            own_turn(pk)

    both_at_once([lambda: run(gone), lambda: run(again)])
    work()
    assert [repeated(each) for each in new] == [(pk, not edit) for pk in gone]
    assert not Pair.objects.exists()


def test_forgetting_and_living_again_at_once(memory):
    gone = [deleted(" ".join(family(number))) for number in range(TRIALS // 3)]
    Document.objects.update(forget_at=timezone.now() - timedelta(seconds=1))
    for number, each in enumerate(gone):
        Ad.objects.create(pk=int(each.object_id), text=" ".join(family(1000 + number)))
    numbers = [each.pk for each in gone]
    both_at_once([lambda: [own_turn(pk) for pk in numbers], lambda: [purge("default", 1) for _ in numbers]])
    work()
    assert set(Document.objects.values_list("state", "forget_at")) == {(Document.State.INDEXED, None)}
    assert Fingerprint.objects.exclude(source_digest="").count() == len(gone)
