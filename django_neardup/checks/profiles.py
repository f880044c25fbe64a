"""Checks of the setting NEARDUP. They read the raw setting and must never raise."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.checks import CheckMessage
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string

from .. import queues
from ..adapters import registered_adapters
from ..algorithms.registry import UnknownAlgorithm, algorithm_names, get_algorithm
from ..conf import (
    BACKENDS,
    CANDIDATES,
    DEFAULT_ALIAS,
    DEFAULTS,
    KEEPER_POLICIES,
    KEYS,
    SETTINGS,
    SITE,
    InstanceOf,
    NumberFrom,
)
from ..index.index_class import create_index
from ..pipeline.schemes import algorithm_options, bench_only_message
from ..text.tokens.synonyms import Synonyms
from .database import used_databases
from .languages import is_known_language, is_language_code, suggest_language, unknown_language_message
from .messages import check_message, did_you_mean

INDEX_HINT = (
    f"Remove INDEX: the default, {DEFAULTS['INDEX']}, works with PostgreSQL, MariaDB, MySQL and SQLite. Or name "
    "a subclass of django_neardup.index.KeyIndex that supports the database."
)
TEXT_SEARCH_HINT = (
    f"Set INDEX in NEARDUP[{DEFAULT_ALIAS!r}] to django_neardup.index.opensearch.OpenSearchIndex, and LANGUAGE to a "
    f"language that it has an analyzer for. Or leave CANDIDATES out: {KEYS!r} needs neither."
)
SHAPE_HINT = 'Write NEARDUP = {"default": {"LANGUAGE": "ru"}}: profiles by alias, each with its options.'


def check_shape(**kwargs: Any) -> list[CheckMessage]:
    configured = getattr(settings, "NEARDUP", {})
    if not isinstance(configured, dict):
        return [
            check_message("E001", f"NEARDUP is a {type(configured).__name__}, not a dictionary.", SHAPE_HINT)
        ]
    return [message for alias, options in configured.items() for message in _shape_messages(alias, options)]


def check_backend(**kwargs: Any) -> list[CheckMessage]:
    messages = [
        check_message(
            "E002",
            f"NEARDUP[{alias!r}]: BACKEND {values['BACKEND']!r} is unknown.",
            f"Write {SETTINGS['BACKEND'].value_type.description}. None: you run neardup_worker.",
        )
        for alias, values in configured_profiles()
        if values["BACKEND"] not in BACKENDS
    ]
    values_of_default = dict(configured_profiles()).get("default", DEFAULTS)
    # ``check_shape`` reports a QUEUE that is not text.
    if messages or not isinstance(values_of_default["QUEUE"], str):
        return messages
    if values_of_default["BACKEND"] == "rq":
        return _rq_messages(values_of_default["QUEUE"])
    if values_of_default["BACKEND"] == "tasks" and (
        why := queues.configuration_problem("tasks", values_of_default["QUEUE"])
    ):
        return [
            check_message(
                "E009", why, "Serve the queue in TASKS, or set another BACKEND or QUEUE in NEARDUP."
            )
        ]
    return []


def check_algorithm(**kwargs: Any) -> list[CheckMessage]:
    return [
        check_message("E003", f"NEARDUP[{alias!r}]: {why}.", hint)
        for alias, values in configured_profiles()
        for why, hint in _algorithm_problems(values["ALGORITHM"], values["OPTIONS"])
    ]


def check_synonyms(**kwargs: Any) -> list[CheckMessage]:
    messages = []
    for alias, values in configured_profiles():
        path = values["SYNONYMS"]
        for language in _profile_languages(alias, values) if isinstance(path, str | os.PathLike) else ():
            try:
                Synonyms.load(path, language)
            except (OSError, ValueError) as error:
                messages.append(
                    check_message(
                        "E013",
                        f"NEARDUP[{alias!r}]: SYNONYMS {os.fspath(path)!r} cannot be used: {error}.",
                        "Write one group of synonyms per line, in UTF-8. Set the absolute path of the file, or None.",
                    )
                )
                # One message for each file is enough.
                break
    return messages


def check_language(**kwargs: Any) -> list[CheckMessage]:
    return [
        check_message(
            "E010",
            f"NEARDUP[{alias!r}]: LANGUAGE {values['LANGUAGE']!r} is not a language code.",
            f'{suggest_language(values["LANGUAGE"])}Write a code such as "ru", "en" or "pt-br".',
        )
        for alias, values in configured_profiles()
        if not is_language_code(values["LANGUAGE"])
    ]


def check_unknown_language(**kwargs: Any) -> list[CheckMessage]:
    return [
        unknown_language_message(f"NEARDUP[{alias!r}]: LANGUAGE", values["LANGUAGE"])
        for alias, values in configured_profiles()
        if is_language_code(values["LANGUAGE"]) and not is_known_language(values["LANGUAGE"])
    ]


def check_numbers(**kwargs: Any) -> list[CheckMessage]:
    return [
        check_message(
            "E011",
            f"NEARDUP[{alias!r}]: {key} is {values[key]!r}.",
            f"Write {setting.value_type.description}.",
        )
        for alias, values in configured_profiles()
        for key, setting in SETTINGS.items()
        if isinstance(setting.value_type, NumberFrom) and not setting.value_type.accepts(values[key])
    ]


def check_scope(**kwargs: Any) -> list[CheckMessage]:
    return [
        check_message(
            "W113",
            f"NEARDUP[{alias!r}]: {key} is a setting of the whole site, so it has no effect here.",
            f"Move it to NEARDUP[{DEFAULT_ALIAS!r}], or remove it.",
        )
        for alias, values in _written_profiles()
        for key in values
        if alias != DEFAULT_ALIAS and key in SETTINGS and SETTINGS[key].scope == SITE
    ]


def check_index(**kwargs: Any) -> list[CheckMessage]:
    path = dict(configured_profiles()).get("default", DEFAULTS)["INDEX"]
    messages = []
    for alias in sorted(used_databases()):
        try:
            why = create_index(path, alias).configuration_problem()
        except ImproperlyConfigured as error:
            # The same for every database.
            return [check_message("E014", f"NEARDUP['default']: {error}", INDEX_HINT)]
        if why:
            messages.append(check_message("E014", f"Database {alias!r}: {why}.", INDEX_HINT))
    return messages


def check_candidates(**kwargs: Any) -> list[CheckMessage]:
    index = dict(configured_profiles()).get("default", DEFAULTS)["INDEX"]
    messages = []
    for alias, values in configured_profiles():
        value = values["CANDIDATES"]
        if value not in CANDIDATES:
            why = f"CANDIDATES {value!r} is unknown"
            hint = f"{did_you_mean(str(value), CANDIDATES)}It is one of {', '.join(CANDIDATES)}."
        elif value != KEYS and (problem := _text_search_problem(index, _profile_languages(alias, values))):
            why, hint = f"CANDIDATES {value!r} cannot be used: {problem}", TEXT_SEARCH_HINT
        else:
            continue
        messages.append(check_message("E023", f"NEARDUP[{alias!r}]: {why}.", hint))
    return messages


def _text_search_problem(index: Any, languages: Sequence[str]) -> str:
    """Return why the index cannot search texts of one of the languages. Return an empty text if it can."""
    try:
        key_index = create_index(index, DEFAULT_ALIAS)
    except ImproperlyConfigured:
        # E014 tells.
        return ""
    return next(filter(None, map(key_index.text_search_problem, languages)), "")


def check_keeper(**kwargs: Any) -> list[CheckMessage]:
    return [
        check_message(
            "E015",
            f"NEARDUP[{alias!r}]: KEEPER {values['KEEPER']!r} is neither a policy nor a callable.",
            f"Write one of {', '.join(KEEPER_POLICIES)}, or the dotted path of a callable that chooses "
            "one post of a list.",
        )
        for alias, values in configured_profiles()
        if values["KEEPER"] not in KEEPER_POLICIES and not _is_callable(values["KEEPER"])
    ]


def configured_profiles() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the alias and the values of every readable profile, with defaults.

    "default" is included even if it is not in the setting.
    """
    for alias, options in {DEFAULT_ALIAS: {}, **dict(_written_profiles())}.items():
        yield alias, {**DEFAULTS, **options}


def _written_profiles() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the alias and the values of every readable profile, as the site wrote them."""
    configured = getattr(settings, "NEARDUP", {})
    if isinstance(configured, dict):
        yield from ((alias, options) for alias, options in configured.items() if isinstance(options, dict))


def _is_callable(path: Any) -> bool:
    try:
        return isinstance(path, str) and callable(import_string(path))
    except ImportError:
        return False


def _algorithm_problems(name: Any, options: Any) -> Iterator[tuple[str, str]]:
    """Yield why the algorithm and its options make no scheme, each with a hint."""
    known_hint = f"Write the dotted path of your own algorithm, or one of: {', '.join(algorithm_names())}."
    valid_options = options if isinstance(options, dict) else {}
    if not isinstance(name, str):
        yield f"ALGORITHM is {name!r}", known_hint
        return
    try:
        if get_algorithm(name, **algorithm_options(valid_options)).bench_only:
            yield bench_only_message(name).removesuffix("."), known_hint
    except UnknownAlgorithm as error:
        yield str(error), known_hint
    except (TypeError, ValueError, AttributeError) as error:
        yield (
            f"ALGORITHM {name!r} cannot be created: {error}",
            f"Check OPTIONS, the arguments of the algorithm. The default is guard=True. {known_hint}",
        )
    try:
        json.dumps(valid_options, allow_nan=False)
    except (TypeError, ValueError) as error:
        yield (
            f"OPTIONS cannot be stored as JSON: {error}",
            "They are stored with the scheme: use numbers, strings, lists, dictionaries, True, False and None.",
        )


def _profile_languages(alias: str, values: dict[str, Any]) -> list[str]:
    """Return the languages of a profile's texts."""
    adapters = [adapter for adapter in registered_adapters().values() if adapter.profile == alias]
    languages = [values["LANGUAGE"], *(adapter.language for adapter in adapters)]
    return sorted({language for language in languages if is_language_code(language)})


def _shape_messages(alias: Any, options: Any) -> Iterator[CheckMessage]:
    if not isinstance(alias, str) or not isinstance(options, dict):
        yield check_message(
            "E001", f"NEARDUP[{alias!r}] is a {type(options).__name__}, not a profile.", SHAPE_HINT
        )
        return
    for key in sorted(set(options) - set(SETTINGS), key=str):
        hint = f"{did_you_mean(str(key).upper(), SETTINGS)}Known: {', '.join(SETTINGS)}."
        yield check_message("E001", f"NEARDUP[{alias!r}] has an unknown key {key!r}.", hint)
    for key, setting in SETTINGS.items():
        value_type = setting.value_type
        if key in options and isinstance(value_type, InstanceOf) and not value_type.accepts(options[key]):
            yield check_message(
                "E001", f"NEARDUP[{alias!r}]: {key} is {options[key]!r}.", f"Write {value_type.description}."
            )


def _rq_messages(queue: str) -> list[CheckMessage]:
    alternative = "Or set BACKEND to None and run neardup_worker, without django_rq and Redis."
    if find_spec("django_rq") is None:
        return [
            check_message(
                "E008",
                'BACKEND is "rq", but django_rq is not installed.',
                f'pip install "path/to/django-neardup[rq]". {alternative}',
            )
        ]
    if not apps.is_installed("django_rq"):
        return [
            check_message(
                "E008",
                'BACKEND is "rq", but django_rq is not in INSTALLED_APPS.',
                f'Add "django_rq" to INSTALLED_APPS, and set RQ_QUEUES. {alternative}',
            )
        ]
    why = queues.configuration_problem("rq", queue)
    hint = f"Add {queue!r} to RQ_QUEUES, or set another QUEUE in NEARDUP. {alternative}"
    return [check_message("E008", why, hint)] if why else []
