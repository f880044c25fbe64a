"""The posts that are like one: what one visitor may see of them, for the page, the block, an answer in JSON."""

from .entries import Entry, safe_url
from .page import LIMIT, Block, Similar, checked_limit
from .unique import whole_percent
from .visitors import find, visible_to, with_key

__all__ = [
    "LIMIT",
    "Block",
    "Entry",
    "Similar",
    "checked_limit",
    "find",
    "safe_url",
    "visible_to",
    "whole_percent",
    "with_key",
]
