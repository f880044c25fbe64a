"""Canonical texts of the latest comparisons.

A post made from a template is compared with the same posts again and again.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from ..adapters import Adapter, Source
from ..models import Scheme
from ..text.canonical_text import CanonicalText as Text
from .schemes import canonicalize

MAX_CACHED_WORDS = 40_000
"""Words of all cached texts together: some 20 MB."""

MAX_TEXT_WORDS = 1_000
"""Words of the longest text that is cached."""

CHARACTERS_PER_WORD = 16
"""Characters that count as one word if a text is mostly markup or blanks."""


class _TextCache:
    """Texts by secret, synonyms with language, and source digest.

    The least recently used text is dropped first.
    """

    def __init__(self) -> None:
        self.texts: OrderedDict[tuple[str, str, str], Text] = OrderedDict()
        self.words = 0
        self.lock = Lock()

    def get(self, key: tuple[str, str, str]) -> Text | None:
        with self.lock:
            text = self.texts.get(key)
            if text is not None:
                self.texts.move_to_end(key)
            return text

    def put(self, key: tuple[str, str, str], text: Text) -> None:
        with self.lock:
            if key not in self.texts:
                self.texts[key] = text
                self.words += _size_in_words(text)
            while self.words > MAX_CACHED_WORDS:
                self.words -= _size_in_words(self.texts.popitem(last=False)[1])

    def clear(self) -> None:
        with self.lock:
            self.texts.clear()
            self.words = 0


def _size_in_words(text: Text) -> int:
    return 1 + max(text.word_count, len(text.raw) // CHARACTERS_PER_WORD)


_text_cache = _TextCache()


def forget_texts() -> None:
    """Drop all texts that this process has cached."""
    _text_cache.clear()


def cached_canonical_text(adapter: Adapter, source: Source, digest: str, scheme: Scheme) -> Text:
    """Return the canonical text of a source, from the cache if its digest is there.

    A text of over 1,000 words, or 16,000 characters, is never cached.
    """
    key = (scheme.secret, str(scheme.parameters.get("synonyms", "")) + scheme.language, digest)
    text = _text_cache.get(key)
    if text is None:
        text = canonicalize(adapter, source, scheme)
        if _size_in_words(text) <= MAX_TEXT_WORDS:
            _text_cache.put(key, text)
    return text
