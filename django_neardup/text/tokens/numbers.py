"""Numbers, measures, prices and dates: patterns for the tokenizer, and canonical forms.

The patterns expect folded text in lower case, with "-" for every dash.
"""

from __future__ import annotations

import re

from .units import (
    CURRENCY,
    CURRENCY_SIGN,
    MULTIPLIER,
    THOUSAND_ROUBLES,
    UNIT,
    base_unit,
    currency_name,
    multiplier_exponent,
    unit_name,
)

# A blank, or the end of a wrapped line. One-letter units do not continue a line ("д. 5", then "г. Москва").
_UNIT_GAP = r"(?: |\n(?=[a-zа-я]{2}))?"
_WORD_END = r"(?![^\W_])"
_NOT_MEMORY_SIZE = "(?! ?(?:[гмт]б|[gmt]b)(?![^\\W_]))"
_NUMBER_FORMATS = (
    # 1 000 000; not the 11 256 of "iPhone 11 256 ГБ"
    rf"\d{{1,3}}(?: {{1,2}}\d{{3}}(?!\d))+{_NOT_MEMORY_SIZE}(?:[.,]\d+)?",
    r"\d{1,3}(?:\.\d{3})+,\d\d?(?!\d)",  # 1.000,50
    r"\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?",  # 1,000.50
    r"\d{1,3}(?:\.\d{3}){2,}(?!\d)",  # 1.000.000
    r"\d{1,3}(?:'\d{3})+(?!\d)",  # 1'000
    r"\d+(?:[.,]\d+)?",
)
NUMBER = f"(?:{'|'.join(_NUMBER_FORMATS)})"
# The next characters must not make the number a part of a code or of a longer chain of figures.
NUMBER_END = r"(?![^\W_]|[\-/.×*,'][^\W_]*\d)"
NUMBER_START = r"(?<!\w)(?<!\d[.,\-])"
MULTIPLIED_NUMBER = rf"(?:{NUMBER} ?{MULTIPLIER}{_WORD_END}\.?|\d{{1,3}}(?:[.,]\d)?к{_WORD_END})"

_AMOUNT = rf"{NUMBER}(?: ?- ?{NUMBER})?"
_CURRENCY_SUFFIX = rf"(?:{THOUSAND_ROUBLES}{_WORD_END}|(?:{MULTIPLIER}\.? ?)?{CURRENCY}(?![^\W_]|-))"
_NOT_VIDEO_LINES = r"(?!(?:480|576|720|1080|1440|2160)р)"
PRICE = (
    rf"(?:{CURRENCY_SIGN} ?{NUMBER}(?: ?(?:{MULTIPLIER}|k))?{_WORD_END}"
    rf"|{NUMBER_START}{_NOT_VIDEO_LINES}{_AMOUNT}{_UNIT_GAP}{_CURRENCY_SUFFIX}\.?)"
)

# 3500 в месяц, 120 obo: what follows makes a price of the number.
_PRICE_TERM = (
    r" (?:obo|ono|firm|pcm|pw)(?![^\W_])|(?: ?/ ?| (?:в|за|per|a) )"
    r"(?:мес(?:яц)?|сутки|день|час|ночь|неделю|смену|month|mo|week|day|night|hour|hr)(?![^\W_])"
)
_SUM = rf"(?:\d[\d ]{{1,8}}(?:[.,]\d\d)?|{NUMBER} ?(?:{MULTIPLIER}\.?|к))"
BARE_PRICE = rf"{NUMBER_START}{_SUM}{_WORD_END}(?={_PRICE_TERM})"

_TIMES_PATTERN = r" ?[x×х*] ?"
_DIMENSIONS = rf"\d+(?:[.,]\d+)?(?:{_TIMES_PATTERN}\d+(?:[.,]\d+)?){{1,3}}"
_TYRE_SIZE = r"\d{3}/\d\d ?[rр] ?\d\d"
YEAR = rf"(?:1\d|20)\d\d ?гг?{_WORD_END}\.?"
_NUMBER_AND_UNIT = rf"{NUMBER}{_UNIT_GAP}(?:{MULTIPLIER}\.? ?)?{UNIT}(?![^\W_]|[\-/]\d)"
MEASURE = (
    rf"(?:{_TYRE_SIZE}(?=c?{_WORD_END})|{_DIMENSIONS}(?:{_UNIT_GAP}{UNIT})?{NUMBER_END}|{_NUMBER_AND_UNIT})"
)

_DAY, _MONTH, _FULL_YEAR = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:0?[1-9]|1[0-2])", r"(?:19|20)\d\d"
_MONTHS = (
    "янв(?:аря)?|січня|january|jan", "фев(?:р(?:аля)?)?|лютого|february|feb", "мар(?:та)?|березня|march|mar",
    "апр(?:еля)?|квітня|april|apr", "мая|травня|may", "июн(?:я)?|червня|june|jun", "июл(?:я)?|липня|july|jul",
    "авг(?:уста)?|серпня|august|aug", "сент?(?:ября)?|вересня|september|sept?", "окт(?:ября)?|жовтня|october|oct",
    "ноя(?:б(?:ря)?)?|листопада|november|nov", "дек(?:абря)?|грудня|december|dec",
)  # fmt: skip
ANY_MONTH = f"(?:{'|'.join(_MONTHS)})"
_NUMERIC_DATE = "|".join(
    rf"{first}{mark}{second}{mark}{year}"
    for first, second in ((_DAY, _MONTH), (_MONTH, _DAY))
    for mark, year in ((r"\.", _FULL_YEAR), ("/", _FULL_YEAR), ("-", _FULL_YEAR))
)
_SHORT_NUMERIC_DATE = r"(?:0[1-9]|[12]\d|3[01])[./](?:0[1-9]|1[0-2])[./]\d\d"
_ISO_DATE = "|".join(
    rf"{_FULL_YEAR}{mark}(?:0[1-9]|1[0-2]){mark}(?:0[1-9]|[12]\d|3[01])" for mark in ("-", r"\.", "/")
)
_YEAR_SUFFIX = rf"(?:\.?(?: ?,)? {_FULL_YEAR}(?: ?г(?:ода|\.)?{_WORD_END})?)?"
_WORDED_DATE = (
    rf"(?:{_DAY}-)?{_DAY}(?:-?(?:го|th|st|nd|rd))?[ \n](?:of )?{ANY_MONTH}{_WORD_END}{_YEAR_SUFFIX}"
)
_TIME = r"(?:0\d|1\d|2[0-3]|[2-9]):[0-5]\d(?::[0-5]\d)?"
DATE = (
    rf"{NUMBER_START}(?:(?:{_ISO_DATE}|{_NUMERIC_DATE}|{_SHORT_NUMERIC_DATE}|{_TIME})"
    rf"(?![^\W_]|[\-/.:,]\d)|{_WORDED_DATE}{_WORD_END})"
)
ENGLISH_MONTH = f"(?:{'|'.join(month for month in '|'.join(_MONTHS).split('|') if month.isascii())})"
# "May 12" without an ordinal ending may be a verb.
MONTH_FIRST_DATE = (
    rf"(?<!\w)(?:{ENGLISH_MONTH}\.? {_DAY}(?:th|st|nd|rd)?(?: ?, ?| ){_FULL_YEAR}"
    rf"|(?:(?!may){ENGLISH_MONTH}\.? {_DAY}(?:th|st|nd|rd)?|may {_DAY}(?:th|st|nd|rd))){_WORD_END}(?! ?\d)"
)

_SPACES_AND_APOSTROPHES = re.compile(r"[\s']+")
_COMMA_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_DOT_GROUPED = re.compile(r"\d{1,3}(?:(?:\.\d{3}){2,}|(?:\.\d{3})+,\d\d?)")
_DOT_GROUPED_THOUSANDS = re.compile(r"\d{1,3}\.\d{3}")
_NUMBER_PATTERN = re.compile(NUMBER)
_DIMENSIONS_PATTERN = re.compile(_DIMENSIONS)
_MULTIPLIER_PATTERN = re.compile(rf"\s?({MULTIPLIER}|к(?![^\W_]))\.? ?")
_CURRENCY_SIGN_PATTERN = re.compile(rf"{CURRENCY_SIGN}")
_THOUSAND_ROUBLES_PATTERN = re.compile(rf"\s?{THOUSAND_ROUBLES}{_WORD_END}")
_DIGITS = re.compile(r"\d+")
_MONTH_WORD = re.compile("|".join(f"({ways})" for ways in (f"(?:{month}){_WORD_END}" for month in _MONTHS)))
_TIMES_SIGN = re.compile(r"\s*[x×х*]\s*")
MAX_DIGITS = 40


def canonical_number(text: str) -> str:
    """Return a canonical number: 1 000 000, 1,000,000 and 1000000 agree, as do 2,50 and 2.5, 007 and 7."""
    if text.isdecimal():
        return (text.lstrip("0") or "0")[:MAX_DIGITS]
    plain = _SPACES_AND_APOSTROPHES.sub("", text)
    if _DOT_GROUPED.fullmatch(plain):
        plain = plain.replace(".", "")
    elif _COMMA_GROUPED.fullmatch(plain):
        plain = plain.replace(",", "")
    plain = plain.replace(",", ".")
    if "." in plain:
        plain = plain.rstrip("0").rstrip(".")
    return (plain.lstrip("0") or "0").replace(".", "0.", plain.lstrip("0").startswith("."))[:MAX_DIGITS]


def shift_decimal_point(canonical: str, exponent: int) -> str:
    """Multiply a canonical number by ten to the power of ``exponent``: 1.5 and 6 give 1500000."""
    integer_part, _, fraction = canonical.partition(".")
    if exponent < 0:
        digits = integer_part.rjust(1 - exponent, "0")
        return canonical_number(f"{digits[:exponent]}.{digits[exponent:]}{fraction}")
    digits = fraction.ljust(exponent, "0")
    return canonical_number(integer_part + digits[:exponent] + "." + (digits[exponent:] or "0"))


def canonical_multiplied_number(text: str) -> str:
    """Return the canonical number of a number with a multiplier: 29 тыс. is 29000, 1,5 млн is 1500000."""
    if text.isdecimal():
        return canonical_number(text)
    number = _NUMBER_PATTERN.match(text)
    amount = canonical_number(number.group()) if number else ""
    multiplier = _MULTIPLIER_PATTERN.match(text, number.end()) if number else None
    return shift_decimal_point(amount, multiplier_exponent(multiplier[1])) if multiplier else amount


def _canonical_sum(text: str) -> str:
    """Return the canonical number of a sum: in a price, 5.000 is five thousand."""
    return canonical_number(text.replace(".", "") if _DOT_GROUPED_THOUSANDS.fullmatch(text) else text)


def canonical_price(text: str) -> str:
    """Return "¤", the sum and the currency: 5 тыс. руб., 5000 р. and 5000₽ agree."""
    sign = _CURRENCY_SIGN_PATTERN.match(text)
    rest = text[1:].strip() if sign else text
    figures = list(_NUMBER_PATTERN.finditer(rest))
    last_figure = figures[-1]
    suffix = rest[last_figure.end() :]
    thousands = _THOUSAND_ROUBLES_PATTERN.match(suffix)
    multiplier = _MULTIPLIER_PATTERN.match(suffix)
    exponent = (
        3 if thousands or suffix.strip() == "k" else multiplier_exponent(multiplier[1]) if multiplier else 0
    )
    sums = "-".join(shift_decimal_point(_canonical_sum(figure.group()), exponent) for figure in figures)
    if sign:
        return f"¤{sums}{sign.group()}"
    return f"¤{sums}" + ("₽" if thousands else currency_name(suffix[multiplier.end() if multiplier else 0 :]))


def parse_measure(text: str) -> tuple[str, str, int]:
    """Return the canonical figures, the base unit or "", and the position of the unit in ``text``.

    5 кг and 5000 г are 5000 and g, 2×3 м is 2000x3000 and mm. A tyre's 175/65 R14 has no unit.
    """
    if text[3:4] == "/":
        return "".join(text.split()).replace("р", "r"), "", len(text)
    sizes = _DIMENSIONS_PATTERN.match(text)
    if sizes:
        unit, exponent = base_unit(unit_name(text[sizes.end() :]))
        parts = map(canonical_number, _TIMES_SIGN.split(sizes.group()))
        return "x".join(shift_decimal_point(part, exponent) for part in parts), unit, sizes.end()
    number = _NUMBER_PATTERN.match(text)
    end = number.end() if number else 0
    multiplier = _MULTIPLIER_PATTERN.match(text, end)
    figures = (
        shift_decimal_point(canonical_number(text[:end]), multiplier_exponent(multiplier[1]))
        if multiplier
        else canonical_number(text[:end])
    )
    end = multiplier.end() if multiplier else end
    unit, exponent = base_unit(unit_name(text[end:]))
    return shift_decimal_point(figures, exponent), unit, end


def canonical_date(text: str) -> str:
    """Return a date as year-month-day without the missing parts: 12.05.2024 and 12 мая 2024 г. agree.

    Times are returned as 10:00.
    """
    figures = _DIGITS.findall(text)
    if ":" in text:
        return ":".join(figure.zfill(2) for figure in figures)
    word = _MONTH_WORD.search(text)
    if word is not None:
        days = [figure.zfill(2) for figure in figures if len(figure) < 4]
        year = next((figure for figure in figures if len(figure) == 4), "")
        return _format_date(year, str(word.lastindex), "-".join(days))
    if len(figures[0]) == 4:
        return _format_date(*figures)
    day, month, year = figures
    return _format_date(year, month, day) if int(month) <= 12 else _format_date(year, day, month)


def _format_date(year: str, month: str, day: str) -> str:
    full_year = ("19" if year > "49" else "20") + year if len(year) == 2 else year
    return "-".join(part for part in (full_year, month.zfill(2), day.zfill(2)) if part)
