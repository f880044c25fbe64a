"""Which of two equal texts was there first: an edit that copies a post goes behind it."""

from __future__ import annotations

import random
import time

import pytest
from django.contrib.sites.requests import RequestSite
from django.db.models import F
from django.test import RequestFactory

from django_neardup.models import Document, Fingerprint
from django_neardup.moderation.keeper import propose_keeper
from django_neardup.pipeline import drain
from django_neardup.pipeline.work_queue import lease_row
from django_neardup.seo.canonical import canonical_url
from django_neardup.sitemaps import NeardupSitemap
from tests.pipeline.families import family
from tests.pipeline.helpers import CAT, PIANO, SOFA, SOFA_EDITED, cluster, document, post, work
from tests.seo.profiles import with_seo
from tests.testapp.models import Ad

pytestmark = pytest.mark.django_db(transaction=True)


class AdSitemap(NeardupSitemap):
    model = Ad


def edit(ad, text, **fields):
    for name, value in {"text": text, **fields}.items():
        setattr(ad, name, value)
    ad.save()


def assert_first(victim, *copies):
    """The victim leads, is proposed as the keeper, and is the one that canonical addresses and the sitemap name."""
    found = cluster(victim)
    assert found is not None and all(cluster(copy) == found for copy in copies)
    assert found.leader_id == document(victim).pk
    assert propose_keeper([*copies, victim], "default").post == victim
    with with_seo("canonical", "sitemap"):
        assert {canonical_url(ad, Ad.objects.all()) for ad in (victim, *copies)} == {
            victim.get_absolute_url()
        }
        located = {
            url["location"] for url in AdSitemap().get_urls(site=RequestSite(RequestFactory().get("/")))
        }
    assert located == {f"https://testserver{victim.get_absolute_url()}"}


def test_an_old_advert_edited_into_a_copy_of_a_newer_one_goes_behind_it():
    old, victim = post(PIANO), post(SOFA)
    work()
    edit(old, SOFA_EDITED)
    work()
    assert_first(victim, old)
    row = document(old)
    assert row.edited_at is not None and row.text_since > document(victim).text_since
    # A copy that is posted after the edit is younger still.
    later = post(SOFA)
    work()
    assert_first(victim, old, later)
    assert document(later).text_since > row.text_since


def test_small_edits_that_end_in_a_copy(steps=30):
    own, copied = family(1), family(2)
    old = post(" ".join(own))
    victim = post(" ".join(copied))
    work()
    for step in range(1, steps + 1):
        taken = round(len(own) * step / steps)
        edit(old, " ".join([*copied[:taken], *own[taken:]]))
        work()
    assert_first(victim, old)


def test_small_edits_of_the_original_change_nothing():
    words = family(1)
    victim, copy = post(" ".join(words)), post(" ".join(words))
    work()
    since = document(victim).text_since
    for step in range(30):
        edit(victim, " ".join([*words[: step % len(words)], "сегодня", *words[step % len(words) :]]))
        work()
        assert document(victim).text_since == since
    assert_first(victim, copy)


def test_away_and_back():
    victim, copy = post(SOFA), post(SOFA)
    work()
    edit(victim, CAT)
    work()
    assert cluster(victim) is None
    edit(victim, SOFA)
    work()
    assert_first(victim, copy)


def test_a_copy_that_goes_away_and_comes_back_stays_a_copy():
    thief, victim = post(PIANO), post(SOFA)
    work()
    for text in (SOFA, CAT, SOFA, PIANO, SOFA):
        edit(thief, text)
        work()
    assert_first(victim, thief)


def test_a_text_that_was_had_too_long_ago_is_a_new_one():
    old = post(SOFA)
    work()
    for number in range(9):
        edit(old, " ".join(family(number)))
        work()
    assert len(document(old).former_texts) == 8
    victim = post(SOFA)
    work()
    edit(old, SOFA)
    work()
    assert_first(victim, old)


@pytest.mark.parametrize("victim_first", [True, False])
@pytest.mark.parametrize("is_new", [True, False])
def test_edits_in_one_backlog_in_both_orders(victim_first, is_new):
    thief = post(PIANO)
    victim = None if is_new else post(CAT)
    work()
    victim = post(SOFA) if is_new else victim
    if not is_new:
        edit(victim, SOFA)
    time.sleep(0.002)  # the clock of the database counts milliseconds
    edit(thief, SOFA)
    order = (victim, thief) if victim_first else (thief, victim)
    for number, ad in enumerate(order):
        Document.objects.filter(pk=document(ad).pk).update(pending_since=F("pending_since") * 0 + number)
    for _ in order:
        drain(limit=1)
    work()
    assert_first(victim, thief)


@pytest.mark.parametrize("edited_first", [True, False])
def test_a_small_edit_of_the_original_while_a_copy_waits(edited_first):
    victim = post(SOFA)
    work()
    copy = post(SOFA)
    edit(victim, SOFA_EDITED)
    order = (victim, copy) if edited_first else (copy, victim)
    for number, ad in enumerate(order):
        Document.objects.filter(pk=document(ad).pk).update(pending_since=number)
    for _ in order:
        drain(limit=1)
    work()
    assert_first(victim, copy)


def test_an_edit_keeps_its_place_if_the_post_stays_a_duplicate_of_its_copies():
    words = family(1)
    victim, copy = post(" ".join(words)), post(" ".join(words))
    work()
    since = document(victim).text_since
    # Every twelfth word has changed: few keys are left, and the two are duplicates still.
    edit(victim, " ".join(word if number % 12 else f"{word} же" for number, word in enumerate(words)))
    work()
    if cluster(victim) is not None:
        assert document(victim).text_since == since
        assert_first(victim, copy)


def test_a_hidden_post_keeps_its_place():
    victim, copy = post(SOFA), post(SOFA)
    work()
    for published in (False, True):
        edit(victim, SOFA, published=published)
        work()
    assert_first(victim, copy)


def test_an_emptied_post_that_comes_back_as_a_copy_goes_behind():
    thief, victim = post(SOFA), post(CAT)
    work()
    for text in ("", CAT):
        edit(thief, text)
        work()
    assert_first(victim, thief)


def test_other_saves_rechecks_and_a_new_scheme_change_nothing():
    from django_neardup.conf import get_profile
    from django_neardup.pipeline.schemes import begin_generation
    from django_neardup.pipeline.work_queue import mark_document

    thief, victim = post(PIANO), post(SOFA)
    work()
    edit(thief, SOFA)
    work()
    ages = dict(Document.objects.values_list("pk", "text_since"))
    for ad in (thief, victim):
        edit(ad, ad.text, phone="1")
        mark_document(document(ad).pk, "default", recheck=True)
        work()
    begin_generation(get_profile("default"), "default")
    for ad in (victim, thief):
        mark_document(document(ad).pk, "default", recheck=True)
    work()
    assert dict(Document.objects.values_list("pk", "text_since")) == ages
    assert_first(victim, thief)
    # Known texts are known under the new scheme too.
    edit(victim, PIANO)
    work()
    edit(victim, SOFA)
    work()
    assert_first(victim, thief)


def test_a_killed_worker_loses_no_edit(monkeypatch):
    """The text is stored, and its age is not known yet."""
    from django_neardup.pipeline import process_documents as module

    thief, victim = post(PIANO), post(SOFA)
    work()
    edit(thief, SOFA)
    compare = module.compare_documents

    def killed(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "compare_documents", killed)
    with pytest.raises(KeyboardInterrupt):
        drain()
    assert document(thief).edit_time is not None
    monkeypatch.setattr(module, "compare_documents", compare)
    Document.objects.update(leased_until=None)
    edit(thief, SOFA, phone="1")
    work()
    assert document(thief).edit_time is None
    assert_first(victim, thief)


def test_any_order_of_processing_ends_the_same():
    """Edit a few posts at random. The ages do not depend on the order in which the backlog is processed."""
    texts = [" ".join(family(number)) for number in range(3)]
    for seed in range(6):
        Ad.objects.all().delete()
        work()
        chance = random.Random(seed)
        ads = [post(chance.choice(texts)) for _ in range(4)]
        work()
        for _ in range(3):
            for ad in chance.sample(ads, 2):
                edit(ad, chance.choice(texts))
            rows = list(Document.objects.filter(pending_since__isnull=False))
            chance.shuffle(rows)
            for number, row in enumerate(rows):
                Document.objects.filter(pk=row.pk).update(pending_since=number)
            for _ in rows:
                drain(limit=1)
            work()
        for ad in ads:
            if (found := cluster(ad)) is not None:
                members = [row.document for row in found.memberships.select_related("document")]
                assert found.leader_id == min(members, key=lambda row: row.static_order).pk


def test_edits_that_the_adapter_names_serve_the_first_index(monkeypatch):
    from datetime import datetime, timezone

    from django.core.management import call_command

    from tests.testapp.neardup import AdNeardup

    edited = datetime(2024, 5, 1, tzinfo=timezone.utc)
    monkeypatch.setattr(AdNeardup, "edited_at", lambda self, ad: edited if ad.phone == "edited" else None)
    old, victim = Ad(text=SOFA, phone="edited"), Ad(text=SOFA)
    Ad.objects.bulk_create([old, victim])
    old, victim = Ad.objects.order_by("pk")
    call_command("neardup_index", verbosity=0)
    assert not Fingerprint.objects.exclude(document__in=[document(old), document(victim)]).exists()
    assert document(old).text_since == edited.timestamp() * 1000 and document(victim).text_since == 0
    assert_first(victim, old)
    assert lease_row(Document, document(old).pk, "default", 1) is None
