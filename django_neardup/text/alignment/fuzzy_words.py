"""Fuzzy equality of two words that stand at one place of two texts: another form, a typo, an abbreviation."""

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
"""Figures of so many digits, catalogue numbers say, are written in groups or without; of fewer 1-2 is not 12."""


def is_same_word(a: Token, b: Token) -> bool:
    """Whether two tokens at one place are one word.  Never so for two numbers; for codes only in their letters."""
    if a.key == b.key:
        return True
    if a.kind in SPELLED_KINDS and b.kind in SPELLED_KINDS and (a.kind in WORD_KINDS or b.kind in WORD_KINDS):
        names = a.is_capitalized or b.is_capitalized or a.kind == "latin" or b.kind == "latin"
        return are_similar_words(a.surface, b.surface, may_be_names=names) or are_synonyms(a, b)
    return a.kind == b.kind == "code" and are_similar_codes(a.key, b.key)


def are_similar_words(a: str, b: str, *, may_be_names: bool = False) -> bool:
    """Another form, an abbreviation, or a typo, which two words of the dictionary are not.

    `names`: either may be a name, of which short ones differ by a letter.
    """
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    if len(short) < 3 or _are_certainly_different(short, long):
        return False
    known = is_in_dictionary(short), is_in_dictionary(long)
    if _has_common_beginning(short, long, all(known), may_be_names) or (
        not known[0] and _is_abbreviation(short, long)
    ):
        return True
    if all(known):
        return short[0] == long[0] and not possible_lemmas(short).isdisjoint(possible_lemmas(long))
    return _is_misspelling(short, long) if any(known) else _is_typo(short, long, may_be_names)


def _has_common_beginning(short: str, long: str, both_in_dictionary: bool, may_be_names: bool) -> bool:
    """Forms of one word, or words of one root, begin alike; two known words must do so for longer."""
    n, m = len(short), len(long)
    common = _common_prefix_length(short, long)
    if common == n and n >= 3 + both_in_dictionary:
        return m - n <= (3 if n > 3 else 2 - may_be_names)
    return common >= max(4, 0.6 * m)


def _are_roman_numerals(a: str, b: str) -> bool:
    """Whether both are spelt as Roman figures are: VII, VIII."""
    return bool(ROMAN_NUMERAL.fullmatch(a) and ROMAN_NUMERAL.fullmatch(b))


def _is_abbreviation(short: str, long: str) -> bool:
    return len(short) <= 4 and long.startswith(short) and bool(CYRILLIC_LETTER.search(short))


def _is_misspelling(short: str, long: str) -> bool:
    """A word that no dictionary has and one that it has, 6 letters of 10 alike; the ending may be another."""
    n, m = len(short), len(long)
    if n == 3 or short[0] != long[0]:
        return m - n <= 1 and _edit_distance(short, long, 1) <= 1
    return _edit_distance(short, long, m) <= 0.4 * m or (
        n >= 5 and m - n <= 3 and _edit_distance(short, long[:n], 1) <= 1
    )


def _is_typo(short: str, long: str, may_be_names: bool) -> bool:
    """One slip of the pen, two in words from 7 letters on, in words that no dictionary has."""
    n, m = len(short), len(long)
    if m - n > 2 or _edit_distance(short, long, 2) > (1 if n < 7 else 2):
        return False
    if may_be_names:
        return n > 4 or (n == 4 and (m > n or sorted(short) == sorted(long)))
    return n > 3 or (m == 4 and short[0] == long[0])


def are_similar_codes(a: str, b: str) -> bool:
    """A typo in the letters of a long code; its digits are equal."""
    if DIGITS.findall(a) != DIGITS.findall(b):
        return False
    x, y = DIGITS.sub("", a), DIGITS.sub("", b)
    return min(len(x), len(y)) >= 5 and x.isalpha() and y.isalpha() and _edit_distance(x, y, 1) <= 1


def is_split_into(word: Token, first: Token, second: Token) -> bool:
    """Whether a word is two others written as one."""
    return without_separators(word) == _join_tokens((first, second))


def are_same_joined(tokens_a: Sequence[Token], tokens_b: Sequence[Token]) -> bool:
    """Whether two runs of words, each written as one, are the same: split or joined, and misspelt if no figure is."""
    a, b = _join_tokens(tokens_a), _join_tokens(tokens_b)
    if a == b:
        return True
    if all(token.kind in WORD_KINDS for token in (*tokens_a, *tokens_b)):
        if len(tokens_a) == len(tokens_b) == 1 and _are_certainly_different(a, b):
            return False
        return float(_load_rapidfuzz().Levenshtein.normalized_similarity(a, b)) >= 0.8
    return _are_same_measures(tokens_a, tokens_b, a, b)


def _are_certainly_different(a: str, b: str) -> bool:
    """Whether two words are no misspelling of one another: неисправный, исправный; XVII, XVIII."""
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    return (long.endswith(short) and long[: -len(short)] in NEGATING_PREFIXES) or _are_roman_numerals(a, b)


def _are_same_measures(
    tokens_a: Sequence[Token], tokens_b: Sequence[Token], joined_a: str, joined_b: str
) -> bool:
    """Equal figures, and the unit in another form: 24 соток, 24 сотками."""
    kinds = {token.kind for token in (*tokens_a, *tokens_b)}
    if "measure" not in kinds or kinds & {"code"} or DIGITS.findall(joined_a) != DIGITS.findall(joined_b):
        return False
    return are_similar_words(DIGITS.sub("", joined_a), DIGITS.sub("", joined_b))


def is_in_dictionary(word: str) -> bool:
    """Whether a Cyrillic word is in the Russian dictionary; False for words in other letters."""
    return bool(CYRILLIC_LETTER.search(word)) and get_morphology("ru").is_in_dictionary(word) is True


def possible_lemmas(word: str) -> frozenset[str]:
    """The lemmas that a Cyrillic word may be a form of."""
    return frozenset(reading.key for reading in get_morphology("ru").readings(word))


def without_separators(token: Token) -> str:
    """A token as it is written, without spaces and the hyphens of codes: ВАЗ-2107 is ВАЗ2107, 60 км is 60км."""
    if token.kind in WORD_KINDS:
        return token.surface
    return HYPHEN_IN_CODE.sub("", token.surface.replace(" ", ""))


def _join_tokens(tokens: Sequence[Token]) -> str:
    """The tokens written as one, but for short figures beside figures."""
    return ADJACENT_FIGURES.sub(
        _join_long_figures, TOKEN_SEPARATOR.join(map(without_separators, tokens))
    ).replace(TOKEN_SEPARATOR, "")


def _join_long_figures(figures: re.Match[str]) -> str:
    """Long ones as one number."""
    joined = figures[0].replace(TOKEN_SEPARATOR, "")
    return joined if len(joined) >= MIN_GROUPED_DIGITS else figures[0].replace(TOKEN_SEPARATOR, " ")


@cache
def _load_rapidfuzz() -> Any:
    """Loaded when words are compared: web processes never do."""
    from rapidfuzz import distance

    return distance


def _edit_distance(a: str, b: str, limit: int) -> int:
    return int(_load_rapidfuzz().DamerauLevenshtein.distance(a, b, score_cutoff=limit))


def _common_prefix_length(a: str, b: str) -> int:
    length = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        length += 1
    return length
