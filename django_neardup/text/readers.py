"""What the tokenizer's pattern found, to tokens: one short reader for every kind of find."""

from __future__ import annotations

import re
from collections.abc import Callable

from . import contacts, numbers
from .homoglyphs import TO_CYRILLIC, TO_LATIN
from .lexicon import Entry, Lexicon, LongTextLexicon

LONGEST_KEY = 200

Words = Lexicon | LongTextLexicon
Part = tuple[Entry, int, int]
Reader = Callable[[Words, str, int], list[Part]]

_GLUED = re.compile(rf"({numbers.NUMBER})(.+)")
_ORDINAL_END = re.compile(r"-?[^\W\d_]+$")
_HYPHEN_IN_CODE = re.compile(r"(?<=[^\W\d_])-(?=\d)|(?<=\d)-(?=[^\W\d_])")
_FIGURES = re.compile(r"\d+")


def _part(surface: str, key: str, kind: str, start: int, length: int) -> Part:
    return Entry(surface[:LONGEST_KEY], key[:LONGEST_KEY], kind), start, start + length


def _one(kind: str, canonical: Callable[[str], str]) -> Reader:
    """A reader for what becomes one token."""

    def read(words: Words, text: str, start: int) -> list[Part]:
        return [_part("".join(text.split()).rstrip("."), canonical(text), kind, start, len(text))]

    return read


def _word(words: Words, text: str, start: int) -> list[Part]:
    return [(words[text], start, start + len(text))]


def _number(words: Words, text: str, start: int) -> list[Part]:
    return [_part(text, numbers.multiplied(text), "number", start, len(text))]


def _measure(words: Words, text: str, start: int) -> list[Part]:
    """5кг and 5 кг are 5 and kg."""
    figures, unit, border = numbers.measure(text)
    written = text[:border].rstrip()
    parts = [_part("".join(written.split()), figures, "measure", start, len(written))]
    if unit:
        name = text[border:].strip()
        place = start + text.index(name, border)
        parts.append(_part("".join(name.split()), unit, "word", place, len(name)))
    return parts


def _year(words: Words, text: str, start: int) -> list[Part]:
    """2015 г. is 2015 года."""
    letter, end = start + text.index("г"), start + len(text.rstrip("."))
    return [_part(text[:4], text[:4], "number", start, 4), (words["год"], letter, end)]


def _range(words: Words, text: str, start: int) -> list[Part]:
    """5-8 is 5 and 8; 010-10936-00, and 12-34-56 too, is a code."""
    figures = list(_FIGURES.finditer(text))
    if len(figures) > 2 or any(figure.group()[0] == "0" and len(figure.group()) > 1 for figure in figures):
        return [_part(text, text, "code", start, len(text))]
    return [_figure(figure.group(), start + figure.start()) for figure in figures]


def _figure(text: str, start: int) -> Part:
    return _part(text, numbers.number(text), "number", start, len(text))


def _ordinal(words: Words, text: str, start: int) -> list[Part]:
    figure = _ORDINAL_END.sub("", text)
    return [_part(text, numbers.number(figure), "number", start, len(text))]


def _glued(words: Words, text: str, start: int) -> list[Part]:
    """5шт is 5 and шт; 3d and 1080p are codes."""
    match = _GLUED.fullmatch(text)
    if match is None or match[2].isascii() or not words.cyrillic:
        return _code(words, text, start)
    border = start + match.end(1)
    return [_figure(match[1], start), (words[match[2]], border, start + len(text))]


def _code(words: Words, text: str, start: int) -> list[Part]:
    """Letters in one script, so that С140 (Cyrillic) is C140; KDL-32 is KDL32."""
    latin = text[:LONGEST_KEY].translate(TO_LATIN).replace("×", "x")
    key = _HYPHEN_IN_CODE.sub("", latin if latin.isascii() else latin.translate(TO_CYRILLIC))
    kind = "code" if any(map(str.isalpha, key)) else "number"
    return [_part(text, key, kind, start, len(text))]


READERS: dict[str, Reader] = {
    "rest": _word,
    "code": _code,
    "figures": _code,
    "glued": _glued,
    "range": _range,
    "ordinal": _ordinal,
    "number": _number,
    "multiplied": _number,
    "year": _year,
    "measure": _measure,
    "price": _one("price", numbers.price),
    "date": _one("date", numbers.date),
    "month": _one("date", numbers.date),
    "phone": _one("contact", contacts.phone),
    "email": _one("contact", contacts.email),
    "link": _one("contact", contacts.link),
    "handle": _one("contact", contacts.handle),
}
