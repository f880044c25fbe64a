"""The test whether the first line of a text looks like a title."""

from __future__ import annotations

import re

MAX_TITLE_WORDS = 12
"""Words of the longest title."""
_SENTENCE_END = re.compile(r"[.!?…](\s|$)|[,:;]$")


def has_title_line(text: str) -> bool:
    """Return whether the first line is short, ends no sentence, and a longer line follows."""
    first_line, _, body = text.partition("\n")
    title = first_line.strip()
    word_count = len(title.split())
    if not 0 < word_count <= MAX_TITLE_WORDS or _SENTENCE_END.search(title):
        return False
    return max(len(line.split()) for line in body.split("\n")) > word_count
