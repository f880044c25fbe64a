"""The posts similar to a post, as one visitor may see them, for the page, the block and the JSON answer."""

from .access import anonymous_request, find_adapter, find_by_key, find_visible_object, visible_querysets
from .entries import SimilarEntry, public_url, safe_appeal_url, safe_url
from .page import SIMILAR_LIMIT, SimilarBlock, SimilarPosts, parse_limit
from .redirect import find_final_keeper
from .unique_share import uniqueness_percent

__all__ = [
    "SIMILAR_LIMIT",
    "SimilarBlock",
    "SimilarEntry",
    "SimilarPosts",
    "anonymous_request",
    "find_adapter",
    "find_by_key",
    "find_final_keeper",
    "find_visible_object",
    "parse_limit",
    "public_url",
    "safe_appeal_url",
    "safe_url",
    "uniqueness_percent",
    "visible_querysets",
]
