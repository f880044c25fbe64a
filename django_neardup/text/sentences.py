"""Where sentences end: not inside numbers, not after abbreviations and initials, not in a wrapped line."""

from __future__ import annotations

import re

from .lists import words

# Something always follows these: ул. Мира, им. Ленина, Mr. Smith.
LEADING = words(
    """
    акад бульв вул гл гор дер доц им исп каб кв корп мкр наб напр обл оф пер пл пом пос просп проф рис св ср стр
    табл тел тов ул шос
    ca cf col dr eg fig gen ie lt mr mrs ms prof rev sgt st vol vs
    """
)
# These may end a sentence as well: 500 руб. Звоните.
TRAILING = words("""
    бут вкл выкл г гг гр грн дет долл др заб кат кг км коп комн мат мес мин млн млрд мм моб нов отл пп прим проч
    руб сек сут сост тж тыс уч хор час чел шт экз эт
    co corp etc inc jan feb mar apr jun jul aug sep sept oct nov dec jr ltd
    """)
WRAPPED_LINE = 45
_AND_SO_ON = re.compile(r"(?<!\w)т\. ?[дп]\.$", re.I)
_OPENING = "\"'«“„([{-•*"


def _next(text: str, place: int) -> str:
    """The first character that is neither a blank nor an opening mark."""
    size = len(text)
    for offset in range(place, min(place + 8, size)):
        if text[offset] not in " \t" and text[offset] not in _OPENING:
            return text[offset]
    return ""


def ends_here(text: str, start: int, end: int, word: str) -> bool:
    """Whether the mark ``text[start:end]`` (``.``, ``!?``, ``…`` or a line's end) closes a sentence.

    ``word``: the word that touches the mark, in lower case, or "".  ``text`` keeps its capitals.
    """
    if text[start] == "\n":
        return not _wrapped(text, start)
    if text[start:end] != ".":
        return True
    after = _next(text, end)
    if after == "\n" or not after:
        return True
    if end < len(text) and (text[end].islower() or text[end].isdigit()):
        return False
    if _AND_SO_ON.search(text, max(0, end - 6), end):
        return trailing_end(text, end)
    if word in LEADING or (len(word) == 1 and after.isalnum()):
        return False
    return word not in TRAILING or trailing_end(text, end)


def trailing_end(text: str, end: int) -> bool:
    """Whether a sentence ends with an abbreviation: another one begins with a capital behind it."""
    after = _next(text, end)
    return not after or after == "\n" or after.isupper()


def _wrapped(text: str, place: int) -> bool:
    """A line's end in the middle of a sentence: the line is long and the next begins with a small letter."""
    begin = text.rfind("\n", max(0, place - WRAPPED_LINE), place)
    return begin < 0 and place >= WRAPPED_LINE and place + 1 < len(text) and text[place + 1].islower()
