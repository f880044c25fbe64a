"""Why two posts are, or are not, taken for one: ``neardup.compare(a, b)``, also of two texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections
from django.db.models import Model
from django.utils.translation import gettext, pgettext

from .adapters import Adapter, Source, adapter_for, language_of
from .comparison.compare import Comparison, Note, compare_texts
from .conf import Profile, get_profile
from .models import Scheme
from .models import TermStatistics as Snapshot
from .narrowing import keys_in
from .pipeline.known import Stored, known_of
from .pipeline.objects import key_of
from .pipeline.schemes import algorithm_of, present_scheme, unsaved_scheme
from .pipeline.sign import why_skipped
from .pipeline.snapshots import load, newest
from .pipeline.synonyms import synonyms_of
from .pipeline.ties import Party
from .pipeline.verify import by_identity as by_identity
from .signatures import Algorithm, get_algorithm
from .signatures.statistics import TermStatistics
from .text.contacts import canonical_contact
from .text.document import Document as Text

SKIPPED = {"not compared": "excluded", "too short": "short"}
"""Notes by the pipeline's reasons."""


@dataclass(frozen=True)
class _Read:
    """One side: its text, and for an object the adapter, all that was read of it, and where it stands: model, key (None
    where it is not saved) and database."""

    title: str
    text: str
    adapter: Adapter | None = None
    source: Source | None = None
    place: tuple[type[Model], Any, str] | None = None

    @property
    def contacts(self) -> list[str]:
        declared = self.source.contacts if self.source else ()
        return [contact for contact in map(canonical_contact, declared) if contact]

    @property
    def identity(self) -> tuple[str, ...]:
        return self.source.identity if self.source else ()


def compare(
    a: Model | str,
    b: Model | str,
    *,
    profile: str | None = None,
    algorithm: str | None = None,
    language: str | None = None,
    using: str | None = None,
    titles: tuple[str, str] | None = None,
    known: bool = False,
) -> Comparison:
    """Compare two objects of registered models, saved or not, or two texts; nothing is written.

    They are read by the active scheme of ``profile`` (None: that of the first object's adapter, else "default"), or
    by the settings where there is none yet.  ``algorithm``: whose verdict is wanted (None: the scheme's);
    ``language``: of the texts (None: the adapter's, else the scheme's); ``using``: database alias of the scheme
    (None: the first object's); ``titles``: what the two are called in reports; ``known``: whether to tell what is
    stored of two saved objects too: keys by kind, key phrases, decisions.

    ``print(compare(a, b))`` reads well on a terminal.  ``NotRegistered`` for an object without an adapter,
    ``UnknownAlgorithm``, ``StatisticsMissing`` where the deciding algorithm has no statistics, ``NoVerdict`` where it
    refines whole collections, ``TypeError`` for what is neither an object nor a text, ``ImproperlyConfigured`` for a
    profile that there is not.
    """
    left, right = (_read(side, letter) for side, letter in ((a, "A"), (b, "B")))
    chosen = get_profile(
        profile or next((each.adapter.profile for each in (left, right) if each.adapter), "default")
    )
    alias = using or next((_alias(each) for each in (a, b) if isinstance(each, Model)), DEFAULT_DB_ALIAS)
    scheme, stored = scheme_of(chosen, alias)
    texts = [_canonised(each, scheme, language) for each in (left, right)]
    statistics = _statistics(scheme, chosen, alias) if stored else None
    deciding = _algorithm(algorithm, scheme, (left, right), statistics)
    comparison = compare_texts(
        texts[0],
        texts[1],
        deciding,
        statistics=statistics,
        titles=titles or _titles(left, right),
        contacts=(left.contacts, right.contacts),
        notes=_notes(left, right, texts, same=a is b and isinstance(a, Model)),
        hint=_hint(chosen, alias) if stored else "",
    )
    kept = (
        [_stored(each, text, alias) for each, text in zip((left, right), texts)] if known and stored else []
    )
    if kept and kept[0] is not None and kept[1] is not None:
        comparison = replace(comparison, known=known_of(kept[0], kept[1], deciding, scheme, alias))
    return _identified(comparison, left.identity, right.identity)


def translated(text: str, context: str = "") -> str:
    """The words of a report in the active language."""
    return pgettext(context, text) if context else gettext(text)


def scheme_of(profile: Profile, using: str) -> tuple[Scheme, bool]:
    """The active scheme, or the settings as one that is not saved; and whether the tables are there."""
    stored = _has_tables(using)
    return (present_scheme if stored else unsaved_scheme)(profile, using), stored


def _has_tables(using: str) -> bool:
    """Whether the app's tables are in that database; a database that is out of reach has none."""
    try:
        with connections[using].cursor() as cursor:
            names = connections[using].introspection.table_names(cursor)
    except (DatabaseError, ImproperlyConfigured):
        return False
    return {Scheme._meta.db_table, Snapshot._meta.db_table} <= set(names)


def _alias(instance: Model) -> str:
    return instance._state.db or DEFAULT_DB_ALIAS


def _read(side: Any, letter: str) -> _Read:
    if isinstance(side, str):
        return _Read(letter, side)
    if not isinstance(side, Model):
        raise TypeError(
            f"compare() takes two objects of registered models, or two texts, not {type(side).__name__}"
        )
    adapter = adapter_for(side)
    key, alias = key_of(side, adapter.model), _alias(side)
    saved = key is not None and not side._state.adding
    compared = not saved or bool(keys_in(adapter.compared(), [key], alias))
    source = adapter.source(side, compared=compared, live=True)
    place = (adapter.model, key if saved else None, alias)
    return _Read(f"{adapter.model._meta.label} {side.pk}", source.text, adapter, source, place)


def _titles(left: _Read, right: _Read) -> tuple[str, str]:
    """What the two are called: with their databases, where these are two."""
    if left.place and right.place and left.place[2] != right.place[2]:
        return f"{left.title} ({left.place[2]})", f"{right.title} ({right.place[2]})"
    return left.title, right.title


def _stored(side: _Read, text: Text, using: str) -> Stored | None:
    """An object as it is known in that database; None for a text, and for what is not saved there."""
    if side.adapter is None or side.source is None or side.place is None:
        return None
    model, key, alias = side.place
    party = Party(text, side.source.contacts, side.identity)
    found = Stored(party, side.adapter.identity, side.source.author, model, key)
    return found if key is not None and alias == using else None


def _hint(profile: Profile, using: str) -> str:
    """The command that gathers the profile's statistics."""
    command = f"neardup_statistics --profile {profile.alias}"
    return command if using == DEFAULT_DB_ALIAS else f"{command} --database {using}"


def _canonised(side: _Read, scheme: Scheme, language: str | None) -> Text:
    chosen = language or language_of(side.adapter, scheme)
    return Text(
        side.text,
        language=chosen,
        quotes=side.adapter.quotes if side.adapter else "keep",
        secret=bytes.fromhex(scheme.secret),
        synonyms=synonyms_of(scheme, chosen),
    )


def _statistics(scheme: Scheme, profile: Profile, using: str) -> TermStatistics | None:
    """Those that the scheme was made with, else the profile's newest."""
    digest = scheme.parameters.get("statistics")
    if not digest:
        snapshot = newest(profile.alias, using)
        digest = snapshot.digest if snapshot else None
    return load(digest, using) if digest else None


def _algorithm(
    name: str | None, scheme: Scheme, sides: Sequence[_Read], statistics: TermStatistics | None
) -> Algorithm:
    """The algorithm of that name with its own options, or the scheme's as both adapters want it."""
    if name is None or name == scheme.algorithm:
        named = [each.adapter.excused for each in sides if each.adapter and each.adapter.excused is not None]
        return algorithm_of(
            scheme, tuple(sorted({kind for each in named for kind in each})) if named else None
        )
    made = get_algorithm(name)
    return get_algorithm(name, statistics=statistics) if made.uses_statistics else made


def _notes(left: _Read, right: _Read, texts: Sequence[Text], same: bool) -> Iterator[Note]:
    """Why the pipeline would not compare the two.  ``same``: they are one object, though it may not be saved."""
    for letter, side, text in zip("AB", (left, right), texts):
        if side.adapter and side.source and (why := why_skipped(side.adapter, side.source, text)):
            yield Note(SKIPPED[why], letter)
    if not (left.adapter and right.adapter and left.source and right.source and left.place and right.place):
        return
    if same or (left.place == right.place and left.place[1] is not None):
        yield Note("same")
    elif left.place[2] != right.place[2]:
        yield Note("databases")
    elif left.adapter.profile != right.adapter.profile:
        yield Note("profile")
    elif right.adapter.model not in left.adapter.partners:
        yield Note("partners")
    elif left.source.scope != right.source.scope:
        yield Note("scope")


def _identified(comparison: Comparison, a: Sequence[str], b: Sequence[str]) -> Comparison:
    """The comparison with what equal and unequal identity values say, as the pipeline has it."""
    judgement: Any = by_identity(comparison.judgement, a, b)
    if judgement == comparison.judgement:
        return comparison
    return replace(comparison, judgement=judgement, notes=(*comparison.notes, Note("identity")))
