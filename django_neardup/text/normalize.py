"""Unicode folding: what looks alike becomes alike.  For comparison only, never for display."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from .homoglyphs import fold_lookalikes, fold_mixed, fold_scripts, fold_word, mostly_cyrillic
from .traced import Traced, Untraced

__all__ = ["Folded", "fold_word", "mostly_cyrillic", "normalize", "normalize_piece"]

MAX_MARKS = 30
_LONGEST_EXPANSION = 8

# Characters that need no folding at all: most Russian and English posts hold nothing else.
UNUSUAL = re.compile("[^\n\t -~А-яЁё«»“”„№…°•]")
UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
INVISIBLE = re.compile(f"[{UNSEEN}]+")
ACCENT_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u0610-\u061a\u064b-\u065f\u0670"
)
ACCENT_MARKS += "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_ACCENTED = re.compile(f"([^{ACCENT_MARKS}])?([{ACCENT_MARKS}]+)")
ONLY_ACCENTS = re.compile(f"[{ACCENT_MARKS}]+")
_LONG_RUN = re.compile(rf"[^\w\s\x00-\x7f]{{{MAX_MARKS + 1},}}")
_CLUSTER = re.compile(r"[\u1100-\u11ff]+|[^\W_]?[^\w\s\x00-\x7f…№]+|[^\x00-\x7f\u0410-\u044f…№]")
_LETTERS_KEPT = {
    "и\u0306": "й",
    "И\u0306": "Й",
    "е\u0308": "е",
    "Е\u0308": "Е",
    "і\u0308": "ї",
    "І\u0308": "Ї",
}
_LETTERS_KEPT.update({"у\u0306": "ў", "У\u0306": "Ў"})
_SPACES = re.compile(r"[ \t]+(?=\n)|[ \t]{2,}|\t")
# с п а с и б о, and с-п-а-с-и-бо, where both ends may be longer.
SPACED_OUT = re.compile(
    r"(?<!\w)[^\W\d_]{1,30}([.\-_*·•|~])(?:[^\W\d_]\1){2,}[^\W\d_]{1,30}(?!\w)"
    r"|(?<![\w.\-])[^\W\d_]([ /+])[^\W\d_](?:\2[^\W\d_]){2,}(?!\w)"
)
_MAYBE_SPACED = re.compile(r"([ .\-_*·•|~/+])[^\W\d_]\1[^\W\d_]\1")
_LETTER_ZERO = re.compile("(?<=[а-я])0(?=[а-я])")


class _Simple(dict[int, str]):
    """Code point to the one character that stands for it; filled as characters are met."""

    def __missing__(self, code: int) -> str:
        value = _simple(chr(code))
        if len(self) < 20_000:
            self[code] = value
        return value


def _simple(char: str) -> str:
    """One character for one: junk and spaces to a space, dashes, digits, accents, compatibility forms."""
    category = unicodedata.category(char)
    if char in "\n\t":
        return char
    if category in ("Cc", "Cs", "Co", "Cn", "Zs", "Zl", "Zp") or char in "™®©ªº⠀":
        return "\n" if char in "\x0b\x0c\x85\u2028\u2029" else " "
    if category == "Pd" or char == "−":
        return "-"
    if category == "Nd":
        return str(unicodedata.digit(char))
    if char in "’‘ʼʻ´′＇":
        return "'"
    if char == "ı":
        return "i"
    return _squared(char) or _unaccented(char)


def _squared(char: str) -> str:
    """Letters in circles and squares that have no compatibility form."""
    for first in (0x1F150, 0x1F170):
        if first <= ord(char) < first + 26:
            return chr(ord("A") + ord(char) - first)
    return ""


def _unaccented(char: str) -> str:
    one = unicodedata.normalize("NFKC", char)
    if len(one) != 1:
        return char
    if one != char:
        return _simple(one)
    parts = unicodedata.normalize("NFD", one)
    if len(parts) == 1 or not ONLY_ACCENTS.fullmatch(parts[1:]):
        return one
    return _LETTERS_KEPT.get(parts[:2], parts[0])


SIMPLE = _Simple()


class Folded(NamedTuple):
    """A folded text and its script."""

    traced: Traced
    cyrillic: bool


def normalize(traced: Traced, *, prefer_cyrillic: bool = True) -> Folded:
    """The folded text: see the steps.  Never longer than eight times the given one; any ``str`` will do.

    ``prefer_cyrillic``: what a text is that has no letter of one script only.
    """
    traced = fold_characters(traced)
    cyrillic = mostly_cyrillic(traced.text, prefer_cyrillic)
    return Folded(_without_zeros(fold_scripts(traced, cyrillic)), cyrillic)


def normalize_piece(piece: str, cyrillic: bool) -> Untraced:
    """What ``normalize`` makes of a piece between two blanks of a text whose script is known.

    True of texts that are Cyrillic, wholly Latin, or both with letters that only Cyrillic has, and outside of letters
    spaced out by blanks; ``text.batch`` sees to that.
    """
    folded = _without_zeros(fold_mixed(fold_lookalikes(fold_characters(Untraced(piece))), cyrillic))
    return Untraced(folded.text)


def fold_characters(traced: Traced) -> Traced:
    """The steps that need not know the script of the text."""
    traced = fold_signs(traced)
    if _MAYBE_SPACED.search(traced.text):
        traced = traced.sub(SPACED_OUT, _unspaced)
    if "ё" in traced.text or "Ё" in traced.text:
        traced = traced.with_text(traced.text.replace("ё", "е").replace("Ё", "Е"))
    return traced


def fold_signs(traced: Traced) -> Traced:
    """Dashes, rare characters, accents and blanks."""
    text = traced.text
    if "–" in text or "—" in text or "’" in text:
        traced = traced.with_text(text.replace("–", "-").replace("—", "-").replace("’", "'"))
    if UNUSUAL.search(traced.text):
        traced = _fold_unusual(traced)
    text = traced.text
    if "  " in text or " \n" in text or "\t" in text:
        traced = traced.sub(_SPACES, _space)
    return traced


def _without_zeros(traced: Traced) -> Traced:
    return traced.sub(_LETTER_ZERO, "о") if "0" in traced.text else traced


def _space(match: re.Match[str]) -> str:
    return "" if match.string[match.end() : match.end() + 1] == "\n" else " "


def _unspaced(match: re.Match[str]) -> str:
    return match.group().replace(match[1] or match[2], "")


def _fold_unusual(traced: Traced) -> Traced:
    traced = traced.with_text(traced.text.replace("\r\n", " \n").replace("\r", "\n"))
    traced = traced.sub(INVISIBLE, "")
    traced = traced.sub(_ACCENTED, _accented)
    traced = traced.with_text(traced.text.translate(SIMPLE))
    if unicodedata.is_normalized("NFKC", traced.text):
        return traced
    traced = traced.sub(_LONG_RUN, lambda match: match.group()[:MAX_MARKS])
    return traced.sub(_CLUSTER, _compatible)


def _accented(match: re.Match[str]) -> str:
    base, marks = match[1] or "", match[2]
    return _LETTERS_KEPT.get(base + marks[0], base)


def _compatible(match: re.Match[str]) -> str:
    """NFKC of one cluster, unless it is one of the few characters that explode."""
    cluster = match.group()
    folded = unicodedata.normalize("NFKC", cluster)
    if folded == cluster or len(folded) > _LONGEST_EXPANSION * len(cluster):
        return cluster
    return _ACCENTED.sub(_accented, folded).translate(SIMPLE)
