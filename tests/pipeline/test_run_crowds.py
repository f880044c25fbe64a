"""What the posts of a batch find in buckets that the batch fills, and that copies are found in spite of full ones."""

import random
from functools import partial

import numpy as np
import pytest

from django_neardup.adapters import adapter_for
from django_neardup.comparison.bucket_matches import BucketLimit
from django_neardup.comparison.candidates import candidates_many
from django_neardup.comparison.packed_keys import LIVE_BIT
from django_neardup.index import keys as storage
from django_neardup.models import Cluster, Document
from django_neardup.pipeline import drain
from django_neardup.pipeline.backfill import begin_pass, process_ranges
from django_neardup.pipeline.batch_buckets import read_one_after_another
from django_neardup.pipeline.read import read_many
from django_neardup.pipeline.schemes import active_scheme
from django_neardup.pipeline.sign import sign_many
from django_neardup.pipeline.stage_types import SignedDocument
from django_neardup.pipeline.stored_posts import StoredPosts
from tests.pipeline.families import SYLLABLES, family
from tests.pipeline.helpers import post
from tests.testapp.models import Ad

pytestmark = pytest.mark.django_db(transaction=True, databases=["default"])


def signed(document, keys):
    no_keys = np.array([], np.int64)
    return SignedDocument(
        document, 1, True, adapter_for(Ad), None, 0, "", "", 0, np.array(sorted(keys), np.int64), no_keys, b""
    )


def seen_in_turn(before, batch, limit, live):
    """By document of the batch, what the buckets of each key would hold if the keys were stored one after another."""
    buckets = {key: set(documents) for key, documents in before.items()}
    whole = {key: set(documents) for key, documents in before.items()}
    for document, keys in batch:
        for key in keys:
            whole[key | (document in live)].add(document)

    def seen(key):
        """The documents of one bucket. One that is not full is seen whole."""
        documents = sorted(whole[key] if len(whole[key]) < limit.size else buckets[key])
        if len(documents) <= limit.size:
            return documents
        return documents[: limit.oldest] + documents[-limit.newest :]

    seen_by_document = []
    for document, keys in batch:
        for key in keys:
            buckets[key | (document in live)].add(document)
        seen_by_document.append([sorted(seen(key) + seen(key | LIVE_BIT)) for key in sorted(keys)])
    return seen_by_document


@pytest.mark.parametrize("seed", range(8))
def test_a_batch_sees_full_buckets_as_if_its_documents_came_one_after_another(seed):
    """Documents of the batch are new or edited: their ids stand anywhere among the others."""
    chance, limit = random.Random(seed), BucketLimit(5, 15)
    documents = chance.sample(range(1, 200), 90)
    live = set(chance.sample(documents, 60))
    keys = {document: chance.sample(range(0, 80, 2), chance.randrange(1, 20)) for document in documents}
    batch = [(document, keys[document]) for document in documents[:12]]
    before = {
        key | bit: [each for each in documents[12:] if key in keys[each] and (each in live) == bool(bit)]
        for key in range(0, 80, 2)
        for bit in (0, LIVE_BIT)
    }
    pairs = [(key | (each in live), each) for each in documents for key in keys[each]]
    storage.add_run("default", *map(list, zip(*pairs)))

    texts = [signed(document, own) for document, own in batch]
    asked = np.concatenate([text.keys for text in texts])
    positions, found = read_one_after_another(texts, asked, limit, partial(storage.read_buckets, "default"))
    assert positions.tolist() == sorted(positions.tolist())
    buckets = [sorted(found[positions == place].tolist()) for place in range(len(asked))]
    ends = np.cumsum([len(text.keys) for text in texts]).tolist()
    assert [buckets[end - len(text.keys) : end] for text, end in zip(texts, ends)] == seen_in_turn(
        before, batch, limit, live
    )


def test_copies_in_a_backlog_are_one_group_where_their_bucket_is_full(settings):
    settings.NEARDUP = {"default": {"BUCKET": 3}}
    for _ in range(40):
        post(" ".join(family(1)))
    drain()
    assert [group.size for group in Cluster.objects.all()] == [40]


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
