"""Turns taken together: what comes of them is what comes of one after another."""

import random
import sys
import time
from contextlib import suppress
from dataclasses import replace

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from django_neardup.adapters import adapter_for
from django_neardup.comparison.candidates import candidates_many
from django_neardup.comparison.verify import verify_many
from django_neardup.conf import get_profile
from django_neardup.models import Cluster, Document, Fingerprint, Key, Pair
from django_neardup.pipeline import (
    compare_documents,
    conclude,
    drain,
    mark,
    scheme_cache,
    text_cache,
    work_queue,
    worker,
)
from django_neardup.pipeline import read as reading
from django_neardup.pipeline.batch_size import AdaptiveBatchSize
from django_neardup.pipeline.conclude import conclude_many
from django_neardup.pipeline.leases import LEASE_ATTRIBUTE, Lease, lease_many, renew_leases
from django_neardup.pipeline.process_documents import process_documents, run_stages
from django_neardup.pipeline.read import read_many
from django_neardup.pipeline.schemes import active_scheme, begin_generation
from django_neardup.pipeline.sign import sign_many
from django_neardup.pipeline.store import store_many
from django_neardup.pipeline.stored_posts import StoredPosts
from django_neardup.pipeline.version_guard import SchemeChanged
from django_neardup.signals import cluster_changed
from tests.pipeline.families import family
from tests.pipeline.helpers import (
    CAT,
    PIANO,
    SOFA,
    SOFA_EDITED,
    cluster,
    document,
    pair,
    post,
    snapshot,
)
from tests.pipeline.helpers import work as drain_all
from tests.pipeline.test_machine import EVERYTHING, assert_sound
from tests.pipeline.test_races import both_at_once, rebuild
from tests.testapp.models import Ad, ScopedPost

pytestmark = pytest.mark.django_db(transaction=True, databases=["default"])
STATEMENTS = {"sqlite": 11, "postgresql": 7, "mysql": 11}
"""Of one turn of a new post without look-alikes, its begin and its commit among them."""
JOINING = {"sqlite": 22, "postgresql": 18, "mysql": 22}
"""Of one turn of a post that joins a cluster, however many of its members it is compared with."""


def edited(chance, number, most=12):
    words = family(number)
    start, length = chance.randrange(30), chance.randrange(most)
    words[start : start + length] = family(50 + chance.randrange(9))[:length]
    return " ".join(words)


def history(seed, drained):
    """Posts are saved, edited, hidden and deleted by chance; what waits is worked off now and then."""
    chance, ads = random.Random(seed), []
    for step in range(60):
        # Of two texts the older one leads. Texts of one millisecond are as old as their posts.
        time.sleep(0.002)
        what = chance.random()
        if what < 0.5 or len(ads) < 3:
            ads.append(
                Ad.objects.create(
                    text=edited(chance, chance.randrange(4)), sku=chance.choice(["", "", "", "A"])
                )
            )
        else:
            ad = chance.choice(ads)
            if what < 0.75:
                ad.text = edited(chance, chance.randrange(4))
                ad.save()
            elif what < 0.9:
                ad.published = not ad.published
                ad.save()
            else:
                ads.remove(ad)
                ad.delete()
        if step % 15 == 14:
            drained()
    drained()


def told():
    """The index by the places of posts, whose numbers differ from run to run."""
    first = Ad.objects.order_by("pk").values_list("pk", flat=True).first()
    names = {str(first + place): place for place in range(-200, 200)}
    found = snapshot()
    pairs = {tuple(sorted(names[key] for _, key in pair)): value for pair, value in found["pairs"].items()}
    clusters = {
        frozenset(names[key] for _, key in each): names[led[1]] for each, led in found["clusters"].items()
    }
    return pairs, clusters


def forget():
    for model in EVERYTHING:
        model.objects.all().delete()


@pytest.mark.parametrize("seed", range(4))
def test_a_batch_comes_to_what_one_turn_after_another_does(seed, monkeypatch):
    history(seed, drain_all)
    assert_sound()
    together = told()
    forget()
    monkeypatch.setattr(worker, "FIRST_BATCH", 1)
    monkeypatch.setattr(worker, "MAX_BATCH", 1)
    history(seed, drain_all)
    assert told() == together


def test_twins_in_one_batch_meet():
    ads = [post(text) for text in (SOFA, PIANO, SOFA_EDITED, CAT, SOFA + " Торг.")]
    process_documents(leased(*ads), "default")
    assert cluster(ads[0]) == cluster(ads[2]) == cluster(ads[4]) and Pair.objects.count() == 3
    assert {row.state for row in Document.objects.all()} == {Document.State.INDEXED}


def leased(*ads):
    return lease_many([document(each).pk for each in ads], "default", 60)


def test_many_copies_in_one_batch_are_one_group_where_their_bucket_is_full(settings):
    settings.NEARDUP = {"default": {"BUCKET": 3}}
    words = family(1)
    for place in range(24):
        post(" ".join([*words[:place], words[place + 1], words[place], *words[place + 2 :]]))
    drain_all()
    assert [each.size for each in Cluster.objects.all()] == [24]


def test_only_the_guilty_post_of_a_batch_fails(monkeypatch):
    ads = [post(f"{text} {number}") for number, text in enumerate((SOFA, PIANO, CAT, SOFA_EDITED))]
    kind, plain = type(adapter_for(Ad)), type(adapter_for(Ad)).text
    broken = lambda self, ad: 1 / 0 if ad.pk == ads[1].pk else plain(self, ad)  # noqa: E731
    monkeypatch.setattr(kind, "text", broken, raising=False)
    drain()
    assert [document(each).state for each in ads] == ["indexed", "pending", "indexed", "indexed"]
    assert [document(each).attempts for each in ads] == [0, 1, 0, 0]
    for _ in range(6):
        Document.objects.update(leased_until=None)
        drain()
    assert document(ads[1]).state == Document.State.QUARANTINED
    assert document(ads[1]).reason == "ZeroDivisionError"


def test_those_whose_worker_died_are_taken_alone(monkeypatch):
    ads = [post(f"{SOFA} {number}") for number in range(3)]
    assert [row.attempts for row in leased(*ads)] == [1, 1, 1]
    Document.objects.update(leased_until=1)
    later, sizes = post(PIANO), []
    taken = process_documents
    monkeypatch.setattr(
        worker, "process_documents", lambda rows, *rest: sizes.append(len(rows)) or taken(rows, *rest)
    )
    later_twin = post(CAT)
    drain_all()
    assert sizes == [2, 1, 1, 1] and document(later).state == document(later_twin).state == "indexed"


def test_a_lease_is_given_once():
    ads = [post(f"{SOFA} {number}") for number in range(4)]
    assert [row.pk for row in leased(*reversed(ads[:3]))] == [document(each).pk for each in reversed(ads[:3])]
    assert [row.pk for row in leased(*ads)] == [document(ads[3]).pk]


def aged(rows, seconds):
    """The leases as if they had been taken so many seconds ago."""
    for row in rows:
        row.__dict__[LEASE_ATTRIBUTE] = Lease(
            row.__dict__[LEASE_ATTRIBUTE].started - seconds, row.__dict__[LEASE_ATTRIBUTE].seconds
        )
    Document.objects.update(leased_until=F("leased_until") - 1000 * seconds)


@pytest.mark.parametrize(("seconds", "renewed"), [(20, False), (40, True)])
def test_leases_of_which_half_is_over_are_renewed(seconds, renewed):
    rows = leased(post(SOFA), post(PIANO))
    began = dict(Document.objects.values_list("pk", "leased_until"))
    aged(rows, seconds)
    renew_leases(rows, "default")
    now = dict(Document.objects.values_list("pk", "leased_until"))
    assert all((now[row.pk] >= began[row.pk]) is renewed for row in rows)


def test_a_lease_that_another_worker_has_by_now_is_not_renewed():
    mine = leased(post(SOFA), post(PIANO))
    aged(mine, 61)
    (other,) = lease_many([mine[0].pk], "default", 600)
    before = dict(Document.objects.values_list("pk", "leased_until"))
    renew_leases(mine, "default")
    now = dict(Document.objects.values_list("pk", "leased_until"))
    assert now[other.pk] == before[other.pk] and now[mine[1].pk] > before[mine[1].pk]


def one_new_post():
    ad = post(" ".join(family(3)))
    return leased(ad)


def test_an_ordinary_turn_takes_few_statements():
    post(SOFA)
    drain_all()
    rows = one_new_post()
    with CaptureQueriesContext(connection) as queries:
        process_documents(rows, "default")
    assert len(queries) <= STATEMENTS[connection.vendor], [each["sql"] for each in queries]


def test_a_turn_that_joins_a_cluster_takes_few_statements():
    for _ in range(12):
        post(SOFA)
    drain_all()
    rows = leased(post(SOFA_EDITED))
    with CaptureQueriesContext(connection) as queries:
        process_documents(rows, "default")
    assert len(queries) <= JOINING[connection.vendor], [each["sql"] for each in queries]
    assert Cluster.objects.get().size == 13 and Pair.objects.filter(b=rows[0].pk).count() == 12


def test_pairs_that_another_turn_has_stored_meanwhile_are_read_and_renewed():
    """Another turn may meet a new post as soon as its keys are committed; of one that nobody has met none is read."""
    post(SOFA)
    drain_all()
    reads = read_many(leased(post(SOFA_EDITED)), "default")
    signed, _ = sign_many(reads, active_scheme(get_profile(), "default"), "default")
    signed = store_many(signed, "default")
    found = candidates_many(signed, StoredPosts.of(signed, "default"))
    verified = verify_many(signed, found, StoredPosts.of(signed, "default"))
    for reading_pairs in (0, 2):
        with CaptureQueriesContext(connection) as queries:
            conclude_many(signed, found, verified, "default")
        asked = [
            each["sql"] for each in queries if "UNION ALL" in each["sql"] and "neardup_pair" in each["sql"]
        ]
        assert len(asked) == reading_pairs
        assert Pair.objects.count() == 1 and Cluster.objects.get().size == 2


def test_a_batch_of_ordinary_turns_takes_few_statements():
    rows = leased(*[post(" ".join(family(number))) for number in range(20)])
    with CaptureQueriesContext(connection) as queries:
        process_documents(rows, "default")
    assert len(queries) <= 80, [each["sql"] for each in queries]
    assert Document.objects.filter(state="indexed").count() == 20


@pytest.mark.parametrize("many", [False, True])
def test_a_new_generation_is_noticed_before_anything_is_stored(many):
    ads = [post(SOFA), post(PIANO)][: 1 + many]
    old = active_scheme(get_profile(), "default")
    reads = read_many(leased(*ads), "default")
    signed, _ = sign_many(reads, old, "default")
    new = begin_generation(get_profile(), "default")
    with pytest.raises(SchemeChanged):
        store_many(signed, "default")
    assert not Fingerprint.objects.exists() and not Key.objects.exists()
    process_documents([read.document for read in reads], "default")
    assert set(Fingerprint.objects.values_list("scheme", flat=True)) == {new.pk}


@pytest.mark.parametrize("many", [False, True])
def test_an_older_turn_stores_nothing(many):
    ads = [post(SOFA), post(PIANO)][: 1 + many]
    rows = leased(*ads)
    reads = read_many(rows, "default")
    signed, _ = sign_many(reads, active_scheme(get_profile(), "default"), "default")
    ads[0].text = CAT
    ads[0].save()
    Document.objects.update(leased_until=None)
    drain_all()
    before = snapshot()
    assert [one.document_id for one in store_many(signed, "default")] == [row.pk for row in rows[1:]]
    assert snapshot() == before


@pytest.mark.engines("postgresql", "mariadb")
def test_two_drains_at_once_lose_and_double_nothing():
    ads = [post(edited(random.Random(number), number % 12)) for number in range(80)]
    both_at_once([lambda: drain("default"), lambda: drain("default")])
    drain_all()
    assert {document(each).state for each in ads} == {Document.State.INDEXED}
    together = snapshot()
    rebuild()
    assert snapshot() == together
    assert_sound()


@pytest.mark.engines("postgresql", "mariadb")
def test_a_row_that_a_request_holds_keeps_no_batch_waiting():
    """The request ends only after the batch: a batch that waited for its row would never come back."""
    ads = [post(f"{text} {number}") for number, text in enumerate((SOFA, PIANO, CAT))]
    rows = [document(each).pk for each in ads]
    other = connections["default"].copy()
    try:
        with other.cursor() as cursor:
            other.set_autocommit(False)
            cursor.execute("UPDATE neardup_document SET wanted = wanted + 1 WHERE id = %s", [rows[0]])
            taken = lease_many(rows, "default", 60)
            assert [row.pk for row in taken] == rows[1:]
            process_documents(taken, "default")
            other.rollback()
    finally:
        other.close()
    assert [document(each).state for each in ads] == ["pending", "indexed", "indexed"]


def test_batches_grow_and_shrink_with_the_time_they_take():
    cases = [(25, 0.1, 50), (100, 0.1, 100), (100, 50.0, 10), (1, 60.0, 1), (4, 2.5, 8), (8, 10.0, 4)]
    for size, seconds, next_size in cases:
        pace = AdaptiveBatchSize(100, size)
        pace.record(size, seconds)
        assert pace.size == next_size
    pace = AdaptiveBatchSize(100, 40)
    pace.record(10, 0.1)
    assert pace.size == 40
    pace.record(10, 10.0)
    assert pace.size == 5


def test_a_recheck_is_answered_though_nothing_has_changed():
    one, two = post(SOFA), post(SOFA_EDITED)
    drain_all()
    Pair.objects.all().delete()
    mark(one)
    drain_all()
    assert pair(one, two) is None
    work_queue.mark_document(document(one).pk, "default", recheck=True)
    drain_all()
    assert pair(one, two) is not None


def test_a_cluster_that_changed_in_a_try_that_broke_off_is_told_of(monkeypatch):
    def break_off(*args):
        raise ZeroDivisionError

    told, ads = set(), [post(SOFA), post(SOFA_EDITED)]
    monkeypatch.setattr(compare_documents, "_compare_with_new_leaders", break_off)
    cluster_changed.connect(hear := lambda document, **values: told.add(document.pk))
    drain_all()
    cluster_changed.disconnect(hear)
    assert cluster(ads[0]) and told == {document(ad).pk for ad in ads}


def test_a_turn_taken_over_from_a_worker_that_died_tells_of_the_cluster():
    told, ads = set(), [post(SOFA), post(SOFA_EDITED)]
    rows = lease_many([document(ad).pk for ad in ads], "default", 60)
    reads = read_many(rows, "default")
    run_stages(reads, active_scheme(get_profile(), "default"), "default")
    Document.objects.update(leased_until=1)
    cluster_changed.connect(hear := lambda document, **values: told.add(document.pk))
    drain_all()
    cluster_changed.disconnect(hear)
    assert told == {document(ad).pk for ad in ads}


def test_remembered_texts_are_bounded_by_their_length_too(monkeypatch):
    """Markup and blanks are no words, and cost memory all the same."""
    ad, remembered = post(SOFA), text_cache._TextCache()
    monkeypatch.setattr(text_cache, "_text_cache", remembered)
    (read,) = read_many([document(ad)], "default")
    scheme = active_scheme(get_profile(), "default")
    for number in range(60):
        text = f"<i title='{'-' * 15_000}'>{number}</i>" if number % 2 else f"{number} {SOFA}"
        source = replace(read.source, text=text)
        text_cache.cached_canonical_text(read.adapter, source, source.digest, scheme)
    held = [len(each.raw) for each in remembered.texts.values()]
    assert len(held) > 30 and sum(held) <= text_cache.MAX_CACHED_WORDS * text_cache.CHARACTERS_PER_WORD
    huge = replace(read.source, text=SOFA + " " * 100_000)
    text_cache.cached_canonical_text(read.adapter, huge, huge.digest, scheme)
    assert len(remembered.texts) == len(held)


def test_threads_remember_and_forget_side_by_side():
    active_scheme(get_profile(), "default")
    threads = 4

    def forget():
        for _ in range(300):
            scheme_cache._spaces.update((("default", "", Ad, (str(each),)), (each, "")) for each in range(50))
            scheme_cache.read_active_schemes("default")
            scheme_cache.clear_cache("default")

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        both_at_once([forget] * threads)
    finally:
        sys.setswitchinterval(interval)


def test_long_texts_are_canonised_few_at_a_time(monkeypatch):
    ads = [post(text * times) for text in (SOFA, SOFA_EDITED) for times in (1, 3, 1, 1)]
    monkeypatch.setattr(reading, "MAX_CHARACTERS", 3 * len(SOFA_EDITED))
    reads = read_many([document(ad) for ad in ads], "default")
    assert [len(each) for each in reading.split_by_length(reads)] == [1, 1, 3, 1, 2]
    assert [each for portion in reading.split_by_length(reads) for each in portion] == reads
    drain_all()
    one_by_one = snapshot()
    monkeypatch.undo()
    rebuild()
    assert snapshot() == one_by_one


def test_a_copy_that_joins_an_edited_representative_in_one_batch_is_told_of():
    told, first, other = set(), post(SOFA), post(SOFA_EDITED)
    drain_all()
    first.text += " Торг."
    first.save()
    copy = post(first.text + " Звоните.")
    cluster_changed.connect(hear := lambda document, **values: told.add(document.pk))
    process_documents(leased(first, copy), "default")
    cluster_changed.disconnect(hear)
    assert cluster(copy) == cluster(first) == cluster(other) and document(copy).pk in told


@pytest.mark.engines("postgresql", "mariadb")
def test_a_partner_whose_text_changed_before_the_pair_was_to_be_seen_is_looked_at_again(monkeypatch):
    """Its own turn ended before the commit: it has seen neither pair nor place."""
    one = post(SOFA)
    drain_all()
    real = conclude._conclude_under_lock

    def edited_meanwhile(*arguments):
        outcome = real(*arguments)
        Fingerprint.objects.filter(document=document(one)).update(source_digest="another")
        return outcome

    monkeypatch.setattr(conclude, "_conclude_under_lock", edited_meanwhile)
    process_documents(leased(post(SOFA_EDITED)), "default")
    assert document(one).recheck and document(one).pending_since is not None


@pytest.mark.engines("postgresql", "mariadb")
def test_a_post_whose_text_changed_before_its_own_pairs_were_to_be_seen_is_looked_at_again(monkeypatch):
    post(SOFA)
    drain_all()
    real, copy = conclude._conclude_under_lock, post(SOFA_EDITED)

    def edited_meanwhile(*arguments):
        outcome = real(*arguments)
        Fingerprint.objects.filter(document=document(copy)).update(source_digest="another")
        return outcome

    monkeypatch.setattr(conclude, "_conclude_under_lock", edited_meanwhile)
    process_documents(leased(copy), "default")
    assert document(copy).recheck and document(copy).pending_since is not None


def test_a_candidate_that_is_moving_brings_no_cluster_of_its_former_space():
    leader, member = (ScopedPost.objects.create(site=1, text=text) for text in (SOFA, SOFA_EDITED))
    drain_all()
    leader.site = 2
    leader.save()
    reads = read_many(leased(leader), "default")
    signed, _ = sign_many(reads, active_scheme(get_profile(), "default"), "default")
    store_many(signed, "default")
    copy = ScopedPost.objects.create(site=2, text=SOFA + " Торг.")
    process_documents(leased(copy), "default")
    # The leader has left it. Its own turn finds nothing else to do.
    assert cluster(copy) == cluster(leader) is not None and cluster(member) is None
    Document.objects.update(leased_until=None)
    drain_all()
    assert cluster(copy) == cluster(leader) is not None and cluster(member) is None


@pytest.mark.parametrize("no_drain", [False, True])
def test_a_post_that_a_worker_holds_is_signed_for_the_new_scheme_too(no_drain):
    one = post(SOFA)
    (leased,) = lease_many([document(one).pk], "default", 600)

    def rebuild(stored):
        # It says that a post still waits.
        with suppress(CommandError):
            call_command("neardup_index", rebuild=True, no_drain=no_drain, verbosity=0)

    worker.process_batch([leased], "default", rebuild)
    drain_all()

    new = active_scheme(get_profile(), "default")
    assert new.generation == 2
    assert Fingerprint.objects.filter(document=document(one), scheme=new).exists()
