"""Words inside markup: a site that renders another markup shows them to its readers.

Ordinary markup contains words too: names of classes, styles, addresses, doctypes. They have no letters beyond
ASCII. ASCII words count only in a passage that consists mostly of words.
"""

from __future__ import annotations

import re

MIN_UNREAD_WORDS = 4
"""Number of different words from which unread text is read. It equals the default of ``MIN_WORDS``."""

MIN_SHARE_OF_WORDS = 2 / 3
"""Share of ASCII words among the chunks between blanks. Style sheets and programs have less."""

_ADDRESS = re.compile(r"(?<!\S)(?:(?:[a-zA-Z]{1,10}:/|/|www\.)\S*|\S*@\S*)")
_LETTERS = re.compile(r"[^\W\d_]+")
_EDGES = ".,!?:;()\"'{}[]"


def words_for_readers(passage: str, *, is_technical: bool = False) -> frozenset[str]:
    """Return the words of a passage that readers would take for text.

    ``is_technical``: ASCII words never count. Such a passage is a style or the name of a class.
    """
    if is_technical and passage.isascii():
        return frozenset()
    if "/" in passage or "@" in passage or "www." in passage:
        passage = _ADDRESS.sub(" ", passage)
    words: set[str] = set()
    if not passage.isascii():
        words.update(word.lower() for word in _LETTERS.findall(passage) if not word.isascii())
    if not is_technical:
        words |= _ascii_words(passage)
    return frozenset(words)


def _ascii_words(passage: str) -> set[str]:
    """Return the ASCII words of a passage that consists of words. Return an empty set for any other."""
    chunks = passage.split()
    if len(chunks) < MIN_UNREAD_WORDS:
        return set()
    words = [word for chunk in chunks if (word := chunk.strip(_EDGES)).isalpha()]
    ascii_words = {word.lower() for word in words if word.isascii()}
    if len(ascii_words) < MIN_UNREAD_WORDS or len(words) < MIN_SHARE_OF_WORDS * len(chunks):
        return set()
    return ascii_words
