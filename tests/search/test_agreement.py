"""What is said of a post's text before it is published is what the worker says of the post afterwards."""

import pytest
from django.db.models import Q
from django.test import override_settings

import django_neardup as neardup
from django_neardup.models import Document, Pair
from tests.pipeline.helpers import document, post, work
from tests.search.tools import edited
from tests.testapp.models import Ad

pytestmark = pytest.mark.django_db

SCHEMES = {
    "neardup": {},
    "without the guard": {"OPTIONS": {"guard": False}},
    "minhash-lsh": {"ALGORITHM": "minhash-lsh"},
    "by payload": {"ALGORITHM": "minhash-lsh", "OPTIONS": {"guard": False}},
    "a limit": {"ALGORITHM": "longest-words"},
}


def paired(one):
    """Posts, verdicts and scores that are stored of a post."""
    mine = document(one).pk
    found = {}
    for pair in Pair.objects.filter(Q(a=mine) | Q(b=mine)):
        other = Document.objects.get(pk=pair.b_id if pair.a_id == mine else pair.a_id)
        found[int(other.object_id)] = (pair.verdict, pair.exact, round(pair.score, 9))
    return found


def found(item):
    matches = neardup.find_similar(item, Ad, visible=Ad.objects.all(), limit=50)
    return {each.object.pk: (each.verdict, each.exact, round(each.score, 9)) for each in matches}


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=list(SCHEMES))
def test_with_the_pairs_that_a_drain_stores(scheme):
    with override_settings(NEARDUP={"default": {"BACKEND": None, **scheme}}):
        posts = [
            post(edited(number, edits, seed))
            for number in (1, 2)
            for edits in (0, 0, 2, 6, 14)
            for seed in (1,)
        ]
        posts += [post(f"{edited(1, 0)} {edited(3, 0)}"), post(" ".join(edited(2, 0).split()[:15]), sku="5")]
        work()
        assert Pair.objects.count() > 5
        for each in posts:
            matches, stored = found(each), paired(each)
            assert {pk: matches[pk] for pk in stored} == stored
            # Two other items of one family have no pair of their own.
            assert {matches[pk][0] for pk in matches.keys() - stored} <= {"variant"}
