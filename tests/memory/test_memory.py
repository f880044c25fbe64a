"""Deleted posts that are remembered: what is kept of them, who repeats them, and how they are forgotten."""

import io
import re
import uuid
from datetime import timedelta
from functools import partial

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

import django_neardup as neardup
from django_neardup import registry
from django_neardup.adapters import adapter_for
from django_neardup.conf import get_profile
from django_neardup.db.queries import documents as document_queries
from django_neardup.models import (
    Cluster,
    Contact,
    Document,
    Fingerprint,
    Key,
    Membership,
    MergeRecord,
    Pair,
)
from django_neardup.moderation import ActionContext, merge
from django_neardup.pipeline import drain, mark, mark_document, mark_key, process_documents
from django_neardup.pipeline.decisions import decide
from django_neardup.pipeline.deleted_posts import (
    erase_now,
    expired_documents,
    format_deletion_time,
    parse_deletion_time,
    purge,
    remembered_documents,
)
from django_neardup.pipeline.schemes import begin_generation
from tests.memory.helpers import deleted, repeated
from tests.pipeline.families import family
from tests.pipeline.helpers import (
    CAT,
    PIANO,
    PILES,
    SOFA,
    SOFA_EDITED,
    cluster,
    document,
    pair,
    post,
    work,
)
from tests.testapp.models import Ad, Article, LongArticle
from tests.testapp.neardup import NoticeNeardup
from tests.testapp.zoo import Bulletin, Notice

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "other"])


def test_nothing_is_remembered_unless_a_site_asks_for_it():
    gone = deleted(SOFA)
    gone.refresh_from_db()
    assert gone.forget_at is None and not Key.objects.exists() and not Fingerprint.objects.exists()
    again = post(SOFA)
    work()
    assert repeated(again) == (None, None)


def test_a_remembered_post_keeps_what_finds_it_and_nothing_else(memory):
    gone = deleted(PILES.format("С140.35") + " mail@example.com", phone="+7 495 123-45-67")
    gone.refresh_from_db()
    assert gone.state == Document.State.GONE and gone.live
    assert timedelta(days=29) < gone.forget_at - timezone.now() < timedelta(days=31)
    assert abs(parse_deletion_time(gone.reason) - timezone.now()) < timedelta(minutes=5)
    kept = Fingerprint.objects.get()
    assert (
        kept.keys and kept.payload and kept.source_digest == "" and re.fullmatch("[0-9a-f]{16}", kept.codes)
    )
    assert Key.objects.exists() and not Contact.objects.exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [(SOFA, True), (SOFA.upper(), True), (SOFA_EDITED, False), (PIANO, None), (SOFA[:90], None)],
)
def test_a_repost_is_noticed(memory, text, said):
    gone, again = deleted(SOFA), post(text)
    work()
    assert repeated(again) == ((None, None) if said is None else (gone.pk, said))
    assert not Pair.objects.exists() and not Cluster.objects.exists()
    assert cluster(again) is None and document(again).state == Document.State.INDEXED


@pytest.mark.parametrize("algorithm", ["winnowing", "simhash", "megashingles", "md5"])
def test_any_algorithm_notices_a_copy(memory, algorithm):
    memory(30, ALGORITHM=algorithm)
    text = " ".join(word for number in range(4) for word in family(number))
    gone, again, other = deleted(text), post(text.upper()), post(PIANO)
    work()
    assert repeated(again) == (gone.pk, True) and repeated(other) == (None, None)


def test_indexing_again_notices_too_and_keeps_the_memory(memory):
    index = partial(call_command, "neardup_index", no_progress=True, stdout=io.StringIO())
    post(CAT)
    index()
    gone = deleted(SOFA)
    again, other = Ad.objects.bulk_create([Ad(text=SOFA), Ad(text=PIANO)])
    for options in ({"reconcile": True}, {}, {"restart": True}):
        index(**options)
        assert repeated(again) == (gone.pk, True) and repeated(other) == (None, None)
        assert remembered_documents("default").get() == gone


def test_a_new_scheme_ends_the_memory(memory):
    gone, again = deleted(SOFA), post(SOFA)
    work()
    call_command("neardup_index", rebuild=True, no_progress=True, stdout=io.StringIO())
    assert repeated(again) == (None, None) and purge("default") == 1
    _is_forgotten(gone)
    assert set(Key.objects.values_list("document", flat=True)) == {document(again).pk}


def test_another_model_number_is_another_advert(memory):
    gone, other, same = (
        deleted(PILES.format("С140.35")),
        post(PILES.format("С90.30")),
        post("Срочно! " + PILES.format("С140.35")),
    )
    work()
    assert repeated(other) == (None, None) and repeated(same) == (gone.pk, False)


def test_the_likest_is_repeated_an_exact_copy_first_the_newest_of_equals(memory):
    edited, older = deleted(SOFA_EDITED), deleted(SOFA)
    newer = deleted(SOFA)
    again, changed = post(SOFA), post(SOFA_EDITED + " Торг.")
    work()
    assert repeated(again) == (newer.pk, True) and newer.pk > older.pk
    assert repeated(changed) == (edited.pk, False)


def test_a_post_that_was_there_first_repeats_nothing(memory):
    first = post(SOFA)
    deleted(SOFA)
    mark(first, recheck=True)
    work()
    assert repeated(first) == (None, None)


def test_it_is_noticed_too_where_the_old_one_is_deleted_after_the_repost(memory):
    old, new = post(SOFA), post(SOFA_EDITED)
    work()
    assert cluster(old) == cluster(new) is not None
    number = document(old).pk
    old.delete()
    work()
    assert repeated(new) == (number, False) and not Pair.objects.exists() and not Cluster.objects.exists()


def test_what_was_merged_is_not_remembered_it_lives_on(memory):
    old, new = post(SOFA), post(SOFA)
    work()
    kind = document(old).content_type
    MergeRecord.objects.create(action="merge", batch=uuid.uuid4(), loser_type=kind, loser_id=str(old.pk))
    old.delete()
    work()
    assert not remembered_documents("default").exists() and repeated(new) == (None, None)


def test_what_was_merged_as_the_child_that_it_is_is_not_remembered_either(memory):
    keeper, old = (LongArticle.objects.create(text=text) for text in (SOFA, SOFA_EDITED))
    work()
    assert cluster(Article(pk=keeper.pk)) == cluster(Article(pk=old.pk)) is not None
    merge(keeper, [old], ActionContext())
    work()
    assert not remembered_documents("default").exists()


class TestChildrenWithKeysOfTheirOwn:
    @pytest.fixture
    def bulletins(self, memory, monkeypatch):
        """Three, each of whose numbers is the key of another's notice."""
        adapter = NoticeNeardup(Notice)
        monkeypatch.setitem(registry._registry, Notice, adapter)
        notices = [Notice.objects.create(text=text) for text in (SOFA, CAT, PIANO)]
        for notice, other in zip(notices, (notices[1], notices[2], notices[0]), strict=True):
            Bulletin(number=other.pk, notice=notice, text=notice.text).save()
            mark(notice)
        work()
        return [Bulletin.objects.get(text=notice.text) for notice in notices]

    def test_one_that_was_merged_is_not_remembered_and_no_other_is_taken_for_it(self, bulletins):
        keeper, merged, deleted = bulletins
        gone = [merged.notice_id, deleted.notice_id]
        merge(keeper, [merged], ActionContext())
        Notice.objects.get(pk=deleted.notice_id).delete()
        for key in gone:
            mark_key(adapter_for(Notice), key, "default")
        work()
        assert [each.object_id for each in remembered_documents("default")] == [str(gone[1])]


def test_an_edit_ends_the_repetition(memory):
    gone, again = deleted(SOFA), post(SOFA)
    work()
    assert repeated(again) == (gone.pk, True)
    again.text = CAT
    again.save()
    work()
    assert repeated(again) == (None, None)


def test_hidden_posts_are_twins_as_ever(memory):
    hidden, shown = post(SOFA, published=False), post(SOFA)
    work()
    assert repeated(shown) == (None, None) and remembered_documents("default").count() == 0
    assert pair(hidden, shown) is not None


def test_living_twins_are_grouped_round_a_remembered_one(memory):
    gone, one, two = deleted(SOFA), post(SOFA), post(SOFA)
    work()
    assert cluster(one) == cluster(two) and cluster(one).size == 2
    assert repeated(one) == repeated(two) == (gone.pk, True)
    assert not Pair.objects.filter(a=gone.pk).exists() and not Pair.objects.filter(b=gone.pk).exists()


@pytest.mark.parametrize("kind", ["same", "different"])
@pytest.mark.parametrize("which", [0, 1, 2])
def test_decisions_do_not_bring_a_remembered_one_back(memory, kind, which):
    posts = [post(text) for text in (SOFA, PIANO, CAT)]
    work()
    decide(kind, [document(each) for each in posts], None, "default")
    work()
    posts.pop(which).delete()
    work()
    for each in posts:
        mark(each, recheck=True)
    work()
    members = [document(each) for each in posts] if kind == "same" else []
    assert [each.document for each in Membership.objects.order_by("document")] == members
    assert list(Cluster.objects.values_list("size", "leader")) == [(2, each.pk) for each in members[:1]]


def test_a_remembered_post_is_never_asked_for(memory):
    gone = deleted(SOFA)
    before = Document.objects.get(pk=gone.pk)
    post(SOFA), post(SOFA_EDITED)
    work()
    after = Document.objects.get(pk=gone.pk)
    assert (after.wanted, after.done, after.forget_at) == (before.wanted, before.done, before.forget_at)


def test_another_turn_does_not_make_its_time_longer(memory):
    gone = deleted(SOFA)
    Document.objects.filter(pk=gone.pk).update(
        forget_at=F("forget_at") - timedelta(days=3), reason="2026-01-02 03:04:05+00:00"
    )
    before = Document.objects.get(pk=gone.pk)
    mark_document(gone.pk, "default", recheck=True)
    work()
    after = Document.objects.get(pk=gone.pk)
    assert (after.forget_at, after.reason, after.state) == (before.forget_at, before.reason, before.state)
    assert Key.objects.exists()


def test_an_object_of_the_same_number_ends_the_memory(memory):
    gone = deleted(SOFA)
    again = Ad.objects.create(pk=int(gone.object_id), text=PIANO)
    work()
    alive = document(again)
    assert alive.pk == gone.pk and alive.state == Document.State.INDEXED and alive.forget_at is None
    assert Fingerprint.objects.get().source_digest
    other = post(SOFA)
    work()
    assert repeated(other) == (None, None) and purge("default") == 0


def test_one_that_is_not_compared_any_more_ends_it_too(memory):
    gone = deleted(SOFA)
    Ad.objects.create(pk=int(gone.object_id), text="")
    work()
    gone.refresh_from_db()
    assert gone.state == Document.State.SKIPPED and gone.forget_at is None and not Key.objects.exists()


def _is_forgotten(gone):
    gone.refresh_from_db()
    assert (gone.forget_at, gone.reason, gone.state, gone.live) == (None, "", Document.State.GONE, False)
    assert not Fingerprint.objects.filter(document=gone).exists()
    assert not Key.objects.filter(document=gone.pk).exists()


def _days_are_over(gone, memory):
    Document.objects.filter(pk=gone.pk).update(forget_at=timezone.now() - timedelta(seconds=1))


def _fewer_days(gone, memory):
    Document.objects.filter(pk=gone.pk).update(
        reason=format_deletion_time(timezone.now() - timedelta(days=10))
    )
    assert not expired_documents("default").exists()
    memory(9)


def _switched_off(gone, memory):
    memory(0)


def _rebuilt(gone, memory):
    begin_generation(get_profile(), "default")


@pytest.mark.parametrize("ends", [_days_are_over, _fewer_days, _switched_off, _rebuilt])
def test_what_is_over_is_forgotten(memory, ends):
    gone, again, other = deleted(SOFA), post(SOFA), deleted(PIANO)
    work()
    assert repeated(again) == (gone.pk, True) and purge("default") == 0
    ends(gone, memory)
    assert purge("default") == (1 if ends in (_days_are_over, _fewer_days) else 2)
    _is_forgotten(gone)
    assert repeated(again) == (None, None)
    assert remembered_documents("default").filter(pk=other.pk).exists() == (
        ends in (_days_are_over, _fewer_days)
    )


@pytest.mark.engines("sqlite")
def test_sites_without_time_zones_remember_too(memory, settings):
    settings.USE_TZ = False
    gone, again = deleted(SOFA), post(SOFA)
    work()
    gone.refresh_from_db()
    assert repeated(again) == (gone.pk, True) and timezone.is_naive(gone.forget_at)
    assert abs(parse_deletion_time(gone.reason) - timezone.now()) < timedelta(minutes=5)
    assert purge("default") == 0
    _days_are_over(gone, memory)
    assert purge("default") == 1


def test_a_million_years_are_as_good_as_a_hundred(memory):
    memory(365 * 10**6)
    gone, again = deleted(SOFA), post(SOFA)
    work()
    assert repeated(again) == (gone.pk, True) and purge("default") == 0
    gone.refresh_from_db()
    assert gone.forget_at - timezone.now() > timedelta(days=36_000)


def test_no_more_than_a_slice_is_forgotten_at_once(memory):
    for number in range(3):
        deleted(f"{SOFA} Квартира {number}, подъезд {number}.")
    memory(0)
    assert [purge("default", limit=2) for _ in range(3)] == [2, 1, 0]
    assert not Key.objects.exists() and not Fingerprint.objects.exists()


def test_one_post_is_erased_on_demand(memory):
    gone, again, kept = deleted(SOFA), post(SOFA), deleted(PIANO)
    work()
    assert erase_now(Ad, gone.object_id) is True
    work()
    _is_forgotten(gone)
    assert repeated(again) == (None, None) and remembered_documents("default").get() == kept
    assert erase_now(Ad, gone.object_id) is False and erase_now(Ad, 10**9) is False


def test_a_turn_under_way_does_not_bring_an_erased_one_back(memory, monkeypatch):
    made = post(SOFA)
    work()
    number, store = made.pk, process_documents.store_many
    made.text = SOFA_EDITED
    made.save()

    def late(*args, **options):
        monkeypatch.setattr(process_documents, "store_many", store)
        Ad.objects.get(pk=number).delete()
        assert erase_now(Ad, number)
        return store(*args, **options)

    monkeypatch.setattr(process_documents, "store_many", late)
    drain("default")
    assert not (Key.objects.exists() or Fingerprint.objects.exists())
    Document.objects.update(leased_until=None)
    work()
    assert (
        Document.objects.get().state == Document.State.GONE and not remembered_documents("default").exists()
    )
    assert not (Key.objects.exists() or Fingerprint.objects.exists())


def test_one_whose_days_are_over_is_spoken_of_no_more_though_nobody_has_cleaned_up(memory):
    gone = deleted(SOFA)
    assert neardup.find_similar(SOFA, Ad)
    _days_are_over(gone, memory)
    again = post(SOFA)
    work()
    assert [each.object for each in neardup.find_similar(SOFA, Ad)] == [again]
    assert repeated(again) == (None, None) and remembered_documents("default").exists()


def test_what_repeats_a_document_that_is_not_there_repeats_nothing(memory):
    gone, again = deleted(SOFA), post(SOFA)
    work()
    assert repeated(again) == (gone.pk, True)
    gone.delete()
    assert document_queries.clear_lost_reposts("default") == 1 and repeated(again) == (None, None)


def test_it_is_erased_before_its_deletion_was_seen_to(memory):
    made = post(SOFA)
    work()
    number = made.pk
    with pytest.raises(ValueError, match="is not deleted"):
        erase_now(Ad, number)
    made.delete()
    assert erase_now(Ad, number) is True
    work()
    assert not remembered_documents("default").exists() and not Key.objects.exists()


def statements(turns):
    """What a database is asked while those turns are taken."""
    with CaptureQueriesContext(
        connection,
    ) as found:
        turns()
    return [each["sql"] for each in found.captured_queries]


def keeping():
    """Statements of a turn that keep something of a deleted post."""
    return [sql for sql in statements(lambda: drain("default")) if "COALESCE(" in sql and "forget_at" in sql]


def test_where_nothing_is_remembered_a_turn_asks_no_more_than_without(settings, memory):
    memory(0)
    for text in (SOFA, PIANO):
        post(text)
    asked = statements(lambda: drain("default"))
    assert not [sql for sql in asked if "repeats_id" in sql or ("first_seen" in sql and "codes" in sql)]
    Ad.objects.first().delete()
    assert not keeping()
    memory(30)
    Ad.objects.first().delete()
    assert keeping()
