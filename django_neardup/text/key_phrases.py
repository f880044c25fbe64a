"""A list of key phrases found in texts, all of them in one pass."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

from .canonical_text import CanonicalText
from .tokens.synonyms import Synonyms

PhraseId = TypeVar("PhraseId", bound=Hashable)


class _PhraseNode(Generic[PhraseId]):
    """A state: the words read so far; ``fallback`` is the longest ending of them that begins a phrase."""

    __slots__ = ("children", "fallback", "nearest_with_phrases", "phrase_ids")

    def __init__(self) -> None:
        self.children: dict[str, _PhraseNode[PhraseId]] = {}
        self.phrase_ids: list[PhraseId] = []
        self.fallback: _PhraseNode[PhraseId] | None = None
        self.nearest_with_phrases: _PhraseNode[PhraseId] | None = None


class PhraseMatcher(Generic[PhraseId]):
    """Phrases of a staff's list, each with an id, to be found in documents by runs of neighbouring token keys.

    Case, punctuation and the forms of words make no difference: "срочная продажа" finds "Срочную — продажу!".
    ``language`` and ``synonyms`` are to be those of the documents.  Phrases without a word are never found.
    The automaton of Aho and Corasick, "Efficient string matching" (1975), over words: the time to look through
    a text grows with its length alone, not with the number of phrases.
    """

    def __init__(
        self, phrases: Iterable[tuple[PhraseId, str]], language: str = "ru", synonyms: Synonyms | None = None
    ) -> None:
        self._root: _PhraseNode[PhraseId] = _PhraseNode()
        for phrase_id, text in phrases:
            document = CanonicalText(text, language=language, synonyms=synonyms)
            self._add_phrase(phrase_id, [token.key for token in document.tokens])
        self._link_fallbacks()

    def find(self, text: CanonicalText) -> tuple[PhraseId, ...]:
        """Ids of the phrases that a document holds, each once, in the order in which their first ends stand."""
        found: dict[PhraseId, None] = {}
        told: set[_PhraseNode[PhraseId]] = set()
        node = self._root
        for token in text.tokens:
            node = self._next_node(node, token.key)
            end: _PhraseNode[PhraseId] | None = node
            while end is not None and end not in told:
                told.add(end)
                found.update(dict.fromkeys(end.phrase_ids))
                end = end.nearest_with_phrases
        return tuple(found)

    def _add_phrase(self, phrase_id: PhraseId, keys: list[str]) -> None:
        if not keys:
            return
        node = self._root
        for key in keys:
            node = node.children.setdefault(key, _PhraseNode())
        node.phrase_ids.append(phrase_id)

    def _link_fallbacks(self) -> None:
        """Nodes by their depth: each falls back to one that stands higher."""
        waiting = deque([self._root])
        while waiting:
            parent = waiting.popleft()
            for key, node in parent.children.items():
                fallback = parent.fallback
                node.fallback = self._root if fallback is None else self._next_node(fallback, key)
                node.nearest_with_phrases = (
                    node.fallback if node.fallback.phrase_ids else node.fallback.nearest_with_phrases
                )
                waiting.append(node)

    def _next_node(self, node: _PhraseNode[PhraseId], key: str) -> _PhraseNode[PhraseId]:
        while key not in node.children:
            if node.fallback is None:
                return node
            node = node.fallback
        return node.children[key]
