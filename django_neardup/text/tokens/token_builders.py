"""What the tokenizer's pattern found, to tokens: one short reader for every kind of find."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..normalization.homoglyphs import TO_CYRILLIC, TO_LATIN
from . import contacts, numbers
from .lexicon import Lexicon, LexiconEntry, LongTextLexicon

MAX_KEY_LENGTH = 200

AnyLexicon = Lexicon | LongTextLexicon
TokenPart = tuple[LexiconEntry, int, int]
TokenReader = Callable[[AnyLexicon, str, int], list[TokenPart]]

_NUMBER_AND_LETTERS = re.compile(rf"({numbers.NUMBER})(.+)")
_ORDINAL_SUFFIX = re.compile(r"-?[^\W\d_]+$")
_HYPHEN_IN_CODE = re.compile(r"(?<=[^\W\d_])-(?=\d)|(?<=\d)-(?=[^\W\d_])")
_FIGURES = re.compile(r"\d+")


def _make_part(surface: str, key: str, kind: str, start: int, length: int) -> TokenPart:
    return LexiconEntry(surface[:MAX_KEY_LENGTH], key[:MAX_KEY_LENGTH], kind), start, start + length


def _single_token_reader(kind: str, canonical: Callable[[str], str]) -> TokenReader:
    """A reader for what becomes one token."""

    def read(words: AnyLexicon, text: str, start: int) -> list[TokenPart]:
        return [_make_part("".join(text.split()).rstrip("."), canonical(text), kind, start, len(text))]

    return read


def _read_word(lexicon: AnyLexicon, text: str, start: int) -> list[TokenPart]:
    return [(lexicon[text], start, start + len(text))]


def _read_number(lexicon: AnyLexicon, text: str, start: int) -> list[TokenPart]:
    return [_make_part(text, numbers.canonical_multiplied_number(text), "number", start, len(text))]


def _read_measure(lexicon: AnyLexicon, text: str, start: int) -> list[TokenPart]:
    """5кг and 5 кг are 5 and kg."""
    figures, unit, border = numbers.parse_measure(text)
    written = text[:border].rstrip()
    parts = [_make_part("".join(written.split()), figures, "measure", start, len(written))]
    if unit:
        name = text[border:].strip()
        place = start + text.index(name, border)
        parts.append(_make_part("".join(name.split()), unit, "word", place, len(name)))
    return parts


def _read_year(lexicon: AnyLexicon, text: str, start: int) -> list[TokenPart]:
    """2015 г. is 2015 года."""
    letter, end = start + text.index("г"), start + len(text.rstrip("."))
    return [_make_part(text[:4], text[:4], "number", start, 4), (lexicon["год"], letter, end)]


def _read_range(lexicon: AnyLexicon, text: str, start: int) -> list[TokenPart]:
    """5-8 is 5 and 8; 010-10936-00, and 12-34-56 too, is a code."""
    figures = list(_FIGURES.finditer(text))
    if len(figures) > 2 or any(figure.group()[0] == "0" and len(figure.group()) > 1 for figure in figures):
        return [_make_part(text, text, "code", start, len(text))]
    return [_number_part(figure.group(), start + figure.start()) for figure in figures]


def _number_part(text: str, start: int) -> TokenPart:
    return _make_part(text, numbers.canonical_number(text), "number", start, len(text))


def _read_ordinal(lexicon: AnyLexicon, text: str, start: int) -> list[TokenPart]:
    figure = _ORDINAL_SUFFIX.sub("", text)
    return [_make_part(text, numbers.canonical_number(figure), "number", start, len(text))]


def _read_glued(lexicon: AnyLexicon, text: str, start: int) -> list[TokenPart]:
    """5шт is 5 and шт; 3d and 1080p are codes."""
    match = _NUMBER_AND_LETTERS.fullmatch(text)
    if match is None or match[2].isascii() or not lexicon.is_cyrillic:
        return _read_code(lexicon, text, start)
    border = start + match.end(1)
    return [_number_part(match[1], start), (lexicon[match[2]], border, start + len(text))]


def _read_code(lexicon: AnyLexicon, text: str, start: int) -> list[TokenPart]:
    """Letters in one script, so that С140 (Cyrillic) is C140; KDL-32 is KDL32."""
    latin = text[:MAX_KEY_LENGTH].translate(TO_LATIN).replace("×", "x")
    key = _HYPHEN_IN_CODE.sub("", latin if latin.isascii() else latin.translate(TO_CYRILLIC))
    kind = "code" if any(map(str.isalpha, key)) else "number"
    return [_make_part(text, key, kind, start, len(text))]


READER_BY_GROUP: dict[str, TokenReader] = {
    "rest": _read_word,
    "code": _read_code,
    "figures": _read_code,
    "glued": _read_glued,
    "range": _read_range,
    "ordinal": _read_ordinal,
    "number": _read_number,
    "multiplied": _read_number,
    "year": _read_year,
    "measure": _read_measure,
    "price": _single_token_reader("price", numbers.canonical_price),
    "date": _single_token_reader("date", numbers.canonical_date),
    "month": _single_token_reader("date", numbers.canonical_date),
    "phone": _single_token_reader("contact", contacts.canonical_phone),
    "email": _single_token_reader("contact", contacts.canonical_email),
    "link": _single_token_reader("contact", contacts.canonical_link),
    "handle": _single_token_reader("contact", contacts.canonical_handle),
}
