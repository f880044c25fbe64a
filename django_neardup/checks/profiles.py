"""Checks of the setting NEARDUP. They read it as it is written: nothing here may raise."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from difflib import get_close_matches
from importlib.util import find_spec
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.checks import CheckMessage
from django.db import connections
from django.utils.module_loading import import_string

from .. import queues
from ..adapters import registered
from ..conf import BACKENDS, DEFAULTS, KEEPERS
from ..pipeline.schemes import for_the_bench, options_of
from ..pipeline.words import folder_of, unusable
from ..signatures.registry import UnknownAlgorithm, algorithm_names, get_algorithm
from ..storage.index import refused
from ..text.synonyms import Synonyms
from .database import homes
from .table import problem

SHAPE = 'Write NEARDUP = {"default": {"LANGUAGE": "ru"}}: profiles by alias, their options inside.'
TYPES: dict[str, tuple[tuple[type, ...], str]] = {
    "OPTIONS": ((dict,), "a dictionary of the algorithm's arguments"),
    "QUEUE": ((str,), "the name of a queue"),
    "SECRET": ((str, type(None)), "a text, or None for a random one"),
    "SYNONYMS": ((str, os.PathLike, type(None)), "the path of a file, or None"),
    "CACHE": ((str, os.PathLike, bool, type(None)), "the path of a folder, True or None"),
}
LEAST: dict[str, tuple[float, type]] = {
    "MIN_WORDS": (0, int),
    "MAX_ALIGNED": (1, int),
    "BUCKET": (1, int),
    "MEMORY_DAYS": (0, int),
    "LEASE_SECONDS": (1, int),
    "MAX_ATTEMPTS": (1, int),
    "POLL_SECONDS": (0.01, float),
    "LATE_SECONDS": (1, float),
}
LANGUAGE = re.compile(r"[a-z]{2,3}([-_][a-z0-9]+)*", re.IGNORECASE)


def check_shape(**kwargs: Any) -> list[CheckMessage]:
    configured = getattr(settings, "NEARDUP", {})
    if not isinstance(configured, dict):
        return [problem("E001", f"NEARDUP is a {type(configured).__name__}, not a dictionary.", SHAPE)]
    return [message for alias, chosen in configured.items() for message in _misshapen(alias, chosen)]


def check_backend(**kwargs: Any) -> list[CheckMessage]:
    found = [
        problem(
            "E002",
            f"NEARDUP[{alias!r}]: BACKEND {values['BACKEND']!r} is unknown.",
            'It is one of "rq", "tasks" (Django 6.0 and newer), "inline" or None: neardup_worker alone.',
        )
        for alias, values in profiles()
        if values["BACKEND"] not in BACKENDS
    ]
    chosen = dict(profiles()).get("default", DEFAULTS)
    if found or not isinstance(chosen["QUEUE"], str):
        return found
    if chosen["BACKEND"] == "rq":
        return _without_rq(chosen["QUEUE"])
    if chosen["BACKEND"] == "tasks" and (why := queues.problem("tasks", chosen["QUEUE"])):
        return [problem("E009", why, "Serve the queue in TASKS, or set another BACKEND or QUEUE in NEARDUP.")]
    return []


def check_algorithm(**kwargs: Any) -> list[CheckMessage]:
    return [
        problem("E003", f"NEARDUP[{alias!r}]: {why}.", hint)
        for alias, values in profiles()
        for why, hint in _unusable(values["ALGORITHM"], values["OPTIONS"])
    ]


def check_synonyms(**kwargs: Any) -> list[CheckMessage]:
    found = []
    for alias, values in profiles():
        path = values["SYNONYMS"]
        for language in _languages(alias, values) if isinstance(path, str | os.PathLike) else ():
            try:
                Synonyms.load(path, language)
            except (OSError, ValueError) as error:
                found.append(
                    problem(
                        "E013",
                        f"NEARDUP[{alias!r}]: SYNONYMS {os.fspath(path)!r} cannot be used: {error}.",
                        "Write a class of words a line, in UTF-8; name the file by its whole path, or set None.",
                    )
                )
                break
    return found


def check_language(**kwargs: Any) -> list[CheckMessage]:
    return [
        problem(
            "E010",
            f"NEARDUP[{alias!r}]: LANGUAGE {values['LANGUAGE']!r} is no language code.",
            'Write a code such as "ru", "en" or "pt-br".',
        )
        for alias, values in profiles()
        if not is_language(values["LANGUAGE"])
    ]


def check_numbers(**kwargs: Any) -> list[CheckMessage]:
    return [
        problem("E011", f"NEARDUP[{alias!r}]: {key} is {values[key]!r}.", in_words(key))
        for alias, values in profiles()
        for key in LEAST
        if not is_number(key, values[key])
    ]


def check_storage(**kwargs: Any) -> list[CheckMessage]:
    storage = dict(profiles()).get("default", DEFAULTS)["STORAGE"]
    return [
        problem(
            "E014",
            f"NEARDUP['default'], database {alias!r}: {why}.",
            'Set STORAGE to "rows", which every database can; "array" is for PostgreSQL alone.',
        )
        for alias in sorted(homes())
        if (why := refused(connections[alias].vendor, storage))
    ]


def check_cache(**kwargs: Any) -> list[CheckMessage]:
    chosen = dict(profiles()).get("default", DEFAULTS)["CACHE"]
    folder = folder_of(chosen) if isinstance(chosen, (str, os.PathLike, bool)) else None
    why = unusable(folder) if folder is not None else ""
    hint = (
        "Name a folder of the workers' user alone (mode 0700), or set CACHE to None. Every worker remembers words by "
        "itself meanwhile."
    )
    return [problem("W109", f"NEARDUP['default']: CACHE is {str(folder)!r}, and {why}.", hint)] if why else []


def check_keeper(**kwargs: Any) -> list[CheckMessage]:
    return [
        problem(
            "E015",
            f"NEARDUP[{alias!r}]: KEEPER {values['KEEPER']!r} is no policy, and nothing that can be called.",
            f"It is one of {', '.join(KEEPERS)}, or the dotted path of a callable that picks one of a list of posts.",
        )
        for alias, values in profiles()
        if values["KEEPER"] not in KEEPERS and not _is_callable(values["KEEPER"])
    ]


def profiles() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every profile that can be read, with its defaults; "default" even where it is not written."""
    configured = getattr(settings, "NEARDUP", {})
    if isinstance(configured, dict):
        for alias, chosen in {"default": {}, **configured}.items():
            if isinstance(chosen, dict):
                yield alias, {**DEFAULTS, **chosen}


def is_language(value: Any) -> bool:
    return isinstance(value, str) and LANGUAGE.fullmatch(value) is not None


def is_number(key: str, value: Any) -> bool:
    """Is the value a number of the kind, and in the range, that the key demands?"""
    least, kind = LEAST[key]
    allowed = (int,) if kind is int else (int, float)
    return isinstance(value, allowed) and not isinstance(value, bool) and least <= value < float("inf")


def in_words(key: str) -> str:
    least, kind = LEAST[key]
    return f"Write a {'whole number' if kind is int else 'number'}, {least} or more."


def _is_callable(path: Any) -> bool:
    try:
        return isinstance(path, str) and callable(import_string(path))
    except ImportError:
        return False


def _unusable(name: Any, options: Any) -> Iterator[tuple[str, str]]:
    """Why no scheme can be made of that algorithm and those options, and a hint."""
    known = f"Known algorithms: {', '.join(algorithm_names())}; or the dotted path of one of your own."
    chosen = options if isinstance(options, dict) else {}
    try:
        if get_algorithm(name, **options_of(chosen)).batch:
            yield for_the_bench(name).removesuffix("."), known
    except UnknownAlgorithm as error:
        yield str(error), known
    except (TypeError, ValueError, AttributeError) as error:
        yield (
            f"ALGORITHM {name!r} cannot be made: {error}",
            f"See to OPTIONS, the algorithm's arguments; guard=True is one unless they say otherwise. {known}",
        )
    try:
        json.dumps(chosen, allow_nan=False)
    except (TypeError, ValueError) as error:
        yield (
            f"OPTIONS cannot be stored as JSON: {error}",
            "They are kept with the scheme: write them with numbers, texts, lists, dictionaries, True, False and None.",
        )


def _languages(alias: str, values: dict[str, Any]) -> list[str]:
    """The languages of a profile's texts."""
    adapters = [adapter for adapter in registered().values() if adapter.profile == alias]
    named = [values["LANGUAGE"], *(adapter.language for adapter in adapters)]
    return sorted({language for language in named if is_language(language)})


def _misshapen(alias: Any, chosen: Any) -> Iterator[CheckMessage]:
    if not isinstance(alias, str) or not isinstance(chosen, dict):
        yield problem("E001", f"NEARDUP[{alias!r}] is a {type(chosen).__name__}, not a profile.", SHAPE)
        return
    for key in sorted(set(chosen) - set(DEFAULTS), key=str):
        near = get_close_matches(str(key).upper(), DEFAULTS, 1)
        meant = f"Did you mean {near[0]}? " if near else ""
        hint = f"{meant}Known: {', '.join(DEFAULTS)}."
        yield problem("E001", f"NEARDUP[{alias!r}] has an unknown key {key!r}.", hint)
    for key, (kinds, words) in TYPES.items():
        if key in chosen and not isinstance(chosen[key], kinds):
            yield problem("E001", f"NEARDUP[{alias!r}]: {key} is {chosen[key]!r}.", f"It is {words}.")


def _without_rq(queue: str) -> list[CheckMessage]:
    other = "Or set BACKEND to None and run neardup_worker: then neither django_rq nor Redis is needed."
    if find_spec("django_rq") is None:
        return [
            problem(
                "E008",
                'BACKEND is "rq" and django_rq is not installed.',
                f'pip install "path/to/django-neardup[rq]". {other}',
            )
        ]
    if not apps.is_installed("django_rq"):
        return [
            problem(
                "E008",
                'BACKEND is "rq" and django_rq is not in INSTALLED_APPS.',
                f'Add "django_rq" to INSTALLED_APPS, and RQ_QUEUES. {other}',
            )
        ]
    why = queues.problem("rq", queue)
    hint = f"Add {queue!r} to RQ_QUEUES, or name another QUEUE in NEARDUP. {other}"
    return [problem("E008", why, hint)] if why else []
