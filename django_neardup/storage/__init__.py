"""Where keys live and candidates come from: ``keys`` is the door, one module a database stands behind it."""

from .keys import add_run, buckets, compact, full, pack, remove_run, replace, signed, unpack

__all__ = [
    "add_run",
    "buckets",
    "compact",
    "full",
    "pack",
    "remove_run",
    "replace",
    "signed",
    "unpack",
]
