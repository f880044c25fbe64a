"""What kind of character each one is, for whole texts at once; learned as characters are met."""

from __future__ import annotations

import hashlib
import string
import unicodedata

import numpy as np
from numpy.typing import NDArray

from ..grammar import GLYPH
from ..homoglyphs import CYRILLIC_LETTER, CYRILLIC_ONLY, LATIN_LETTER, LATIN_ONLY, LOOKALIKE_LETTER
from ..normalize import INVISIBLE, ONLY_ACCENTS, SIMPLE, UNUSUAL

Codes = NDArray[np.intp]
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


class Alphabet:
    """Tables over all code points; a page of them is real memory only once a character of it was met.

    ``classes``: the bits above, 0 for what was never met; ``lower``: the code of the folded small letter;
    ``values``: a random 64-bit value of it, the same in every process that has the seed.
    """

    def __init__(self, seed: bytes) -> None:
        self.seed = seed
        self.classes = np.zeros(_SIZE, np.uint16)
        self.lower = np.zeros(_SIZE, np.uint32)
        self.values = np.zeros(_SIZE, np.uint64)

    def classify(self, codes: Codes, classes: Classes) -> None:
        """Write the classes of code points into ``classes``."""
        self.classes.take(codes, out=classes, mode="clip")
        if not classes.all():
            self._learn(np.unique(codes[classes == 0]))
            self.classes.take(codes, out=classes, mode="clip")

    def lowered(self, text: str) -> str:
        """A text of known characters, folded one by one, in small letters."""
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
        small = self.lower.take(codes).astype("<u4", copy=False)
        return small.tobytes().decode("utf-32-le", "surrogatepass")

    def _learn(self, codes: Codes) -> None:
        for code in codes.tolist():
            folded = folded_character(chr(code))
            small = folded.lower() if len(folded.lower()) == 1 else folded
            self.lower[code] = ord(small)
            self.values[code] = self._value(small)
            self.classes[code] = classified(chr(code), folded) | _raw(chr(code))

    def _value(self, char: str) -> int:
        data = self.seed + ord(char).to_bytes(4, "little")
        return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")


def folded_character(char: str) -> str:
    """What ``normalize`` makes of a character that stands alone."""
    char = _FOLDED_BEFORE.get(char, char)
    if not UNUSUAL.match(char):
        return char
    folded = SIMPLE[ord(char)]
    return _FOLDED_BEFORE.get(folded, folded)


def classified(char: str, folded: str) -> int:
    """The class of a character, given what it is folded to.  What is not known to be harmless is odd."""
    if INVISIBLE.match(char) or ONLY_ACCENTS.match(char):
        return KNOWN | HARD | UNSEEN | SYMBOL
    if folded.isspace():
        return KNOWN | SPACE
    if GLYPH.match(folded) or LOOKALIKE_LETTER.match(folded) or not _stable(folded):
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
