"""The key table and the look-up of candidates. ``keys`` is the interface."""

from .keys import (
    add_run,
    compact,
    full_buckets,
    pack_keys,
    read_buckets,
    remove_run,
    replace_keys,
    to_signed,
    unpack_keys,
)

__all__ = [
    "add_run",
    "compact",
    "full_buckets",
    "pack_keys",
    "read_buckets",
    "remove_run",
    "replace_keys",
    "to_signed",
    "unpack_keys",
]
