"""A worker stands still for longer than its lease. What it read is older than what others have answered."""

from __future__ import annotations

import pytest

from django_neardup.models import Document, Fingerprint
from django_neardup.pipeline import drain, process_documents
from django_neardup.pipeline.read import read_many
from tests.pipeline.helpers import CAT, PIANO, SOFA, document, work
from tests.testapp.models import ScopedPost

pytestmark = pytest.mark.django_db(transaction=True, databases=["default"])


@pytest.fixture
def stand_still(monkeypatch):
    """Let the first worker stand still before a step, while something happens and a second worker comes."""

    def before(name, happens):
        step, calls = getattr(process_documents, name), []

        def late_step(*arguments):
            if not calls:
                calls.append(name)
                happens()
                Document.objects.update(leased_until=None)
                assert not drain().has_pending
            return step(*arguments)

        monkeypatch.setattr(process_documents, name, late_step)
        return calls

    return before


@pytest.mark.parametrize("others", [0, 2], ids=["alone", "in a batch"])
@pytest.mark.parametrize(
    "change", [{"text": PIANO}, {"site": 2}, {"text": "Нет"}], ids=["another text", "a move", "too short"]
)
def test_an_edit_that_was_taken_back(stand_still, change, others):
    """The second worker finds the post unchanged, and writes nothing but that it has answered."""
    post = ScopedPost.objects.create(site=1, text=SOFA)
    work()
    before = {name: getattr(post, name) for name in change}
    for number in range(others):
        ScopedPost.objects.create(site=1, text=f"{CAT} {number}")

    def save(values):
        for name, value in values.items():
            setattr(post, name, value)
        post.save()

    save(change)
    step = "erase_document" if change.get("text") == "Нет" else "store_many"
    assert stand_still(step, lambda: save(before)) == []
    drain()
    assert not Document.objects.filter(pending_since__isnull=False).exists()
    row = document(post)
    (read,) = read_many([row], "default")
    assert row.state == "indexed" and row.space.scope == '["1"]'
    assert Fingerprint.objects.get(document=row).source_digest == read.source.digest


@pytest.mark.parametrize("days", [0, 30])
def test_a_deletion_that_was_undone(stand_still, settings, days):
    """With a memory of deleted posts, and without one."""
    settings.NEARDUP = {"default": {**settings.NEARDUP["default"], "MEMORY_DAYS": days}}
    post = ScopedPost.objects.create(site=1, text=SOFA)
    work()
    key = post.pk
    post.delete()
    post.pk = key
    stand_still("remember_deleted" if days else "erase_document", lambda: post.save(force_insert=True))
    drain()
    assert not Document.objects.filter(pending_since__isnull=False).exists()
    assert (
        document(post).state == "indexed" and Fingerprint.objects.get(document=document(post)).source_digest
    )
