"""Unicode folding: look-alike characters become equal. The result is for comparison, never for display."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from itertools import groupby, islice
from typing import NamedTuple

from .homoglyphs import CYRILLIC_LETTER, fold_lookalikes, fold_scripts, fold_word, is_mostly_cyrillic
from .offsets import OffsetText
from .visual_order import LINE_WITH_CONTROLS, OVERRIDE, visual_order

__all__ = ["NormalizedText", "fold_word", "is_mostly_cyrillic", "normalize"]

MAX_MARKS = 30
_MAX_EXPANSION = 8

# Any character that needs folding: most Russian and English posts have none.
UNUSUAL_CHARACTER = re.compile("[^\n\t -~А-яЁё«»“”„№…°•]")
_LATIN_OR_UNUSUAL = re.compile("[^\n\t -@[-`{-~А-яЁё«»“”„№…°•]")
INVISIBLE_CHARACTERS = (
    "\u00ad\u034f\u061c\u0640\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# Letters of Korean that are drawn as a blank or not at all.
_FILLERS = "\u115f\u1160\u3164\uffa0"
_FILLER = re.compile(f"[{_FILLERS}]")
_MAX_MEAN_WORD = 9
"""Mean number of letters above which chunks with fillers are several words each. In Russian the mean is six."""

# Blanks of other widths than the one between words.
_LETTERS_BETWEEN_THIN_BLANKS = re.compile(
    r"(?<!\w)[^\W\d_](?:[\u2000-\u200a\u202f\u205f\u2800][^\W\d_]){2,}(?!\w)"
)
_THIN_BLANK = re.compile("[\u2000-\u200a\u202f\u205f\u2800]")
INVISIBLE_RUN = re.compile(f"[{INVISIBLE_CHARACTERS}]+")
ACCENT_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u0610-\u061a\u064b-\u065f\u0670"
)
ACCENT_MARKS += "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_ACCENTED_LETTER = re.compile(f"([^{ACCENT_MARKS}])?([{ACCENT_MARKS}]+)")
ACCENT_RUN = re.compile(f"[{ACCENT_MARKS}]+")
LONG_MARK_RUN = re.compile(rf"[^\w\s\x00-\x7f]{{{MAX_MARKS + 1},}}")
# Characters that are kept although they have a compatibility form.
_STAYING = {ord("…"): ".", ord("№"): "#"}
_CHARACTER_CLUSTER = re.compile(r"[\u1100-\u11ff]+|[^\W_]?[^\w\s\x00-\x7f…№]+|[^\x00-\x7f\u0410-\u044f…№]")
_COMPOSED_LETTERS = {
    "и\u0306": "й",
    "И\u0306": "Й",
    "е\u0308": "е",
    "Е\u0308": "Е",
    "і\u0308": "ї",
    "І\u0308": "Ї",
}
_COMPOSED_LETTERS.update({"у\u0306": "ў", "У\u0306": "Ў"})
_SMALL_CAPITAL = "LATIN LETTER SMALL CAPITAL "
# Letters without a compatibility form: Greek and turned ones in the place of Cyrillic, Cherokee, Lisu, Coptic.
_DRAWN_LETTERS = dict(
    zip(
        "ᴦᴧᴫᴨᴩᴎᴙʍᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᎽᏃᏏᏒᏔᏚᏞᏟᏢᏦᏧᏴꓐꓑꓒꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴⲀⲂⲈⲎⲒⲔⲘⲚⲞⲢⲤⲦⲬⲁⲉⲟⲣⲥⲭ",
        "гллприямDRTiyAJEWMHYZbRWSLCPKdBBPDDTGKJCZFMNLSRVHWXYAEIOUABEHIKMHOPCTXaeopcx",
    )
)
_BLANKS_BEFORE_END = re.compile(r"[ \t]+(?=\n)")
_BLANKS = re.compile(r"[ \t]{2,}|\t")
# с п а с и б о, and с-п-а-с-и-бо, whose first and last part may be longer.
SPACED_OUT_WORD = re.compile(
    r"(?<!\w)[^\W\d_]{1,30}([.\-_*·•|~])(?:[^\W\d_]\1){2,}[^\W\d_]{1,30}(?!\w)"
    r"|(?<![\w.\-])[^\W\d_]([ /+])[^\W\d_](?:\2[^\W\d_]){2,}(?!\w)"
)
# п р о д а м   г а р а ж: the gaps between words are wider than those between letters, or of other characters.
_UNUSUAL_BLANKS = "\u00a0\u00ad\u1680\u2000-\u200f\u202f\u205f-\u206f\u2800\u3000\ufeff"
_GAP = re.compile(f"[ \t{_UNUSUAL_BLANKS}]+")
_LETTERS_APART = re.compile(rf"(?<![\w.\-])[^\W\d_](?:[ \t{_UNUSUAL_BLANKS}]{{1,20}}[^\W\d_](?!\w)){{3,}}")
_LETTER_BEHIND_UNUSUAL_BLANK = re.compile(
    rf"[{_UNUSUAL_BLANKS}][ \t{_UNUSUAL_BLANKS}]{{0,19}}[^\W\d_][ \t{_UNUSUAL_BLANKS}]"
)
# Parts of every match of the pattern above. Each begins with one of few characters, which makes the search fast.
_SPACED_OUT_HINT = re.compile(r"([.\-_*·•|~])[^\W\d_]\1[^\W\d_]\1")
_MAYBE_SPACED_BY_BLANKS = re.compile(r" . .(?<= [^\W\d_] [^\W\d_]) [^\W\d_](?!\w)")
_MAYBE_SPACED_BY_SIGNS = re.compile(r"([/+])[^\W\d_]\1[^\W\d_]\1[^\W\d_](?!\w)")
_AT_AS_LETTER = re.compile("@(?<=[а-яА-Я]@)(?=[а-яА-Я])")
_ZERO_AS_LETTER = re.compile("0(?<=[а-я]0)(?=[а-я])")


class _CharacterFolds(dict[int, str]):
    """Code points mapped to the one character that replaces them, filled on demand."""

    def __missing__(self, code: int) -> str:
        value = _fold_character(chr(code))
        if len(self) < 20_000:
            self[code] = value
        return value


def _fold_character(char: str) -> str:
    """Fold a character to one character: junk and spaces, dashes, digits, accents, compatibility forms."""
    category = unicodedata.category(char)
    if char in "\n\t":
        return char
    if category in ("Cc", "Cs", "Co", "Cn", "Zs", "Zl", "Zp") or char in "™®©ªº⠀\U0001d159":
        return "\n" if char in "\x0b\x0c\x85\u2028\u2029" else " "
    if category == "Pd" or char == "−":
        return "-"
    if category == "Nd":
        return str(unicodedata.digit(char))
    if char in "⁄∕":
        return "/"
    if char in "ϲϹ":  # NFKC would make a sigma of the look-alike of c
        return "c" if char == "ϲ" else "C"
    if char in "’‘ʼʻ´′＇":
        return "'"
    if char == "ı":
        return "i"
    return _fold_framed_letter(char) or _fold_drawn_letter(char) or _strip_accent(char)


def _fold_framed_letter(char: str) -> str:
    """Return the plain letter of a letter in a circle or square without a compatibility form, otherwise ""."""
    for first_code in (0x1F150, 0x1F170):
        if first_code <= ord(char) < first_code + 26:
            return chr(ord("A") + ord(char) - first_code)
    return ""


def _fold_drawn_letter(char: str) -> str:
    """Return the plain letter of a small capital or of a letter that looks like a Latin or Cyrillic one, or ""."""
    if char in _DRAWN_LETTERS:
        return _DRAWN_LETTERS[char]
    name = unicodedata.name(char, "")
    letter = name.removeprefix(_SMALL_CAPITAL)
    return letter.lower() if letter != name and len(letter) == 1 else ""


def _strip_accent(char: str) -> str:
    compatible = unicodedata.normalize("NFKC", char)
    if len(compatible) != 1:
        return char
    if compatible != char:
        return _fold_character(compatible)
    parts = unicodedata.normalize("NFD", compatible)
    if len(parts) == 1 or not ACCENT_RUN.fullmatch(parts[1:]):
        return compatible
    return _COMPOSED_LETTERS.get(parts[:2], parts[0])


CHARACTER_FOLDS = _CharacterFolds()


class NormalizedText(NamedTuple):
    """A folded text and its script. ``usual``: no character needed ``UNUSUAL_CHARACTER`` folding."""

    offset_text: OffsetText
    is_cyrillic: bool
    usual: bool = False


def normalize(offset_text: OffsetText, *, prefer_cyrillic: bool = True) -> NormalizedText:
    """Fold a text and detect its script. Accepts any ``str``.

    The result is at most eight times as long as the text.
    ``prefer_cyrillic``: whether a text without distinctive letters is Cyrillic.
    """
    offset_text = _fold_typography(offset_text)
    latin_or_unusual = _LATIN_OR_UNUSUAL.search(offset_text.text)
    usual = not (latin_or_unusual and UNUSUAL_CHARACTER.search(offset_text.text, latin_or_unusual.start()))
    if not usual:
        offset_text = _fold_unusual(offset_text)
    offset_text = _fold_letters(_fold_blanks(offset_text))
    if latin_or_unusual is None:  # without Latin letters there is nothing to distinguish
        return NormalizedText(
            _replace_letter_signs(offset_text), bool(CYRILLIC_LETTER.search(offset_text.text)), True
        )
    cyrillic = is_mostly_cyrillic(offset_text.text, prefer_cyrillic, usual=usual)
    if not usual:
        offset_text = fold_lookalikes(offset_text)
    return NormalizedText(_replace_letter_signs(fold_scripts(offset_text, cyrillic)), cyrillic, usual)


def fold_characters(offset_text: OffsetText) -> OffsetText:
    """Do the steps of ``normalize`` that do not depend on the script of the text."""
    offset_text = _fold_typography(offset_text)
    if UNUSUAL_CHARACTER.search(offset_text.text):
        offset_text = _fold_unusual(offset_text)
    return _fold_letters(_fold_blanks(offset_text))


def _fold_typography(traced: OffsetText) -> OffsetText:
    """Replace the few typographic signs of common texts. Checking for each is cheaper than a translation."""
    if "\u00a0" in traced.text:
        traced = _join_letters_by_unusual_blanks(traced)
    text = traced.text
    if "–" in text or "—" in text or "’" in text or "\u00a0" in text:
        text = text.replace("–", "-").replace("—", "-").replace("’", "'").replace("\u00a0", " ")
        return traced.with_text(text)
    return traced


def _fold_blanks(traced: OffsetText) -> OffsetText:
    """Replace several blanks by one, and remove blanks before the end of a line."""
    text = traced.text
    if "\n" in text and (" \n" in text or "\t\n" in text):
        traced = traced.sub(_BLANKS_BEFORE_END, "")
    if "  " in text or "\t" in text:
        traced = traced.sub(_LETTERS_APART, _join_letters_apart).sub(_BLANKS, " ")
    return traced


def _join_letters_apart(match: re.Match[str]) -> str:
    """Join the letters of each word, if the gaps between words differ from those between letters.

    They are wider, or they are rarer and of other characters.
    """
    letters = match.group()
    gaps = _GAP.findall(letters)
    widths = {gap: len(INVISIBLE_RUN.sub("", gap)) for gap in gaps}
    narrow = min(widths.values())
    if len(widths) == 1:
        return letters
    if narrow < max(widths.values()):
        return _GAP.sub(lambda gap: "" if widths[gap.group()] == narrow else " ", letters)
    ((between_letters, _),) = Counter(gaps).most_common(1)
    return _GAP.sub(lambda gap: "" if gap.group() == between_letters else " ", letters)


def _join_letters_by_unusual_blanks(traced: OffsetText) -> OffsetText:
    if _LETTER_BEHIND_UNUSUAL_BLANK.search(traced.text):
        return traced.sub(_LETTERS_APART, _join_letters_apart)
    return traced


def _fold_letters(traced: OffsetText) -> OffsetText:
    """Join spaced-out letters, and write ё as е."""
    if _may_be_spaced(traced.text):
        traced = traced.sub(SPACED_OUT_WORD, _join_spaced_letters)
    if "ё" in traced.text or "Ё" in traced.text:
        traced = traced.with_text(traced.text.replace("ё", "е").replace("Ё", "Е"))
    return traced


def _may_be_spaced(text: str) -> bool:
    """Return whether a text may have spaced-out letters (``SPACED_OUT_WORD``)."""
    if _SPACED_OUT_HINT.search(text) or _MAYBE_SPACED_BY_BLANKS.search(text):
        return True
    return ("/" in text or "+" in text) and bool(_MAYBE_SPACED_BY_SIGNS.search(text))


def _replace_letter_signs(offset_text: OffsetText) -> OffsetText:
    if "@" in offset_text.text:
        offset_text = offset_text.sub(_AT_AS_LETTER, "а")
    return offset_text.sub(_ZERO_AS_LETTER, "о") if "0" in offset_text.text else offset_text


def _join_spaced_letters(match: re.Match[str]) -> str:
    return match.group().replace(match[1] or match[2], "")


def _fold_unusual(offset_text: OffsetText) -> OffsetText:
    if "\r" in offset_text.text:
        offset_text = offset_text.with_text(offset_text.text.replace("\r\n", " \n").replace("\r", "\n"))
    if OVERRIDE.search(offset_text.text):
        offset_text = offset_text.sub(LINE_WITH_CONTROLS, visual_order)
    offset_text = _join_letters_by_unusual_blanks(offset_text)
    if _FILLER.search(offset_text.text):
        offset_text = _fold_fillers(offset_text)
    if _THIN_BLANK.search(offset_text.text):
        offset_text = offset_text.sub(
            _LETTERS_BETWEEN_THIN_BLANKS, lambda match: _THIN_BLANK.sub("", match.group())
        )
    offset_text = offset_text.sub(INVISIBLE_RUN, "")
    if ACCENT_RUN.search(offset_text.text):
        offset_text = offset_text.sub(_ACCENTED_LETTER, _compose_or_drop_accent)
    offset_text = offset_text.with_text(UNUSUAL_CHARACTER.sub(_simplified, offset_text.text))
    offset_text = offset_text.sub(LONG_MARK_RUN, limit_marks)
    if unicodedata.is_normalized("NFKC", offset_text.text):
        return offset_text
    offset_text = offset_text.sub(LONG_MARK_RUN, lambda match: match.group()[:MAX_MARKS])
    if unicodedata.is_normalized("NFKC", offset_text.text.translate(_STAYING)):
        return offset_text
    return offset_text.sub(_CHARACTER_CLUSTER, _fold_compatibility)


def _fold_fillers(offset_text: OffsetText) -> OffsetText:
    """Replace fillers by blanks if words are written with them in place of blanks. Otherwise they are invisible."""
    lengths = [
        len(chunk) - count for chunk in offset_text.text.split() if (count := len(_FILLER.findall(chunk)))
    ]
    if sum(lengths) <= _MAX_MEAN_WORD * len(lengths):
        return offset_text
    return offset_text.with_text(_FILLER.sub(" ", offset_text.text))


def limit_marks(match: re.Match[str]) -> str:
    """Return a run of characters with at most ``MAX_MARKS`` combining marks one after another.

    Python sorts the marks behind a letter in quadratic time. Unicode's stream-safe format has the same limit (UAX 15).
    """
    groups = groupby(match.group(), _becomes_marks)
    return "".join("".join(islice(group, MAX_MARKS if is_mark else None)) for is_mark, group in groups)


def _becomes_marks(char: str) -> bool:
    # Some signs are no combining marks, but decompose into them.
    return unicodedata.combining(unicodedata.normalize("NFD", char)[0]) != 0


def _simplified(match: re.Match[str]) -> str:
    return CHARACTER_FOLDS[ord(match.group())]


def _compose_or_drop_accent(match: re.Match[str]) -> str:
    base, marks = match[1] or "", match[2]
    return _COMPOSED_LETTERS.get(base + marks[0], base)


def _fold_compatibility(match: re.Match[str]) -> str:
    """Return the NFKC form of a cluster. Keep the few characters that would grow more than eight times."""
    cluster = match.group()
    folded = unicodedata.normalize("NFKC", cluster)
    if folded == cluster or len(folded) > _MAX_EXPANSION * len(cluster):
        return cluster
    folded = _ACCENTED_LETTER.sub(_compose_or_drop_accent, folded).translate(CHARACTER_FOLDS)
    # The blank keeps 1½ from becoming 11/2.
    return f" {folded}" if "/" in folded else folded
