"""Units of measure and currencies: their spellings, and one canonical name for each."""

from __future__ import annotations

import re

# Canonical name, and its spellings as regular expressions for folded text in lower case. The first that fits
# wins, so the longer ones stand first.
_UNIT_PATTERNS = {
    "km/h": "км/ч(?:ас)?|km/h|kmh",
    "kwh": "квт[ ·*]?ч|kwh",
    "mah": "ма[ ·*]?ч|mah",
    "ah": "а[·*]?ч|ah",
    "hp": r"л\. ?с|лс|hp",
    "mbps": "мбит/с|мбит|mbps",
    "rpm": "об/мин|rpm",
    "mm": "мм|mm|миллиметр[а-я]{0,2}",
    "cm": "см|cm|сантиметр[а-я]{0,2}",
    "dm": "дм|dm",
    "m2": r"м2|m2|кв\.? ?м(?:етр[а-я]{0,2})?|sq\.? ?m|sqm|квадрат(?:ов|а|ных метр[а-я]{0,2})",
    "m3": r"м3|m3|куб\.? ?м|куб(?:ов|ометр[а-я]{0,2})|кубических метр[а-я]{0,2}",
    "cm2": "см2|cm2",
    "cm3": r"см3|cm3|куб\.? ?см|cc",
    "mm2": "мм2|mm2",
    "km2": "км2|km2",
    "m": "м|m|метр[а-я]{0,2}",
    "km": "км|km|километр[а-я]{0,2}",
    "ha": "га|гектар[а-я]{0,2}|ha",
    "are": "сот(?:ок|к[а-я]{1,3})",
    "in": "дюйм[а-я]{0,3}|inch(?:e?s)?",
    "ft": "ft|feet|foot|фут(?:а|ов)?",
    "sqft": r"sq\.? ?f(?:ee)?t|sqft|square feet",
    "mi": "miles?|миль",
    "kg": "кг|kg|кило(?:грамм[а-я]{0,2})?|kilograms?",
    "g": "гр?|грамм[а-я]{0,2}|grams?",
    "mg": "мг|mg",
    "t": "тонн[а-я]{0,1}|tonnes?",
    "lb": "lbs?|pounds?|фунт(?:а|ов)?",
    "oz": "oz|ounces?",
    "l": "л|l|литр[а-я]{0,2}|lit(?:er|re)s?",
    "ml": "мл|ml|миллилитр[а-я]{0,2}",
    "w": "вт|ватт|w|watts?",
    "kw": "квт|kw",
    "v": "вольт|v|volts?",
    "hz": "гц|hz",
    "khz": "кгц|khz",
    "mhz": "мгц|mhz",
    "ghz": "ггц|ghz",
    "kb": "кб|kb|кбайт",
    "mb": "мб|mb|мегабайт[а-я]{0,2}|мбайт",
    "gb": "гб|gb|гигабайт[а-я]{0,2}|гбайт|gig",
    "tb": "тб|tb|терабайт[а-я]{0,2}",
    "px": "px|пикс(?:ел[а-я]{1,2})?|pixels?",
    "mp": "мп|мпикс|мегапиксел[а-я]{1,2}|mp|mpix|megapixels?",
    "bar": "бар|атм|bar",
    "°c": "° ?c|° ?с|°",
}  # fmt: skip

_BASE_UNITS = {
    "kg": ("g", 3), "t": ("g", 6), "mg": ("g", -3),
    "l": ("ml", 3), "m3": ("ml", 6), "cm3": ("ml", 0),
    "cm": ("mm", 1), "dm": ("mm", 2), "m": ("mm", 3), "km": ("mm", 6),
    "mm2": ("m2", -6), "cm2": ("m2", -4), "are": ("m2", 2), "ha": ("m2", 4), "km2": ("m2", 6),
    "kw": ("w", 3), "ah": ("mah", 3), "khz": ("hz", 3), "mhz": ("hz", 6), "ghz": ("hz", 9),
    "kb": ("mb", -3), "gb": ("mb", 3), "tb": ("mb", 6),
}  # fmt: skip
"""The unit that stands for a dimension, and how many digits the decimal point moves: 0.5 kg is 500 g."""

_CURRENCY_PATTERNS = {
    "₽": r"₽|руб(?:л[а-я]{1,3}|ликов)?|р|rub|rur|коп(?:е[а-я]{1,2})?",
    "$": r"\$|usd|долл(?:ар[а-я]{0,2})?|бакс(?:ов|а)?|dollars?|bucks|у\. ?е",
    "€": r"€|eur|euros?|евро(?! ?-?\d)",
    "₴": "₴|грн|гривен[ьи]?|гривн[яиі]|uah",
    "₸": "₸|тг|тенге|kzt",
    "£": "£|gbp",
    "¥": "¥|jpy|yen|юан[а-я]{1,2}",
    "br": r"byn|бел\.? ?руб(?:л[а-я]{1,3})?",
    "zł": "zł|pln|злот[а-я]{1,3}",
}

UNIT = f"(?:{'|'.join(_UNIT_PATTERNS.values())})"
CURRENCY = f"(?:{'|'.join(_CURRENCY_PATTERNS.values())})"
CURRENCY_SIGN = "[$€£¥₽₴₸]"
THOUSAND_ROUBLES = r"т(?:\.? ?р|ыс\.?р)"
MULTIPLIER = "(?:тыс(?:яч[а-я]?)?|thousand|млн|миллион[а-я]{0,2}|million|млрд|миллиард[а-я]{0,2}|billion)"


def _compile_patterns(patterns_by_name: dict[str, str]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((name, re.compile(f"(?:{spellings})")) for name, spellings in patterns_by_name.items())


_COMPILED_UNITS, _COMPILED_CURRENCIES = (
    _compile_patterns(_UNIT_PATTERNS),
    _compile_patterns(_CURRENCY_PATTERNS),
)


def unit_name(text: str) -> str:
    """Return the canonical name of a unit: "кв. м" and "м2" are "m2". Return "" for an empty text."""
    return _find_name(text, _COMPILED_UNITS)


def base_unit(name: str) -> tuple[str, int]:
    """Return the base unit of a canonical unit, and the power of ten to multiply its figures by."""
    return _BASE_UNITS.get(name, (name, 0))


def currency_name(text: str) -> str:
    """Return the canonical name of a currency: "руб." and "р" are "₽"."""
    return _find_name(text, _COMPILED_CURRENCIES)


def _find_name(raw_text: str, named_patterns: tuple[tuple[str, re.Pattern[str]], ...]) -> str:
    text = raw_text.strip(" .\n")
    return next((name for name, pattern in named_patterns if pattern.fullmatch(text)), text)


def multiplier_exponent(multiplier: str) -> int:
    """Return by how many digits a multiplier shifts the decimal point: тыс. and к 3, млн 6, млрд 9."""
    if multiplier.startswith(("т", "к", "thou")):
        return 3
    return 6 if multiplier.startswith(("млн", "миллион", "milli")) else 9
