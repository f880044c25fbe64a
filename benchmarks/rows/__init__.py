"""Every row: a function with ``@row`` in a module of this package. All modules are imported here."""

from importlib import import_module
from pkgutil import iter_modules

from benchmarks.figures import rows

for _found in iter_modules(__path__):
    import_module(f"{__name__}.{_found.name}")

__all__ = ["rows"]
