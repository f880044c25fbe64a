"""The staff's key phrases: read with every text, compiled once a process and again whenever they are others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..adapters import registered
from ..conf import get_aliases
from ..models import Document, KeyPhrase
from ..portions import portions
from ..text.document import Document as Text
from ..text.phrases import Phrases
from .ledger import mark_many
from .locks import retrying
from .objects import content_type_of
from .remembering import remember_silence
from .sql import rows

PHRASES = 'FROM "neardup_keyphrase" WHERE "active" AND ("profile" = \'\' OR "profile" = %s)'


@dataclass(frozen=True)
class _Compiled:
    texts: tuple[str, ...]
    phrases: Phrases[str]


_compiled: dict[tuple[str, str, str, str], _Compiled] = {}


class PhraseList:
    """The active key phrases of a profile as they are now: one query, made when the first text is looked through.

    ``unread``: none is made, for there are none; whoever stores what was found asks whether that holds."""

    def __init__(self, profile: str, using: str, unread: bool = False) -> None:
        self.profile, self.using, self.unread = profile, using, unread

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The phrases, the oldest first."""
        if self.unread:
            return ()
        found = rows(self.using, f'SELECT "text" {PHRASES} ORDER BY "id"', [self.profile])
        if not found:
            remember_silence(self.profile, self.using)
        return tuple(text for (text,) in found)

    def found_in(self, text: Callable[[], Text]) -> tuple[str, ...]:
        """Those that a text holds, each as ``value_of`` writes it; the text is asked for only where there are any."""
        return self._compiled(text()).find(text()) if self.texts else ()

    def _compiled(self, text: Text) -> Phrases[str]:
        name = (self.using, self.profile, text.language, text.synonyms.digest if text.synonyms else "")
        found = _compiled.get(name)
        if found is None or found.texts != self.texts:
            phrases = Phrases([(value_of(each), each) for each in self.texts], text.language, text.synonyms)
            found = _compiled[name] = _Compiled(self.texts, phrases)
        return found.phrases


def value_of(phrase: str) -> str:
    """What is hashed of a phrase: its words as written, in small letters."""
    return " ".join(phrase.lower().split())


def search_existing(phrases: Iterable[KeyPhrase], using: str) -> int:
    """Have the worker look for those phrases in the posts that are indexed already; how many posts that are."""
    portions = _documents(phrases, using)
    for portion in portions:
        retrying(mark_many, portion, using)
    return sum(map(len, portions))


def _documents(phrases: Iterable[KeyPhrase], using: str) -> list[Sequence[int]]:
    """Numbers of the indexed documents of those phrases' profiles, in portions."""
    named = {phrase.profile for phrase in phrases}
    aliases = set(get_aliases()) if "" in named else named
    adapters = [adapter for adapter in registered().values() if adapter.profile in aliases]
    kinds = [content_type_of(adapter.model, using).pk for adapter in adapters]
    signed = Document.State.INDEXED, Document.State.PENDING  # one that is signed just now is pending still
    found = Document.objects.using(using).filter(content_type__in=kinds, state__in=signed)
    keys = list(found.order_by("pk").values_list("pk", flat=True))
    return list(portions(keys))
