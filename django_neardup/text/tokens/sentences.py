"""Ends of sentences: not in numbers, not after abbreviations and initials, not in a wrapped line."""

from __future__ import annotations

import re

from ..word_lists import word_set

# A sentence never ends with these: ул. Мира, им. Ленина, Mr. Smith.
LEADING_ABBREVIATIONS = word_set(
    """
    акад бульв вул гл гор дер доц им исп каб кв корп мкр наб напр обл оф пер пл пом пос просп проф рис св ср стр
    табл тел тов ул шос
    ca cf col dr eg fig gen ie lt mr mrs ms prof rev sgt st vol vs
    """
)
# A sentence may also end with these: 500 руб. Звоните.
TRAILING_ABBREVIATIONS = word_set("""
    бут вкл выкл г гг гр грн дет долл др заб кат кг км коп комн мат мес мин млн млрд мм моб нов отл пп прим проч
    руб сек сут сост тж тыс уч хор час чел шт экз эт
    co corp etc inc jan feb mar apr jun jul aug sep sept oct nov dec jr ltd
    """)
MIN_WRAPPED_LENGTH = 45
_AND_SO_ON = re.compile(r"(?<!\w)т\. ?[дп]\.$", re.I)
_OPENING_MARKS = "\"'«“„([{-•*"


def _next_character(text: str, position: int) -> str:
    """Return the first character that is neither a blank nor an opening mark, or ""."""
    size = len(text)
    for offset in range(position, min(position + 8, size)):
        if text[offset] not in " \t" and text[offset] not in _OPENING_MARKS:
            return text[offset]
    return ""


def is_sentence_end(text: str, start: int, end: int, word_before: str) -> bool:
    """Return whether the mark ``text[start:end]`` (``.``, ``!?``, ``…`` or a line's end) closes a sentence.

    ``word_before``: the word that touches the mark, in lower case, or "". ``text`` keeps its capitals.
    """
    if text[start] == "\n":
        return not _is_wrapped_line(text, start)
    if text[start:end] != ".":
        return True
    next_character = _next_character(text, end)
    if next_character == "\n" or not next_character:
        return True
    if end < len(text) and (text[end].islower() or text[end].isdigit()):
        return False
    if _AND_SO_ON.search(text, max(0, end - 6), end):
        return is_end_after_abbreviation(text, end)
    if word_before in LEADING_ABBREVIATIONS or (len(word_before) == 1 and next_character.isalnum()):
        return False
    return word_before not in TRAILING_ABBREVIATIONS or is_end_after_abbreviation(text, end)


def is_end_after_abbreviation(text: str, end: int) -> bool:
    """Return whether a sentence ends with an abbreviation: the next one begins with a capital."""
    next_character = _next_character(text, end)
    return not next_character or next_character == "\n" or next_character.isupper()


def _is_wrapped_line(text: str, position: int) -> bool:
    """Return whether a long line ends inside a sentence: the next begins with a lower-case letter."""
    line_start = text.rfind("\n", max(0, position - MIN_WRAPPED_LENGTH), position)
    return (
        line_start < 0
        and position >= MIN_WRAPPED_LENGTH
        and position + 1 < len(text)
        and text[position + 1].islower()
    )
