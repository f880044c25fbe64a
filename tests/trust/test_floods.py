"""Floods of copies, by which somebody tries to push an advert out of the buckets of its keys.

``make trust`` floods with 500 posts, the suite with 100: more than a bucket holds. Each control shows that the flood
succeeds without the defence.
"""

import os
from random import Random

import pytest

import django_neardup as neardup
from django_neardup.models import FamilyMember
from django_neardup.prepublication import check
from django_neardup.prepublication.check import MAX_MATCHES
from django_neardup.search import find_for_request, visible_posts
from django_neardup.search.request import MAX_ALIGNED
from tests.pipeline.families import family
from tests.pipeline.helpers import SOFA, SOFA_EDITED, cluster, document, pair, post, work
from tests.search.tools import VISIBLE, edited
from tests.testapp.models import Ad, Author
from tests.trust.controls import remove_bucket_defences

pytestmark = [pytest.mark.django_db, pytest.mark.engine_alike]

FLOOD = int(os.environ.get("FLOOD", "100"))

VICTIM = edited(1, 0)
COPY = edited(1, 4)
"""What a thief publishes: the victim's text with four other words."""


def variant(number):
    """The copy with one other word: more similar to the copy than the victim's text is."""
    words = COPY.split()
    words[number % len(words)] = family(20_000 + number)[0]
    return " ".join(words)


FLOODS = {
    "hidden exact copies": lambda number: {"text": VICTIM, "published": False},
    "hidden near copies": lambda number: {"text": edited(1, 2, number), "published": False},
    "live near copies": lambda number: {"text": edited(1, 2, number), "published": True},
    "live variants": lambda number: {"text": variant(number), "published": True},
}


def one_account(number):
    return Author.objects.get_or_create(name="one")[0]


def many_accounts(number):
    return Author.objects.create(name=f"author {number}")


def guests(number):
    return None


ACCOUNTS = [one_account, many_accounts, guests]


def flood(kind, accounts, before=0):
    """Return the victim's advert among the posts of the flood, most of them later."""
    owner = Author.objects.create(name="victim")
    numbers = Random(1).sample(range(10 * FLOOD), FLOOD)
    for number in numbers[:before]:
        post(author=accounts(number), **FLOODS[kind](number))
    victim = post(VICTIM, author=owner)
    for number in numbers[before:]:
        post(author=accounts(number), **FLOODS[kind](number))
    work()
    return victim


def found(text, visible=VISIBLE):
    return [match.object for match in find_for_request(text, Ad, visible=visible, limit=MAX_MATCHES)]


@pytest.fixture
def undefended(monkeypatch):
    remove_bucket_defences(monkeypatch.setattr)


CASES = [
    # The suite tries each kind and each sort of accounts once.
    pytest.param(
        kind, accounts, before, marks=[] if place % len(ACCOUNTS) == row and not before else pytest.mark.long
    )
    for place, kind in enumerate(FLOODS)
    for row, accounts in enumerate(ACCOUNTS)
    for before in (0, FLOOD // 2)
    # Who publishes the variants before the victim was there first.
    if kind != "live variants" or not before
]


@pytest.mark.parametrize("kind, accounts, before", CASES)
def test_a_copy_is_found_behind_a_flood(kind, accounts, before):
    victim = flood(kind, accounts, before)
    assert victim in found(VICTIM)
    assert victim in found(COPY)


@pytest.mark.parametrize("kind", FLOODS)
def test_a_saved_copy_meets_the_victim_behind_a_flood(kind):
    victim = flood(kind, guests)
    thief = post(COPY)
    work()
    assert pair(thief, victim) or (cluster(thief) and cluster(thief) == cluster(victim))


@pytest.mark.parametrize("kind", FLOODS)
def test_control_the_newest_of_all_posts_displace_the_victim(kind, undefended):
    victim = flood(kind, guests)
    assert victim not in found(COPY)


class TestPostsThatTheCallerMayNotSee:
    """Live posts of others fill the live buckets: a list shows the caller's own posts alone."""

    def mine(self, victim):
        return Ad.objects.filter(author=victim.author)

    def test_the_search_reads_on(self):
        victim = flood("live near copies", many_accounts, before=FLOOD // 2)
        matches = neardup.find_similar(COPY, Ad, visible=self.mine(victim))
        # With the victim there is one more. 256 are read: in the middle of more posts it may be missed.
        if FLOOD < 256:
            assert [match.object for match in matches] == [victim] and not matches.partial
        else:
            assert matches.partial

    def test_says_that_it_is_partial(self, monkeypatch):
        victim = flood("live near copies", many_accounts, before=FLOOD // 2)
        monkeypatch.setattr(visible_posts, "MAX_BUCKET_SIZE", 80)
        assert neardup.find_similar(COPY, Ad, visible=self.mine(victim)).partial
        (result,) = neardup.check_many([COPY], Ad, visible=self.mine(victim))
        assert result.matches.partial

    def test_says_so_of_buckets_that_were_not_read_on(self, monkeypatch):
        monkeypatch.setattr(visible_posts, "MAX_BUCKETS_READ_ON", 1)
        # One crowd fills the buckets of most passages, another one those of the victim's passage.
        others = " ".join(word for number in range(2, 8) for word in family(number))
        owner = Author.objects.create(name="victim")
        # With a visible post these buckets have fewer hidden ones, so a bucket of the other crowd is read on.
        earlier = post(f"{VICTIM} {' '.join(family(20_000))}", author=owner)
        for number in range(1, 35):
            post(f"{VICTIM} {' '.join(family(20_000 + number))}")
        # No post ends with the victim's text: keys of its last words would be shared with few posts.
        victim = post(f"{VICTIM} {' '.join(family(20_100))}", author=owner)
        for number in range(35, 85):
            post(f"{VICTIM} {' '.join(family(20_000 + number))}")
        for number in range(70):
            post(f"{others} {' '.join(family(30_000 + number))}")
        work()
        matches = neardup.find_similar(f"{VICTIM} {others}", Ad, visible=self.mine(victim))
        assert [match.object for match in matches] == [earlier] and matches.partial
        monkeypatch.setattr(visible_posts, "MAX_BUCKETS_READ_ON", 1_000)
        matches = neardup.find_similar(f"{VICTIM} {others}", Ad, visible=self.mine(victim))
        assert {match.object for match in matches} == {earlier, victim} and not matches.partial

    @pytest.mark.parametrize("kind", ["hidden exact copies", "hidden near copies"])
    def test_nobody_makes_an_answer_partial_by_hidden_posts(self, kind, monkeypatch):
        monkeypatch.setattr(visible_posts, "MAX_BUCKET_SIZE", 80)
        victim = flood(kind, many_accounts)
        matches = neardup.find_similar(COPY, Ad, visible=VISIBLE)
        assert [match.object for match in matches] == [victim] and not matches.partial


class TestOwnCopies:
    """A thief publishes exact copies of the stolen text first, on a site that lets authors repeat their own posts."""

    @pytest.fixture
    def stolen(self, adapt, people, publish, submit):
        """The victim's advert, and the form of a thief with ten exact copies."""
        adapt(publication=[{"action": "ignore", "own": True}, {"action": "warn", "verdict": "duplicate"}])
        victim = publish(SOFA, people.bob)
        for _ in range(MAX_MATCHES):
            post(SOFA_EDITED, author=people.ann)
        work()
        return victim, submit(people.ann, text=SOFA_EDITED)

    def test_they_do_not_hide_the_original(self, stolen):
        victim, form = stolen
        assert not form.is_valid()
        others = [match.object for match in form.neardup.matches if not match.own]
        assert others == [victim] and len(form.neardup.matches) <= MAX_MATCHES + MAX_ALIGNED

    def test_control_they_do_if_copies_take_the_places_of_other_matches(self, stolen, monkeypatch):
        _victim, form = stolen
        monkeypatch.setattr(check, "find_for_request", neardup.find_similar)
        assert form.is_valid()


def test_a_post_that_leads_a_family_never_finds_itself():
    victim = flood("live near copies", guests)
    assert FamilyMember.objects.filter(leader=document(victim)).exists()
    assert victim not in found(victim) and found(victim)
