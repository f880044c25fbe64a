"""Canonised texts of the last comparisons: who posts a template is compared with the same posts again and again."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from ..adapters import Adapter, Source
from ..models import Scheme
from ..text.document import Document as Text
from .schemes import canonise

MOST_WORDS = 40_000
"""Words of all remembered texts together: some 20 MB."""

LONGEST = 1_000

CHARACTERS = 16
"""Characters that count as a word where a text is mostly markup or blanks."""


class _Memory:
    """Texts by secret and digest of what was read, the least lately used of them forgotten first."""

    def __init__(self) -> None:
        self.texts: OrderedDict[tuple[str, str, str], Text] = OrderedDict()
        self.words = 0
        self.lock = Lock()

    def get(self, key: tuple[str, str, str]) -> Text | None:
        with self.lock:
            found = self.texts.get(key)
            if found is not None:
                self.texts.move_to_end(key)
            return found

    def put(self, key: tuple[str, str, str], text: Text) -> None:
        with self.lock:
            if key not in self.texts:
                self.texts[key] = text
                self.words += _size(text)
            while self.words > MOST_WORDS:
                self.words -= _size(self.texts.popitem(last=False)[1])


def _size(text: Text) -> int:
    return 1 + max(text.words, len(text.raw) // CHARACTERS)


_memory = _Memory()


def canonised(adapter: Adapter, source: Source, digest: str, scheme: Scheme) -> Text:
    """``canonise``, once for a source of that digest while it is remembered; a text of over 1,000 words, or 16,000
    characters, never is."""
    key = (scheme.secret, str(scheme.parameters.get("synonyms", "")) + scheme.language, digest)
    found = _memory.get(key)
    if found is None:
        found = canonise(adapter, source, scheme)
        if _size(found) <= LONGEST:
            _memory.put(key, found)
    return found
