"""A fast check whether a text can contain a person's full name. Most posts cannot."""

from __future__ import annotations

import re

from ..lemmas.morphology import get_morphology
from ..normalization.homoglyphs import LATIN_ONLY
from ..normalization.normalize import ACCENT_MARKS, INVISIBLE_CHARACTERS, UNUSUAL_CHARACTER
from .lexicon import PLAIN_CYRILLIC_WORD
from .person_names import can_form_name

_CAPITAL_LETTER = "[^\\W\\d_a-zа-яё]"
"""A letter that is not a lower-case letter of the common alphabets."""

_LETTER = "[^\\W\\d_]"
_COMMON_LETTERS = "A-Za-zА-яЁё"
# Each of these begins with one class of characters, which makes the search fast.
_WORD_START = rf"{_CAPITAL_LETTER}(?<!{_LETTER}.)"
_RARE_SIGN = rf"[^\x00-)+,/:-@\[-^`{{}}\x7f0-9{_COMMON_LETTERS}](?<=[\W_])"
_RARE_GAP = rf"[^!-*,-.:-@\[-`{{-\x7f0-9{_COMMON_LETTERS}](?<=\W)"

_WORD_REST = "[^\\W_]*(?:['’ʼ`][^\\W_]*)*"
_NAME_PART_GAP = r"(?=[.\s*_\[])\.?[\s*_]*(?:\[/?\w{1,10}\][\s*_]*)*"
"""What may stand between two parts of a name. Of markup, only a word in brackets. A dash separates names."""

_ADJACENT_CAPITALS = re.compile(rf"{_WORD_START}{_WORD_REST}{_NAME_PART_GAP}{_CAPITAL_LETTER}", re.S)
_CAPITALIZED_PAIR = re.compile(
    rf"({_WORD_START})(?=({_WORD_REST})({_NAME_PART_GAP})({_CAPITAL_LETTER}{_WORD_REST})([\-‐‑'’ʼ`]?))", re.S
)

_ANGLE_BRACKETS = re.compile("<[^<>]*>")
"""Text in angle brackets that looks like a tag between two names but is none."""

_HIDDEN_CHARACTERS = re.compile(
    rf"[\u2460-\u24ff\U0001f130-\U0001f18f]|[{INVISIBLE_CHARACTERS}{ACCENT_MARKS}](?<={_LETTER}.)|[{INVISIBLE_CHARACTERS}](?={_LETTER})",
    re.S,
)
"""Letters in circles, and invisible characters next to a letter."""

_SIGN_SEPARATED_LETTERS = re.compile(f"{_RARE_SIGN}{_LETTER}{_RARE_SIGN}{_LETTER}{_RARE_SIGN}")
_SPACED_OUT_WORD = re.compile(
    f"{_RARE_GAP}(?<=(?<![{_COMMON_LETTERS}]){_LETTER}.)(?:{_RARE_GAP})*{_LETTER}(?:(?:{_RARE_GAP})+{_LETTER}){{2}}(?![{_COMMON_LETTERS}])",
    re.S,
)
"""Spaced-out letters (``normalize.SPACED_OUT_WORD``), П-е-т-ров, which are one word.

The signs between them may also be characters that are folded to such a sign.
"""

_HYPHENS = tuple("-‐‑")
_LATIN_WORD = re.compile(f"[A-Za-z]*?{LATIN_ONLY.pattern}")


def can_contain_name(text: str, language: str | None = None, has_synonyms: bool = False) -> bool:
    """Return whether two adjacent capitalised words of a text may be parts of one name.

    The text has no markup (see ``plain_text``). If the result is False, ``CanonicalText.person_names``
    of that text is empty.
    ``language``: of the text. In a language without a dictionary no names are detected. With a
    dictionary, pairs of words are skipped that, according to it, form no name together.
    ``has_synonyms``: synonyms may replace words, so the dictionary is not used.
    """
    if language is not None and not get_morphology(language).has_dictionary:
        return False
    if _has_unclear_borders(text):
        return True
    if language is None or has_synonyms:
        return bool(_ADJACENT_CAPITALS.search(text))
    return any(_can_be_name(match, language) for match in _CAPITALIZED_PAIR.finditer(text))


def _has_unclear_borders(text: str) -> bool:
    """Return whether words may have other borders than visible, or parts of a name may stand far apart.

    The reasons are invisible characters, spaced-out letters, and angle brackets with unknown content.
    """
    return bool(
        ("<" in text and _ANGLE_BRACKETS.search(text))
        or (UNUSUAL_CHARACTER.search(text) and _HIDDEN_CHARACTERS.search(text))
        or _SIGN_SEPARATED_LETTERS.search(text)
        or _SPACED_OUT_WORD.search(text)
    )


def _can_be_name(pair: re.Match[str], language: str) -> bool:
    """Return whether two adjacent words may be two parts of one name.

    Initials may be. Words joined to another one by a hyphen may be: any result is possible. Other words
    must each have a role in a name, and their roles must agree.
    """
    capital, rest, gap, second, joined_mark = pair.groups()
    first, text, pair_start = capital + rest, pair.string, pair.start()
    dotted = gap.startswith(".")
    needs_no_role = (dotted and not rest) or text[pair_start - 1 : pair_start] in _HYPHENS
    if not needs_no_role and (dotted or not _can_be_name_part(first, language)):
        return False
    if not (capital.isupper() and second[0].isupper()):
        return False
    if joined_mark or (len(second) == 1 and text.startswith(".", pair.end(4))):
        return True
    return _can_be_name_part(second, language) and (needs_no_role or _can_agree(first, second, language))


def _can_be_name_part(word: str, language: str) -> bool:
    """Return whether a word can be a part of a name: it has a role there, or folding may change it.

    A Latin word stays Latin if one of its letters has no Cyrillic look-alike.
    """
    folded = _fold_case(word)
    if PLAIN_CYRILLIC_WORD.fullmatch(folded):
        return get_morphology(language).has_role(folded)
    return not (word.isascii() and _LATIN_WORD.match(word))


def _can_agree(first: str, second: str, language: str) -> bool:
    """Return whether two words that each have a role may be adjacent parts of one name."""
    words = [_fold_case(word) for word in (first, second)]
    if not all(map(PLAIN_CYRILLIC_WORD.fullmatch, words)):
        return True
    return can_form_name(*map(get_morphology(language).readings, words))


def _fold_case(word: str) -> str:
    return word.lower().replace("ё", "е")
