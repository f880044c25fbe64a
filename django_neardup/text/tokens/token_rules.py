"""The table of token rules, in order. To add a kind of token, add a row.

The reader splits a text at blanks. A row is therefore not enough if a pattern reaches over a blank:

- ``chunk_context`` needs the words that stand before or behind the blank.
- ``chunk_cache._HARD`` needs the character that a match begins with, unless it is a digit.
"""

from __future__ import annotations

from . import contacts, numbers
from .token_builders import (
    build_code,
    build_figure_range,
    build_glued,
    build_house,
    build_measure,
    build_number,
    build_ordinal,
    build_used,
    build_word,
    build_year,
    single_token,
)
from .token_pattern import VOWEL_SIGNS, Rule, RuleTable

_WORD = rf"[^\W\d_]+(?:[{VOWEL_SIGNS}]+[^\W\d_]*)*(?:'(?:[a-z]{{1,2}}|[\u0400-\u052f]{{1,30}})(?!\w))?"
_CHAIN = r"(?:[\-/.×*,'][^\W_]*\d[^\W_]*)"
_NO_CODE = "(?!(?:цена|тел|от|до|за|по|на|этаж|дом|кв|стр)-)"
_CODE = "|".join(
    (
        r"(?<![^\W_])[^\W\d_](?:\+\+|#)(?![^\W_])",
        rf"{_NO_CODE}[^\W\d_]{{1,6}}-\d[^\W_]*{_CHAIN}*",
        rf"[^\W\d_]+\d[^\W_]*{_CHAIN}*",
    )
)
_ORDINAL_ENDING = "й|я|го|ти|му|ый|ой|ая|ое|ые|ых|ым|е|х|ух|ех|st|nd|rd|th"
_RANGE = r"\d+(?:-\d+)+(?![^\W_]|[/.×*,'][^\W_]*\d)"
_GLUED = rf"{numbers.NUMBER}[^\W\d_]{{1,20}}(?![^\W_]|-[^\W_]*\d)"
# дом 9 б, with a blank before the letter only if a comma follows: otherwise the letter may be a word.
_HOUSE = r"\d{1,4}(?:-?[а-яa-z](?![^\W_]|[\-+#])| ?[абвдежзийнопстуфцчшщэюя](?=[,;)]))"
_FIGURE = r"\d+($€£¥₽₴₸"

_WORDS = ("word", "latin")
_date = single_token("date", numbers.canonical_date)
_phone = single_token("contact", contacts.canonical_phone)
_price = single_token("price", numbers.canonical_price)

RULES = (
    Rule(
        "email",
        contacts.EMAIL,
        single_token("contact", contacts.canonical_email),
        ("contact",),
        only="address",
    ),
    Rule(
        "link", contacts.LINK, single_token("contact", contacts.canonical_link), ("contact",), only="address"
    ),
    Rule(
        "handle",
        contacts.HANDLE,
        single_token("contact", contacts.canonical_handle),
        ("contact",),
        only="address",
    ),
    Rule("month", numbers.MONTH_FIRST_DATE, _date, ("date",), only="month"),
    Rule("used", r"(?:б/у|бу|б\.у)(?![^\W_])\.?", build_used, ("word",)),
    Rule("word", rf"{_WORD}(?![^\W_]|-\d|\+\+|#)", build_word, _WORDS),
    Rule("code", _CODE, build_code, ("code", "number")),
    Rule("rest", r"[^\W\d_]+", build_word, _WORDS),
    Rule("end", r"\n|[.!?…。！？]+", None),
    Rule("phone", contacts.PHONE, _phone, ("contact",), _FIGURE),
    Rule("date", numbers.DATE, _date, ("date",), _FIGURE),
    Rule("price", numbers.PRICE, _price, ("price",), _FIGURE),
    Rule("year", numbers.YEAR, build_year, ("number", "word"), _FIGURE),
    Rule("bare_price", numbers.BARE_PRICE, _price, ("price",), _FIGURE),
    Rule("measure", numbers.MEASURE, build_measure, ("measure", "unit"), _FIGURE),
    Rule("multiplied", numbers.MULTIPLIED_NUMBER, build_number, ("number",), _FIGURE),
    Rule(
        "ordinal", rf"{numbers.NUMBER}-?(?:{_ORDINAL_ENDING})(?![^\W_])", build_ordinal, ("number",), _FIGURE
    ),
    Rule("house", _HOUSE, build_house, ("code",), _FIGURE),
    Rule("number", numbers.NUMBER + numbers.NUMBER_END, build_number, ("number",), _FIGURE),
    Rule("range", _RANGE, build_figure_range, ("number", "code"), _FIGURE),
    Rule("glued", _GLUED, build_glued, ("number", "code", *_WORDS), _FIGURE),
    Rule("figures", rf"\d[^\W_]*{_CHAIN}*", build_code, ("code", "number"), _FIGURE),
)
TABLE = RuleTable(RULES)
