"""The pattern of a token: one alternation, the first that fits wins."""

from __future__ import annotations

import re
from functools import lru_cache
from unicodedata import category

from . import contacts, numbers

# Vowel signs from Devanagari to Khmer; no letters among them, or the pattern would be ambiguous.
_VOWEL_SIGNS = "".join(
    char
    for char in map(chr, (*range(0x900, 0x1100), *range(0x1780, 0x1800)))
    if category(char) in ("Mn", "Mc")
)
# Scripts that are written without spaces: Thai, Lao, Myanmar, Khmer, Japanese, Chinese.
UNSPACED_GLYPH = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
    f"[{_VOWEL_SIGNS}]*"
)
_WORD = rf"[^\W\d_]+(?:[{_VOWEL_SIGNS}]+[^\W\d_]*)*(?:'(?:[a-z]{{1,2}}|[\u0400-\u052f]{{1,30}})(?!\w))?"
_CODE_CONTINUATION = r"(?:[\-/.×*,'][^\W_]*\d[^\W_]*)"
_NOT_CODE_PREFIX = "(?!(?:цена|тел|от|до|за|по|на|этаж|дом|кв|стр)-)"
_LETTER_PATTERNS = {
    "word": rf"{_WORD}(?![^\W_]|-\d|\+\+|#)",
    "code": "|".join(
        (
            r"(?<![^\W_])[cfсф](?:\+\+|#)(?![^\W_])",
            rf"{_NOT_CODE_PREFIX}[^\W\d_]{{1,6}}-\d[^\W_]*{_CODE_CONTINUATION}*",
            rf"[^\W\d_]+\d[^\W_]*{_CODE_CONTINUATION}*",
        )
    ),
    "rest": r"[^\W\d_]+",
    "end": r"\n|[.!?…。！？]+",
}
_FIGURE_PATTERNS = {
    "phone": contacts.PHONE,
    "date": numbers.DATE,
    "price": numbers.PRICE,
    "year": numbers.YEAR,
    "measure": numbers.MEASURE,
    "multiplied": numbers.MULTIPLIED_NUMBER,
    "ordinal": rf"{numbers.NUMBER}-?(?:й|я|го|ти|му|ый|ой|ая|ое|ые|ых|ым|е|х|ух|ех|st|nd|rd|th)(?![^\W_])",
    "number": numbers.NUMBER + numbers.NUMBER_END,
    "range": r"\d+(?:-\d+)+(?![^\W_]|[/.×*,'][^\W_]*\d)",
    "glued": rf"{numbers.NUMBER}[^\W\d_]{{1,20}}(?![^\W_]|-[^\W_]*\d)",
    "figures": rf"\d[^\W_]*{_CODE_CONTINUATION}*",
}
_FIGURE_AHEAD = r"(?=[\d+($€£¥₽₴₸])"
_ADDRESS_PATTERNS = {"email": contacts.EMAIL, "link": contacts.LINK, "handle": contacts.HANDLE}
_MONTH_FIRST_PATTERNS = {"month": numbers.MONTH_FIRST_DATE}


def _join_alternatives(patterns: dict[str, str]) -> str:
    return "|".join(f"(?P<{name}>{fragment})" for name, fragment in patterns.items())


@lru_cache(maxsize=4)
def token_pattern(with_addresses: bool, with_months: bool) -> re.Pattern[str]:
    """One alternation; what a text certainly lacks is not looked for."""
    lettered = {
        **(_ADDRESS_PATTERNS if with_addresses else {}),
        **(_MONTH_FIRST_PATTERNS if with_months else {}),
        **_LETTER_PATTERNS,
    }
    return re.compile(
        f"{_join_alternatives(lettered)}|{_FIGURE_AHEAD}(?:{_join_alternatives(_FIGURE_PATTERNS)})"
    )
