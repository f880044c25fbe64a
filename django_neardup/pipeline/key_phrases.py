"""The staff's key phrases. They are read for every batch, and compiled again if they have changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..adapters import registered_adapters
from ..conf import get_aliases
from ..db.chunks import chunked
from ..db.queries import documents as document_queries
from ..models import Document, KeyPhrase
from ..text.canonical_text import CanonicalText as Text
from ..text.key_phrases import PhraseMatcher
from .content_objects import content_type_of
from .locks import call_with_retries
from .scheme_cache import cache_no_key_phrases
from .work_queue import mark_many


@dataclass(frozen=True)
class _CompiledPhrases:
    texts: tuple[str, ...]
    phrases: PhraseMatcher[str]


_compiled_phrases: dict[tuple[str, str, str, str], _CompiledPhrases] = {}


class PhraseList:
    """The active key phrases of a profile. They are read by one query for the first text that is searched.

    ``assumed_empty``: make no query, because there are no phrases. The version guard of step A checks that.
    """

    def __init__(self, profile: str, using: str, assumed_empty: bool = False) -> None:
        self.profile, self.using, self.assumed_empty = profile, using, assumed_empty

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The phrases, oldest first."""
        if self.assumed_empty:
            return ()
        texts = document_queries.active_phrases(self.using, self.profile)
        if not texts:
            cache_no_key_phrases(self.profile, self.using)
        return tuple(texts)

    def find_in(self, get_text: Callable[[], Text]) -> tuple[str, ...]:
        """Return the phrases found in a text, in the form of ``normalize_phrase``.

        The text is only built if there are any phrases.
        """
        return self._compile(get_text()).find(get_text()) if self.texts else ()

    def _compile(self, text: Text) -> PhraseMatcher[str]:
        key = (self.using, self.profile, text.language, text.synonyms.digest if text.synonyms else "")
        compiled = _compiled_phrases.get(key)
        if compiled is None or compiled.texts != self.texts:
            phrases = PhraseMatcher(
                [(normalize_phrase(phrase), phrase) for phrase in self.texts], text.language, text.synonyms
            )
            compiled = _compiled_phrases[key] = _CompiledPhrases(self.texts, phrases)
        return compiled.phrases


def normalize_phrase(phrase: str) -> str:
    """Return the form of a phrase that is hashed: its words as written, in lower case."""
    return " ".join(phrase.lower().split())


def request_phrase_search(phrases: Iterable[KeyPhrase], using: str) -> int:
    """Let the worker search indexed posts for phrases. Return the number of these posts."""
    chunks = _documents_to_search(phrases, using)
    for chunk in chunks:
        call_with_retries(mark_many, chunk, using)
    return sum(map(len, chunks))


def _documents_to_search(phrases: Iterable[KeyPhrase], using: str) -> list[Sequence[int]]:
    """Return ids of the indexed documents of the phrases' profiles, in chunks."""
    profiles = {phrase.profile for phrase in phrases}
    aliases = set(get_aliases()) if "" in profiles else profiles
    adapters = [adapter for adapter in registered_adapters().values() if adapter.profile in aliases]
    content_type_ids = [content_type_of(adapter.model, using).pk for adapter in adapters]
    # A document that is being signed at this moment is still pending.
    states = Document.State.INDEXED, Document.State.PENDING
    documents = Document.objects.using(using).filter(content_type__in=content_type_ids, state__in=states)
    document_ids = list(documents.order_by("pk").values_list("pk", flat=True))
    return list(chunked(document_ids))
