"""Phones, e-mails, links and handles: patterns for the tokenizer, and canonical forms."""

from __future__ import annotations

import re

_SEPARATOR = r"[ \-.]?"
_LAST_7_DIGITS = (
    rf"(?:\d{{3}}{_SEPARATOR}\d\d{_SEPARATOR}\d\d|\d{{3}}{_SEPARATOR}\d{{4}}"
    rf"|\d{{4}}{_SEPARATOR}\d{{3}}|\d\d{_SEPARATOR}\d\d{_SEPARATOR}\d{{3}}|\d\d{_SEPARATOR}\d{{3}}{_SEPARATOR}\d\d)"
)
_LAST_6_DIGITS = rf"(?:\d\d{_SEPARATOR}\d\d{_SEPARATOR}\d\d|\d{{3}}{_SEPARATOR}\d{{3}})"
_LAST_5_DIGITS = rf"\d{_SEPARATOR}\d\d{_SEPARATOR}\d\d"
_PREFIX_SEPARATOR = r"[ \-.]?"
_PHONE_END = r"(?![^\W_]|[\-/.,]\d)"


def _area_code_pattern(digit_count: int, subscriber_pattern: str) -> str:
    return rf"(?:\(\d{{{digit_count}}}\)|\d{{{digit_count}}})[ \-.]{{0,2}}{subscriber_pattern}"


# Shapes, not just runs of digits: 010-10936-00 is a product, 8 000 000 is a number.
_AREA_AND_NUMBER = "|".join(
    _area_code_pattern(digits, rest)
    for digits, rest in ((3, _LAST_7_DIGITS), (4, _LAST_6_DIGITS), (5, _LAST_5_DIGITS))
)
_RUSSIAN_PHONE = rf"(?:\+ ?7|[78]){_PREFIX_SEPARATOR}(?:{_AREA_AND_NUMBER})"
_INTERNATIONAL_PHONE = r"\+ ?[1-9](?:[ \-.()]{0,2}\d){9,13}"
_BRACKETED_AREA_PHONE = (
    rf"(?:\(\d{{3}}\) ?{_LAST_7_DIGITS}|\(\d{{4}}\) ?{_LAST_6_DIGITS}|\(\d{{5}}\) ?{_LAST_5_DIGITS})"
)
_UNPREFIXED_PHONE = r"\d{3}[ \-]\d{3}[ \-]\d\d[ \-]\d\d"
_MOBILE_PHONE = r"9\d{9}"
_LOCAL_PHONE = r"\d{3}-\d\d-\d\d"
_AMERICAN_PHONE = r"(?:1[\-. ])?[2-9]\d\d[\-.][2-9]\d\d[\-.]\d{4}"
# 8 9 0 3 1 2 3 4 5 6 7: ten or eleven digits in seven groups or more, and no part of a longer row. A row of
# marks at school has none above 5.
_SPACED_OUT_PHONE = (
    r"(?<!\d[ \-.])(?<!\d[ \-.]{2})(?=(?:\d[ \-.]{0,2}){9,10}\d(?![ \-.]{0,2}\d))"
    r"(?=[\d \-.]*[06-9])\d{1,3}(?:[ \-.]{1,2}\d{1,4}){6,}"
)
PHONE = (
    rf"(?<![\w+/\-])(?<!\d[.,])(?:{_RUSSIAN_PHONE}|{_INTERNATIONAL_PHONE}|{_BRACKETED_AREA_PHONE}"
    rf"|{_UNPREFIXED_PHONE}|{_SPACED_OUT_PHONE}|{_MOBILE_PHONE}|{_LOCAL_PHONE}|{_AMERICAN_PHONE}){_PHONE_END}"
)

_URL_CHARACTER = r"[^\s<>\"«»()\[\]*`'|]"
_URL_LAST_CHARACTER = r"[^\s<>\"«»()\[\]*`'|.,;:!?}]"
EMAIL = r"(?<![\w.+\-])[\w.+\-]{1,64}@[\w\-]{1,63}(?:\.[\w\-]{1,63}){1,5}(?!\w)"
_URL_WITH_SCHEME = rf"(?<!\w)(?:https?://|ftp://|www\.){_URL_CHARACTER}{{0,2000}}{_URL_LAST_CHARACTER}"
_TOP_LEVEL_DOMAINS = "ru|рф|su|com|net|org|info|biz|kz|ua|by|uz|онлайн|online|site|shop|me"
_URL_WITHOUT_SCHEME = (
    rf"(?<![\w@.\-])(?:[^\W_][\w\-]{{0,62}}\.){{1,4}}(?:{_TOP_LEVEL_DOMAINS})(?![\w\-@]|\.\w)"
    rf"(?:/(?:{_URL_CHARACTER}{{0,2000}}{_URL_LAST_CHARACTER})?)?"
)
LINK = rf"(?:{_URL_WITH_SCHEME}|{_URL_WITHOUT_SCHEME})"
HANDLE = r"(?<![\w@/.])@[a-z_][\w.]{2,30}\w"

# A text without a match has no e-mails, links or handles.
ADDRESS_HINT = re.compile(rf"@|://|www\.|\.(?:{_TOP_LEVEL_DOMAINS})(?!\w)")

_NON_DIGITS = re.compile(r"\D+")
_URL_PREFIX = re.compile(r"^(?:https?://|ftp://)?(?:www\.)?")
_TRACKING_PARAMETERS = re.compile(r"[?&](?:utm_[a-z]+|fbclid|gclid|yclid)=[^&#]*")
_CYRILLIC_TO_LATIN = str.maketrans("аеорсухікмнтв", "aeopcyxikmhtb")


def canonical_phone(text: str) -> str:
    """Return "tel:" and the last ten digits: 8 903 123-45-67 and +7 (903) 1234567 are the same phone."""
    return "tel:" + _NON_DIGITS.sub("", text)[-10:]


def canonical_email(text: str) -> str:
    """Return "mailto:" and the e-mail in lower case, with Cyrillic look-alikes replaced by Latin letters."""
    return "mailto:" + text.lower().translate(_CYRILLIC_TO_LATIN)


def canonical_link(text: str) -> str:
    """Return "url:" and the link without scheme, www, tracking parameters, fragment and trailing slash."""
    address = _TRACKING_PARAMETERS.sub("", _URL_PREFIX.sub("", text.lower()).split("#")[0])
    return "url:" + address.rstrip("/?&")


def canonical_handle(text: str) -> str:
    """Return a name in a social network as @name, in lower case."""
    return text.lower()


_CONTACT_FORMS = (
    (re.compile(EMAIL), canonical_email),
    (re.compile(HANDLE), canonical_handle),
    (re.compile(LINK), canonical_link),
)


def canonical_contact(value: str) -> str:
    """Return the canonical form of a single contact, such as a post's phone field.

    Return "" for an empty one.

    The forms are those of ``CanonicalText.contacts``, so a field can be compared with a contact in a
    text.
    """
    text = " ".join(value.split()).lower()
    for pattern, canonical in _CONTACT_FORMS:
        if pattern.fullmatch(text):
            return canonical(text)
    digits = _NON_DIGITS.sub("", text)
    return canonical_phone(text) if len(digits) >= 5 and len(digits) * 2 >= len(text) else text
