"""The scheme that signs, the space in which a document is compared, and canonical texts of sources."""

from __future__ import annotations

import json
from collections.abc import Sequence
from copy import copy
from functools import lru_cache
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db import IntegrityError, transaction

from ..adapters import Adapter, Source, language_of
from ..algorithms.base import Algorithm
from ..algorithms.registry import get_algorithm
from ..conf import KEYS, Profile, get_profile
from ..models import OpenItem, Scheme, Space
from ..text.canonical_text import CanonicalText as Text
from ..text.hashing import digest
from ..text.version import CANONICALIZATION_VERSION
from .boilerplate_store import boilerplate_of, named_digest, update_boilerplate
from .hash_secrets import configured_secret, new_secret, secret_of
from .locks import write_transaction
from .statistics_store import load_statistics, newest_snapshot
from .synonym_files import read_synonym_classes, synonyms_digest, synonyms_of


def active_scheme(profile: Profile, using: str) -> Scheme:
    """Return the active scheme of a profile.

    If there is none, create it from the settings with a random secret.

    Raise ImproperlyConfigured if it must be created and the settings name something that cannot sign.
    """
    scheme = find_active_scheme(profile.alias, using)
    if scheme is not None:
        return scheme
    schemes = Scheme.objects.using(using).defer("synonyms")
    try:
        with transaction.atomic(using=using):
            scheme = schemes.create(
                profile=profile.alias,
                generation=1,
                **scheme_columns(profile, using),
                secret=new_secret(profile),
            )
            # The staff may have listed passages before.
            update_boilerplate(profile.alias, using)
            scheme.refresh_from_db(using=using, fields=["parameters"])
            return scheme
    except IntegrityError:
        # Another process has created it meanwhile.
        return schemes.get(profile=profile.alias, generation=1)


def active_or_unsaved_scheme(profile: Profile, using: str) -> Scheme:
    """Return the active scheme, or an unsaved one from the settings if there is none.

    Raise the errors of ``scheme_columns``.
    """
    return find_active_scheme(profile.alias, using) or unsaved_scheme(profile, using)


def scheme_of_space(space: int, using: str) -> Scheme:
    """Return the active scheme of a space's profile. The settings may no longer name that profile."""
    spaces = Space.objects.using(using).filter(pk=space)
    alias = spaces.values_list("profile", flat=True).first() or "default"
    return find_active_scheme(alias, using) or active_scheme(get_profile(alias), using)


def find_active_scheme(profile: str, using: str) -> Scheme | None:
    """Return the active scheme of the profile with this name, or None. ``active_scheme`` creates one."""
    # The classes of synonyms may be large. ``synonyms_of`` reads and caches them when they are needed.
    schemes = Scheme.objects.using(using).defer("synonyms")
    return schemes.filter(profile=profile, state=Scheme.State.ACTIVE).order_by("-generation").first()


def unsaved_scheme(profile: Profile, using: str) -> Scheme:
    """Return the scheme that the settings ask for, without saving it."""
    scheme = Scheme(
        profile=profile.alias, secret=configured_secret(profile), **scheme_columns(profile, using)
    )
    scheme._state.db = using
    return scheme


def begin_generation(profile: Profile, using: str) -> Scheme:
    """Create a new active scheme from the settings, and retire the previous one.

    Mark every document afterwards.
    """
    # It reads before it writes: on SQLite another writer could come between.
    with write_transaction(using):
        previous = active_scheme(profile, using)
        Scheme.objects.using(using).filter(profile=profile.alias).update(state=Scheme.State.RETIRED)
        OpenItem.objects.using(using).filter(scheme__profile=profile.alias).delete()
        scheme = Scheme.objects.using(using).create(
            profile=profile.alias,
            generation=previous.generation + 1,
            # No model is signed by the new scheme yet, also if the command ends before it begins with one.
            progress={
                label: {
                    **progress,
                    "finished": False,
                    "again": bool(progress.get("finished") or progress.get("again")),
                }
                for label, progress in previous.progress.items()
            },
            # A known text keeps its age: it is recognized by a digest with this secret.
            secret=new_secret(profile, previous.secret),
            **scheme_columns(profile, using),
        )
        # If a scheme reads words in another way, its runs of words differ: the runs found before are useless.
        # The staff's list is hashed again.
        update_boilerplate(profile.alias, using, None if _reading_of(scheme) == _reading_of(previous) else ())
        scheme.refresh_from_db(using=using, fields=["parameters"])
    return scheme


def _reading_of(scheme: Scheme) -> tuple[str, str, str]:
    """Return what decides how a scheme reads words."""
    return scheme.canonisation, scheme.language, str(scheme.parameters.get("synonyms", ""))


def scheme_columns(profile: Profile, using: str) -> dict[str, Any]:
    """Return the columns of the scheme that the settings ask for.

    The guard is on unless OPTIONS switch it off.

    Raise ImproperlyConfigured if the algorithm cannot sign a single text, or if the file of synonyms cannot
    be used.
    """
    options = algorithm_options(profile.options)
    algorithm, classes = get_algorithm(profile.algorithm, **options), read_synonym_classes(profile)
    if algorithm.bench_only:
        raise ImproperlyConfigured(f"NEARDUP[{profile.alias!r}]: {bench_only_message(profile.algorithm)}")
    parameters = algorithm.parameters()
    snapshot = newest_snapshot(profile.alias, using) if algorithm.uses_statistics else None
    if snapshot is not None:
        parameters["statistics"] = snapshot.digest
    if classes:
        parameters["synonyms"] = synonyms_digest(classes, profile.language)
    if profile.candidates != KEYS:
        parameters["candidates"] = profile.candidates
    return {
        "algorithm": profile.algorithm,
        "options": options,
        "parameters": parameters,
        "canonisation": str(CANONICALIZATION_VERSION),
        "language": profile.language,
        "synonyms": classes,
    }


def algorithm_options(configured_options: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of the algorithm for the setting OPTIONS."""
    return {"guard": True, **configured_options}


def bench_only_message(algorithm: str) -> str:
    """Explain why an algorithm that refines a whole collection cannot be used by a profile."""
    return (
        f"ALGORITHM {algorithm!r} signs no single text: it refines the candidates of a whole collection, "
        "and is for the bench alone."
    )


def algorithm_of(scheme: Scheme, ignored_classes: tuple[str, ...] | None = None) -> Algorithm:
    """Return the scheme's algorithm, with the adapter's ignored classes if it names any.

    It is built once for each scheme object. Raise StatisticsMissing if the statistics of the scheme are gone.
    """
    algorithms: dict[Any, Algorithm] = scheme.__dict__.setdefault("_made", {})
    statistics = scheme.parameters.get("statistics")
    key = statistics, named_digest(scheme), ignored_classes
    if key not in algorithms:
        options = (
            dict(scheme.options)
            if ignored_classes is None
            else {**scheme.options, "ignored_differences": list(ignored_classes)}
        )
        built = _build_algorithm(
            scheme.algorithm, json.dumps(options, sort_keys=True), statistics, scheme._state.db or "default"
        )
        # A copy: the cache must not keep old snapshots, which are large.
        algorithms[key] = copy(built)
        algorithms[key].boilerplate = boilerplate_of(scheme)
    return algorithms[key]


def used_boilerplate(scheme: Scheme) -> str:
    """Return the digest of the boilerplate with which the scheme judges.

    Return an empty text if there is none, or if it is lost.
    """
    return named_digest(scheme) if named_digest(scheme) and algorithm_of(scheme).boilerplate else ""


def get_or_create_space(adapter: Adapter, scope: Sequence[str], using: str) -> Space:
    """Return the space in which sources of a scope are compared. Create it if it is new."""
    columns = space_columns(adapter, scope)
    spaces = Space.objects.using(using)
    space = spaces.filter(digest=columns["digest"]).first()
    if space is not None:
        return space
    try:
        with transaction.atomic(using=using):
            return spaces.create(**columns)
    except IntegrityError:
        # Another process has created it meanwhile.
        return spaces.get(digest=columns["digest"])


def space_columns(adapter: Adapter, scope: Sequence[str]) -> dict[str, str]:
    """Return the columns of the space of a scope. The digest of the others identifies it."""
    labels = " ".join(model._meta.label_lower for model in adapter.partners)
    scope_json = json.dumps(scope, ensure_ascii=False) if scope else ""
    space_digest = digest([adapter.profile, labels, scope_json]).hex()
    return {"digest": space_digest, "profile": adapter.profile, "labels": labels, "scope": scope_json}


def canonicalize(adapter: Adapter, source: Source, scheme: Scheme) -> Text:
    """Return the canonical text of a source, in the language of the adapter or otherwise of the scheme."""
    language = language_of(adapter, scheme)
    return Text(
        source.text,
        language=language,
        quotes=adapter.quotes,
        markup=adapter.markup,
        secret=secret_of(scheme),
        synonyms=synonyms_of(scheme, language),
        head=source.head,
    )


@lru_cache(maxsize=64)
def _build_algorithm(name: str, options: str, statistics: str | None, using: str) -> Algorithm:
    arguments = json.loads(options)
    if statistics:
        arguments["statistics"] = load_statistics(statistics, using)
    return get_algorithm(name, **arguments)
