"""Which scheme signs, which space a document is compared in, and the texts as the core sees them."""

from __future__ import annotations

import json
import secrets
from functools import lru_cache
from typing import Any

from django.db import IntegrityError, transaction

from ..adapters import Adapter, Source
from ..conf import Profile
from ..models import Scheme, Space
from ..signatures.base import Algorithm
from ..signatures.registry import get_algorithm
from ..text.document import Document as Text
from ..text.hashing import digest
from ..text.version import CANONISATION


def active_scheme(profile: Profile, using: str) -> Scheme:
    """The scheme that signs for that profile; made from the settings, with a random secret, where there is none."""
    schemes = Scheme.objects.using(using)
    found = schemes.filter(profile=profile.alias, state=Scheme.State.ACTIVE).order_by("-generation").first()
    if found is not None:
        return found
    try:
        with transaction.atomic(using=using):
            return schemes.create(
                profile=profile.alias, generation=1, **described(profile), secret=_secret(profile)
            )
    except IntegrityError:
        return schemes.get(profile=profile.alias, generation=1)


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
            **described(profile),
        )


def described(profile: Profile) -> dict[str, Any]:
    """What the settings ask of a scheme, as the columns that hold it."""
    return {
        "algorithm": profile.algorithm,
        "options": profile.options,
        "parameters": get_algorithm(profile.algorithm, **profile.options).parameters(),
        "canonisation": str(CANONISATION),
        "language": profile.language,
    }


def algorithm_of(scheme: Scheme, excused: tuple[str, ...] | None = None) -> Algorithm:
    """The scheme's algorithm; with an adapter's own excused classes where it names some."""
    options = dict(scheme.options)
    if excused is not None:
        options["excused"] = list(excused)
    return _algorithm(scheme.algorithm, json.dumps(options, sort_keys=True))


def space_of(adapter: Adapter, source: Source, using: str) -> Space:
    """The space where that source is compared, made where it is new."""
    labels = " ".join(model._meta.label_lower for model in adapter.partners)
    scope = json.dumps(source.scope, ensure_ascii=False) if source.scope else ""
    name = digest([adapter.profile, labels, scope]).hex()
    spaces = Space.objects.using(using)
    found = spaces.filter(digest=name).first()
    if found is not None:
        return found
    try:
        with transaction.atomic(using=using):
            return spaces.create(digest=name, profile=adapter.profile, labels=labels, scope=scope)
    except IntegrityError:
        return spaces.get(digest=name)


def canonise(adapter: Adapter, source: Source, scheme: Scheme) -> Text:
    """The source's text as the core sees it: in the adapter's language, else in the scheme's."""
    return Text(
        source.text,
        language=adapter.language or scheme.language,
        quotes=adapter.quotes,
        secret=bytes.fromhex(scheme.secret),
    )


def chosen_secret(profile: Profile) -> str:
    """The hash secret that the settings name, as a scheme holds it; empty where they leave it to chance."""
    return profile.secret.encode().hex()[:64] if profile.secret else ""


def _secret(profile: Profile) -> str:
    return chosen_secret(profile) or secrets.token_hex(16)


@lru_cache(maxsize=64)
def _algorithm(name: str, options: str) -> Algorithm:
    return get_algorithm(name, **json.loads(options))
