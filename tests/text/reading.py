"""What the reader says of a text beside what the tokens say."""

from __future__ import annotations

from typing import Any

from django_neardup.text.batch import Batch
from django_neardup.text.canonical_text import CanonicalText
from django_neardup.text.exact_form import exact_form
from django_neardup.text.hashing import digest, hash_word
from django_neardup.text.tokens.name_prefilter import can_contain_name
from django_neardup.text.tokens.stopwords import STOP_WORDS
from django_neardup.text.tokens.tokenize import lower

LONG = "слово за слово " * 40
NO_CONTENT = ("price", "contact")
Fields = dict[str, object]


def of_tokens(document: CanonicalText) -> Fields:
    """The fields as they follow from the tokens and the folded text: the definition."""
    tokens, plain = document.tokens, document.traced_plain
    hashes = tuple(hash_word(token.key, document.secret) for token in tokens)
    usual = document._normalized.usual
    exact = exact_form(
        lower(document.folded_text.text), document.plain, cyrillic=document.is_cyrillic, usual=usual
    )
    stop = [token.key in STOP_WORDS for token in tokens]
    return {
        "hashes": hashes,
        "stop": stop,
        "content": [token.key not in STOP_WORDS and token.kind not in NO_CONTENT for token in tokens],
        "words": len(tokens),
        "content_words": stop.count(False),
        "too_long": document._tokens_and_sentences.too_long,
        # A text over the limit has no exact form: its digest is that of the raw text.
        "exact": digest([exact], document.secret) if not plain.too_long else document.exact_digest,
        "codes": frozenset(token.key for token in tokens if token.kind == "code"),
        "contacts": tuple(dict.fromkeys(token.key for token in tokens if token.kind == "contact")),
    }


def of_reader(document: CanonicalText) -> Fields:
    """The fields as the document takes them from the reader."""
    return {
        "hashes": document.hashes,
        "stop": list(document.stop),
        "content": list(document.content),
        "words": document.word_count,
        "content_words": document.content_word_count,
        "too_long": document.too_long,
        "exact": document.exact_digest,
        "codes": document.codes,
        "contacts": document.contacts,
    }


def of_batch(batch: Batch, i: int) -> Fields:
    """The fields of one text of a batch."""
    start, end = batch.offsets[i : i + 2]
    return {
        "hashes": tuple(batch.hashes[start:end].tolist()),
        "stop": batch.stop[start:end].tolist(),
        "content": batch.content[start:end].tolist(),
        "words": int(batch.lengths[i]),
        "content_words": int(batch.content_words[i]),
        "too_long": bool(batch.too_long[i]),
        "exact": batch.exact(i),
        "codes": batch.codes(i),
        "contacts": batch.contacts(i),
    }


def assert_read(text: str, **options: Any) -> None:
    """The reader's hashes, marks, codes and contacts are those of the tokens."""
    document = CanonicalText(text, **options)
    assert of_reader(document) == of_tokens(document), text[:2000]
    assert can_contain_name(document.plain) or not document.person_names, text[:2000]
