"""Who is worth reading: never is one left out that alignment would call like the text."""

import gzip
import json

import numpy as np
import pytest

from django_neardup.conf import get_profile
from django_neardup.models import Document
from django_neardup.pipeline.sign import sign_texts
from django_neardup.pipeline.stage_types import ReadDocument
from django_neardup.search.prefilter import ContentOverlapFilter
from django_neardup.search.request import build_search_context
from django_neardup.search.scheme_lookup import build_unsaved_index
from tests.pipeline.families import family
from tests.services import ROOT
from tests.testapp.models import Ad

LITTLE = ["и", "в", "на", "не", "что", "он", "как", "а", "то", "все", "она", "так", "его", "но", "да", "ты"]


def signed(*texts):
    """The texts as they are looked up."""
    ask = build_search_context(None, Ad, visible=None, limit=5, author=None, scope=(), using="default")
    asked = [ask.build_query(text) for text in texts]
    reads = [ReadDocument(Document(pk=-place), each.adapter, each.source) for place, each in enumerate(asked)]
    index = build_unsaved_index(get_profile())
    made = {-one.document_id: one for one in sign_texts(reads, index.scheme, index.find_space)}
    return [made[place] for place in range(len(texts))]


def judged(one, other):
    return one.algorithm.judge(one.text, other.text)


def is_worth(one, other):
    keys = len(np.intersect1d(one.keys, other.keys))
    return ContentOverlapFilter(one).passes(keys, other.word_count, other.payload)


def labelled():
    with gzip.open(ROOT / "tests" / "data" / "ads_a.variants.jsonl.gz", "rt", encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            if record.get("rec") == "pair":
                yield record["a"]["text"], record["b"]["text"]


@pytest.mark.parametrize("part", range(4))
def test_nothing_that_is_offered_is_left_out(part):
    pairs = list(labelled())[part::20]
    for texts in pairs:
        one, other = signed(*texts)
        if judged(one, other).is_similar:
            assert is_worth(one, other) and is_worth(other, one), texts
    assert len(pairs) > 20


def mixed(number):
    """Words of that family, and among them the words that every text has."""
    return " ".join([*(f"{a} {b}" for a, b in zip(family(number), LITTLE)), *family(number + 500)[:20]])


def test_common_words_alone_are_not_worth_it():
    one, other = signed(mixed(1), mixed(2))
    assert one.algorithm.screen(one.payload, other.payload) >= 0.3
    assert not is_worth(one, other) and not judged(one, other).is_similar


@pytest.mark.parametrize("text", ["продаю стол в спальню", mixed(3), f"{mixed(1)} {mixed(3)}"])
def test_a_text_is_worth_itself_and_what_holds_it(text):
    one, other = signed(text, f"{text} {mixed(4)}")
    assert is_worth(one, one) and is_worth(one, other) and is_worth(other, one)
