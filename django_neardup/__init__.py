"""Near-duplicate posts: found when they are saved, grouped in lists, merged by moderators.

``import django_neardup as neardup`` needs no settings and imports nothing heavy. Each public name below is
loaded on first use.
"""

from importlib import import_module

# Type checkers take it for ``typing.TYPE_CHECKING``. ``typing`` is not imported: this package must load fast.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from .adapters import Adapter, register, unregister
    from .authors.fates import fates
    from .authors.messages import mail_merged, merged_message
    from .listing.collapse import collapse
    from .listing.group import group
    from .pipeline import drain, mark
    from .prepublication import hold, release
    from .search import afind_similar, check_many, find_similar, uniqueness
    from .search.object_comparison import compare
    from .signals import cluster_changed, document_checked

__version__ = "0.1.0"

__all__ = [
    "Adapter",
    "__version__",
    "afind_similar",
    "check_many",
    "cluster_changed",
    "collapse",
    "compare",
    "document_checked",
    "drain",
    "fates",
    "find_similar",
    "group",
    "hold",
    "mail_merged",
    "mark",
    "merged_message",
    "register",
    "release",
    "uniqueness",
    "unregister",
]

# Static checkers read the imports above instead. A test checks that both lists are equal.
MODULES = {
    "Adapter": "adapters",
    "afind_similar": "search",
    "check_many": "search",
    "cluster_changed": "signals",
    "collapse": "listing.collapse",
    "compare": "search.object_comparison",
    "document_checked": "signals",
    "drain": "pipeline",
    "fates": "authors",
    "find_similar": "search",
    "group": "listing.group",
    "hold": "prepublication",
    "mail_merged": "authors",
    "mark": "pipeline",
    "merged_message": "authors",
    "register": "adapters",
    "release": "prepublication",
    "unregister": "adapters",
    "uniqueness": "search",
}
"""Public names and the modules that define them."""

# Hidden from type checkers: they would accept every misspelt name as an attribute of type Any.
if not TYPE_CHECKING:

    def __getattr__(name):
        """Load a public name from its module. Raise AttributeError for any other name."""
        if name not in MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *MODULES})
