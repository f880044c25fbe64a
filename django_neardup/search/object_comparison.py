"""The explanation why two posts or two texts are duplicates or not: ``neardup.compare(a, b)``."""

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
from ..comparison.verify import apply_identity as apply_identity
from ..conf import Profile, get_profile
from ..models import Scheme
from ..models import TermStatistics as Snapshot
from ..pipeline.content_objects import pk_of
from ..pipeline.hash_secrets import secret_of
from ..pipeline.schemes import active_or_unsaved_scheme, algorithm_of, unsaved_scheme
from ..pipeline.shared_evidence import ComparedObject, ComparedText, load_stored_facts
from ..pipeline.source_properties import NOT_COMPARED, TOO_SHORT, skip_reason
from ..pipeline.statistics_store import load_statistics, newest_snapshot
from ..pipeline.synonym_files import synonyms_of
from ..querysets import existing_pks
from ..reports.text_comparison import Comparison, Note, compare_texts
from ..text.canonical_text import CanonicalText as Text
from ..text.heads import FIRST_LINE, first_line_length
from ..text.tokens.contacts import canonical_contact

NOTES_BY_SKIP_REASON = {NOT_COMPARED: "excluded", TOO_SHORT: "short"}
"""Note kinds by the pipeline's skip reasons."""


@dataclass(frozen=True)
class _ComparedSide:
    """One side: its text and, for an object, its adapter, its source and its location.

    The location is the model, the primary key (None if the object is not saved) and the database alias.
    ``has_head_line``: the first line of a text is its head.
    """

    title: str
    text: str
    adapter: Adapter | None = None
    source: Source | None = None
    location: tuple[type[Model], Any, str] | None = None
    has_head_line: bool = False

    @property
    def head(self) -> int:
        """Return the number of characters of the head.

        An object's head is the one that its adapter declares. A text has one if the first line is its head.
        """
        if self.source is not None:
            return self.source.head
        return first_line_length(self.text) if self.has_head_line else 0

    @property
    def contacts(self) -> list[str]:
        declared = self.source.contacts if self.source else ()
        return [contact for contact in map(canonical_contact, declared) if contact]

    @property
    def identity(self) -> tuple[str, ...]:
        return self.source.identity if self.source else ()

    @property
    def author(self) -> str:
        return self.source.author if self.source else ""


def compare(
    a: Model | str,
    b: Model | str,
    *,
    profile: str | None = None,
    algorithm: str | None = None,
    language: str | None = None,
    head: str | None = None,
    using: str | None = None,
    titles: tuple[str, str] | None = None,
    known: bool = False,
) -> Comparison:
    """Compare two objects of registered models, saved or not, or two texts. Nothing is written.

    Both are read by the active scheme of a profile. If there is no active scheme, the settings apply.
    Parameters:

    - ``profile``: None means the profile of the first object's adapter, or "default" for two texts.
    - ``algorithm``: the algorithm of the verdict. None means the scheme's.
    - ``language``: the language of the texts. None means the adapter's, or the scheme's.
    - ``head``: "first-line" if the first line of a text is its head. None means that texts have no head. An
      object has the head that its adapter declares.
    - ``using``: the database alias of the scheme. None means the first object's database.
    - ``titles``: the names of both in reports.
    - ``known``: whether to add the stored facts about two saved objects: keys by kind, key phrases,
      decisions.

    ``print(compare(a, b))`` prints a report for a terminal.

    Raise ``NotRegistered`` if an object has no adapter. Raise ``UnknownAlgorithm`` if the algorithm does not
    exist. Raise ``StatisticsMissing`` if the deciding algorithm has no statistics. Raise ``NoVerdict`` if it
    refines whole collections. Raise ``TypeError`` if an argument is neither an object nor a text. Raise
    ``ImproperlyConfigured`` if the profile does not exist. Raise ``ValueError`` for another ``head``.
    """
    if head not in (None, FIRST_LINE):
        raise ValueError(f"head is {head!r}. Pass {FIRST_LINE!r} or None.")
    left, right = (
        _read_side(side, letter, has_head_line=head == FIRST_LINE) for side, letter in ((a, "A"), (b, "B"))
    )
    selected_profile = get_profile(
        profile or next((side.adapter.profile for side in (left, right) if side.adapter), "default")
    )
    alias = using or next(
        (_database_of(side) for side in (a, b) if isinstance(side, Model)), DEFAULT_DB_ALIAS
    )
    scheme, has_tables = load_scheme(selected_profile, alias)
    texts = [_canonicalize(side, scheme, language) for side in (left, right)]
    statistics = _load_statistics(scheme, selected_profile, alias) if has_tables else None
    deciding = _deciding_algorithm(algorithm, scheme, (left, right), statistics)
    comparison = compare_texts(
        texts[0],
        texts[1],
        deciding,
        statistics=statistics,
        titles=titles or _side_titles(left, right),
        contacts=(left.contacts, right.contacts),
        notes=_comparison_notes(left, right, texts, is_same_object=a is b and isinstance(a, Model)),
        gather_command=_statistics_command(selected_profile, alias) if has_tables else "",
        author=left.author if left.author == right.author else "",
    )
    stored_sides = (
        [_stored_side(side, text, alias) for side, text in zip((left, right), texts)]
        if known and has_tables
        else []
    )
    if stored_sides and stored_sides[0] is not None and stored_sides[1] is not None:
        comparison = replace(
            comparison,
            stored_facts=load_stored_facts(stored_sides[0], stored_sides[1], deciding, scheme, alias),
        )
    return _apply_identity(comparison, left.identity, right.identity)


def translate_text(text: str, context: str = "") -> str:
    """Return a text of a report in the active language."""
    return pgettext(context, text) if context else gettext(text)


def load_scheme(profile: Profile, using: str) -> tuple[Scheme, bool]:
    """Return the active scheme, and whether the tables exist.

    If there is no active scheme, it is an unsaved one made from the settings.
    """
    has_tables = _has_tables(using)
    return (active_or_unsaved_scheme if has_tables else unsaved_scheme)(profile, using), has_tables


def _has_tables(using: str) -> bool:
    """Return whether the app's tables are in the database. Return False if the database cannot be reached."""
    try:
        with connections[using].cursor() as cursor:
            names = connections[using].introspection.table_names(cursor)
    except (DatabaseError, ImproperlyConfigured):
        return False
    return {Scheme._meta.db_table, Snapshot._meta.db_table} <= set(names)


def _database_of(instance: Model) -> str:
    return instance._state.db or DEFAULT_DB_ALIAS


def _read_side(side: Any, letter: str, has_head_line: bool) -> _ComparedSide:
    if isinstance(side, str):
        return _ComparedSide(letter, side, has_head_line=has_head_line)
    if not isinstance(side, Model):
        raise TypeError(
            f"compare() takes two objects of registered models, or two texts, not {type(side).__name__}"
        )
    adapter = adapter_for(side)
    key, alias = pk_of(side, adapter.model), _database_of(side)
    is_saved = key is not None and not side._state.adding
    is_compared = not is_saved or bool(existing_pks(adapter.compared(), [key], alias))
    source = adapter.source(side, compared=is_compared, live=True)
    location = (adapter.model, key if is_saved else None, alias)
    return _ComparedSide(f"{adapter.model._meta.label} {side.pk}", source.text, adapter, source, location)


def _side_titles(left: _ComparedSide, right: _ComparedSide) -> tuple[str, str]:
    """Return the names of both sides. If they come from two databases, the names include the aliases."""
    if left.location and right.location and left.location[2] != right.location[2]:
        return f"{left.title} ({left.location[2]})", f"{right.title} ({right.location[2]})"
    return left.title, right.title


def _stored_side(side: _ComparedSide, text: Text, using: str) -> ComparedObject | None:
    """Return the side as an object of that database.

    Return None for a text and for an object that is not saved there.
    """
    if side.adapter is None or side.source is None or side.location is None:
        return None
    model, key, alias = side.location
    compared_text = ComparedText(text, side.source.contacts, side.identity)
    compared_object = ComparedObject(compared_text, side.adapter.identity, side.source.author, model, key)
    return compared_object if key is not None and alias == using else None


def _statistics_command(profile: Profile, using: str) -> str:
    """Return the command that builds the profile's statistics."""
    command = f"neardup_statistics --profile {profile.alias}"
    return command if using == DEFAULT_DB_ALIAS else f"{command} --database {using}"


def _canonicalize(side: _ComparedSide, scheme: Scheme, language: str | None) -> Text:
    text_language = language or language_of(side.adapter, scheme)
    return Text(
        side.text,
        language=text_language,
        quotes=side.adapter.quotes if side.adapter else "keep",
        markup=side.adapter.markup if side.adapter else None,
        secret=secret_of(scheme),
        synonyms=synonyms_of(scheme, text_language),
        head=side.head,
    )


def _load_statistics(scheme: Scheme, profile: Profile, using: str) -> TermStatistics | None:
    """Return the statistics that the scheme was built with, or the profile's newest.

    Return None if there are none.
    """
    digest = scheme.parameters.get("statistics")
    if not digest:
        snapshot = newest_snapshot(profile.alias, using)
        digest = snapshot.digest if snapshot else None
    return load_statistics(digest, using) if digest else None


def _deciding_algorithm(
    name: str | None, scheme: Scheme, sides: Sequence[_ComparedSide], statistics: TermStatistics | None
) -> Algorithm:
    """Return the algorithm with that name and its own options.

    If it is the scheme's algorithm, return the scheme's with the ignored differences of both adapters.
    """
    if name is None or name == scheme.algorithm:
        ignored_by_side = [
            side.adapter.ignored_differences
            for side in sides
            if side.adapter and side.adapter.ignored_differences is not None
        ]
        return algorithm_of(
            scheme,
            tuple(sorted({kind for ignored in ignored_by_side for kind in ignored}))
            if ignored_by_side
            else None,
        )
    algorithm = get_algorithm(name)
    return get_algorithm(name, statistics=statistics) if algorithm.uses_statistics else algorithm


def _comparison_notes(
    left: _ComparedSide, right: _ComparedSide, texts: Sequence[Text], is_same_object: bool
) -> Iterator[Note]:
    """Yield the reasons why the pipeline would not compare the two.

    ``is_same_object``: both arguments are one object. It need not be saved.
    """
    for letter, side, text in zip("AB", (left, right), texts):
        reason = skip_reason(side.adapter, side.source, text) if side.adapter and side.source else ""
        # The comparison itself notes a text that is too long.
        if reason in NOTES_BY_SKIP_REASON:
            yield Note(NOTES_BY_SKIP_REASON[reason], letter)
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
    """Apply equal and different identity values to the comparison, as the pipeline does."""
    judgement: Any = apply_identity(comparison.judgement, a, b)
    if judgement == comparison.judgement:
        return comparison
    return replace(comparison, judgement=judgement, notes=(*comparison.notes, Note("identity")))
