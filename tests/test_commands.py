"""neardup_index and neardup_worker, as an operator meets them."""

import contextlib
import io

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from django_neardup.adapters import adapter_for
from django_neardup.conf import get_profile
from django_neardup.db.backends import mysql
from django_neardup.management import index_run
from django_neardup.models import LIVE_FIRST_SEEN, Cluster, Document, Scheme
from django_neardup.pipeline import decide, mark_key, objects_of
from django_neardup.pipeline.backfill import begin_pass, process_ranges, ranges, should_pack
from django_neardup.pipeline.statistics_builder import texts_of
from tests.pipeline.helpers import (
    CAT,
    PIANO,
    SOFA,
    SOFA_EDITED,
    cluster,
    document,
    post,
    snapshot,
    work,
)
from tests.testapp.models import Ad, SlugPost

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "other"])


def run(*args, **options):
    out = io.StringIO()
    call_command(*args, stdout=out, no_progress=True, **options) if args[
        0
    ] == "neardup_index" else call_command(*args, stdout=out, **options)
    return out.getvalue()


def bulk(*texts):
    """Posts that no signal told of."""
    return Ad.objects.bulk_create([Ad(text=text) for text in texts])


def test_index_builds_groups_and_sums_up():
    bulk(SOFA, SOFA_EDITED, PIANO, "диван")
    out = run("neardup_index")
    assert out.splitlines()[-1] == "3 posts, 1 group, 1 duplicate. Review them at /admin/neardup/queue/"
    assert Scheme.objects.get().progress["testapp.ad"]["finished"]


@pytest.mark.engines("mariadb")
def test_index_is_made_though_a_long_transaction_keeps_it_from_being_packed(monkeypatch):
    monkeypatch.setattr(index_run, "MIN_POSTS_TO_PACK", 1)
    monkeypatch.setattr(mysql, "LOCK_WAIT_SECONDS", 1)
    bulk(SOFA, SOFA_EDITED)
    other, said = connection.copy(), io.StringIO()
    with contextlib.closing(other), other.cursor() as cursor:
        other.set_autocommit(False)
        cursor.execute("SELECT count(*) FROM neardup_key")
        out = run("neardup_index", stderr=said)
        other.rollback()
    assert "2 posts, 1 group" in out and "could not be packed" in said.getvalue()
    assert not Scheme.objects.get().progress["testapp.ad"]["packed"]


def test_the_key_table_is_packed_once_after_it_was_filled(monkeypatch):
    """Nor where few posts were indexed, nor where all is left to a worker; again where another scheme fills it."""
    packed = []
    monkeypatch.setattr(index_run, "MIN_POSTS_TO_PACK", 4)
    monkeypatch.setattr(index_run, "compact", packed.append)
    bulk(SOFA, SOFA_EDITED, PIANO)
    times = []
    for options in [], ["--no-drain"], [], ["--restart"], ["--rebuild", "--no-drain"], ["--rebuild"], []:
        run("neardup_index", *options)
        times.append(len(packed))
        if not options:
            bulk(CAT)
    assert times == [0, 0, 1, 1, 1, 2, 2]


def test_a_first_index_that_was_broken_off_is_packed_too(monkeypatch):
    packed = []
    monkeypatch.setattr(index_run, "MIN_POSTS_TO_PACK", 4)
    monkeypatch.setattr(index_run, "compact", packed.append)
    bulk(SOFA, SOFA_EDITED, PIANO, CAT)
    first, second = begin_pass(adapter_for(Ad), "default"), begin_pass(adapter_for(Ad), "default")
    ranges.claim_range(first, 2).finish()
    run("neardup_index")
    assert packed == ["default"] and not should_pack(second, 4)


def test_old_posts_come_before_live_ones_in_key_order():
    old = bulk(SOFA, SOFA_EDITED)
    live = post(PIANO)
    run("neardup_index")
    later = post(SOFA)
    work()
    numbers = [document(each).first_seen for each in (*old, live)]
    assert numbers == sorted(numbers) and numbers[-1] < document(later).first_seen == LIVE_FIRST_SEEN
    assert cluster(later).leader == document(old[0])


def test_it_resumes_where_it_stopped():
    posts = bulk(*(f"{SOFA} {number}" for number in range(7)))
    work = begin_pass(adapter_for(Ad), "default")

    def stop(phase, through):
        if work.counts().compared >= 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        process_ranges(work, 2, stop)
    assert Document.objects.count() in (4, 6)
    left = 7 - work.ranges.filter(finished=True).count() * 2
    assert f"testapp.Ad: {left} of 7 posts would be read" in run("neardup_index", dry_run=True)
    assert "testapp.Ad: 7 posts would be read" in run("neardup_index", dry_run=True, restart=True)
    run("neardup_index")
    assert "testapp.Ad: 7 posts would be read" in run("neardup_index", dry_run=True)
    assert [document(each).first_seen for each in posts] == list(range(1, 8))


def test_no_drain_leaves_all_to_a_worker():
    posts = bulk(SOFA, SOFA_EDITED, PIANO)
    assert "testapp.Ad: marked 3 posts in" in run("neardup_index", no_drain=True)
    assert [document(each).state for each in posts] == ["pending"] * 3
    work()
    assert cluster(posts[0]) == cluster(posts[1]) is not None


def test_an_interrupted_build_equals_an_undisturbed_one():
    bulk(SOFA, SOFA_EDITED, PIANO, SOFA + " Торг.")
    run("neardup_index")
    first = snapshot()
    run("neardup_index", restart=True)
    assert snapshot() == first


def test_rebuild_signs_anew_by_other_settings_and_keeps_decisions(settings):
    one, two, three, four = bulk(SOFA, SOFA_EDITED, PIANO, PIANO + " Торг.")
    run("neardup_index")
    before = snapshot()
    decide("different", [document(one), document(two)], None, "default")
    settings.NEARDUP = {"default": {"OPTIONS": {"word_guard": False}}}
    out = run("neardup_index", rebuild=True)
    assert "generation 2" in out and "1 group, 1 duplicate" in out
    assert cluster(three) == cluster(four) is not None and cluster(one) is None
    after = snapshot()
    assert len(after["keys"]) == len(before["keys"]) and not {*after["keys"]} & {*before["keys"]}
    assert set(after["pairs"]) == set(before["pairs"])


def test_rebuild_takes_no_models():
    with pytest.raises(CommandError, match="Do not name models"):
        run("neardup_index", "testapp.Ad", rebuild=True)


@pytest.mark.parametrize("option", ["rebuild", "restart"])
def test_reconcile_goes_with_no_new_beginning(option):
    with pytest.raises(CommandError, match="Do not combine --reconcile"):
        run("neardup_index", reconcile=True, **{option: True})


def test_a_comparison_that_is_only_to_tell_makes_no_scheme():
    bulk(SOFA, SOFA_EDITED)
    assert "testapp.Ad: 2 missing in the index" in run("neardup_index", reconcile=True, dry_run=True)
    assert not Scheme.objects.exists() and not Document.objects.exists()


def test_dry_run_changes_nothing():
    bulk(SOFA, SOFA_EDITED)
    assert "testapp.Ad: 2 posts would be read and compared." in run("neardup_index", dry_run=True)
    assert not Document.objects.exists()


def test_reconcile_finds_what_no_signal_told():
    stays, changes, goes = post(SOFA), post(PIANO), post(PIANO + " Торг.")
    work()
    Ad.objects.filter(pk=changes.pk).update(text=SOFA_EDITED)
    Ad.objects.filter(pk=goes.pk)._raw_delete("default")
    (new,) = bulk(SOFA + " Звоните.")
    out = run("neardup_index", "testapp.Ad", reconcile=True, dry_run=True)
    assert out.startswith("testapp.Ad: 1 missing in the index, 1 changed, 1 deleted (dry run).")
    run("neardup_index", "testapp.Ad", reconcile=True)
    assert cluster(stays) == cluster(changes) == cluster(new) is not None
    assert Document.objects.get(object_id=str(goes.pk)).state == Document.State.GONE
    assert run("neardup_index", "testapp.Ad", reconcile=True).startswith(
        "testapp.Ad: 0 missing in the index, 0 changed, 0 deleted."
    )


@pytest.mark.engine_alike
def test_documents_whose_id_is_no_key_are_gone():
    """As marks of objects without one made them; ever since they were set aside."""
    for key in (None, "x"):
        mark_key(adapter_for(Ad), key, "default")
    Document.objects.update(state=Document.State.QUARANTINED, done=1, pending_since=None)
    assert objects_of(Document.objects.all(), "default") == {}
    for told in ("2 deleted.", "0 deleted."):
        assert run("neardup_index", "testapp.Ad", reconcile=True).splitlines()[0].endswith(told)
    assert {each.state for each in Document.objects.all()} == {Document.State.GONE}


def test_unregistered_models_are_named_with_those_that_are():
    with pytest.raises(
        CommandError, match=r"Not registered: testapp\.Unregistered\. Registered models: testapp\.ad"
    ):
        run("neardup_index", "testapp.Unregistered")


class Apart:
    """Of the site's posts the other database holds adverts alone."""

    def allow_migrate(self, db, app_label, model_name=None, **hints):
        return model_name == "ad" if (db, app_label) == ("other", "testapp") else None


@pytest.fixture
def apart(settings):
    settings.DATABASE_ROUTERS = [f"{__name__}.Apart"]
    Ad.objects.using("other").bulk_create([Ad(text=SOFA), Ad(text=SOFA_EDITED)])


@pytest.mark.parametrize("options", [{"dry_run": True}, {"reconcile": True}, {"rebuild": True}])
def test_only_models_that_the_database_holds_are_read(apart, options):
    out = run("neardup_index", database="other", **options)
    assert {line.split(":")[0] for line in out.splitlines() if line.startswith("testapp.")} == {"testapp.Ad"}


def test_a_model_that_the_database_does_not_hold_is_refused(apart):
    with pytest.raises(
        CommandError, match=r"Not in the database 'other': testapp.Topic. Models in it: testapp.ad"
    ):
        run("neardup_index", "testapp.Topic", database="other")


def test_words_are_counted_in_models_that_the_database_holds(apart):
    SlugPost.objects.using("other").create(slug="elsewhere", text=SOFA)
    assert len(list(texts_of(get_profile(), "other"))) == 2


def test_worker_once_works_off_what_waits():
    one, two = post(SOFA), post(SOFA_EDITED)
    assert run("neardup_worker", once=True) == "2 posts processed.\n"
    assert cluster(one) == cluster(two) is not None


def test_a_search_finds_posts_saved_without_a_mark():
    from django_neardup.pipeline.reconcile import mark_missing

    run("neardup_index")
    (lost,) = bulk(SOFA)
    assert mark_missing("default") == 1 and mark_missing("default") == 0
    work()
    assert document(lost).state == Document.State.INDEXED and not Cluster.objects.exists()


@pytest.mark.parametrize("command", ["neardup_index", "neardup_statistics", "neardup_worker"])
def test_help(command, capsys):
    with pytest.raises(SystemExit):
        call_command(command, "--help")
    assert "usage" in capsys.readouterr().out
