"""Language codes: their form, the known ones, and the one that was probably meant."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Any, TypeGuard

from django.conf import settings
from django.conf.locale import LANG_INFO
from django.core.checks import CheckMessage

from ..text.lemmas.morphology import STEMMED_LANGUAGES
from .messages import check_message

LANGUAGE_CODE = re.compile(r"[a-z]{2,3}([-_][a-z0-9]+)*", re.IGNORECASE)
CODES_OF_COUNTRIES = {
    "by": "be", "cn": "zh-hans", "cz": "cs", "dk": "da", "gb": "en", "gr": "el", "il": "he", "in": "hi", "ir": "fa",
    "jp": "ja", "kr": "ko", "kz": "kk", "rs": "sr", "se": "sv", "ua": "uk", "us": "en", "vn": "vi",
}  # fmt: skip
"""Country codes that are often written for a language, and the code of that language."""


def is_language_code(value: Any) -> TypeGuard[str]:
    """Return whether the value has the form of a language code."""
    return isinstance(value, str) and LANGUAGE_CODE.fullmatch(value) is not None


def is_known_language(code: str) -> bool:
    """Return whether words of the language are reduced, or Django or the site knows the code."""
    language = _base_code(code)
    known_codes = {*LANG_INFO, *(str(site_code) for site_code, _ in settings.LANGUAGES)}
    return language in STEMMED_LANGUAGES or language in map(_base_code, known_codes)


def suggest_language(value: Any) -> str:
    """Return a question with the language that was probably meant. Return an empty string if none is near."""
    code = _similar_code(_base_code(value)) if isinstance(value, str) else None
    return f'Did you mean "{code}" ({_names(code)[0].capitalize()})? ' if code else ""


def unknown_language_message(subject: str, code: str, model: Any = None) -> CheckMessage:
    """Return the warning about a code that has the right form and is no known language."""
    return check_message(
        "W115",
        f"{subject} {code!r} is unknown, so words are compared as they are written.",
        f"{suggest_language(code)}If the language exists, add it to LANGUAGES or silence this check.",
        model,
    )


def _base_code(code: str) -> str:
    return code.lower().replace("_", "-").partition("-")[0].strip()


def _similar_code(text: str) -> str | None:
    """Return the code of a country's language, or of a language whose name is similar or begins so."""
    if text in CODES_OF_COUNTRIES:
        return CODES_OF_COUNTRIES[text]
    if len(text) < 3:
        return None
    code_by_name = {name: code for code in LANG_INFO if "-" not in code for name in _names(code)}
    beginnings = [name for name in code_by_name if name.startswith(text)]
    # Short codes resemble short names by chance.
    names = beginnings or (get_close_matches(text, code_by_name, 1) if len(text) > 3 else [])
    return code_by_name[names[0]] if names else None


def _names(code: str) -> list[str]:
    """Return the English and the own name of a language that Django knows, in small letters."""
    info = LANG_INFO.get(code, {"name": code})
    return [str(info[key]).lower() for key in ("name", "name_local") if key in info]
