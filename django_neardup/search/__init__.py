"""Search for posts similar to a text before it is published.

Nothing is written. The answer names only posts that the caller may see. The modules, in the order of a
search:

- ``request``: the checked arguments of a call.
- ``scheme_lookup``: the active scheme and the spaces in the database.
- ``visible_posts``: the posts with which ``comparison`` compares the text. ``prefilter`` drops documents with too
  few shared content words.
- ``judged_posts``: the compared posts, best first.
- ``results``: the matches for the caller.

``deleted_posts`` adds remembered deleted posts. ``batch_repeats`` compares the texts of one batch with each
other.
"""

from .api import afind_similar, check_many, find_for_request, find_similar, uniqueness
from .results import CheckResult, Match, Matches

__all__ = [
    "CheckResult",
    "Match",
    "Matches",
    "afind_similar",
    "check_many",
    "find_for_request",
    "find_similar",
    "uniqueness",
]
