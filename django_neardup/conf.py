"""The setting NEARDUP: one table of its keys, and the values that the site gives them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from functools import cache
from typing import Any, NamedTuple, TypeVar, cast

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.signals import setting_changed

DEFAULT_ALIAS = "default"
SITE, PROFILE = "site", "profile"
"""Scopes of a setting. A setting of the site is read from the profile "default" only."""

DISABLED = "NEARDUP_ENABLED is False: no post is compared"
"""What workers, jobs and commands say while the app is switched off."""

BACKENDS = ("rq", "tasks", "inline", None)
KEYS, MORE_LIKE_THIS, MORE_LIKE_THIS_TUNED = "keys", "more-like-this", "more-like-this-tuned"
CANDIDATES = (KEYS, MORE_LIKE_THIS, MORE_LIKE_THIS_TUNED)
"""What may name the candidates of a text: shared keys, or a search of its words in OpenSearch."""
KEEPER_POLICIES = ("first_seen", "newest", "most_visited", "most_linked", "longest")
"""Policies that propose the keeper of a merge. A site may name its own callable."""


@dataclass(frozen=True)
class ValueType:
    """The values that a setting takes, as a phrase. The base class is for values with a separate check."""

    description: str

    def accepts(self, value: Any) -> bool:
        """Return whether the value is one of these. The base class accepts every value."""
        return True


@dataclass(frozen=True)
class InstanceOf(ValueType):
    """Instances of Python types."""

    types: tuple[type, ...]

    def accepts(self, value: Any) -> bool:
        return isinstance(value, self.types)


@dataclass(frozen=True)
class NumberFrom(ValueType):
    """Finite numbers from a minimum on."""

    minimum: float
    is_whole: bool

    def accepts(self, value: Any) -> bool:
        types = (int,) if self.is_whole else (int, float)
        # ``bool`` is a subclass of ``int``.
        return (
            isinstance(value, types) and not isinstance(value, bool) and self.minimum <= value < float("inf")
        )


@dataclass(frozen=True)
class NumberOrNone(NumberFrom):
    """None, or finite numbers from a minimum on."""

    def accepts(self, value: Any) -> bool:
        return value is None or super().accepts(value)


class Setting(NamedTuple):
    """A row of the table: one key of NEARDUP.

    Defaults, checks and the table in ``docs/reference/settings.md`` are derived from it.
    """

    name: str
    default: Any
    value_type: ValueType
    scope: str
    documentation: str


def row(default: Any, value_type: ValueType, documentation: str) -> Any:
    """Declare a key of NEARDUP as an attribute of ``SiteSettings`` or ``Profile``.

    The key is the attribute's name in capitals. Its scope follows from the class.
    """
    metadata = {"value_type": value_type, "documentation": documentation}
    return field(default_factory=lambda: default, metadata=metadata)


def whole_number(minimum: int) -> NumberFrom:
    return NumberFrom(f"a whole number, {minimum} or more", minimum, is_whole=True)


def number(minimum: float) -> NumberFrom:
    return NumberFrom(f"a number, {minimum} or more", minimum, is_whole=False)


@dataclass(frozen=True)
class SiteSettings:
    """The settings that the whole site shares. They stand in the profile "default"."""

    backend: str | None = row(
        None,
        ValueType('"rq", "tasks" (Django 6.0 and newer), "inline" or None'),
        "what notifies a worker of new posts; None: `neardup_worker` alone polls",
    )
    queue: str = row("default", InstanceOf("the name of a queue", (str,)), "queue of the backend")
    index: str | Mapping[str, Any] = row(
        "django_neardup.index.DatabaseIndex",
        ValueType("the dotted path of a KeyIndex, or a dictionary: it as `BACKEND`, and its options"),
        "key index of the posts",
    )
    throttle: str | None = row(
        "30/m",
        ValueType("a rate, the dotted path of a Throttle, or None"),
        "how often one visitor may request similar posts",
    )
    mark: bool = row(
        True,
        InstanceOf("True or False", (bool,)),
        "whether saved posts are marked while `NEARDUP_ENABLED` is False",
    )
    prove_undo: bool = row(
        True,
        InstanceOf("True or False", (bool,)),
        "whether a merge, a hide and a deletion are refused if their undo would not restore everything",
    )
    journal_days: int | None = row(
        None,
        NumberOrNone("a whole number, 1 or more, or None", 1, is_whole=True),
        "days for which a merge, a hide and a deletion can be undone; None: without limit",
    )
    prove_rows: int = row(10_000, whole_number(0), "changed rows above which an undo is not tried")
    lease_seconds: int = row(120, whole_number(1), "seconds for which a worker leases a post")
    max_attempts: int = row(5, whole_number(1), "failures before a post is quarantined")
    poll_seconds: float = row(
        1.0, number(0.01), "pause of an idle `neardup_worker` in seconds; `--poll` overrides it"
    )
    late_seconds: float = row(600, number(1), "waiting time in seconds after which the check W105 warns")

    @property
    def max_lease_milliseconds(self) -> int:
        """How far ahead a lease may end. One that ends later was taken before the clock was set back."""
        return 3 * 1000 * self.lease_seconds


@dataclass(frozen=True)
class Profile:
    """The settings of one alias in NEARDUP."""

    alias: str
    language: str = row("ru", ValueType("a language code"), "main language of the texts")
    algorithm: str = row(
        "neardup", ValueType("a name or a dotted path"), "algorithm that signs and compares texts"
    )
    options: dict[str, Any] = row(  # noqa: RUF009  (a dataclass field)
        {},
        InstanceOf("a dictionary of the algorithm's arguments", (dict,)),
        "arguments of the algorithm",
    )
    secret: str | None = row(
        None, InstanceOf("a string, or None for a random one", (str, type(None))), "key of every hash"
    )
    synonyms: str | os.PathLike[str] | None = row(  # noqa: RUF009  (a dataclass field)
        None,
        InstanceOf("the path of a file, or None", (str, os.PathLike, type(None))),
        "file of words that count as the same word",
    )
    min_words: int = row(4, whole_number(0), "shorter texts are not compared")
    candidates: str = row(
        KEYS,
        ValueType('"keys", "more-like-this" or "more-like-this-tuned"'),
        "what names the candidates of a text: shared keys, or a search of its words in OpenSearch",
    )
    max_aligned: int = row(32, whole_number(1), "candidates that are aligned with one post")
    bucket: int = row(64, whole_number(1), "documents that are read per bucket")
    keeper: str = row(
        "first_seen",
        ValueType("a policy or a dotted path"),
        "policy that proposes which post a merge keeps",
    )
    publication: Sequence[Mapping[str, Any]] | None = row(
        None,
        ValueType("a list of rules, or None for the default ones"),
        "rules by which a post is accepted, warned about, held or refused before it is published",
    )
    seo: Sequence[str] = row(
        ("canonical", "sitemap"),
        ValueType('any of "canonical", "sitemap" and "redirects"'),
        "what is offered to search engines",
    )
    memory_days: int = row(
        0, whole_number(0), "days for which the fingerprint of a deleted post is kept; 0: it is not kept"
    )


def _rows_of(owner: type[Any], scope: str) -> list[Setting]:
    return [
        Setting(
            attribute.name.upper(),
            cast(Any, attribute.default_factory)(),
            attribute.metadata["value_type"],
            scope,
            attribute.metadata["documentation"],
        )
        for attribute in fields(owner)
        if attribute.metadata
    ]


SETTINGS: dict[str, Setting] = {
    setting.name: setting for setting in (*_rows_of(Profile, PROFILE), *_rows_of(SiteSettings, SITE))
}
"""Every key of NEARDUP."""

T = TypeVar("T")


def options_of(owner: type[Any]) -> list[Setting]:
    """Return the options that a dataclass of ``row()`` attributes declares."""
    return _rows_of(owner, SITE)


def read_options(owner: type[T], values: Mapping[str, Any]) -> T:
    """Return an instance of a dataclass of ``row()`` attributes, with the values of options in capitals.

    Raise ImproperlyConfigured if an option is unknown or has a value of another type.
    """
    known = {setting.name: setting for setting in options_of(owner)}
    for name, value in values.items():
        if name not in known:
            similar = get_close_matches(str(name).upper(), known, 1)
            question = "".join(f"Did you mean {other}? " for other in similar)
            raise ImproperlyConfigured(f"{name!r} is not an option. {question}Known: {', '.join(known)}.")
        if not known[name].value_type.accepts(value):
            raise ImproperlyConfigured(f"{name} is {value!r}. Write {known[name].value_type.description}.")
    return owner(**{name.lower(): value for name, value in values.items()})


DEFAULTS: dict[str, Any] = {name: setting.default for name, setting in SETTINGS.items()}


def is_enabled() -> bool:
    """Return whether the app is switched on: the setting ``NEARDUP_ENABLED``, which is no part of NEARDUP."""
    return bool(getattr(settings, "NEARDUP_ENABLED", True))


def marks_saved_posts() -> bool:
    """Return whether a saved post is marked: always while the app is on, otherwise unless MARK is False."""
    # Without its mark an edit is found by ``neardup_index --reconcile`` only, so the switch itself stops no
    # marks.
    return is_enabled() or get_site_settings().mark


@cache
def get_profile(alias: str = DEFAULT_ALIAS) -> Profile:
    """Return the profile of an alias.

    Raise ImproperlyConfigured if NEARDUP has no such profile or if the profile has an unknown key.
    """
    return Profile(alias, **_values(alias, PROFILE))


@cache
def get_site_settings() -> SiteSettings:
    """Return the settings of the site.

    Raise ImproperlyConfigured if the profile "default" has an unknown key.
    """
    return SiteSettings(**_values(DEFAULT_ALIAS, SITE))


def get_aliases() -> list[str]:
    """Return every configured alias, including "default"."""
    return sorted({DEFAULT_ALIAS, *getattr(settings, "NEARDUP", {})})


def _values(alias: str, scope: str) -> dict[str, Any]:
    """Return the values that the profile gives to settings of that scope, by attribute."""
    configured = getattr(settings, "NEARDUP", {})
    if alias not in configured and alias != DEFAULT_ALIAS:
        raise ImproperlyConfigured(
            f"NEARDUP has no profile {alias!r}: add it, or use one of {sorted(configured)}."
        )
    own_settings = configured.get(alias, {})
    unknown = sorted(set(own_settings) - set(SETTINGS))
    if unknown:
        raise ImproperlyConfigured(f"NEARDUP[{alias!r}] has unknown keys: {', '.join(unknown)}.")
    return {key.lower(): value for key, value in own_settings.items() if SETTINGS[key].scope == scope}


def _on_setting_changed(*, setting: str, **kwargs: Any) -> None:
    if setting == "NEARDUP":
        get_profile.cache_clear()
        get_site_settings.cache_clear()


# Tests override settings: the cached values must follow.
setting_changed.connect(_on_setting_changed, dispatch_uid="neardup.conf")
