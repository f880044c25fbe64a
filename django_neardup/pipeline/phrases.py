"""The staff's key phrases: read with every text, compiled once a process and again whenever they are others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Q

from ..adapters import registered
from ..conf import get_aliases
from ..models import Document, KeyPhrase
from ..text.document import Document as Text
from ..text.phrases import Phrases
from .ledger import mark_many
from .locks import retrying
from .objects import content_type_of

CHUNK = 1000


@dataclass(frozen=True)
class _Compiled:
    texts: tuple[str, ...]
    phrases: Phrases[str]


_compiled: dict[tuple[str, str, str, str], _Compiled] = {}


def phrases_in(text: Text, profile: str, using: str) -> tuple[str, ...]:
    """The active key phrases of that profile which a text holds, each as ``value_of`` writes it; one query."""
    rows = KeyPhrase.objects.using(using).filter(Q(profile="") | Q(profile=profile), active=True)
    texts = tuple(rows.order_by("pk").values_list("text", flat=True))
    if not texts:
        return ()
    name = (using, profile, text.language, text.synonyms.digest if text.synonyms else "")
    found = _compiled.get(name)
    if found is None or found.texts != texts:
        phrases = Phrases([(value_of(each), each) for each in texts], text.language, text.synonyms)
        found = _compiled[name] = _Compiled(texts, phrases)
    return found.phrases.find(text)


def value_of(phrase: str) -> str:
    """What is hashed of a phrase: its words as written, in small letters."""
    return " ".join(phrase.lower().split())


def search_existing(phrases: Iterable[KeyPhrase], using: str) -> int:
    """Have the worker look for those phrases in the posts that are indexed already; how many posts that are."""
    portions = _documents(phrases, using)
    for portion in portions:
        retrying(mark_many, portion, using)
    return sum(map(len, portions))


def _documents(phrases: Iterable[KeyPhrase], using: str) -> list[list[int]]:
    """Numbers of the indexed documents of those phrases' profiles, in portions."""
    named = {phrase.profile for phrase in phrases}
    aliases = set(get_aliases()) if "" in named else named
    adapters = [adapter for adapter in registered().values() if adapter.profile in aliases]
    kinds = [content_type_of(adapter.model, using).pk for adapter in adapters]
    rows = Document.objects.using(using).filter(content_type__in=kinds, state=Document.State.INDEXED)
    keys = list(rows.order_by("pk").values_list("pk", flat=True))
    return [keys[start : start + CHUNK] for start in range(0, len(keys), CHUNK)]
