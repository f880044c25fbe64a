"""What kind of character each one is, for whole texts at once; learned as characters are met."""

from __future__ import annotations

import string
import threading
import unicodedata

import numpy as np
from numpy.typing import NDArray

from ..normalization.homoglyphs import (
    CYRILLIC_LETTER,
    CYRILLIC_ONLY,
    LATIN_LETTER,
    LATIN_ONLY,
    LOOKALIKE_LETTER,
)
from ..normalization.normalize import ACCENT_RUN, CHARACTER_FOLDS, INVISIBLE_RUN, UNUSUAL_CHARACTER
from ..tokens.token_pattern import UNSPACED_GLYPH
from .runs import where

Bytes = NDArray[np.uint8]
Points = NDArray[np.uint32]
Classes = NDArray[np.uint16]

LETTER, SPACE = 1, 2
HARD = 4  # may be a part of a figure, a code, an address, or changes the letters beside it
ODD = 8  # hard, and may become something else altogether: its text is looked at
UNSEEN = 16  # hard, and changes the letters beside it
SYMBOL = 32  # neither ASCII nor a part of a word: a long run of these is cut
LATIN, CYRILLIC, UNMISTAKABLY_LATIN, UNMISTAKABLY_CYRILLIC = 64, 128, 256, 512
DOT, SLASH, SHARP = 1024, 2048, 4096  # hard beside some characters
MARK = 8192  # may be a part of markup
LINKED = 16384  # may be a part of an address that is no part of a word
KNOWN = 1 << 15

_HARD = frozenset("'_@+*~$€£¥₽₴₸°×÷·҂")
_MARKS = frozenset("<>&[]*~_")
_LINKED = frozenset("@/w")
OTHER = 127
_OPENING = string.ascii_letters + "/!?*#"
_BEHIND = {"<": _OPENING, "&": _OPENING, "[": _OPENING, "]": "(", "~": "~", "_": f"'{chr(OTHER)}"}
_ALONE = {".": DOT, "/": SLASH, "#": SHARP}
_FOLDED_BEFORE = {"–": "-", "—": "-", "’": "'", "\r": "\n", "ё": "е", "Ё": "Е"}
_SIZE = 0x110000

# A byte for each small letter, twins of the other script first; words of other letters are read plainly.
_LATIN_LETTERS = "aeopcyxkibtmh" + "dfgjlnqrsuvwz" + "ßæðøþđħĸłŋœŧƒǝ"
_CYRILLIC_LETTERS = "аеорсухківтмн" + "ґғҗҙқҝҡңҥҩҫүұҳҷһҽәөӏѣ" + "бгджзийлпфцчшщъыьэюяђєїљњћўџ"
_LETTERS = {
    letter: first + place
    for first, letters in ((128, _LATIN_LETTERS), (192, _CYRILLIC_LETTERS))
    for place, letter in enumerate(letters)
}
FIRST_LETTER, FIRST_CYRILLIC = 128, 192
LATIN_ONLY_BYTES = _LETTERS["d"], FIRST_CYRILLIC
CYRILLIC_ONLY_BYTES = _LETTERS["б"], 256
W = _LETTERS["w"]
BLANK = 1
SPECIAL = 12, 64  # bytes of symbols, and of all else that has to be looked at
_SCRIPTS = LATIN | CYRILLIC | UNMISTAKABLY_LATIN | UNMISTAKABLY_CYRILLIC
_SPECIAL = HARD | ODD | UNSEEN | DOT | SLASH | SHARP | MARK | LINKED | _SCRIPTS
_RANGES = {  # by whether special, and whether a symbol
    (False, False): (2, 12),
    (False, True): (12, 16),
    (True, True): (17, 34),
    (True, False): (34, 64),
}
_ANY = 16  # of what there is no byte left for


class Alphabet:
    """Tables over all code points; a page of them is real memory only once a character of it was met.

    ``bytes``: a byte for each, 0 for what was never met: the folded small letter itself, from ``FIRST_LETTER`` on and
    the same in every process; the kind of any other character.  ``classes``: the bits above, of each byte; ``lower``:
    the code of the folded small letter.
    """

    def __init__(self) -> None:
        self.bytes = np.zeros(_SIZE, np.uint8)
        self.lower = np.zeros(_SIZE, np.uint32)
        self.classes = np.zeros(256, np.uint16)
        self.classes[_ANY] = KNOWN | HARD | ODD | SYMBOL
        self._kinds = {KNOWN | SPACE: BLANK}
        self.classes[BLANK] = KNOWN | SPACE
        self._learning = threading.Lock()

    def classify(self, codes: NDArray[np.intp], found: Bytes) -> None:
        """Write the bytes of code points into ``found``."""
        self.bytes.take(codes, out=found, mode="clip")
        if not found.min():
            with self._learning:
                self._learn(np.unique(codes[found == 0]))
            self.bytes.take(codes, out=found, mode="clip")

    def lowered(self, text: str) -> str:
        """A text of known characters, folded one by one, in small letters."""
        small = self.lower.take(points_of(text)).astype("<u4", copy=False)
        return small.tobytes().decode("utf-32-le", "surrogatepass")

    def _learn(self, codes: NDArray[np.intp]) -> None:
        for code in codes[self.bytes[codes] == 0].tolist():  # another thread may have met some
            folded = folded_character(chr(code))
            small = folded.lower() if len(folded.lower()) == 1 else folded
            self.lower[code] = ord(small)
            self.bytes[code] = self._byte(classified(chr(code), folded) | _raw(chr(code)), small)

    def _byte(self, kind: int, small: str) -> int:
        if kind & LETTER and small in _LETTERS:
            found = _LETTERS[small]
            self.classes[found] = kind
            return found
        if kind & LETTER:
            kind |= HARD
        found = self._kinds.get(kind) or self._kind(kind)
        self._kinds[kind] = found
        return found

    def _kind(self, kind: int) -> int:
        """A byte for a kind that was never met."""
        first, end = _RANGES[bool(kind & _SPECIAL), bool(kind & SYMBOL)]
        free = where(self.classes[first:end] == 0)
        if not len(free):
            return _ANY
        self.classes[first + int(free[0])] = kind
        return first + int(free[0])


def points_of(text: str) -> Points:
    """The code points of a text."""
    return np.ndarray((len(text),), np.uint32, np.array(text))  # sooner than ``encode``


def folded_character(char: str) -> str:
    """What ``normalize`` makes of a character that stands alone."""
    char = _FOLDED_BEFORE.get(char, char)
    if not UNUSUAL_CHARACTER.match(char):
        return char
    folded = CHARACTER_FOLDS[ord(char)]
    return _FOLDED_BEFORE.get(folded, folded)


def classified(char: str, folded: str) -> int:
    """The class of a character, given what it is folded to.  What is not known to be harmless is odd."""
    if INVISIBLE_RUN.match(char) or ACCENT_RUN.match(char):
        return KNOWN | HARD | UNSEEN | SYMBOL
    if folded.isspace():
        return KNOWN | SPACE
    if UNSPACED_GLYPH.match(folded) or LOOKALIKE_LETTER.match(folded) or not _stable(folded):
        return KNOWN | HARD | ODD | SYMBOL
    if folded.isalpha():
        return KNOWN | _letter(char, folded)
    if folded.isdecimal():
        return KNOWN | HARD
    odd = folded.isalnum() or folded not in (char, "-", "'")
    return KNOWN | _mark(folded) | (HARD | ODD | SYMBOL if odd else 0)


def _raw(char: str) -> int:
    """Bits of the character as it is written."""
    return (MARK if char in _MARKS else 0) | (LINKED if char in _LINKED else 0)


def markup() -> NDArray[np.bool_]:
    """Which characters, and which behind them, may be markup: bool[128, 128]; the last is all that are not ASCII."""
    pairs = np.zeros((OTHER + 1, OTHER + 1), bool)
    for mark, behind in _BEHIND.items():
        pairs[ord(mark), [ord(char) for char in behind]] = True
    pairs[[ord(">"), ord("*")]] = True
    pairs[ord("*"), [ord(blank) for blank in " \n\t"]] = False
    return pairs


def _letter(char: str, folded: str) -> int:
    small = folded.lower()
    sure = len(small) == 1 and small.isalpha() and unicodedata.category(folded) != "Lm"
    # Only w itself may spell "www."; a final sigma has a small letter of its own.
    if not sure or _script(folded) != _script(small) or folded == "Σ" or (small == "w" and char not in "wW"):
        return HARD | ODD | SYMBOL
    return LETTER | _script(folded)


def _mark(char: str) -> int:
    symbol = 0 if char.isascii() else SYMBOL
    return symbol | _script(char) | _ALONE.get(char, 0) | (HARD if char in _HARD else 0)


def _script(char: str) -> int:
    return (
        (LATIN if LATIN_LETTER.match(char) else 0)
        | (CYRILLIC if CYRILLIC_LETTER.match(char) else 0)
        | (UNMISTAKABLY_LATIN if LATIN_ONLY.match(char) else 0)
        | (UNMISTAKABLY_CYRILLIC if CYRILLIC_ONLY.match(char) else 0)
    )


def _stable(char: str) -> bool:
    """Whether NFKC leaves a character alone, whatever stands beside it."""
    if "\u1100" <= char <= "\u11ff" or unicodedata.category(char).startswith("M"):
        return False
    return char in "…№" or unicodedata.normalize("NFKC", char) == char
