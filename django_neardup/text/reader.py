"""The reader: hashes and marks of a text's tokens, without making the tokens.

The text is normalized as a whole and split at blanks. Most chunks were read before, so their records are
looked up. Figures are read together with the chunks that may belong to them. The result equals the
tokenizer's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .chunk_cache import ChunkCache, Piece, chunk_cache
from .chunk_context import FOLLOWS, LEADS, LINKS, MONTH
from .exact_form import exact_form
from .hashing import digest
from .normalization.normalize import normalize
from .normalization.offsets import PlainText
from .normalization.plain_text import plain_text
from .tokens.synonyms import Synonyms
from .tokens.token_pattern import UNSPACED_GLYPH
from .tokens.tokenize import LONG_TEXT_CHARACTERS, lower, tokenize
from .word_lists import word_set

CYRILLIC_LANGUAGES = word_set("ru uk be bg sr mk kk ky mn tg tt ba")
SLICE_CHARACTERS = 1 << 20
_FIRST_MARKS, _LAST_MARKS = 8, -1
"""Positions of the marks in the first and in the last record of a chunk."""

Parts = list["bytes | None"]


class Reading(NamedTuple):
    """The reader's results for a text.

    - ``data``: records of the tokens (``chunk_cache.RECORD``).
    - ``codes`` and ``contacts``: canonical, in order.
    - ``plain``: the text without markup.
    - ``too_long``: whether the text is too long to be read. Then it has no tokens.
    - ``exact_digest``: keyed digest of the exact form (``exact_form``).
    """

    data: bytes
    codes: tuple[str, ...]
    contacts: tuple[str, ...]
    plain: str
    too_long: bool
    exact_digest: bytes


def read(
    raw: str,
    language: str,
    quotes: str,
    secret: bytes,
    synonyms: Synonyms | None,
    markup: str | None = None,
) -> Reading:
    """Read a text. See ``CanonicalText`` for the arguments."""
    plain = plain_text(raw, quotes, PlainText, markup)
    if plain.too_long:
        return Reading(b"", (), (), "", True, digest(_slices(raw), secret))
    folded = normalize(plain, prefer_cyrillic=prefers_cyrillic(language))
    text = lower(folded.offset_text.text)
    form = exact_form(text, plain.text, cyrillic=folded.is_cyrillic, usual=folded.usual)
    exact = digest([form], secret)
    if not folded.usual and UNSPACED_GLYPH.search(text):
        text = UNSPACED_GLYPH.sub(r" \g<0> ", text)
    cache = chunk_cache(language, folded.is_cyrillic, secret, synonyms)
    if len(text) < LONG_TEXT_CHARACTERS:
        piece, too_long = _read_chunks(cache, text), bool(plain.too_long)
    else:
        # A very long text has a budget of words, which only the tokenizer applies.
        tokens = tokenize(folded.offset_text, language, folded.is_cyrillic)
        piece, too_long = cache.piece_of(tokens.tokens), tokens.too_long
    return Reading(*piece, plain.text, too_long, exact)


def _slices(raw: str) -> Iterator[str]:
    """Yield a long text in slices, which are encoded one by one."""
    for start in range(0, len(raw), SLICE_CHARACTERS):
        yield raw[start : start + SLICE_CHARACTERS]


def prefers_cyrillic(language: str) -> bool:
    """Return whether most texts of a language are Cyrillic."""
    return language.lower()[:2] in CYRILLIC_LANGUAGES


def _read_chunks(cache: ChunkCache, text: str) -> Piece:
    """Read a folded text in lower case, chunk by chunk."""
    chunks = (text.replace("\n", " \n ") if "\n" in text else text).split(" ")
    parts = list(map(cache.__getitem__, chunks))
    if None not in parts:
        return Piece(b"".join(parts))  # type: ignore[arg-type]  # there is no None
    return _read_figures(cache, chunks, parts)


def _read_figures(cache: ChunkCache, chunks: list[str], parts: Parts) -> Piece:
    """Read the chunks without records, together with the adjacent chunks that may belong to them."""
    data: Parts = []
    codes: tuple[str, ...] = ()
    contacts: tuple[str, ...] = ()
    end, remaining = 0, parts.count(None)
    while remaining:
        figure = parts.index(None, end)
        start = _start_of(parts, figure, end)
        data += parts[end:start]
        end = _end_of(parts, figure)
        remaining -= parts[start:end].count(None)
        piece = cache.piece(" ".join(chunks[start:end]).replace(" \n ", "\n"))
        data.append(piece.data)
        codes += piece.codes
        contacts += piece.contacts
    data += parts[end:]
    return Piece(b"".join(data), codes, contacts)  # type: ignore[arg-type]  # every None is in a piece


def _start_of(parts: Parts, figure: int, floor: int) -> int:
    """Return the position of the month or price word before a figure, otherwise the figure's position."""
    previous = _before(parts, figure, floor)
    marks = parts[previous][_LAST_MARKS] if previous >= floor else 0  # type: ignore[index]
    if marks & (LEADS | MONTH):
        return previous
    if marks & LINKS:
        before_link = _before(parts, previous, floor)
        if before_link >= floor and parts[before_link][_LAST_MARKS] & LEADS:  # type: ignore[index]
            return before_link
    return figure


def _end_of(parts: Parts, figure: int) -> int:
    """Return the end of a figure and of the units, currencies, months and other figures that follow it."""
    end = figure + 1
    while (position := _next(parts, end)) < len(parts):
        part = parts[position]
        if part is not None and not part[_FIRST_MARKS] & FOLLOWS:
            if not part[_LAST_MARKS] & LINKS:
                return end
            position = _next(parts, position + 1)
            if position == len(parts) or parts[position] is not None:
                return end
        end = position + 1
    return end


def _before(parts: Parts, place: int, floor: int) -> int:
    """Return the position of the nearest chunk with tokens before a position.

    Return a position below ``floor`` if there is none.
    """
    place -= 1
    while place >= floor and parts[place] == b"":
        place -= 1
    return place


def _next(parts: Parts, place: int) -> int:
    """Return the position of the nearest chunk with tokens at or behind a position.

    Return the number of parts if there is none.
    """
    while place < len(parts) and parts[place] == b"":
        place += 1
    return place
