"""Fuzzy equality of two words at one position of two texts: inflected form, typo or abbreviation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from ..lemmas.morphology import get_morphology
from ..tokens.synonyms import are_synonyms
from ..tokens.tokenize import Token

WORD_KINDS = ("word", "latin")
SPELLED_KINDS = (*WORD_KINDS, "numeral")
DIGITS = re.compile(r"\d+")
HYPHEN_IN_CODE = re.compile(r"(?<=[^\W\d_])-(?=\d)|(?<=\d)-(?=[^\W\d_])")
CYRILLIC_LETTER = re.compile("[а-яё]")
NEGATING_PREFIXES = frozenset(("не", "un", "non"))
ROMAN_NUMERAL = re.compile("[ivxlcdm]+")
TOKEN_SEPARATOR = "\0"
ADJACENT_FIGURES = re.compile(rf"\d+(?:{TOKEN_SEPARATOR}\d+)+")
MIN_GROUPED_DIGITS = 6
"""Minimum number of digits of a figure, such as a catalogue number, that may be written in groups.

With fewer digits, 1-2 is not 12.
"""


def is_same_word(a: Token, b: Token) -> bool:
    """Return whether two tokens at one position are the same word.

    Two different numbers never are. Codes may differ only in their letters.
    """
    if a.key == b.key:
        return True
    if a.kind in SPELLED_KINDS and b.kind in SPELLED_KINDS and (a.kind in WORD_KINDS or b.kind in WORD_KINDS):
        may_be_names = a.is_capitalized or b.is_capitalized or a.kind == "latin" or b.kind == "latin"
        return are_similar_words(a.surface, b.surface, may_be_names=may_be_names) or are_synonyms(a, b)
    return a.kind == b.kind == "code" and are_similar_codes(a.key, b.key)


def are_similar_words(a: str, b: str, *, may_be_names: bool = False) -> bool:
    """Return whether two words are forms of one word, or one is an abbreviation or a typo of the other.

    Two words of the dictionary are never typos of each other.
    ``may_be_names``: either may be a name. Different short names may differ by one letter only, so fewer
    typos are allowed.
    """
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    if len(short) < 3 or _are_certainly_different(short, long):
        return False
    in_dictionary = is_in_dictionary(short), is_in_dictionary(long)
    if _has_common_beginning(short, long, all(in_dictionary), may_be_names) or (
        not in_dictionary[0] and _is_abbreviation(short, long)
    ):
        return True
    if all(in_dictionary):
        return short[0] == long[0] and not possible_lemmas(short).isdisjoint(possible_lemmas(long))
    return _is_misspelling(short, long) if any(in_dictionary) else _is_typo(short, long, may_be_names)


def _has_common_beginning(short: str, long: str, both_in_dictionary: bool, may_be_names: bool) -> bool:
    """Return whether two words have a long common beginning, like forms or words of one root.

    Two words of the dictionary need a longer one.
    """
    short_length, long_length = len(short), len(long)
    common = _common_prefix_length(short, long)
    if common == short_length and short_length >= 3 + both_in_dictionary:
        return long_length - short_length <= (3 if short_length > 3 else 2 - may_be_names)
    return common >= max(4, 0.6 * long_length)


def _are_roman_numerals(a: str, b: str) -> bool:
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
        return long_length - short_length <= 1 and _edit_distance(short, long, 1) <= 1
    return _edit_distance(short, long, long_length) <= 0.4 * long_length or (
        short_length >= 5
        and long_length - short_length <= 3
        and _edit_distance(short, long[:short_length], 1) <= 1
    )


def _is_typo(short: str, long: str, may_be_names: bool) -> bool:
    """Return whether two unknown words differ by one typo, or by two in words of 7 letters or more."""
    short_length, long_length = len(short), len(long)
    if long_length - short_length > 2 or _edit_distance(short, long, 2) > (1 if short_length < 7 else 2):
        return False
    if may_be_names:
        return short_length > 4 or (
            short_length == 4 and (long_length > short_length or sorted(short) == sorted(long))
        )
    return short_length > 3 or (long_length == 4 and short[0] == long[0])


def are_similar_codes(a: str, b: str) -> bool:
    """Return whether two long codes have equal digits and at most one typo in their letters."""
    if DIGITS.findall(a) != DIGITS.findall(b):
        return False
    letters_a, letters_b = DIGITS.sub("", a), DIGITS.sub("", b)
    return (
        min(len(letters_a), len(letters_b)) >= 5
        and letters_a.isalpha()
        and letters_b.isalpha()
        and _edit_distance(letters_a, letters_b, 1) <= 1
    )


def is_split_into(word: Token, first: Token, second: Token) -> bool:
    """Return whether a word is two other words written as one."""
    return without_separators(word) == _join_tokens((first, second))


def are_same_joined(tokens_a: Sequence[Token], tokens_b: Sequence[Token]) -> bool:
    """Return whether two runs of words, each joined to one, are equal.

    Words may be split, joined or, if there are no figures, misspelled.
    """
    a, b = _join_tokens(tokens_a), _join_tokens(tokens_b)
    if a == b:
        return True
    if all(token.kind in WORD_KINDS for token in (*tokens_a, *tokens_b)):
        if len(tokens_a) == len(tokens_b) == 1 and _are_certainly_different(a, b):
            return False
        return float(_load_rapidfuzz().Levenshtein.normalized_similarity(a, b)) >= 0.8
    return _are_same_measures(tokens_a, tokens_b, a, b)


def _are_certainly_different(a: str, b: str) -> bool:
    """Return whether two words cannot be misspellings of each other: неисправный, исправный; XVII, XVIII."""
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    return (long.endswith(short) and long[: -len(short)] in NEGATING_PREFIXES) or _are_roman_numerals(a, b)


def _are_same_measures(
    tokens_a: Sequence[Token], tokens_b: Sequence[Token], joined_a: str, joined_b: str
) -> bool:
    """Return whether the figures are equal and the unit is in another form: 24 соток, 24 сотками."""
    kinds = {token.kind for token in (*tokens_a, *tokens_b)}
    if "measure" not in kinds or kinds & {"code"} or DIGITS.findall(joined_a) != DIGITS.findall(joined_b):
        return False
    return are_similar_words(DIGITS.sub("", joined_a), DIGITS.sub("", joined_b))


def is_in_dictionary(word: str) -> bool:
    """Return whether a Cyrillic word is in the Russian dictionary. Return False for words in other scripts."""
    return bool(CYRILLIC_LETTER.search(word)) and get_morphology("ru").is_in_dictionary(word) is True


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


def _edit_distance(a: str, b: str, limit: int) -> int:
    return int(_load_rapidfuzz().DamerauLevenshtein.distance(a, b, score_cutoff=limit))


def _common_prefix_length(a: str, b: str) -> int:
    length = 0
    for letter_a, letter_b in zip(a, b, strict=False):
        if letter_a != letter_b:
            break
        length += 1
    return length
