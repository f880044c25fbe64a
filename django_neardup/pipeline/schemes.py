"""Which scheme signs, which space a document is compared in, and the texts as the core sees them."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db import IntegrityError, transaction

from ..adapters import Adapter, Source, language_of
from ..conf import Profile, get_profile
from ..models import Scheme, Space
from ..signatures.base import Algorithm
from ..signatures.registry import get_algorithm
from ..text.document import Document as Text
from ..text.hashing import digest
from ..text.version import CANONISATION
from .snapshots import load, newest
from .synonyms import digest_of, read_classes, synonyms_of


def active_scheme(profile: Profile, using: str) -> Scheme:
    """The scheme that signs for that profile; made from the settings, with a random secret, where there is none.

    ``ImproperlyConfigured`` where it is to be made and the settings ask for what cannot sign."""
    found = _stored(profile.alias, using)
    if found is not None:
        return found
    schemes = Scheme.objects.using(using).defer("synonyms")
    try:
        with transaction.atomic(using=using):
            return schemes.create(
                profile=profile.alias, generation=1, **described(profile, using), secret=_secret(profile)
            )
    except IntegrityError:
        return schemes.get(profile=profile.alias, generation=1)


def present_scheme(profile: Profile, using: str) -> Scheme:
    """The active scheme; where there is none, what the settings ask for, which is not stored. Errors as those of
    ``described``."""
    return _stored(profile.alias, using) or unsaved_scheme(profile, using)


def scheme_in(space: int, using: str) -> Scheme:
    """The active scheme of that space's profile, which the settings need not name any more."""
    spaces = Space.objects.using(using).filter(pk=space)
    alias = spaces.values_list("profile", flat=True).first() or "default"
    return _stored(alias, using) or active_scheme(get_profile(alias), using)


def _stored(profile: str, using: str) -> Scheme | None:
    schemes = Scheme.objects.using(using).defer("synonyms")
    return schemes.filter(profile=profile, state=Scheme.State.ACTIVE).order_by("-generation").first()


def unsaved_scheme(profile: Profile, using: str) -> Scheme:
    """What the settings ask for, which is not stored."""
    scheme = Scheme(profile=profile.alias, secret=chosen_secret(profile), **described(profile, using))
    scheme._state.db = using
    return scheme


def begin_generation(profile: Profile, using: str) -> Scheme:
    """A new active scheme from the settings; the present one is retired. Every document is then to be marked."""
    with transaction.atomic(using=using):
        present = active_scheme(profile, using)
        Scheme.objects.using(using).filter(profile=profile.alias).update(state=Scheme.State.RETIRED)
        return Scheme.objects.using(using).create(
            profile=profile.alias,
            generation=present.generation + 1,
            progress=present.progress,
            secret=_secret(profile),
            **described(profile, using),
        )


def described(profile: Profile, using: str) -> dict[str, Any]:
    """What the settings ask of a scheme, as the columns that hold it. The guard is on unless OPTIONS switch it off.

    ``ImproperlyConfigured`` for an algorithm that signs no single text, and for a file of synonyms that cannot be
    used."""
    options = options_of(profile.options)
    algorithm, classes = get_algorithm(profile.algorithm, **options), read_classes(profile)
    if algorithm.batch:
        raise ImproperlyConfigured(f"NEARDUP[{profile.alias!r}]: {for_the_bench(profile.algorithm)}")
    parameters = algorithm.parameters()
    snapshot = newest(profile.alias, using) if algorithm.uses_statistics else None
    if snapshot is not None:
        parameters["statistics"] = snapshot.digest
    if classes:
        parameters["synonyms"] = digest_of(classes, profile.language)
    return {
        "algorithm": profile.algorithm,
        "options": options,
        "parameters": parameters,
        "canonisation": str(CANONISATION),
        "language": profile.language,
        "synonyms": classes,
    }


def options_of(chosen: dict[str, Any]) -> dict[str, Any]:
    """The arguments that an algorithm is made with where the setting OPTIONS is that."""
    return {"guard": True, **chosen}


def for_the_bench(algorithm: str) -> str:
    """Why an algorithm that refines a whole collection cannot be a profile's."""
    return (
        f"ALGORITHM {algorithm!r} signs no single text: it refines the candidates of a whole collection, "
        "and is for the bench alone."
    )


def algorithm_of(scheme: Scheme, excused: tuple[str, ...] | None = None) -> Algorithm:
    """The scheme's algorithm; with an adapter's own excused classes where it names some. Found once a scheme object.

    ``StatisticsMissing`` where the statistics that it was made with are gone."""
    made: dict[Any, Algorithm] = scheme.__dict__.setdefault("_made", {})
    statistics = scheme.parameters.get("statistics")
    if (statistics, excused) not in made:
        options = dict(scheme.options) if excused is None else {**scheme.options, "excused": list(excused)}
        made[statistics, excused] = _algorithm(
            scheme.algorithm, json.dumps(options, sort_keys=True), statistics, scheme._state.db or "default"
        )
    return made[statistics, excused]


def space_of(adapter: Adapter, source: Source, using: str) -> Space:
    """The space where that source is compared, made where it is new."""
    described = described_space(adapter, source.scope)
    spaces = Space.objects.using(using)
    found = spaces.filter(digest=described["digest"]).first()
    if found is not None:
        return found
    try:
        with transaction.atomic(using=using):
            return spaces.create(**described)
    except IntegrityError:
        return spaces.get(digest=described["digest"])


def described_space(adapter: Adapter, scope: Sequence[str]) -> dict[str, str]:
    """The space of posts of that scope, as the columns that hold it; its digest is its name."""
    labels = " ".join(model._meta.label_lower for model in adapter.partners)
    shown = json.dumps(scope, ensure_ascii=False) if scope else ""
    name = digest([adapter.profile, labels, shown]).hex()
    return {"digest": name, "profile": adapter.profile, "labels": labels, "scope": shown}


def canonise(adapter: Adapter, source: Source, scheme: Scheme) -> Text:
    """The source's text as the core sees it: in the adapter's language, else in the scheme's."""
    language = language_of(adapter, scheme)
    return Text(
        source.text,
        language=language,
        quotes=adapter.quotes,
        secret=bytes.fromhex(scheme.secret),
        synonyms=synonyms_of(scheme, language),
    )


def chosen_secret(profile: Profile) -> str:
    """The hash secret that the settings name, as a scheme holds it; empty where they leave it to chance."""
    return profile.secret.encode().hex()[:64] if profile.secret else ""


def _secret(profile: Profile) -> str:
    return chosen_secret(profile) or secrets.token_hex(16)


@lru_cache(maxsize=64)
def _algorithm(name: str, options: str, statistics: str | None, using: str) -> Algorithm:
    made = json.loads(options)
    if statistics:
        made["statistics"] = load(statistics, using)
    return get_algorithm(name, **made)
