"""Numbers, measures, prices, dates: patterns for the tokenizer and canonical forms.

The patterns expect folded text in lower case, where every dash is "-".
"""

from __future__ import annotations

import re

from .units import (
    CURRENCY,
    CURRENCY_SIGN,
    MULTIPLIER,
    THOUSAND_ROUBLES,
    UNIT,
    currency_name,
    unit_name,
    zeros,
)

# A blank, or the end of a wrapped line; one-letter units do not jump lines ("д. 5", then "г. Москва").
_GAP = r"(?: |\n(?=[a-zа-я]{2}))?"
_END = r"(?![^\W_])"
_MEMORY = "(?! ?(?:[гмт]б|[gmt]b)(?![^\\W_]))"
_WAYS = (
    rf"\d{{1,3}}(?: {{1,2}}\d{{3}}(?!\d))+{_MEMORY}(?:[.,]\d+)?",  # 1 000 000; not the 11 256 of "iPhone 11 256 ГБ"
    r"\d{1,3}(?:\.\d{3})+,\d\d?(?!\d)",  # 1.000,50
    r"\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?",  # 1,000.50
    r"\d{1,3}(?:\.\d{3}){2,}(?!\d)",  # 1.000.000
    r"\d{1,3}(?:'\d{3})+(?!\d)",  # 1'000
    r"\d+(?:[.,]\d+)?",
)
NUMBER = f"(?:{'|'.join(_WAYS)})"
# What follows must not make it a part of a code or of a longer chain of figures.
WHOLE = r"(?![^\W_]|[\-/.×*,'][^\W_]*\d)"
ALONE = r"(?<!\w)(?<!\d[.,\-])"
MULTIPLIED = rf"{NUMBER} ?{MULTIPLIER}{_END}\.?"

_AMOUNT = rf"{NUMBER}(?: ?- ?{NUMBER})?"
_SUM = rf"(?:{THOUSAND_ROUBLES}{_END}|(?:{MULTIPLIER}\.? ?)?{CURRENCY}(?![^\W_]|-))"
_NOT_LINES = r"(?!(?:480|576|720|1080|1440|2160)р)"
PRICE = rf"(?:{CURRENCY_SIGN} ?{NUMBER}(?: ?(?:{MULTIPLIER}|k))?{_END}|{ALONE}{_NOT_LINES}{_AMOUNT}{_GAP}{_SUM}\.?)"

_TIMES = r" ?[x×х*] ?"
_SIZES = rf"\d+(?:[.,]\d+)?(?:{_TIMES}\d+(?:[.,]\d+)?){{1,3}}"
_TYRE = r"\d{3}/\d\d ?[rр] ?\d\d"
YEAR = rf"(?:1\d|20)\d\d ?гг?{_END}\.?"
_FIGURES_AND_UNIT = rf"{NUMBER}{_GAP}(?:{MULTIPLIER}\.? ?)?{UNIT}(?![^\W_]|[\-/]\d)"
MEASURE = rf"(?:{_TYRE}(?=c?{_END})|{_SIZES}(?:{_GAP}{UNIT})?{WHOLE}|{_FIGURES_AND_UNIT})"

_DAY, _MONTH, _FULL_YEAR = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:0?[1-9]|1[0-2])", r"(?:19|20)\d\d"
_MONTHS = (
    "янв(?:аря)?|січня|january|jan", "фев(?:р(?:аля)?)?|лютого|february|feb", "мар(?:та)?|березня|march|mar",
    "апр(?:еля)?|квітня|april|apr", "мая|травня|may", "июн(?:я)?|червня|june|jun", "июл(?:я)?|липня|july|jul",
    "авг(?:уста)?|серпня|august|aug", "сент?(?:ября)?|вересня|september|sept?", "окт(?:ября)?|жовтня|october|oct",
    "ноя(?:б(?:ря)?)?|листопада|november|nov", "дек(?:абря)?|грудня|december|dec",
)  # fmt: skip
ANY_MONTH = f"(?:{'|'.join(_MONTHS)})"
_NUMERIC = "|".join(
    rf"{first}{mark}{second}{mark}{year}"
    for first, second in ((_DAY, _MONTH), (_MONTH, _DAY))
    for mark, year in ((r"\.", _FULL_YEAR), ("/", _FULL_YEAR), ("-", _FULL_YEAR))
)
_SHORT_NUMERIC = r"(?:0[1-9]|[12]\d|3[01])[./](?:0[1-9]|1[0-2])[./]\d\d"
_ISO = "|".join(
    rf"{_FULL_YEAR}{mark}(?:0[1-9]|1[0-2]){mark}(?:0[1-9]|[12]\d|3[01])" for mark in ("-", r"\.", "/")
)
_YEAR_AFTER = rf"(?:\.?(?: ?,)? {_FULL_YEAR}(?: ?г(?:ода|\.)?{_END})?)?"
_WORDED = rf"{_DAY}(?:-?(?:го|th|st|nd|rd))?[ \n](?:of )?{ANY_MONTH}{_END}{_YEAR_AFTER}"
_TIME = r"(?:0\d|1\d|2[0-3]|[2-9]):[0-5]\d(?::[0-5]\d)?"
DATE = rf"{ALONE}(?:(?:{_ISO}|{_NUMERIC}|{_SHORT_NUMERIC}|{_TIME})(?![^\W_]|[\-/.:,]\d)|{_WORDED}{_END})"
ENGLISH_MONTH = f"(?:{'|'.join(way for way in '|'.join(_MONTHS).split('|') if way.isascii())})"
MONTH_FIRST = rf"(?<!\w){ENGLISH_MONTH}\.? {_DAY}(?:th|st|nd|rd)?(?: ?, ?| ){_FULL_YEAR}{_END}"

_SPACES_AND_GROUPS = re.compile(r"[\s']+")
_COMMAS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_DOTTED = re.compile(r"\d{1,3}(?:(?:\.\d{3}){2,}|(?:\.\d{3})+,\d\d?)")
_DOTTED_SUM = re.compile(r"\d{1,3}\.\d{3}")
_NUMBER = re.compile(NUMBER)
_SIZES_ONLY = re.compile(_SIZES)
_MULTIPLIER = re.compile(rf"\s?({MULTIPLIER})\.? ?")
_SIGNED = re.compile(rf"{CURRENCY_SIGN}")
_THOUSAND_ROUBLES = re.compile(rf"\s?{THOUSAND_ROUBLES}{_END}")
_DIGITS = re.compile(r"\d+")
_MONTH_WORD = re.compile("|".join(f"({ways})" for ways in (f"(?:{month}){_END}" for month in _MONTHS)))
_TIMES_SIGN = re.compile(r"\s*[x×х*]\s*")
MAX_DIGITS = 40


def number(text: str) -> str:
    """Canonical number: 1 000 000, 1,000,000 and 1000000 agree, as do 2,50 and 2.5, 007 and 7."""
    if text.isdecimal():
        return (text.lstrip("0") or "0")[:MAX_DIGITS]
    plain = _SPACES_AND_GROUPS.sub("", text)
    if _DOTTED.fullmatch(plain):
        plain = plain.replace(".", "")
    elif _COMMAS.fullmatch(plain):
        plain = plain.replace(",", "")
    plain = plain.replace(",", ".")
    if "." in plain:
        plain = plain.rstrip("0").rstrip(".")
    return (plain.lstrip("0") or "0").replace(".", "0.", plain.lstrip("0").startswith("."))[:MAX_DIGITS]


def shifted(text: str, places: int) -> str:
    """A canonical number times ten to the power of ``places``: 1.5 and 6 give 1500000."""
    whole, _, fraction = text.partition(".")
    digits = fraction.ljust(places, "0")
    return number(whole + digits[:places] + "." + (digits[places:] or "0"))


def multiplied(text: str) -> str:
    """29 тыс. is 29000, 1,5 млн is 1500000."""
    if text.isdecimal():
        return number(text)
    found = _NUMBER.match(text)
    amount = number(found.group()) if found else ""
    multiplier = _MULTIPLIER.match(text, found.end()) if found else None
    return shifted(amount, zeros(multiplier[1])) if multiplier else amount


def _sum(text: str) -> str:
    """In a price 5.000 is five thousand."""
    return number(text.replace(".", "") if _DOTTED_SUM.fullmatch(text) else text)


def price(text: str) -> str:
    """¤ with the sum and the currency: 5 тыс. руб., 5000 р. and 5000₽ agree."""
    sign = _SIGNED.match(text)
    rest = text[1:].strip() if sign else text
    figures = list(_NUMBER.finditer(rest))
    last = figures[-1]
    written = rest[last.end() :]
    thousands = _THOUSAND_ROUBLES.match(written)
    multiplier = _MULTIPLIER.match(written)
    places = 3 if thousands or written.strip() == "k" else zeros(multiplier[1]) if multiplier else 0
    sums = "-".join(shifted(_sum(figure.group()), places) for figure in figures)
    if sign:
        return f"¤{sums}{sign.group()}"
    return f"¤{sums}" + (
        "₽" if thousands else currency_name(written[multiplier.end() if multiplier else 0 :])
    )


def measure(text: str) -> tuple[str, str, int]:
    """Canonical figures, canonical unit or "", and where the unit begins in ``text``.

    5 кг is 5 and kg, 350×350 мм is 350x350 and mm, 29 тыс. км is 29000 and km; a tyre's 175/65 R14 has no unit.
    """
    if text[3:4] == "/":
        return "".join(text.split()).replace("р", "r"), "", len(text)
    sizes = _SIZES_ONLY.match(text)
    if sizes:
        joined = "x".join(number(part) for part in _TIMES_SIGN.split(sizes.group()))
        return joined, unit_name(text[sizes.end() :]), sizes.end()
    found = _NUMBER.match(text)
    end = found.end() if found else 0
    multiplier = _MULTIPLIER.match(text, end)
    figures = shifted(number(text[:end]), zeros(multiplier[1])) if multiplier else number(text[:end])
    end = multiplier.end() if multiplier else end
    return figures, unit_name(text[end:]), end


def date(text: str) -> str:
    """Year-month-day, what is not said left out: 12.05.2024 and 12 мая 2024 г. agree; times as 10:00."""
    figures = _DIGITS.findall(text)
    if ":" in text:
        return ":".join(figure.zfill(2) for figure in figures)
    word = _MONTH_WORD.search(text)
    if word is not None:
        return _joined(figures[1] if len(figures) > 1 else "", str(word.lastindex), figures[0])
    if len(figures[0]) == 4:
        return _joined(*figures)
    day, month, year = figures
    return _joined(year, month, day) if int(month) <= 12 else _joined(year, day, month)


def _joined(year: str, month: str, day: str) -> str:
    full = ("19" if year > "49" else "20") + year if len(year) == 2 else year
    return "-".join(part for part in (full, month.zfill(2), day.zfill(2)) if part)
