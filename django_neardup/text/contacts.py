"""Phones, e-mails, links and handles: patterns for the tokenizer and canonical forms."""

from __future__ import annotations

import re

_GAP = r"[ \-.]?"
_REST_7 = (
    rf"(?:\d{{3}}{_GAP}\d\d{_GAP}\d\d|\d{{3}}{_GAP}\d{{4}}"
    rf"|\d{{4}}{_GAP}\d{{3}}|\d\d{_GAP}\d\d{_GAP}\d{{3}}|\d\d{_GAP}\d{{3}}{_GAP}\d\d)"
)
_REST_6 = rf"(?:\d\d{_GAP}\d\d{_GAP}\d\d|\d{{3}}{_GAP}\d{{3}})"
_REST_5 = rf"\d{_GAP}\d\d{_GAP}\d\d"
_LEAD = r"[ \-.]?"
_TAIL = r"(?![^\W_]|[\-/.,]\d)"


def _area(digits: int, rest: str) -> str:
    return rf"(?:\(\d{{{digits}}}\)|\d{{{digits}}})[ \-.]{{0,2}}{rest}"


# Shapes, not runs of digits: 010-10936-00 is a product, 8 000 000 is a number.
_TRUNK = rf"(?:\+ ?7|[78]){_LEAD}(?:{_area(3, _REST_7)}|{_area(4, _REST_6)}|{_area(5, _REST_5)})"
_ABROAD = r"\+ ?[1-9](?:[ \-.()]{0,2}\d){9,13}"
_IN_BRACKETS = rf"(?:\(\d{{3}}\) ?{_REST_7}|\(\d{{4}}\) ?{_REST_6}|\(\d{{5}}\) ?{_REST_5})"
_BARE = r"\d{3}[ \-]\d{3}[ \-]\d\d[ \-]\d\d"
_MOBILE = r"9\d{9}"
_LOCAL = r"\d{3}-\d\d-\d\d"
_AMERICAN = r"(?:1[\-. ])?[2-9]\d\d[\-.][2-9]\d\d[\-.]\d{4}"
PHONE = rf"(?<![\w+/\-])(?<!\d[.,])(?:{_TRUNK}|{_ABROAD}|{_IN_BRACKETS}|{_BARE}|{_MOBILE}|{_LOCAL}|{_AMERICAN}){_TAIL}"

_INSIDE = r"[^\s<>\"«»()\[\]*`'|]"
_END = r"[^\s<>\"«»()\[\]*`'|.,;:!?}]"
EMAIL = r"(?<![\w.+\-])[\w.+\-]{1,64}@[\w\-]{1,63}(?:\.[\w\-]{1,63}){1,5}(?!\w)"
_WITH_SCHEME = rf"(?<!\w)(?:https?://|ftp://|www\.){_INSIDE}{{0,2000}}{_END}"
_DOMAINS = "ru|рф|su|com|net|org|info|biz|kz|ua|by|uz|онлайн|online|site|shop|me"
_BARE_DOMAIN = (
    rf"(?<![\w@.\-])(?:[^\W_][\w\-]{{0,62}}\.){{1,4}}(?:{_DOMAINS})(?![\w\-@]|\.\w)"
    rf"(?:/(?:{_INSIDE}{{0,2000}}{_END})?)?"
)
LINK = rf"(?:{_WITH_SCHEME}|{_BARE_DOMAIN})"
HANDLE = r"(?<![\w@/.])@[a-z_][\w.]{2,30}\w"

# A text that holds none of these has neither e-mails nor links nor handles.
HINT = re.compile(rf"@|://|www\.|\.(?:{_DOMAINS})(?!\w)")

_NOT_DIGIT = re.compile(r"\D+")
_SCHEME = re.compile(r"^(?:https?://|ftp://)?(?:www\.)?")
_TRACKING = re.compile(r"[?&](?:utm_[a-z]+|fbclid|gclid|yclid)=[^&#]*")
_FROM_CYRILLIC = str.maketrans("аеорсухікмнтв", "aeopcyxikmhtb")


def phone(text: str) -> str:
    """The last ten digits: 8 903 123-45-67 and +7 (903) 1234567 are one phone."""
    return "tel:" + _NOT_DIGIT.sub("", text)[-10:]


def email(text: str) -> str:
    """Lower case, Cyrillic twins undone."""
    return "mailto:" + text.lower().translate(_FROM_CYRILLIC)


def link(text: str) -> str:
    """Without scheme, www, tracking parameters, fragment and closing slash."""
    address = _TRACKING.sub("", _SCHEME.sub("", text.lower()).split("#")[0])
    return "url:" + address.rstrip("/?&")


def handle(text: str) -> str:
    """A name in a social network, as @name."""
    return text.lower()


_WHOLE = (
    (re.compile(EMAIL), email),
    (re.compile(HANDLE), handle),
    (re.compile(LINK), link),
)


def canonical_contact(value: str) -> str:
    """The canonical form of a contact given by itself, say a post's phone field; "" for an empty one.

    The same forms as ``Document.contacts`` holds, so that a field and a mention in a text compare.
    """
    text = " ".join(value.split()).lower()
    for pattern, canonical in _WHOLE:
        if pattern.fullmatch(text):
            return canonical(text)
    digits = _NOT_DIGIT.sub("", text)
    return phone(text) if len(digits) >= 5 and len(digits) * 2 >= len(text) else text
