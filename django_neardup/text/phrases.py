"""A list of key phrases found in texts, all of them in one pass."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

from .document import Document
from .synonyms import Synonyms

Id = TypeVar("Id", bound=Hashable)


class _Node(Generic[Id]):
    """A state: the words read so far; ``fallback`` is the longest ending of them that begins a phrase."""

    __slots__ = ("fallback", "found", "nearest", "next")

    def __init__(self) -> None:
        self.next: dict[str, _Node[Id]] = {}
        self.found: list[Id] = []
        self.fallback: _Node[Id] | None = None
        self.nearest: _Node[Id] | None = None


class Phrases(Generic[Id]):
    """Phrases of a staff's list, each with an id, to be found in documents by runs of neighbouring token keys.

    Case, punctuation and the forms of words make no difference: "срочная продажа" finds "Срочную — продажу!".
    ``language`` and ``synonyms`` are to be those of the documents.  Phrases without a word are never found.
    The automaton of Aho and Corasick, "Efficient string matching" (1975), over words: the time to look through
    a text grows with its length alone, not with the number of phrases.
    """

    def __init__(
        self, phrases: Iterable[tuple[Id, str]], language: str = "ru", synonyms: Synonyms | None = None
    ) -> None:
        self._root: _Node[Id] = _Node()
        for phrase_id, text in phrases:
            document = Document(text, language=language, synonyms=synonyms)
            self._add(phrase_id, [token.key for token in document.tokens])
        self._link()

    def find(self, document: Document) -> tuple[Id, ...]:
        """Ids of the phrases that a document holds, each once, in the order in which their first ends stand."""
        found: dict[Id, None] = {}
        told: set[_Node[Id]] = set()
        node = self._root
        for token in document.tokens:
            node = self._step(node, token.key)
            end: _Node[Id] | None = node
            while end is not None and end not in told:
                told.add(end)
                found.update(dict.fromkeys(end.found))
                end = end.nearest
        return tuple(found)

    def _add(self, phrase_id: Id, keys: list[str]) -> None:
        if not keys:
            return
        node = self._root
        for key in keys:
            node = node.next.setdefault(key, _Node())
        node.found.append(phrase_id)

    def _link(self) -> None:
        """Nodes by their depth: each falls back to one that stands higher."""
        waiting = deque([self._root])
        while waiting:
            parent = waiting.popleft()
            for key, node in parent.next.items():
                fallback = parent.fallback
                node.fallback = self._root if fallback is None else self._step(fallback, key)
                node.nearest = node.fallback if node.fallback.found else node.fallback.nearest
                waiting.append(node)

    def _step(self, node: _Node[Id], key: str) -> _Node[Id]:
        while key not in node.next:
            if node.fallback is None:
                return node
            node = node.fallback
        return node.next[key]
