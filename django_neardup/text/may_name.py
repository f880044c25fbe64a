"""A quick look whether a text can hold a person's full name at all: most posts cannot."""

from __future__ import annotations

import re

_CAPITAL = "[^\\W\\d_a-zа-яё]"
"""A letter that is not a small one of the common alphabets."""

_WORD = "[^\\W_]*(?:['’ʼ`][^\\W_]*)*"
_SIDE_BY_SIDE = re.compile(rf"(?<![^\W\d_]){_CAPITAL}{_WORD}(?:\.[\s*_\-‐‑]*|[\s*_\-‐‑]+){_CAPITAL}")
_UNCLEAR = re.compile(
    "[<\\[&\\u00ad\\u0300-\\u036f\\u200b-\\u200f\\u2060\\ufeff\\u2460-\\u24ff\\U0001f130-\\U0001f18f]"
)
"""Markup, entities, characters that a reader does not see, letters in circles: words may begin and end anywhere."""


def may_name(raw: str) -> bool:
    """Whether two capitalised words stand side by side; where it is False, ``Document(raw).names`` is empty."""
    return bool(_SIDE_BY_SIDE.search(raw) or _UNCLEAR.search(raw))
