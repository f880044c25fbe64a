"""Builders: functions that make tokens of a rule's match. See ``token_rules`` for the rule of each."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..normalization.homoglyphs import TO_CYRILLIC, TO_LATIN
from . import numbers
from .lexicon import LexiconEntry
from .token_pattern import Builder, Part, Words

MAX_KEY_LENGTH = 200

_NUMBER_AND_LETTERS = re.compile(rf"({numbers.NUMBER})(.+)")
_ORDINAL_SUFFIX = re.compile(r"-?[^\W\d_]+$")
_HYPHEN_IN_CODE = re.compile(r"(?<=[^\W\d_])-(?=\d)|(?<=\d)-(?=[^\W\d_])")
_FIGURES = re.compile(r"\d+")


def _make_part(surface: str, key: str, kind: str, start: int, length: int) -> Part:
    return LexiconEntry(surface[:MAX_KEY_LENGTH], key[:MAX_KEY_LENGTH], kind), start, start + length


def single_token(kind: str, canonical: Callable[[str], str]) -> Builder:
    """Return a builder of a single token of that kind. ``canonical`` returns its key."""

    def build(words: Words, text: str, start: int) -> list[Part]:
        return [_make_part("".join(text.split()).rstrip("."), canonical(text), kind, start, len(text))]

    return build


def build_word(words: Words, text: str, start: int) -> list[Part]:
    return [(words[text], start, start + len(text))]


def build_number(words: Words, text: str, start: int) -> list[Part]:
    return [_make_part(text, numbers.canonical_multiplied_number(text), "number", start, len(text))]


def build_measure(words: Words, text: str, start: int) -> list[Part]:
    """Build the figures and the unit: 5кг and 5 кг are 5 and kg."""
    figures, unit, border = numbers.parse_measure(text)
    figures_text = text[:border].rstrip()
    parts = [_make_part("".join(figures_text.split()), figures, "measure", start, len(figures_text))]
    if unit:
        unit_text = text[border:].strip()
        unit_start = start + text.index(unit_text, border)
        parts.append(_make_part("".join(unit_text.split()), unit, "unit", unit_start, len(unit_text)))
    return parts


def build_year(words: Words, text: str, start: int) -> list[Part]:
    """Build the year and its word: 2015 г. is 2015 года."""
    letter, end = start + text.index("г"), start + len(text.rstrip("."))
    return [_make_part(text[:4], text[:4], "number", start, 4), (words["год"], letter, end)]


def build_figure_range(words: Words, text: str, start: int) -> list[Part]:
    """Build two numbers or a code: 5-8 is 5 and 8, whereas 010-10936-00 and 12-34-56 are codes."""
    figures = list(_FIGURES.finditer(text))
    if len(figures) > 2 or any(figure.group()[0] == "0" and len(figure.group()) > 1 for figure in figures):
        return [_make_part(text, text, "code", start, len(text))]
    return [_number_part(figure.group(), start + figure.start()) for figure in figures]


def _number_part(text: str, start: int) -> Part:
    return _make_part(text, numbers.canonical_number(text), "number", start, len(text))


def build_ordinal(words: Words, text: str, start: int) -> list[Part]:
    figure = _ORDINAL_SUFFIX.sub("", text)
    return [_make_part(text, numbers.canonical_number(figure), "number", start, len(text))]


def build_house(words: Words, text: str, start: int) -> list[Part]:
    """Build the code of a house, a flat or a class: 5а, 14-а and 9 б."""
    figures, letter = text.rstrip(text[-1]).rstrip(" -"), text[-1]
    return [_make_part(text, f"{figures}{letter.translate(TO_LATIN)}", "code", start, len(text))]


def build_used(words: Words, text: str, start: int) -> list[Part]:
    """Build one word of б/у, бу and б.у."""
    entry = LexiconEntry("бу", "б/у", "word", "ADJF")
    return [(entry, start, start + len(text))]


def build_glued(words: Words, text: str, start: int) -> list[Part]:
    """Build a number and a word, or a code: 5шт is 5 and шт, whereas 3d and 1080p are codes."""
    if disguised_word := words.disguised_word(text):
        return [(words[disguised_word], start, start + len(text))]
    match = _NUMBER_AND_LETTERS.fullmatch(text)
    if match is None or match[2].isascii() or not words.is_cyrillic:
        return build_code(words, text, start)
    border = start + match.end(1)
    return [_number_part(match[1], start), (words[match[2]], border, start + len(text))]


def build_code(words: Words, text: str, start: int) -> list[Part]:
    """Build a code with letters of one script: С140 (Cyrillic) is C140. KDL-32 is KDL32.

    A word in which digits stand for letters is a word: за6ор.
    """
    if disguised_word := words.disguised_word(text):
        return [(words[disguised_word], start, start + len(text))]
    latin = text[:MAX_KEY_LENGTH].translate(TO_LATIN).replace("×", "x")
    key = _HYPHEN_IN_CODE.sub("", latin if latin.isascii() else latin.translate(TO_CYRILLIC))
    kind = "code" if any(map(str.isalpha, key)) else "number"
    return [_make_part(text, key, kind, start, len(text))]
