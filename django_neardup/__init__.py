"""Near-duplicate posts: found as they are saved, grouped in lists, merged by people.

``import django_neardup as neardup`` needs no settings and imports nothing heavy: every name below is loaded when it is
first used.
"""

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__version__ = "0.1.0"

_PUBLIC = {
    "Adapter": "adapters",
    "register": "adapters",
    "unregister": "adapters",
    "group": "grouping",
    "collapse": "collapsing",
    "find_similar": "finding",
    "afind_similar": "finding",
    "check_many": "finding",
    "uniqueness": "finding",
    "hold": "publishing",
    "release": "publishing",
    "fates": "authors",
    "mail_merged": "authors",
    "merged_message": "authors",
    "compare": "comparing",
    "mark": "pipeline",
    "drain": "pipeline",
    "document_checked": "signals",
    "cluster_changed": "signals",
}

__all__ = ["__version__", *_PUBLIC]


def __getattr__(name: str) -> "Any":
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PUBLIC[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_PUBLIC})
