"""The staff's key phrases: compiled once a process, and again as soon as one of them is changed anywhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, Max, Q, Sum

from ..adapters import registered
from ..conf import get_aliases
from ..models import Document, KeyPhrase
from ..text.document import Document as Text
from ..text.phrases import Phrases
from .ledger import mark_many
from .locks import retrying
from .objects import content_type_of

CHUNK = 1000

State = tuple[int, int, int]
"""Number of rows, highest number of a row, number of changes: every change of the list makes another one."""


@dataclass(frozen=True)
class _Compiled:
    state: State
    phrases: Phrases[str]


_compiled: dict[tuple[str, str, str, str], _Compiled] = {}


def phrases_in(text: Text, profile: str, using: str) -> tuple[str, ...]:
    """The active key phrases of that profile which a text holds, each as ``value_of`` writes it; one query."""
    state = _state(using)
    if not state[0]:
        return ()
    name = (using, profile, text.language, text.synonyms.digest if text.synonyms else "")
    found = _compiled.get(name)
    if found is None or found.state != state:
        rows = KeyPhrase.objects.using(using).filter(Q(profile="") | Q(profile=profile), active=True)
        texts = rows.order_by("pk").values_list("text", flat=True)
        phrases = Phrases([(value_of(each), each) for each in texts], text.language, text.synonyms)
        found = _compiled[name] = _Compiled(state, phrases)
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


def _state(using: str) -> State:
    found = KeyPhrase.objects.using(using).aggregate(
        rows=Count("pk"), last=Max("pk"), changes=Sum("revision")
    )
    return found["rows"], found["last"] or 0, found["changes"] or 0
