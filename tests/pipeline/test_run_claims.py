"""Ranges of an index run: who has which, who takes over whose, and what is left to the drain."""

import contextlib
import threading

import pytest
from django.db import connection, connections, transaction

from django_neardup import signals
from django_neardup.adapters import adapter_for
from django_neardup.models import (
    LIVE_FIRST_SEEN,
    Cluster,
    Document,
    Fingerprint,
    IndexRange,
    Membership,
)
from django_neardup.pipeline import drain, process_documents, scheme_cache
from django_neardup.pipeline.backfill import (
    PostCounts,
    begin_pass,
    index_model,
    is_over,
    process_ranges,
    ranges,
)
from django_neardup.pipeline.read import read_many
from django_neardup.pipeline.schemes import active_scheme, begin_generation
from django_neardup.pipeline.sign import sign_many
from django_neardup.pipeline.store import store_many
from tests.pipeline.families import family
from tests.pipeline.helpers import CAT, PIANO, SOFA, SOFA_EDITED, cluster, document, pair, post, work
from tests.testapp.models import Ad, ScopedPost, UuidPost

pytestmark = pytest.mark.django_db(transaction=True, databases=["default"])


def bulk(*texts):
    """Posts that no signal told of."""
    return Ad.objects.bulk_create([Ad(text=text) for text in texts])


def families(number):
    return bulk(*(" ".join(family(each)) for each in range(number)))


def start(**options):
    return begin_pass(adapter_for(Ad), "default", **options)


def expire(claim):
    IndexRange.objects.filter(pk=claim.index_range.pk).update(leased_until=1)


def put_forward():
    """Try again now what has failed, and not in some seconds."""
    Document.objects.update(leased_until=None)
    work()


def test_every_object_is_in_one_range_and_has_one_number():
    ads = families(7)
    work_ = start()
    taken = [ranges.claim_range(work_, 3) for _ in range(4)]
    assert taken.pop() is None and not is_over(work_)
    numbers = [number for claim in taken for chunk in claim.chunks(2) for number in chunk.items()]
    assert numbers == [(ad.pk, place) for place, ad in enumerate(ads, 1)]
    for claim in taken:
        claim.finish()
    assert ranges.claim_range(work_, 3) is None and is_over(work_) and work_.counts() == (7, 7)


def test_a_lost_lease_is_taken_over_and_its_owner_stops():
    families(2)
    work_ = start()
    first = ranges.claim_range(work_, 2)
    assert ranges.claim_range(work_, 2) is None
    first.renew(PostCounts(1, 1))
    expire(first)
    second = ranges.claim_range(work_, 2)
    assert second.index_range.pk == first.index_range.pk and second.is_retry
    for lost in (lambda: first.renew(PostCounts(2, 2)), first.finish, lambda: first.release(failed=False)):
        with pytest.raises(ranges.LeaseLost):
            lost()
    second.release(failed=False)
    assert ranges.claim_range(work_, 2).index_range.attempts == 2


def test_a_range_that_kills_is_left_to_the_drain():
    ads = families(3)
    work_ = start()
    for _ in range(ranges.MAX_ATTEMPTS):
        expire(ranges.claim_range(work_, 10))
    process_ranges(work_, 10)
    assert is_over(work_) and [document(ad).state for ad in ads] == ["pending"] * 3
    work()
    assert [document(ad).state for ad in ads] == ["indexed"] * 3


def test_a_pass_is_joined_until_it_is_over_and_a_restart_ends_it():
    families(2)
    first = start()
    assert start(join=True).number == start().number == first.number and first.is_first
    lost = ranges.claim_range(first, 1)
    second = start(restart=True)
    assert second.number == first.number + 1 and second.is_first and is_over(first)
    with pytest.raises(ranges.LeaseLost):
        lost.renew(PostCounts())
    process_ranges(second)
    assert start(join=True) is None and not start().is_first


def test_another_scheme_ends_the_pass():
    families(4)
    work_, told = start(), []

    def rebuild(phase, posts):
        if not told:
            begin_generation(work_.adapter.settings, "default")
        told.append(phase)

    process_ranges(work_, 2, rebuild)
    assert is_over(work_)
    process_ranges(start(restart=True))
    drain()
    assert set(Document.objects.values_list("state", flat=True)) == {"indexed"}


def test_keys_that_tell_no_age_are_numbered_first(monkeypatch):
    adapter = adapter_for(UuidPost)
    monkeypatch.setattr(type(adapter), "order", "text")
    texts = [" ".join([f"{place:03}", *family(place)]) for place in range(7)]
    posts = UuidPost.objects.bulk_create([UuidPost(text=text) for text in reversed(texts)])
    process_ranges(begin_pass(adapter, "default"), 3)
    by_text = sorted(posts, key=lambda each: each.text)
    assert [document(each).first_seen for each in by_text] == list(range(1, 8))
    assert {document(each).state for each in posts} == {"indexed"}


@pytest.mark.engines("sqlite")
def test_numbering_goes_on_while_others_write(monkeypatch):
    adapter, other = adapter_for(UuidPost), connection.copy()
    monkeypatch.setattr(type(adapter), "order", "text")
    UuidPost.objects.bulk_create([UuidPost(text=f"{place:04}") for place in range(1100)])

    def tell(phase, posts):
        if phase == "numbering":
            with other.cursor() as cursor:
                cursor.execute("UPDATE django_content_type SET model = model")

    with contextlib.closing(other):
        process_ranges(begin_pass(adapter, "default"), report=tell)
    assert Document.objects.count() == 1100


def test_what_a_later_pass_finds_is_younger_than_what_was_met_live():
    process_ranges(start())
    live = post(SOFA)
    work()
    (late,) = bulk(SOFA_EDITED)
    process_ranges(start())
    work()
    assert document(late).first_seen == LIVE_FIRST_SEEN
    assert cluster(late).leader == document(live)


def test_posts_met_live_before_the_first_pass_get_their_number_in_it():
    old, live = bulk(SOFA), post(SOFA_EDITED)
    work()
    assert document(live).first_seen == LIVE_FIRST_SEEN
    process_ranges(start())
    work()
    assert [document(each).first_seen for each in (*old, live)] == [1, 2]
    assert cluster(live).leader == document(old[0])
    later = post(PIANO)
    process_ranges(start())
    assert document(later).first_seen == LIVE_FIRST_SEEN


def test_a_post_that_cannot_be_read_holds_nobody_up(monkeypatch):
    good, bad, twin = bulk(SOFA, PIANO, SOFA_EDITED)
    read = type(adapter_for(Ad)).text
    monkeypatch.setattr(
        type(adapter_for(Ad)), "text", lambda self, ad: read(self, ad) if ad.pk != bad.pk else 1 / 0
    )
    process_ranges(start())
    assert cluster(good) == cluster(twin) is not None and document(bad).state == "pending"
    monkeypatch.undo()
    put_forward()
    assert document(bad).state == "indexed"


def test_a_text_that_cannot_be_judged_holds_nobody_up(monkeypatch):
    from django_neardup.comparison import verify

    ads = bulk(SOFA, SOFA_EDITED, PIANO)
    judge = verify.judge_pair
    monkeypatch.setattr(verify, "judge_pair", lambda *sides: 1 / 0)
    process_ranges(start())
    assert [document(ad).state for ad in ads] == ["pending", "pending", "indexed"]
    monkeypatch.setattr(verify, "judge_pair", judge)
    put_forward()
    assert cluster(ads[0]) == cluster(ads[1]) is not None


def test_a_second_pass_signs_only_what_has_changed():
    same, changed, short = bulk(SOFA, PIANO, "диван")
    process_ranges(start())
    before = dict(Document.objects.values_list("pk", "wanted"))
    Ad.objects.filter(pk=changed.pk).update(text=SOFA_EDITED)
    process_ranges(start())
    grown = {pk for pk, wanted in Document.objects.values_list("pk", "wanted") if wanted > before[pk]}
    assert grown == {document(changed).pk} and document(short).state == "skipped"
    assert cluster(same) == cluster(changed) is not None


def test_posts_that_are_up_to_date_are_looked_through_in_few_statements(django_assert_max_num_queries):
    families(30)
    process_ranges(start())
    work_ = start()
    with django_assert_max_num_queries(55):
        process_ranges(work_)
    assert is_over(work_)


def test_signals_are_sent_as_by_a_turn():
    ads, told = bulk(SOFA, SOFA_EDITED, PIANO), []

    def tell(sender, document, **kwargs):
        told.append((document.object_id, "cluster" in kwargs))

    for each in (signals.document_checked, signals.cluster_changed):
        each.connect(tell)
    try:
        process_ranges(start())
    finally:
        for each in (signals.document_checked, signals.cluster_changed):
            each.disconnect(tell)
    checked = {key for key, of_cluster in told if not of_cluster}
    assert checked == {str(ad.pk) for ad in ads}
    assert {key for key, of_cluster in told if of_cluster} & {str(ad.pk) for ad in ads[:2]}


def test_a_template_larger_than_a_bucket_is_hardly_torn(settings):
    settings.NEARDUP = {"default": {"BUCKET": 8, "MAX_ALIGNED": 4}}
    words = family(1)
    bulk(*(" ".join([*words[: n % 40], *words[n % 40 + 1 :], *words[: n // 40]]) for n in range(80)))
    process_ranges(start(), 30)
    work()
    assert Membership.objects.count() >= 79 and Cluster.objects.count() <= 3


def test_a_range_of_more_scopes_than_a_process_remembers(monkeypatch):
    monkeypatch.setattr(scheme_cache, "MAX_SPACES", 3)
    ScopedPost.objects.bulk_create([ScopedPost(site=each, text=" ".join(family(each))) for each in range(8)])
    process_ranges(begin_pass(adapter_for(ScopedPost), "default"))
    assert IndexRange.objects.get().attempts == 1
    assert set(Document.objects.values_list("state", flat=True)) == {"indexed"}


def test_a_post_on_its_way_to_another_scope_leads_nobody_across():
    """It has its new space, but still its old cluster, whose leader is of the old space."""
    leader, moving = (ScopedPost.objects.create(site=1, text=text) for text in (SOFA, SOFA_EDITED))
    (third,) = ScopedPost.objects.bulk_create([ScopedPost(site=2, text=SOFA)])

    def move(phase, posts):
        if IndexRange.objects.filter(finished=True).exists() and document(moving).wanted == 1:
            moving.site = 2
            moving.save()
            reads = read_many([document(moving)], "default")
            signed, _ = sign_many(reads, active_scheme(reads[0].adapter.settings, "default"), "default")
            store_many(signed, "default")

    process_ranges(begin_pass(adapter_for(ScopedPost), "default"), 2, move)
    work()
    assert document(moving).wanted > 1 and not cluster(leader) and not pair(leader, third)
    assert cluster(moving) == cluster(third) is not None


@pytest.mark.engines("postgresql", "mariadb")
def test_a_post_whose_row_a_request_held_and_let_go_is_signed_anew_all_the_same():
    ads = bulk(SOFA, PIANO, CAT)
    process_ranges(start())
    scheme = begin_generation(adapter_for(Ad).settings, "default")
    held, comparing = threading.Event(), threading.Event()

    def request():
        with transaction.atomic():
            ads[0].save()
            held.set()
            assert comparing.wait(30)
            transaction.set_rollback(True)
        connections.close_all()

    holder = threading.Thread(target=request)
    holder.start()
    assert held.wait(30)
    process_ranges(start(restart=True), report=lambda phase, posts: phase == "comparing" and comparing.set())
    holder.join()
    work()
    assert set(Fingerprint.objects.values_list("document", "scheme")) == {
        (document(ad).pk, scheme.pk) for ad in ads
    }


def test_a_run_that_breaks_off_says_why_though_its_range_is_another_ones():
    bulk(SOFA)

    def lose(phase, posts):
        IndexRange.objects.update(token="another")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        process_ranges(start(), report=lose)


@pytest.mark.engines("sqlite")
def test_old_releases_of_sqlite_take_all_statements():
    """They refuse more than 999 parameters."""
    connection.ensure_connection()
    if not hasattr(connection.connection, "setlimit"):
        pytest.skip("this Python cannot set the limit")
    contacts = "телефоны +7 916 {0} 45 67, +7 903 {0} 45 67, почта a{0}@mail.ru, b{0}@mail.ru"
    texts = [f"{' '.join(family(each))} {contacts.format(100 + each)}" for each in range(600)]
    before = connection.connection.setlimit(9, 999)
    try:
        bulk(*texts)
        process_ranges(start())
    finally:
        connection.connection.setlimit(9, before)
    assert set(Document.objects.values_list("state", flat=True)) == {"indexed"}


@pytest.mark.parametrize("breaks_off", [True, False])
def test_copies_of_many_ranges_are_one_group_where_their_bucket_is_full(settings, breaks_off):
    """Also where one of the ranges has broken off when its keys were stored."""
    settings.NEARDUP = {"default": {"BUCKET": 3}}
    bulk(*[" ".join(family(1))] * 24)
    work_, phases = start(), []

    def tell(phase, through):
        phases.append(phase)
        if breaks_off and phases.count("signing") == 2:
            raise KeyboardInterrupt

    if breaks_off:
        with pytest.raises(KeyboardInterrupt):
            process_ranges(work_, 8, tell)
    process_ranges(work_, 8)
    work()
    assert is_over(work_) and [group.size for group in Cluster.objects.all()] == [24]


@pytest.fixture
def dying(monkeypatch):
    """Return a function that runs a pass whose process ends with that error in the middle of a batch."""

    def run(error, **options):
        def die(*arguments):
            raise error

        with monkeypatch.context() as patch:
            patch.setattr(process_documents, "compare_documents", die)
            with pytest.raises(type(error)):
                process_ranges(start(**options))

    return run


class Killed(BaseException):
    """The end of a process that can clean nothing up."""


@pytest.mark.parametrize("way", ["restart", "rebuild", "mark only", "given up", "go on"])
def test_posts_of_a_killed_process_are_processed_whatever_is_run_next(way, dying, monkeypatch):
    ads = families(5)
    for _ in range(ranges.MAX_ATTEMPTS if way == "given up" else 1):
        with monkeypatch.context() as patch:
            patch.setattr(index_model, "give_back", lambda *arguments: None)
            patch.setattr(ranges.Claim, "release", lambda *arguments, **options: None)
            dying(Killed())
        IndexRange.objects.update(leased_until=1)
    assert Document.objects.filter(leased_until__isnull=False).count() == 5
    if way == "rebuild":
        begin_generation(adapter_for(Ad).settings, "default")
    process_ranges(start(restart=way in ("restart", "rebuild")), mark_only=way == "mark only")
    work()
    assert [document(ad).state for ad in ads] == ["indexed"] * 5


def test_ctrl_c_is_no_failure_of_a_post(dying):
    ads = families(3)
    for _ in range(8):
        dying(KeyboardInterrupt())
    assert not Document.objects.filter(leased_until__isnull=False).exists()
    assert set(Document.objects.values_list("attempts", flat=True)) == {0}
    process_ranges(start())
    assert [document(ad).state for ad in ads] == ["indexed"] * 3


@pytest.mark.parametrize("error", [ranges.LeaseLost, BrokenPipeError])
def test_an_error_of_the_progress_is_no_failure_of_a_post(error):
    ads = families(3)

    def break_off(phase, counts):
        if phase == "signing":
            raise error

    with pytest.raises(error) if error is BrokenPipeError else contextlib.nullcontext():
        process_ranges(start(), report=break_off) if error is BrokenPipeError else _process_one_range(
            break_off
        )
    assert [document(ad).state for ad in ads] == ["indexed"] * 3


def _process_one_range(report):
    """Process the first range. A lost claim ends it in silence."""
    claim = ranges.claim_range(start(), 10)
    with index_model._release_on_error(claim):
        index_model._process_range(claim, report, mark_only=False)
