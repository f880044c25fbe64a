"""The class of the key index that the setting INDEX names."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.signals import setting_changed
from django.utils.module_loading import import_string

from ..conf import DEFAULTS, get_site_settings, read_options
from .base import KeyIndex
from .database import DatabaseIndex

_indexes: dict[tuple[str, str], KeyIndex] = {}
"""The created indexes, by the setting as text and database alias."""


def get_index(using: str) -> KeyIndex:
    """Return the key index of the database. Raise ``ImproperlyConfigured`` if INDEX names none."""
    setting = get_site_settings().index
    name = (setting if isinstance(setting, str) else repr(setting), using)
    index = _indexes.get(name)
    # Two threads may create one at the same time: both get the first.
    return index if index is not None else _indexes.setdefault(name, create_index(setting, using))


def uses_key_table(using: str) -> bool:
    """Return whether ``DatabaseIndex`` keeps the keys, so that another statement may add rows to its table.

    Return False for a subclass: it may do more than write rows.
    """
    return type(get_index(using)) is DatabaseIndex


def create_index(setting: Any, using: str) -> KeyIndex:
    """Create the index that a dotted path names, or a dictionary with the path as BACKEND and options.

    Raise ``ImproperlyConfigured``, with the reason, if that fails.
    """
    values = dict(setting) if isinstance(setting, Mapping) else {"BACKEND": setting}
    path = values.pop("BACKEND", None)
    index_class = _import_class(path)
    if index_class.options_class is None and values:
        raise ImproperlyConfigured(f"INDEX {path!r} has no options, but {', '.join(values)} is given.")
    try:
        if index_class.options_class is None:
            return index_class(using)
        return index_class(using, read_options(index_class.options_class, values))
    except ImproperlyConfigured as error:
        raise ImproperlyConfigured(f"INDEX {path!r}: {error}") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise ImproperlyConfigured(f"INDEX {path!r} cannot be created: {error}.") from error


def _import_class(path: Any) -> type[KeyIndex]:
    if not isinstance(path, str):
        raise ImproperlyConfigured(f"INDEX is {path!r}, not the dotted path of a class.")
    try:
        index_class = import_string(path)
    # The module is the site's: its import may raise anything.
    except Exception as error:
        raise ImproperlyConfigured(
            f"INDEX {path!r}{_suggestion(path)} cannot be imported: {error}."
        ) from error
    if not (isinstance(index_class, type) and issubclass(index_class, KeyIndex)):
        raise ImproperlyConfigured(f"INDEX {path!r} is no subclass of django_neardup.index.KeyIndex.")
    return index_class


def _suggestion(path: str) -> str:
    """Return a question in parentheses that names the most similar path, or an empty string."""
    module_path = path.rpartition(".")[0]
    try:
        members = vars(import_module(module_path))
    # As above. The caller reports what the import raised.
    except Exception:
        members = {}
    names = [
        name for name, member in members.items() if isinstance(member, type) and issubclass(member, KeyIndex)
    ]
    known_paths = [DEFAULTS["INDEX"], *(f"{module_path}.{name}" for name in names)]
    return "".join(
        f" (did you mean {known_path!r}?)" for known_path in get_close_matches(path, known_paths, 1)
    )


def _on_setting_changed(*, setting: str, **kwargs: Any) -> None:
    if setting == "NEARDUP":
        _indexes.clear()


# Tests override settings: the indexes must follow.
setting_changed.connect(_on_setting_changed, dispatch_uid="neardup.index")
