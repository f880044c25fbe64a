"""A4 of the RCDL-2007 comparison, and the order of sentences by length."""

from __future__ import annotations

from typing import ClassVar

from ..text.document import Document
from ..text.hashing import crc32
from ..text.views import sentence_words
from .matching import Matching
from .registry import register

Sentence = tuple[str, ...]


@register
class LongSent(Matching):
    """CRC32 of the two sentences with most words, in alphabetical order, joined by a space.

    Source: Zelenkov, Segalovich (RCDL 2007), algorithm A4.  The article does not state the order nor what becomes of
    equal lengths; here the alphabet decides both, a sentence that a text repeats counts once, and a text of one
    sentence is signed by it: a reconstruction.  Sentences are the keys of their words.  Fails when one of the two is
    edited, and where boilerplate is longer than what a text has of its own.
    """

    name: ClassVar[str] = "long-sent"

    def signatures(self, document: Document) -> list[int]:
        return [sentences_crc32(longest_sentences(document)[:2])]


def longest_sentences(document: Document) -> list[Sentence]:
    """The distinct sentences of a text as keys of words, those of most words first, then in alphabetical order."""
    return sorted(distinct_sentences(document), key=lambda words: (-len(words), words))


def distinct_sentences(document: Document) -> set[Sentence]:
    """The sentences of a text as keys of words, each once."""
    return {tuple(words) for words in sentence_words(document)}


def sentences_crc32(sentences: list[Sentence]) -> int:
    """CRC32 of sentences in alphabetical order, words and sentences joined by spaces."""
    return crc32(" ".join(sorted(" ".join(words) for words in sentences)))
