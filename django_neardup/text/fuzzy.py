"""Fuzzy equality of two words that stand at one place of two texts: another form, a typo, an abbreviation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from .morphology import morphology
from .synonyms import synonymous
from .tokenize import Token

WORDS = ("word", "latin")
SPELT = (*WORDS, "numeral")
DIGITS = re.compile(r"\d+")
HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=\d)|(?<=\d)-(?=[^\W\d_])")
CYRILLIC = re.compile("[а-яё]")
NEGATING = frozenset(("не", "un", "non"))
ROMAN = re.compile("[ivxlcdm]+")
SEAM = "\0"
FIGURES = re.compile(rf"\d+(?:{SEAM}\d+)+")
GROUPED = 6
"""Figures of so many digits, catalogue numbers say, are written in groups or without; of fewer 1-2 is not 12."""


def same_word(a: Token, b: Token) -> bool:
    """Whether two tokens at one place are one word.  Never so for two numbers; for codes only in their letters."""
    if a.key == b.key:
        return True
    if a.kind in SPELT and b.kind in SPELT and (a.kind in WORDS or b.kind in WORDS):
        names = a.capital or b.capital or a.kind == "latin" or b.kind == "latin"
        return similar_words(a.surface, b.surface, names=names) or synonymous(a, b)
    return a.kind == b.kind == "code" and similar_codes(a.key, b.key)


def similar_words(a: str, b: str, *, names: bool = False) -> bool:
    """Another form, an abbreviation, or a typo, which two words of the dictionary are not.

    `names`: either may be a name, of which short ones differ by a letter.
    """
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    if len(short) < 3 or _told_apart(short, long):
        return False
    known = in_dictionary(short), in_dictionary(long)
    if _beginning(short, long, all(known), names) or (not known[0] and _abbreviation(short, long)):
        return True
    if all(known):
        return short[0] == long[0] and not readings(short).isdisjoint(readings(long))
    return _misspelt(short, long) if any(known) else _slip(short, long, names)


def _beginning(short: str, long: str, known: bool, names: bool) -> bool:
    """Forms of one word, or words of one root, begin alike; two known words must do so for longer."""
    n, m = len(short), len(long)
    common = _common_beginning(short, long)
    if common == n and n >= 3 + known:
        return m - n <= (3 if n > 3 else 2 - names)
    return common >= max(4, 0.6 * m)


def _roman(a: str, b: str) -> bool:
    """Whether both are spelt as Roman figures are: VII, VIII."""
    return bool(ROMAN.fullmatch(a) and ROMAN.fullmatch(b))


def _abbreviation(short: str, long: str) -> bool:
    return len(short) <= 4 and long.startswith(short) and bool(CYRILLIC.search(short))


def _misspelt(short: str, long: str) -> bool:
    """A word that no dictionary has and one that it has, 6 letters of 10 alike; the ending may be another."""
    n, m = len(short), len(long)
    if n == 3 or short[0] != long[0]:
        return m - n <= 1 and _distance(short, long, 1) <= 1
    return _distance(short, long, m) <= 0.4 * m or (
        n >= 5 and m - n <= 3 and _distance(short, long[:n], 1) <= 1
    )


def _slip(short: str, long: str, names: bool) -> bool:
    """One slip of the pen, two in words from 7 letters on, in words that no dictionary has."""
    n, m = len(short), len(long)
    if m - n > 2 or _distance(short, long, 2) > (1 if n < 7 else 2):
        return False
    if names:
        return n > 4 or (n == 4 and (m > n or sorted(short) == sorted(long)))
    return n > 3 or (m == 4 and short[0] == long[0])


def similar_codes(a: str, b: str) -> bool:
    """A typo in the letters of a long code; its digits are equal."""
    if DIGITS.findall(a) != DIGITS.findall(b):
        return False
    x, y = DIGITS.sub("", a), DIGITS.sub("", b)
    return min(len(x), len(y)) >= 5 and x.isalpha() and y.isalpha() and _distance(x, y, 1) <= 1


def same_split(word: Token, first: Token, second: Token) -> bool:
    """Whether a word is two others written as one."""
    return squeezed(word) == _joined((first, second))


def same_joined(ours: Sequence[Token], theirs: Sequence[Token]) -> bool:
    """Whether two runs of words, each written as one, are the same: split or joined, and misspelt if no figure is."""
    a, b = _joined(ours), _joined(theirs)
    if a == b:
        return True
    if all(token.kind in WORDS for token in (*ours, *theirs)):
        if len(ours) == len(theirs) == 1 and _told_apart(a, b):
            return False
        return float(_rapidfuzz().Levenshtein.normalized_similarity(a, b)) >= 0.8
    return _same_measures(ours, theirs, a, b)


def _told_apart(a: str, b: str) -> bool:
    """Whether two words are no misspelling of one another: неисправный, исправный; XVII, XVIII."""
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    return (long.endswith(short) and long[: -len(short)] in NEGATING) or _roman(a, b)


def _same_measures(ours: Sequence[Token], theirs: Sequence[Token], a: str, b: str) -> bool:
    """Equal figures, and the unit in another form: 24 соток, 24 сотками."""
    kinds = {token.kind for token in (*ours, *theirs)}
    if "measure" not in kinds or kinds & {"code"} or DIGITS.findall(a) != DIGITS.findall(b):
        return False
    return similar_words(DIGITS.sub("", a), DIGITS.sub("", b))


def in_dictionary(word: str) -> bool:
    """Whether a Cyrillic word is in the Russian dictionary; False for words in other letters."""
    return bool(CYRILLIC.search(word)) and morphology("ru").knows(word) is True


def readings(word: str) -> frozenset[str]:
    """The lemmas that a Cyrillic word may be a form of."""
    return frozenset(reading.key for reading in morphology("ru").readings(word))


def squeezed(token: Token) -> str:
    """A token as it is written, without spaces and the hyphens of codes: ВАЗ-2107 is ВАЗ2107, 60 км is 60км."""
    if token.kind in WORDS:
        return token.surface
    return HYPHEN.sub("", token.surface.replace(" ", ""))


def _joined(tokens: Sequence[Token]) -> str:
    """The tokens written as one, but for short figures beside figures."""
    return FIGURES.sub(_in_groups, SEAM.join(map(squeezed, tokens))).replace(SEAM, "")


def _in_groups(figures: re.Match[str]) -> str:
    """Long ones as one number."""
    joined = figures[0].replace(SEAM, "")
    return joined if len(joined) >= GROUPED else figures[0].replace(SEAM, " ")


@cache
def _rapidfuzz() -> Any:
    """Loaded when words are compared: web processes never do."""
    from rapidfuzz import distance

    return distance


def _distance(a: str, b: str, limit: int) -> int:
    return int(_rapidfuzz().DamerauLevenshtein.distance(a, b, score_cutoff=limit))


def _common_beginning(a: str, b: str) -> int:
    length = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        length += 1
    return length
