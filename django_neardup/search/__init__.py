"""Posts like a text, before it is published: nothing is written, and nothing is told that the caller may not see.

``asking`` (what is asked, checked) → ``index`` (scheme and spaces as they stand) → ``near`` (who shares keys, may be
seen, passes the screen and is worth reading: ``worth``) → ``judging`` (the likest are read and compared) →
``matches``. ``remembered`` adds deleted posts; ``repeats`` compares the texts of one batch with one another.
"""

from .api import afind_similar, check_many, find_similar, uniqueness
from .results import CheckResult, Match

__all__ = ["CheckResult", "Match", "afind_similar", "check_many", "find_similar", "uniqueness"]
