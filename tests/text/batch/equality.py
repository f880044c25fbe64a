"""What a batch says of its texts beside what their documents say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django_neardup.algorithms.default.neardup_keys import is_content_word
from django_neardup.text.batch import Batch, read_batch
from django_neardup.text.canonical_text import CanonicalText
from django_neardup.text.tokens.name_prefilter import can_contain_name
from django_neardup.text.tokens.stopwords import STOP_WORDS

LONG = "слово за слово " * 40
Seen = dict[str, object]


def of_batch(batch: Batch, i: int) -> Seen:
    start, end = batch.offsets[i : i + 2]
    return {
        "hashes": tuple(batch.hashes[start:end].tolist()),
        "stop": batch.stop[start:end].tolist(),
        "content": batch.content[start:end].tolist(),
        "words": int(batch.lengths[i]),
        "content_words": int(batch.content_words[i]),
        "truncated": bool(batch.truncated[i]),
        "exact": batch.exact(i),
        "codes": batch.codes(i),
        "contacts": batch.contacts(i),
    }


def of_document(document: CanonicalText) -> Seen:
    return {
        "hashes": document.hashes,
        "stop": [token.key in STOP_WORDS for token in document.tokens],
        "content": [is_content_word(token) for token in document.tokens],
        "words": document.word_count,
        "content_words": document.content_word_count,
        "truncated": document.truncated,
        "exact": document.exact_digest,
        "codes": document.codes,
        "contacts": document.contacts,
    }


def assert_equal(texts: Sequence[str], **options: Any) -> None:
    """Of the texts alone, and beside a long one: few characters are read one by one."""
    alone, beside = read_batch(texts, **options), read_batch([LONG, *texts], **options)
    assert (len(alone), len(beside)) == (len(texts), len(texts) + 1)
    for i, text in enumerate(texts):
        document = CanonicalText(text, **options)
        assert of_batch(alone, i) == of_document(document), text[:2000]
        assert of_batch(beside, i + 1) == of_document(document), text[:2000]
        assert can_contain_name(alone.plain(i)) or not document.person_names, text[:2000]
