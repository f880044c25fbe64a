"""Why two posts are, or are not, taken for one: ``neardup.compare(a, b)``, also of two texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections
from django.db.models import Model
from django.utils.translation import gettext, pgettext

from ..adapters import Adapter, Source, adapter_for, language_of
from ..algorithms import Algorithm, get_algorithm
from ..algorithms.statistics import TermStatistics
from ..conf import Profile, get_profile
from ..models import Scheme
from ..models import TermStatistics as Snapshot
from ..pipeline.content_objects import pk_of
from ..pipeline.schemes import active_or_unsaved_scheme, algorithm_of, unsaved_scheme
from ..pipeline.shared_evidence import ComparedObject, ComparedText, load_stored_facts
from ..pipeline.source_properties import skip_reason
from ..pipeline.statistics_store import load_statistics, newest_snapshot
from ..pipeline.synonym_files import synonyms_of
from ..pipeline.verify import apply_identity as apply_identity
from ..querysets import existing_pks
from ..reports.text_comparison import Comparison, Note, compare_texts
from ..text.canonical_text import CanonicalText as Text
from ..text.tokens.contacts import canonical_contact

NOTES_BY_SKIP_REASON = {"not compared": "excluded", "too short": "short"}
"""Notes by the pipeline's reasons."""


@dataclass(frozen=True)
class _ComparedSide:
    """One side: its text, and for an object the adapter, all that was read of it, and where it stands: model, key (None
    where it is not saved) and database."""

    title: str
    text: str
    adapter: Adapter | None = None
    source: Source | None = None
    location: tuple[type[Model], Any, str] | None = None

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
    left, right = (_read_side(side, letter) for side, letter in ((a, "A"), (b, "B")))
    chosen = get_profile(
        profile or next((each.adapter.profile for each in (left, right) if each.adapter), "default")
    )
    alias = using or next(
        (_database_of(each) for each in (a, b) if isinstance(each, Model)), DEFAULT_DB_ALIAS
    )
    scheme, stored = load_scheme(chosen, alias)
    texts = [_canonicalize(each, scheme, language) for each in (left, right)]
    statistics = _load_statistics(scheme, chosen, alias) if stored else None
    deciding = _deciding_algorithm(algorithm, scheme, (left, right), statistics)
    comparison = compare_texts(
        texts[0],
        texts[1],
        deciding,
        statistics=statistics,
        titles=titles or _side_titles(left, right),
        contacts=(left.contacts, right.contacts),
        notes=_comparison_notes(left, right, texts, is_same_object=a is b and isinstance(a, Model)),
        gather_command=_statistics_command(chosen, alias) if stored else "",
    )
    kept = (
        [_stored_side(each, text, alias) for each, text in zip((left, right), texts)]
        if known and stored
        else []
    )
    if kept and kept[0] is not None and kept[1] is not None:
        comparison = replace(
            comparison, stored_facts=load_stored_facts(kept[0], kept[1], deciding, scheme, alias)
        )
    return _apply_identity(comparison, left.identity, right.identity)


def translate_text(text: str, context: str = "") -> str:
    """The words of a report in the active language."""
    return pgettext(context, text) if context else gettext(text)


def load_scheme(profile: Profile, using: str) -> tuple[Scheme, bool]:
    """The active scheme, or the settings as one that is not saved; and whether the tables are there."""
    stored = _has_tables(using)
    return (active_or_unsaved_scheme if stored else unsaved_scheme)(profile, using), stored


def _has_tables(using: str) -> bool:
    """Whether the app's tables are in that database; a database that is out of reach has none."""
    try:
        with connections[using].cursor() as cursor:
            names = connections[using].introspection.table_names(cursor)
    except (DatabaseError, ImproperlyConfigured):
        return False
    return {Scheme._meta.db_table, Snapshot._meta.db_table} <= set(names)


def _database_of(instance: Model) -> str:
    return instance._state.db or DEFAULT_DB_ALIAS


def _read_side(side: Any, letter: str) -> _ComparedSide:
    if isinstance(side, str):
        return _ComparedSide(letter, side)
    if not isinstance(side, Model):
        raise TypeError(
            f"compare() takes two objects of registered models, or two texts, not {type(side).__name__}"
        )
    adapter = adapter_for(side)
    key, alias = pk_of(side, adapter.model), _database_of(side)
    saved = key is not None and not side._state.adding
    compared = not saved or bool(existing_pks(adapter.compared(), [key], alias))
    source = adapter.source(side, compared=compared, live=True)
    place = (adapter.model, key if saved else None, alias)
    return _ComparedSide(f"{adapter.model._meta.label} {side.pk}", source.text, adapter, source, place)


def _side_titles(left: _ComparedSide, right: _ComparedSide) -> tuple[str, str]:
    """What the two are called: with their databases, where these are two."""
    if left.location and right.location and left.location[2] != right.location[2]:
        return f"{left.title} ({left.location[2]})", f"{right.title} ({right.location[2]})"
    return left.title, right.title


def _stored_side(side: _ComparedSide, text: Text, using: str) -> ComparedObject | None:
    """An object as it is known in that database; None for a text, and for what is not saved there."""
    if side.adapter is None or side.source is None or side.location is None:
        return None
    model, key, alias = side.location
    party = ComparedText(text, side.source.contacts, side.identity)
    found = ComparedObject(party, side.adapter.identity, side.source.author, model, key)
    return found if key is not None and alias == using else None


def _statistics_command(profile: Profile, using: str) -> str:
    """The command that gathers the profile's statistics."""
    command = f"neardup_statistics --profile {profile.alias}"
    return command if using == DEFAULT_DB_ALIAS else f"{command} --database {using}"


def _canonicalize(side: _ComparedSide, scheme: Scheme, language: str | None) -> Text:
    chosen = language or language_of(side.adapter, scheme)
    return Text(
        side.text,
        language=chosen,
        quotes=side.adapter.quotes if side.adapter else "keep",
        secret=bytes.fromhex(scheme.secret),
        synonyms=synonyms_of(scheme, chosen),
    )


def _load_statistics(scheme: Scheme, profile: Profile, using: str) -> TermStatistics | None:
    """Those that the scheme was made with, else the profile's newest."""
    digest = scheme.parameters.get("statistics")
    if not digest:
        snapshot = newest_snapshot(profile.alias, using)
        digest = snapshot.digest if snapshot else None
    return load_statistics(digest, using) if digest else None


def _deciding_algorithm(
    name: str | None, scheme: Scheme, sides: Sequence[_ComparedSide], statistics: TermStatistics | None
) -> Algorithm:
    """The algorithm of that name with its own options, or the scheme's as both adapters want it."""
    if name is None or name == scheme.algorithm:
        named = [
            each.adapter.ignored_differences
            for each in sides
            if each.adapter and each.adapter.ignored_differences is not None
        ]
        return algorithm_of(
            scheme, tuple(sorted({kind for each in named for kind in each})) if named else None
        )
    made = get_algorithm(name)
    return get_algorithm(name, statistics=statistics) if made.uses_statistics else made


def _comparison_notes(
    left: _ComparedSide, right: _ComparedSide, texts: Sequence[Text], is_same_object: bool
) -> Iterator[Note]:
    """Why the pipeline would not compare the two.  ``same``: they are one object, though it may not be saved."""
    for letter, side, text in zip("AB", (left, right), texts):
        if side.adapter and side.source and (why := skip_reason(side.adapter, side.source, text)):
            yield Note(NOTES_BY_SKIP_REASON[why], letter)
    if not (
        left.adapter and right.adapter and left.source and right.source and left.location and right.location
    ):
        return
    if is_same_object or (left.location == right.location and left.location[1] is not None):
        yield Note("same")
    elif left.location[2] != right.location[2]:
        yield Note("databases")
    elif left.adapter.profile != right.adapter.profile:
        yield Note("profile")
    elif right.adapter.model not in left.adapter.partners:
        yield Note("partners")
    elif left.source.scope != right.source.scope:
        yield Note("scope")


def _apply_identity(comparison: Comparison, a: Sequence[str], b: Sequence[str]) -> Comparison:
    """The comparison with what equal and unequal identity values say, as the pipeline has it."""
    judgement: Any = apply_identity(comparison.judgement, a, b)
    if judgement == comparison.judgement:
        return comparison
    return replace(comparison, judgement=judgement, notes=(*comparison.notes, Note("identity")))
