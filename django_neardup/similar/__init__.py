"""The posts that are like one: what one visitor may see of them, for the page, the block, an answer in JSON."""

from .entries import Entry, address_of, appeal_of, safe_url
from .moved import merged_into
from .page import LIMIT, Block, Similar, checked_limit
from .unique import whole_percent
from .visitors import adapter_labelled, find, signed_out, visible_to, with_key

__all__ = [
    "LIMIT",
    "Block",
    "Entry",
    "Similar",
    "adapter_labelled",
    "address_of",
    "appeal_of",
    "checked_limit",
    "find",
    "merged_into",
    "safe_url",
    "signed_out",
    "visible_to",
    "whole_percent",
    "with_key",
]
