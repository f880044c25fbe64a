"""Old rows, new texts: somebody edits a row that is older than the victim's post into a copy of the victim's text.

Each attack has a control: without the age of texts, the order of rows decides, and the copy takes the victim's place.
"""

import time
from datetime import datetime, timezone

import pytest
from django.contrib.sites.requests import RequestSite
from django.db import models
from django.test import RequestFactory

from django_neardup.models import Document
from django_neardup.moderation.keeper import propose_keeper
from django_neardup.pipeline import drain, mark
from django_neardup.pipeline.work_queue import mark_queryset
from django_neardup.seo.canonical import canonical_url
from django_neardup.sitemaps import NeardupSitemap
from tests.pipeline.families import family
from tests.pipeline.helpers import CAT, PIANO, SOFA, SOFA_EDITED, cluster, document, post, work
from tests.seo.profiles import with_seo
from tests.testapp.models import Ad, Author
from tests.testapp.neardup import AdNeardup
from tests.trust.controls import remove_text_ages

pytestmark = [pytest.mark.django_db, pytest.mark.engine_alike]


class AdSitemap(NeardupSitemap):
    model = Ad


def one_account(number):
    return Author.objects.get_or_create(name="thief")[0]


def many_accounts(number):
    return Author.objects.create(name=f"thief {number}")


def guests(number):
    return None


ACCOUNTS = [one_account, many_accounts, guests]


def edit(ad, text, **values):
    for name, value in {"text": text, **values}.items():
        setattr(ad, name, value)
    ad.save()


def victim(text=SOFA):
    made = post(text, author=Author.objects.create(name="victim"))
    work()
    return made


# The attacks: each gets the old rows, and returns the victim's post --------------------------------------------


def edit_once(rows):
    original = victim()
    for ad in rows:
        edit(ad, SOFA_EDITED)
    work()
    return original


def edit_in_two_steps(rows):
    own, copied = family(1), family(2)
    for ad in rows:
        edit(ad, " ".join(own))
    work()
    original = victim(" ".join(copied))
    half = len(own) // 2
    for text in ([*copied[:half], *own[half:]], copied):
        for ad in rows:
            edit(ad, " ".join(text))
        work()
    return original


def hide_and_show(rows):
    original = victim()
    for published, text in ((False, PIANO), (False, SOFA), (True, SOFA)):
        for ad in rows:
            edit(ad, text, published=published)
        work()
    return original


def delete_and_save_again(rows):
    original = victim()
    kept = [(ad.pk, ad.author) for ad in rows]
    for ad in rows:
        ad.delete()
    work()
    rows[:] = [Ad.objects.create(pk=pk, author=author, text=SOFA) for pk, author in kept]
    work()
    return original


def delete_and_save_again_at_once(rows):
    original = victim()
    kept = [(ad.pk, ad.author) for ad in rows]
    for ad in rows:
        ad.delete()
    rows[:] = [Ad.objects.create(pk=pk, author=author, text=SOFA) for pk, author in kept]
    work()
    return original


def edit_before_the_victim_is_indexed(rows):
    original = post(SOFA, author=Author.objects.create(name="victim"))
    time.sleep(0.002)  # the clock of the database counts milliseconds
    for ad in rows:
        edit(ad, SOFA)
    # The copies are processed first.
    Document.objects.filter(pk=document(original).pk).update(pending_since=models.F("pending_since") + 10**6)
    drain(limit=len(rows))
    Document.objects.filter(pk=document(original).pk).update(pending_since=models.F("pending_since") - 10**6)
    work()
    return original


def edit_twins_before_the_victim_is_indexed(rows):
    for ad in rows:
        edit(ad, PIANO)
    work()
    return edit_before_the_victim_is_indexed(rows)


def update_without_save(rows):
    original = victim()
    Ad.objects.filter(pk__in=[ad.pk for ad in rows]).update(text=SOFA)
    for ad in rows:
        ad.refresh_from_db()
        mark(ad)
    work()
    return original


def bulk_update(rows):
    original = victim()
    for ad in rows:
        ad.text = SOFA
    Ad.objects.bulk_update(rows, ["text"])
    mark_queryset(Ad.objects.filter(pk__in=[ad.pk for ad in rows]))
    work()
    return original


def away_and_back_over_the_victim(rows):
    original = victim()
    for text in (SOFA, CAT, SOFA):
        for ad in rows:
            edit(ad, text)
        work()
    return original


ATTACKS = [
    edit_once, edit_in_two_steps, hide_and_show, delete_and_save_again, delete_and_save_again_at_once,
    edit_before_the_victim_is_indexed, edit_twins_before_the_victim_is_indexed, update_without_save, bulk_update,
    away_and_back_over_the_victim,
]  # fmt: skip


@pytest.fixture
def attack():
    def run(way, accounts, count=2):
        rows = [post(PIANO if number % 2 else CAT, author=accounts(number)) for number in range(count)]
        work()
        return way(rows), rows

    return run


def first_of_all(original, rows):
    """Return what each part of the app takes for the original: the post that came first."""
    found = cluster(original)
    assert found is not None and all(cluster(ad) == found for ad in rows)
    leader = Ad.objects.get(pk=int(found.leader.object_id))
    ads = [original, *rows]
    with with_seo("canonical", "sitemap"):
        (address,) = {canonical_url(ad, Ad.objects.all()) for ad in ads}
        site = RequestSite(RequestFactory().get("/"))
        (located,) = (url["location"] for url in AdSitemap().get_urls(site=site))
    by_address = {f"https://testserver{ad.get_absolute_url()}": ad for ad in ads}
    return {
        "leader of the group": leader,
        "proposed keeper": propose_keeper(ads, "default").post,
        "canonical address": by_address[f"https://testserver{address}"],
        "sitemap": by_address[located],
    }


@pytest.mark.parametrize("accounts", ACCOUNTS)
@pytest.mark.parametrize("way", ATTACKS)
def test_the_victim_stays_first(way, accounts, attack):
    original, rows = attack(way, accounts)
    for part, ad in first_of_all(original, rows).items():
        assert ad == original, part


@pytest.mark.parametrize("way", ATTACKS)
def test_control_without_ages_the_old_row_is_first(way, attack, monkeypatch):
    remove_text_ages(monkeypatch.setattr)
    original, rows = attack(way, one_account)
    assert set(first_of_all(original, rows).values()) == {rows[0]}


class TestForms:
    """The form asks the author of a copy, and not the author of the text that was copied."""

    @pytest.fixture
    def stolen(self, board, people, publish):
        """An advert of Bob's that is older, edited past the form into a copy of Ann's."""
        old = publish(CAT, people.bob)
        original = publish(SOFA, people.ann)
        edit(old, SOFA)
        work()
        return original, old

    def test_the_victim_edits_without_a_warning(self, stolen, people, submit):
        original, _old = stolen
        form = submit(people.ann, instance=original, text=f"{SOFA} Торг.")
        assert form.is_valid(), form.errors
        assert str(form.neardup) == ""

    def test_control_without_ages_the_victim_is_warned(self, board, people, publish, submit, monkeypatch):
        remove_text_ages(monkeypatch.setattr)
        old, original = publish(CAT, people.bob), publish(SOFA, people.ann)
        edit(old, SOFA)
        work()
        assert not submit(people.ann, instance=original, text=f"{SOFA} Торг.").is_valid()

    def test_the_copier_is_warned_at_the_next_edit(self, stolen, people, submit):
        _original, old = stolen
        assert not submit(people.bob, instance=old, text=f"{SOFA} Срочно.").is_valid()

    def test_the_edit_into_a_copy_is_warned_about(self, board, people, publish, submit):
        old = publish(CAT, people.bob)
        publish(SOFA, people.ann)
        assert not submit(people.bob, instance=old, text=SOFA_EDITED).is_valid()


class TestDatesThatAuthorsSet:
    """Adapter.edited_at() may read a column that an author can write."""

    @pytest.fixture
    def dated(self, monkeypatch):
        """The site says that a text was edited when ``hits`` says, in seconds since 1970."""
        monkeypatch.setattr(
            AdNeardup, "edited_at", lambda adapter, ad: datetime.fromtimestamp(ad.hits, tz=timezone.utc)
        )

    def test_a_backdated_edit_goes_by_the_time_of_its_save(self, dated):
        old = post(CAT, hits=1)
        work()
        original = victim()
        edit(old, SOFA, hits=1)
        work()
        assert cluster(original).leader_id == document(original).pk

    def test_a_backdated_new_post_goes_by_the_time_of_its_save(self, dated):
        original = victim()
        copy = post(SOFA, hits=1)
        work()
        assert cluster(original).leader_id == document(original).pk != document(copy).pk

    def test_control_without_ages_the_old_row_is_first(self, dated, monkeypatch):
        remove_text_ages(monkeypatch.setattr)
        old = post(CAT, hits=1)
        work()
        original = victim()
        edit(old, SOFA, hits=1)
        work()
        assert cluster(original).leader_id == document(old).pk
