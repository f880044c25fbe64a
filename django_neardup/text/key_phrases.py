"""Search for all phrases of a list in one pass over a text."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

from .canonical_text import CanonicalText
from .tokens.synonyms import Synonyms

PhraseId = TypeVar("PhraseId", bound=Hashable)


class _PhraseNode(Generic[PhraseId]):
    """A state of the automaton: the words read so far.

    ``fallback`` is the state of their longest ending that begins a phrase.
    """

    __slots__ = ("children", "fallback", "nearest_with_phrases", "phrase_ids")

    def __init__(self) -> None:
        self.children: dict[str, _PhraseNode[PhraseId]] = {}
        self.phrase_ids: list[PhraseId] = []
        self.fallback: _PhraseNode[PhraseId] | None = None
        self.nearest_with_phrases: _PhraseNode[PhraseId] | None = None


class PhraseMatcher(Generic[PhraseId]):
    """Phrases of a moderators' list, each with an id, found in texts as runs of adjacent token keys.

    Case, punctuation and inflected forms make no difference: "срочная продажа" finds "Срочную —
    продажу!". ``language`` and ``synonyms`` must be those of the texts. Phrases without a word are never
    found.

    The automaton is by Aho and Corasick, "Efficient string matching" (1975), over words. The time for a
    text grows with its length only, not with the number of phrases.
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
        """Return the ids of the phrases in a text, each once, ordered by the end of their first occurrence."""
        phrase_ids: dict[PhraseId, None] = {}
        visited: set[_PhraseNode[PhraseId]] = set()
        node = self._root
        for token in text.tokens:
            node = self._next_node(node, token.key)
            ending: _PhraseNode[PhraseId] | None = node
            while ending is not None and ending not in visited:
                visited.add(ending)
                phrase_ids.update(dict.fromkeys(ending.phrase_ids))
                ending = ending.nearest_with_phrases
        return tuple(phrase_ids)

    def _add_phrase(self, phrase_id: PhraseId, keys: list[str]) -> None:
        if not keys:
            return
        node = self._root
        for key in keys:
            node = node.children.setdefault(key, _PhraseNode())
        node.phrase_ids.append(phrase_id)

    def _link_fallbacks(self) -> None:
        """Link each node to its fallback, level by level: a fallback is always nearer to the root."""
        queue = deque([self._root])
        while queue:
            parent = queue.popleft()
            for key, node in parent.children.items():
                fallback = parent.fallback
                node.fallback = self._root if fallback is None else self._next_node(fallback, key)
                node.nearest_with_phrases = (
                    node.fallback if node.fallback.phrase_ids else node.fallback.nearest_with_phrases
                )
                queue.append(node)

    def _next_node(self, node: _PhraseNode[PhraseId], key: str) -> _PhraseNode[PhraseId]:
        while key not in node.children:
            if node.fallback is None:
                return node
            node = node.fallback
        return node.children[key]
