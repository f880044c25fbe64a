"""What posts of a run find in buckets that the run fills, and that planted copies are found in spite of full ones."""

import random
from dataclasses import replace

import numpy as np
import pytest

from django_neardup.adapters import adapter_for
from django_neardup.comparison.candidates import candidates_many
from django_neardup.conf import get_profile
from django_neardup.index import keys as storage
from django_neardup.models import Document, Fingerprint, Scheme
from django_neardup.pipeline.backfill import begin_pass, process_ranges
from django_neardup.pipeline.backfill.run_posts import RunPosts
from django_neardup.pipeline.read import read_many
from django_neardup.pipeline.schemes import active_scheme
from django_neardup.pipeline.sign import sign_many
from django_neardup.pipeline.stage_types import SignedDocument
from django_neardup.pipeline.stored_posts import StoredPosts
from tests.pipeline.families import SYLLABLES, family
from tests.testapp.models import Ad

pytestmark = pytest.mark.django_db(transaction=True, databases=["default"])

COLD, HOT, CAP, SCHEME = 7, 8, 3, 1
EARLIER, RUN, LATER = [1, 2, 3, 4], [10, 11, 12, 13, 14], [20]


def signed(document, *keys):
    adapter = adapter_for(Ad)
    return SignedDocument(
        document, 1, True, adapter, None, 0, "", "", 0, np.array(keys, np.int64), np.array([], np.int64), b""
    )


def others(key, documents):
    """Documents that are not of the run, signed by the scheme, get a key."""
    storage.add_run("default", [key] * len(documents), documents)
    known = set(Fingerprint.objects.values_list("document", flat=True))
    Fingerprint.objects.bulk_create(
        Fingerprint(document_id=each, scheme_id=SCHEME, version=1, source_digest="", exact_digest="")
        for each in documents
        if each not in known
    )


def filled(cap, keys, run=RUN):
    """A run of those documents by key, whose keys are written."""
    made = RunPosts(np.array(run), replace(get_profile(), bucket=cap), Scheme(pk=SCHEME), "default")
    for key, owners in sorted(keys.items()):
        own = np.full(len(owners), key)
        made.add_keys(own, np.array(owners))
        storage.add_run("default", own, owners)
    return made


def compared(made):
    """The same when its posts begin to be compared."""
    made.load_older_documents(lambda: None)
    return made


def crowds():
    """A run of five documents that all have the hot key, the last three the cold one too."""
    others(HOT, EARLIER)
    others(COLD, [4])
    made = filled(CAP + 1, {COLD: RUN[2:], HOT: RUN})
    others(COLD, LATER)
    return made


def met(made):
    """By document of the run, whom it finds by the hot key; nobody twice."""
    asked = np.array([HOT], np.int64)
    found = [made.read_buckets([signed(one, HOT)], asked)[1].tolist() for one in RUN]
    assert all(len(set(each)) == len(each) for each in found)
    return [sorted(each) for each in found]


@pytest.mark.parametrize(
    ("document", "near"),
    [
        (10, {HOT: {1, 2, 3, 4}}),
        (11, {HOT: {2, 3, 4, 10}}),
        (13, {HOT: {4, 10, 11, 12}, COLD: {12, 13, 20}}),
        (14, {HOT: {10, 11, 12, 13}, COLD: {12, 13, 14, 20}}),
    ],
)
def test_buckets_look_as_if_posts_came_one_after_another(document, near):
    made, keys = compared(crowds()), np.array(sorted(near), np.int64)
    place, others = made.read_buckets([signed(document, *keys)], keys)
    assert place.tolist() == sorted(place.tolist())
    found = {int(key): set(others[place == at].tolist()) for at, key in enumerate(keys)}
    assert found == near


def test_others_that_have_a_hot_key_are_met_once():
    """One has it before the run, by a higher number; one comes while the run is written, one is edited meanwhile; one
    comes when the run is compared."""
    others(HOT, [1, 30])
    made = filled(CAP, {HOT: RUN})
    others(HOT, [40, 5])
    compared(made)
    others(HOT, [50])
    assert met(made) == [
        [5, 30, 40, 50],
        [10, 30, 40, 50],
        [10, 11, 30, 40, 50],
        [10, 11, 12, 30, 40, 50],
        [11, 12, 13, 30, 40, 50],
    ]


@pytest.mark.parametrize("number", [1, 2, 3, 5])
@pytest.mark.parametrize("others_from", [100, 15], ids=["newer", "between"])
def test_posts_of_a_run_meet_one_another_beside_another_run(number, others_from):
    """Which has more documents than a bucket is read for, and not signed yet; whether the key is hot or not."""
    others(HOT, [1, 2])
    strangers = range(others_from, others_from + 50)
    made = filled(CAP, {COLD: [200], HOT: RUN[:number]}, [*RUN, 200])
    storage.add_run("default", [HOT] * 50, strangers)
    rows = met(compared(made))[:number]
    assert not {*rows[-1]} & {*strangers} and (number == 2 or {1, 2} <= {*rows[0]})
    for place, row in enumerate(rows):
        assert {*RUN[max(place - CAP, 0) : place]} <= {*row, RUN[place]}


def test_a_run_that_was_broken_off_meets_who_was_before_it():
    """Its own keys are there already, more than a bucket is read for."""
    others(HOT, [1, 2])
    filled(CAP, {HOT: RUN})
    assert met(compared(filled(CAP, {HOT: RUN})))[:2] == [[1, 2], [1, 2, 10]]


def test_a_run_without_keys_finds_nothing():
    empty = np.array([], np.int64)
    made = RunPosts(empty, replace(get_profile(), bucket=CAP), Scheme(pk=SCHEME), "default")
    made.add_keys(empty, empty)
    place, others = compared(made).read_buckets([signed(1)], empty)
    assert not len(place) and not len(others)


def sentence(chance):
    return chance.choice(range(60))


def recombined(chance):
    """A post of four sentences out of sixty, some of its words replaced."""
    words = [word for _ in range(4) for word in family(sentence(chance))[:14]]
    return [word if chance.random() > 0.12 else "".join(chance.choices(SYLLABLES, k=4)) for word in words]


def test_edited_copies_are_offered_beside_full_buckets(settings):
    settings.NEARDUP = {"default": {"BUCKET": 8, "MAX_ALIGNED": 1}}
    chance, template = random.Random(3), family(900)
    originals = [recombined(chance) for _ in range(30)]
    copies = [[word for word in words if chance.random() > 0.05] for words in originals]
    background = [recombined(chance) for _ in range(150)]
    templates = [[*template, *family(1000 + number)[:3]] for number in range(60)]
    texts = [*originals, *background, *templates, *copies]
    ads = Ad.objects.bulk_create([Ad(text=" ".join(words)) for words in texts])
    process_ranges(begin_pass(adapter_for(Ad), "default"), 100)
    numbers = {row.object_id: row.pk for row in Document.objects.all()}
    settings.NEARDUP = {"default": {"BUCKET": 8}}
    met = _offered([numbers[str(ad.pk)] for ad in ads[-30:]])
    pairs = [(numbers[str(a.pk)], numbers[str(b.pk)]) for a, b in zip(ads[:30], ads[-30:])]
    assert sum(one in met[two] for one, two in pairs) >= 0.99 * len(pairs)


def _offered(documents):
    """Whom those indexed documents would be aligned with, were they looked at again."""
    scheme = active_scheme(adapter_for(Ad).settings, "default")
    reads = read_many(list(Document.objects.filter(pk__in=documents)), "default")
    made, _ = sign_many(reads, scheme, "default")
    for one in made:
        one.is_new = True
    found = candidates_many(made, StoredPosts.of(made, "default"))
    return {document: {each.document_id for each in of.fingerprints} for document, of in found.items()}
