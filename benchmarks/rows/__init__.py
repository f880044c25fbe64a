"""Every row. A new one is a function with ``@row`` in a module of this package, which is imported here."""

from ..figures import rows
from . import save

__all__ = ["rows", "save"]
