"""Keys of a run come out of its spool in slices."""

import random

import numpy as np

from django_neardup.adapters import adapter_for
from django_neardup.pipeline.backfill.spool import Spool
from django_neardup.pipeline.stage_types import SignedDocument
from tests.testapp.models import Ad

COMMON = [-(2**63), 5, 2**63 - 1]


def signed(document, keys):
    return SignedDocument(
        document, 1, True, adapter_for(Ad), None, 0, "", "", 0,
        np.array(keys, np.int64), np.array([], np.int64), b"",
    )  # fmt: skip


def test_slices_are_all_keys_in_order():
    chance = random.Random(7)
    documents = chance.sample(range(1000), 40)
    posts = [
        signed(each, sorted([*COMMON, *(chance.randrange(-(2**63), 2**63) for _ in range(each % 4))]))
        for each in documents
    ]
    spool = Spool(adapter_for(Ad), None)
    spool.add(posts[:15])
    spool.add(posts[15:])
    slices = list(spool.key_slices(20))
    spool.close()
    keys, owners = (np.concatenate(column).tolist() for column in zip(*slices))
    given = [(key, place, one.document_id) for place, one in enumerate(posts) for key in one.keys.tolist()]
    assert len(slices) == len(given) // 20 + 1
    assert [(key, owner) for key, _, owner in sorted(given)] == list(zip(keys, owners))


def test_an_empty_spool_has_no_keys():
    spool = Spool(adapter_for(Ad), None)
    assert [len(keys) for keys, _ in spool.key_slices(20)] == [0]
    spool.close()
