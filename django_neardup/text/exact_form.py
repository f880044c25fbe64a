"""The exact form of a text: what is left after folding only what carries no meaning.

Folded are case, blanks, markup, invisible characters, homoglyphs, ё, and punctuation outside figures. Words
keep their forms and accents, so a surname keeps its gender.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from .normalization.homoglyphs import TO_CYRILLIC, TO_LATIN
from .normalization.normalize import ACCENT_MARKS, ACCENT_RUN, LONG_MARK_RUN, limit_marks

_BLANKS = bytes.maketrans(b"\n\t\r", b"   ")
_DELETED = b"!?:;()[]{}\"'`|<>~_^*\\"
# The stop stands first: a search for it is many times faster than one for its context.
_STOPS_OUTSIDE_FIGURES = re.compile(rb"[.,](?:(?<!\d[.,])|(?!\d))")
_QUOTES_AND_DASHES = (("«", ""), ("»", ""), ("“", ""), ("”", ""), ("„", ""), ("…", ""), (" - ", " "))
_LATIN, _CYRILLIC = re.compile("[a-z]+"), re.compile("[\u0400-\u052f]+")
_DECORATION = re.compile(r"[^\w\s+\-#.,%/№$€₽°&@=\0]+")
_DECORATION_HINT = re.compile(r"[^\x00-\x7f\u0400-\u04ff№€₽°«»“”„…\w\s]")
_MAYBE_ACCENTED = re.compile(f"[\u00c0-\u024f\u0370-\u03ff\u1e00-\u1fff{ACCENT_MARKS}]")


def exact_form(folded: str, plain: str, *, cyrillic: bool, usual: bool) -> bytes:
    """Return the exact form.

    - ``folded``: the folded text in lower case.
    - ``plain``: the text without markup. Its accents are kept, which folding removes.
    - ``cyrillic``: the script of the text. Look-alike letters of the other script are folded.
    - ``usual``: the plain text has no unusual characters, so it has no accents.
    """
    if cyrillic:
        folded = _LATIN.sub(lambda run: run.group().translate(TO_CYRILLIC), folded)
    else:
        folded = _CYRILLIC.sub(lambda run: run.group().translate(TO_LATIN), folded)
    for mark, replacement in _QUOTES_AND_DASHES:
        if mark in folded:
            folded = folded.replace(mark, replacement)
    data = folded.encode("utf-8", "surrogatepass").translate(_BLANKS, _DELETED)
    words = b" ".join(_STOPS_OUTSIDE_FIGURES.sub(b" ", data).split())
    accents = "" if usual else accents_of(plain)
    return words + b"\0" + accents.encode("utf-8", "surrogatepass") if accents else words


def accents_of(plain: str) -> str:
    """Return every accented letter of a text, in order, in lower case. й, ё and ї are no accented letters."""
    if not _MAYBE_ACCENTED.search(plain):
        return ""
    # The small form of İ has a separate dot, which is no accent.
    folded = (
        unicodedata.normalize("NFC", LONG_MARK_RUN.sub(limit_marks, plain)).lower().replace("i\u0307", "i")
    )
    return "".join(filter(_is_accented, _MAYBE_ACCENTED.findall(folded)))


@lru_cache(maxsize=4096)
def _is_accented(character: str) -> bool:
    # The grapheme joiner is a combining character, but it is invisible.
    return character != "\u034f" and bool(ACCENT_RUN.search(unicodedata.normalize("NFD", character)))


def may_be_decorated(folded: str, *, usual: bool) -> bool:
    """Return whether a folded text has a character that may be decoration. It costs a fraction of the exact form."""
    return "•" in folded if usual else bool(_DECORATION_HINT.search(folded))


def without_decoration(data: bytes) -> bytes:
    """Return an exact form without emoji and other signs that are no letters and no figures."""
    return b" ".join(
        _DECORATION.sub(" ", data.decode("utf-8", "surrogatepass")).encode("utf-8", "surrogatepass").split()
    )
