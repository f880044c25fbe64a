"""Links: why two words at one position of two texts are the same word.

A link is sure, or it is a guess: two words that no dictionary knows and that differ like a slip of the pen.
Two words of the dictionary are linked only as forms of one lexeme or as declared synonyms.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

from ..lemmas.morphology import get_morphology
from ..tokens.lexicon import ROMAN_NUMERAL
from ..tokens.number_words import in_figures
from ..tokens.numbers import canonical_number
from ..tokens.synonyms import are_synonyms
from ..tokens.tokenize import Token
from .keyboard import is_slip, is_swap_or_double
from .phrases import phrase_number
from .transliteration import sounds_alike

SURE, SPELLING, GUESS = "sure", "spelling", "guess"
"""Kinds of links. ``SPELLING`` is a sure misspelling. A guess never decides that two short texts are one."""

WORD_KINDS = ("word", "latin")
DIGITS = re.compile(r"\d+")
HYPHEN_IN_CODE = re.compile(r"(?<=[^\W\d_])-(?=\d)|(?<=\d)-(?=[^\W\d_])")
CYRILLIC_LETTER = re.compile("[а-яё]")
NEGATING_PREFIXES = frozenset(("не", "un", "non"))
TOKEN_SEPARATOR = "\0"  # noqa: S105
ADJACENT_FIGURES = re.compile(rf"\d+(?:{TOKEN_SEPARATOR}\d+)+")
MIN_GROUPED_DIGITS = 6
"""Minimum number of digits of a figure, such as a catalogue number, that may be written in groups.

With fewer digits, 1-2 is not 12.
"""

ROMAN_NUMBERS = {
    numeral: str(number)
    for number, numeral in enumerate(
        [
            "i",
            "ii",
            "iii",
            "iv",
            "v",
            "vi",
            "vii",
            "viii",
            "ix",
            "x",
            "xi",
            "xii",
            "xiii",
            "xiv",
            "xv",
            "xvi",
            "xvii",
            "xviii",
            "xix",
            "xx",
        ],
        1,
    )
}
"""Roman numerals up to 20, and their figures."""

MIN_JOINED_LETTERS = 6
MIN_BEGINNING = 5
MAX_CACHED_WORDS = 20_000
MAX_ABBREVIATED_LETTERS = 6
RANGE_SIGN = re.compile(r"[-/]")
CASE_ENDINGS = frozenset(
    [
        "",
        *[
            "а",
            "я",
            "о",
            "е",
            "у",
            "ю",
            "ы",
            "и",
            "ь",
            "й",
            "ом",
            "ем",
            "ой",
            "ей",
            "ою",
            "ею",
            "ам",
            "ям",
            "ами",
            "ями",
            "ах",
            "ях",
            "ов",
            "ев",
            "ого",
            "его",
            "ому",
            "ему",
            "ым",
            "им",
            "ый",
            "ий",
            "ая",
            "яя",
            "ую",
            "юю",
            "ых",
            "их",
            "ыми",
            "ими",
        ],
    ]
)


def link_words(a: Token, b: Token) -> str:
    """Return the kind of the link between two tokens at one position. Return "" if they are two words."""
    if a.key == b.key or (a.surface == b.surface and a.kind in WORD_KINDS):
        return SURE
    if a.kind in WORD_KINDS and b.kind in WORD_KINDS:
        if are_synonyms(a, b) or sounds_alike(a.surface, b.surface):
            return SURE
        # Unknown words are not asked: pymorphy3 takes many misspelt ones for names.
        may_be_names = any(
            token.is_name and token.is_capitalized and is_in_dictionary(token.surface) for token in (a, b)
        )
        return link_spellings(a.surface, b.surface, may_be_names=may_be_names)
    if a.kind == b.kind == "code":
        return GUESS if are_similar_codes(a.key, b.key) else ""
    return SURE if _are_equal_in_another_notation(a, b) or _are_equal_roman(a, b) else ""


def link_spellings(a: str, b: str, *, may_be_names: bool = False) -> str:
    """Return the kind of the link between two words that have no common key. Return "" if there is none.

    Two dictionary words need a common lemma. An unknown word may be a misspelling or an abbreviation of a
    dictionary word. Two unknown words are linked by a guess, if they differ like a slip of the pen.
    ``may_be_names``: either word is a name. A name with another letter is linked by a guess.
    """
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    if len(short) < 3 or _are_certainly_different(short, long):
        return ""
    in_dictionary = is_in_dictionary(short), is_in_dictionary(long)
    if all(in_dictionary):
        has_common_lemma = short[0] == long[0] and not possible_lemmas(short).isdisjoint(
            possible_lemmas(long)
        )
        return SURE if has_common_lemma else ""
    if not in_dictionary[0] and _is_abbreviation(short, long):
        return SURE
    if any(in_dictionary):
        if not _is_misspelling(short, long):
            return ""
        # Ленина and Лунина: a name that the dictionary lacks may be another name.
        is_other_name = may_be_names and len(short) == len(long) and not is_swap_or_double(short, long)
        return GUESS if is_other_name else SPELLING
    if is_inflection_of_unknown(short, long):
        return SURE
    if CYRILLIC_LETTER.search(short):
        # A swap of two letters or a doubled letter makes no other word of a language with a dictionary.
        return SPELLING if is_swap_or_double(short, long) else GUESS if is_slip(short, long) else ""
    has_common_beginning = len(short) >= MIN_BEGINNING and long.startswith(short)
    return GUESS if is_slip(short, long) or (has_common_beginning and len(long) - len(short) <= 3) else ""


def is_inflection_of_unknown(a: str, b: str) -> bool:
    """Return whether two unknown Cyrillic words differ only in an ending: Хонор, Хонора."""
    if not CYRILLIC_LETTER.search(a) or not CYRILLIC_LETTER.search(b):
        return False
    common = _common_prefix_length(a, b)
    endings = {a[common:], b[common:]}
    return common >= 4 and endings <= CASE_ENDINGS


def is_abbreviation(short: Token, long: Token, raw: str) -> str:
    """Return ``SURE`` if a word with a dot behind it is the beginning of the other: комн. комнатную.

    A dot at the end of a sentence counts only behind a word that no dictionary has. ``raw`` is the text of the
    short word.
    """
    if len(short.surface) >= len(long.surface) or raw[short.end : short.end + 1] != ".":
        return ""
    if len(short.surface) > MAX_ABBREVIATED_LETTERS or not long.surface.startswith(short.surface):
        return ""
    following = raw[short.end + 1 :].lstrip()[:1]
    ends_sentence = not following or following.isupper()
    is_word = len(short.surface) > 2 and is_in_dictionary(short.surface)
    return "" if ends_sentence and is_word else SURE


def _are_equal_roman(a: Token, b: Token) -> bool:
    """Return whether one token is a number and the other is the same number in Roman figures: 2, II."""
    roman, number = (a, b) if a.kind in WORD_KINDS else (b, a)
    return number.kind == "number" and ROMAN_NUMBERS.get(in_latin_numerals(roman.surface)) == number.key


def in_latin_numerals(surface: str) -> str:
    """Return a word with the Cyrillic letters that Roman numerals are written with in Latin: хіі, xii."""
    return surface.replace("і", "i").replace("х", "x")


def _are_equal_in_another_notation(a: Token, b: Token) -> bool:
    """Return whether a figure is written with and without its unit, as a date, as a time or as a price.

    Examples: 128 and 128 ГБ, 12.05 and 12 мая, 19.00 and 19:00, 50000 and 50000 руб.
    """
    if a.kind != "number":
        a, b = b, a
    if a.kind != "number":
        return False
    if b.kind == "measure":
        return canonical_number(b.surface) == a.key if b.surface.isdecimal() else False
    if b.kind == "date":
        figures = DIGITS.findall(a.surface)
        is_day = len(figures) == 2 and b.key.endswith("-".join(reversed(figures)))
        return is_day or a.surface.replace(".", ":") == b.key
    return b.kind == "price" and DIGITS.findall(b.key) == [a.key]


def are_roman_numerals(a: str, b: str) -> bool:
    """Return whether both words are spelled like Roman numerals: VII, VIII."""
    return bool(ROMAN_NUMERAL.fullmatch(a) and ROMAN_NUMERAL.fullmatch(b))


def _is_abbreviation(short: str, long: str) -> bool:
    return len(short) <= 4 and long.startswith(short) and bool(CYRILLIC_LETTER.search(short))


def _is_misspelling(short: str, long: str) -> bool:
    """Return whether an unknown word is a misspelling of a dictionary word: 60 % of the letters are equal.

    The ending may differ.
    """
    short_length, long_length = len(short), len(long)
    if short_length == 3 or short[0] != long[0]:
        return long_length - short_length <= 1 and edit_distance(short, long, 1) <= 1
    return edit_distance(short, long, long_length) <= 0.4 * long_length or (
        short_length >= 5
        and long_length - short_length <= 3
        and edit_distance(short, long[:short_length], 1) <= 1
    )


def are_similar_codes(a: str, b: str) -> bool:
    """Return whether two long codes have equal digits and at most one typo in their letters."""
    if DIGITS.findall(a) != DIGITS.findall(b):
        return False
    letters_a, letters_b = DIGITS.sub("", a), DIGITS.sub("", b)
    return (
        min(len(letters_a), len(letters_b)) >= 5
        and letters_a.isalpha()
        and letters_b.isalpha()
        and edit_distance(letters_a, letters_b, 1) <= 1
    )


def is_split_into(word: Token, first: Token, second: Token) -> bool:
    """Return whether a word is two other words written as one."""
    return without_separators(word) == _join_tokens((first, second))


def link_joined(tokens_a: Sequence[Token], tokens_b: Sequence[Token]) -> str:
    """Return the kind of the link between two runs of words, each joined to one. Return "" if there is none.

    Words may be split, joined, or a phrase of one meaning. A figure may be written as a range.
    """
    a, b = _join_tokens(tokens_a), _join_tokens(tokens_b)
    is_single_measure = len(tokens_a) == len(tokens_b) == 1 and tokens_a[0].kind == "measure"
    if a == b and not is_single_measure:  # 4 см and 4 мм are written with one figure
        return SURE
    if {a, b} & {in_figures(a), in_figures(b)} and in_figures(a) == in_figures(b):
        return SURE  # a number in words that is broken over two lines
    number = phrase_number(tokens_a)
    if number is not None and number == phrase_number(tokens_b):
        return SURE
    if len(tokens_a) == len(tokens_b) == 1:
        return ""
    if all(token.kind in WORD_KINDS for token in (*tokens_a, *tokens_b)):
        is_typo = min(len(a), len(b)) >= MIN_JOINED_LETTERS and edit_distance(a, b, 1) <= 1
        if not is_typo or len(tokens_a) == len(tokens_b):
            return ""
        return SPELLING if CYRILLIC_LETTER.search(a) else GUESS
    if _are_same_ranges(tokens_a, tokens_b) or _are_same_figures(tokens_a, tokens_b):
        return SURE
    return SURE if _are_same_measures(tokens_a, tokens_b, a, b) else ""


def _are_same_figures(tokens_a: Sequence[Token], tokens_b: Sequence[Token]) -> bool:
    """Return whether one number is written in groups that the other text reads apart: 13 128 and 13 128 ГБ."""
    single, several = (tokens_a, tokens_b) if len(tokens_a) == 1 else (tokens_b, tokens_a)
    if len(single) != 1 or single[0].kind != "number" or len(several) < 2:
        return False
    figures = [token.surface for token in several if token.kind in ("number", "measure")]
    has_others = any(token.kind not in ("number", "measure", "unit") for token in several)
    return not has_others and single[0].surface.split(" ") == figures


def _are_same_ranges(tokens_a: Sequence[Token], tokens_b: Sequence[Token]) -> bool:
    """Return whether the same two figures are written 42-44 and 42/44."""
    single, pair = (tokens_a, tokens_b) if len(tokens_a) == 1 else (tokens_b, tokens_a)
    if len(single) != 1 or len(pair) != 2 or any(token.kind != "number" for token in (*single, *pair)):
        return False
    return RANGE_SIGN.split(single[0].key) == [token.key for token in pair]


def _are_certainly_different(a: str, b: str) -> bool:
    """Return whether two words cannot be misspellings of each other: неисправный, исправный; XVII, XVIII."""
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    return (long.endswith(short) and long[: -len(short)] in NEGATING_PREFIXES) or are_roman_numerals(a, b)


def _are_same_measures(
    tokens_a: Sequence[Token], tokens_b: Sequence[Token], joined_a: str, joined_b: str
) -> bool:
    """Return whether the figures are equal and the unit is in another form: 24 соток, 24 сотками."""
    kinds = {token.kind for token in (*tokens_a, *tokens_b)}
    if "measure" not in kinds or kinds & {"code"} or DIGITS.findall(joined_a) != DIGITS.findall(joined_b):
        return False
    return link_spellings(DIGITS.sub("", joined_a), DIGITS.sub("", joined_b)) == SURE


@lru_cache(maxsize=MAX_CACHED_WORDS)
def is_in_dictionary(word: str) -> bool:
    """Return whether a Cyrillic word is in the Russian dictionary. Return False for words in other scripts."""
    return bool(CYRILLIC_LETTER.search(word)) and get_morphology("ru").is_in_dictionary(word) is True


@lru_cache(maxsize=MAX_CACHED_WORDS)
def possible_lemmas(word: str) -> frozenset[str]:
    """Return all lemmas that a Cyrillic word may have."""
    return frozenset(reading.key for reading in get_morphology("ru").readings(word))


def without_separators(token: Token) -> str:
    """Return a token without spaces and without hyphens in codes: ВАЗ-2107 → ВАЗ2107, 60 км → 60км."""
    if token.kind in WORD_KINDS:
        return token.surface
    return HYPHEN_IN_CODE.sub("", token.surface.replace(" ", ""))


def _join_tokens(tokens: Sequence[Token]) -> str:
    """Join the tokens. A blank stays between short figures."""
    return ADJACENT_FIGURES.sub(
        _join_long_figures, TOKEN_SEPARATOR.join(map(without_separators, tokens))
    ).replace(TOKEN_SEPARATOR, "")


def _join_long_figures(figures: re.Match[str]) -> str:
    """Join adjacent figures to one number if it is long. Otherwise separate them by blanks."""
    joined = figures[0].replace(TOKEN_SEPARATOR, "")
    return joined if len(joined) >= MIN_GROUPED_DIGITS else figures[0].replace(TOKEN_SEPARATOR, " ")


@cache
def _load_rapidfuzz() -> Any:
    """Import the distances of rapidfuzz."""
    # Loaded at the first comparison: web processes compare no words.
    from rapidfuzz import distance

    return distance


def edit_distance(a: str, b: str, limit: int) -> int:
    """Return the Damerau-Levenshtein distance, or ``limit`` + 1 if it is greater than ``limit``."""
    return int(_load_rapidfuzz().DamerauLevenshtein.distance(a, b, score_cutoff=limit))


def _common_prefix_length(a: str, b: str) -> int:
    length = 0
    for letter_a, letter_b in zip(a, b, strict=False):
        if letter_a != letter_b:
            break
        length += 1
    return length
