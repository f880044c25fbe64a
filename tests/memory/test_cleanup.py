"""neardup_cleanup and the worker's searches."""

import io
import signal
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from django_neardup.management.commands import neardup_worker
from django_neardup.models import Document, Fingerprint, Hold, Key
from django_neardup.models import TermStatistics as Snapshot
from django_neardup.pipeline.deleted_posts import remembered_documents
from tests.memory.helpers import deleted, repeated
from tests.pipeline.helpers import CAT, PIANO, SOFA, document, post, work
from tests.testapp.models import Ad

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "other"])


def run(*args):
    out = io.StringIO()
    call_command("neardup_cleanup", "--no-progress", *args, stdout=out)
    return out.getvalue()


def over(gone):
    """The days of that one are over."""
    Document.objects.filter(pk=gone.pk).update(forget_at=timezone.now() - timedelta(seconds=1))


def test_what_is_past_its_days_is_forgotten_and_told(memory):
    gone, kept, again = deleted(SOFA), deleted(PIANO), post(SOFA)
    work()
    over(gone)
    for number in range(4):
        Snapshot.objects.create(profile="default", number=number + 1, digest=f"{number:032}", packed=b"")
    Hold.objects.create(document=kept)
    told = "1 deleted post, 1 hold of a deleted post, 2 unused statistics"
    assert run("--dry-run", "--database", "default") == f"default, would be removed: {told}.\n"
    assert (
        remembered_documents("default").count() == 2
        and Hold.objects.exists()
        and repeated(again) == (gone.pk, True)
    )
    assert run() == f"default, removed: {told}.\nother, removed: nothing.\n"
    assert remembered_documents("default").get() == kept and repeated(again) == (None, None)
    assert run("--database", "default") == "default, removed: nothing.\n"


def test_more_than_a_slice_goes_in_one_run(memory, monkeypatch):
    monkeypatch.setattr("django_neardup.pipeline.deleted_posts.purge.__defaults__", (1,))
    for text in (SOFA, PIANO, CAT):
        deleted(text)
    memory(0)
    assert "3 deleted posts" in run("--database", "default")
    assert not Key.objects.exists() and not Fingerprint.objects.exists()


def test_posts_are_erased_by_name(memory):
    gone, kept = deleted(SOFA), deleted(PIANO)
    name = f"testapp.Ad:{gone.object_id}"
    assert run("--erase", name, "--dry-run") == f"testapp.Ad {gone.object_id}: would be erased.\n"
    assert run("--erase", name) == f"testapp.Ad {gone.object_id}: erased.\n"
    assert run("--erase", name) == f"testapp.Ad {gone.object_id}: no data is stored.\n"
    assert remembered_documents("default").get() == kept


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("testapp.Nothing:1", "no model 'testapp.Nothing'"),
        ("17", "no model '17'"),
        ("testapp.Ad:", "is not a valid key of testapp.Ad"),
        ("testapp.Ad:first", "is not a valid key of testapp.Ad"),
        ("testapp.Author:1", "has no adapter"),
    ],
)
def test_what_cannot_be_erased(name, said):
    with pytest.raises(CommandError, match=said) as error:
        run("--erase", name)
    assert error.value.returncode == 1


def test_a_post_that_is_there_is_not_erased(memory):
    made = post(SOFA)
    work()
    with pytest.raises(CommandError, match="is not deleted: delete it first"):
        run("--erase", f"testapp.Ad:{made.pk}")
    assert document(made).state == Document.State.INDEXED and Ad.objects.exists() and Key.objects.exists()


class Elsewhere:
    """Adverts are not in the other database, though it has a table of that name."""

    def allow_migrate(self, db, app_label, model_name=None, **hints):
        return False if (db, model_name) == ("other", "ad") else None


def test_only_databases_that_hold_the_model_are_asked(memory, settings):
    gone = deleted(SOFA)
    Ad.objects.using("other").create(pk=int(gone.object_id), text=SOFA)
    settings.DATABASE_ROUTERS = [f"{__name__}.Elsewhere"]
    assert run("--erase", f"testapp.Ad:{gone.object_id}").endswith(": erased.\n")


@pytest.mark.engine_alike
def test_of_tables_that_no_migration_makes_the_router_tells_nothing(memory, settings, monkeypatch):
    gone = deleted(SOFA)
    name, options = f"testapp.Ad:{gone.object_id}", ("--database", "other")
    monkeypatch.setattr(Ad._meta, "managed", False)
    monkeypatch.setattr(
        Elsewhere, "allow_migrate", lambda *args, model_name=None, **hints: model_name != "ad"
    )
    settings.DATABASE_ROUTERS = [f"{__name__}.Elsewhere"]
    assert run("--erase", name).endswith(": erased.\n")
    monkeypatch.setattr(Ad._meta, "db_table", "testapp_absent")
    with pytest.raises(CommandError, match=r"testapp\.Ad cannot be read in the database 'other'"):
        run("--erase", name, *options)


@pytest.mark.engine_alike
@pytest.mark.parametrize("options", [(), ("--database", "other")])
def test_without_our_tables_there_is_nothing_to_forget(monkeypatch, options):
    monkeypatch.setattr(Document._meta, "db_table", "neardup_absent")
    with pytest.raises(CommandError, match="Run migrate first"):
        run(*options)


@pytest.mark.parametrize("turns", [0, 1])
def test_a_worker_forgets_whether_it_has_anything_to_do_or_not(memory, monkeypatch, turns):
    gone = deleted(SOFA)
    over(gone)
    monkeypatch.setattr(neardup_worker, "drain", lambda *args, **options: SimpleNamespace(processed=turns))

    class Stop:
        """Ends the worker when it has nothing left to do, or after few passes."""

        left = 3

        def is_set(self):
            self.left -= 1
            return self.left < 0

        def set(self):
            self.left = 0

        def wait(self, seconds):
            self.left = 0

    monkeypatch.setattr(neardup_worker.threading, "Event", Stop)
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        call_command("neardup_worker", "--poll", "0.01", stdout=io.StringIO())
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert not remembered_documents("default").exists() and not Key.objects.exists()
