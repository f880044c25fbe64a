"""Who is worth reading: never is one left out that alignment would call like the text."""

import gzip
import json

import numpy as np
import pytest

from django_neardup.adapters import adapter_for
from django_neardup.conf import get_profile
from django_neardup.finding.asking import asking
from django_neardup.finding.index import index_to_be
from django_neardup.finding.judging import judgement_of
from django_neardup.finding.worth import Worth
from django_neardup.models import Document
from django_neardup.pipeline.records import Read
from django_neardup.pipeline.signing import sign_texts
from tests.pipeline.families import family
from tests.services import ROOT
from tests.testapp.models import Ad

LITTLE = ["и", "в", "на", "не", "что", "он", "как", "а", "то", "все", "она", "так", "его", "но", "да", "ты"]


def signed(*texts):
    """The texts as they are looked up, with their sources."""
    ask = asking(None, Ad, visible=None, limit=5, author=None, scope=(), using="default")
    asked = [ask.of(text) for text in texts]
    reads = [Read(Document(pk=-place), each.adapter, each.source) for place, each in enumerate(asked)]
    index = index_to_be(get_profile())
    made = {-one.document: one for one in sign_texts(reads, index.scheme, index.place)}
    return [made[place] for place in range(len(texts))], [each.source for each in asked]


def is_worth(one, other):
    keys = len(np.intersect1d(one.keys, other.keys))
    return Worth(one).of(keys, other.words, other.payload)


def labelled():
    with gzip.open(ROOT / "tests" / "data" / "ads_a.variants.jsonl.gz", "rt", encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            if record.get("rec") == "pair":
                yield record["a"]["text"], record["b"]["text"]


@pytest.mark.parametrize("part", range(4))
def test_nothing_that_is_offered_is_left_out(part):
    pairs = list(labelled())[part::20]
    for texts in pairs:
        (one, other), (_, source) = signed(*texts)
        if judgement_of(one, adapter_for(Ad), source, other.payload).offered:
            assert is_worth(one, other) and is_worth(other, one), texts
    assert len(pairs) > 20


def mixed(number):
    """Words of that family, and among them the words that every text has."""
    return " ".join([*(f"{a} {b}" for a, b in zip(family(number), LITTLE)), *family(number + 500)[:20]])


def test_common_words_alone_are_not_worth_it():
    (one, other), (_, source) = signed(mixed(1), mixed(2))
    assert one.algorithm.screen(one.payload, other.payload) >= 0.3
    assert not is_worth(one, other) and not judgement_of(one, adapter_for(Ad), source, other.payload).offered


@pytest.mark.parametrize("text", ["продаю стол в спальню", mixed(3), f"{mixed(1)} {mixed(3)}"])
def test_a_text_is_worth_itself_and_what_holds_it(text):
    (one, other), _ = signed(text, f"{text} {mixed(4)}")
    assert is_worth(one, one) and is_worth(one, other) and is_worth(other, one)
