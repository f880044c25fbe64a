"""Words in two scripts: Тойота and Toyota. Brands are in a data file, other words are compared by sound."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from ..vocabulary import read_lines

MIN_CONSONANTS = 3
_CYRILLIC = re.compile("[\u0400-\u052f]")
_VOWELS = re.compile("[aeiouyаеёиоуыэюяіїєу]+")
_SOUNDS_OF_CYRILLIC = {
    "б": "b", "в": "v", "г": "g", "д": "d", "ж": "zh", "з": "z", "к": "k", "л": "l", "м": "m", "н": "n", "п": "p",
    "р": "r", "с": "s", "т": "t", "ф": "f", "х": "h", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "sh", "ґ": "g",
    "а": "a", "е": "e", "и": "i", "о": "o", "у": "u", "ы": "i", "э": "e", "ю": "u", "я": "a", "і": "i", "ї": "i",
    "є": "e", "й": "i", "ь": "", "ъ": "", "ј": "j", "љ": "l", "њ": "n", "ђ": "d", "ћ": "ch", "џ": "dzh",
}  # fmt: skip
_SOUNDS_OF_LATIN = (
    ("sch", "sh"), ("tch", "ch"), ("ph", "f"), ("ck", "k"), ("qu", "kv"), ("q", "k"), ("x", "ks"), ("w", "v"),
    ("wh", "v"), ("th", "t"), ("kh", "h"), ("gh", "g"),
)  # fmt: skip
_SOFT_C = re.compile("c(?=[eiy])")
_HARD_C = re.compile("c(?!h)")
_REPEATED = re.compile(r"(.)\1+")


@cache
def _brand_numbers() -> dict[str, int]:
    """Return the number of the line of every spelling of a brand."""
    return {word: number for number, line in enumerate(read_lines("brands")) for word in line.split()}


def is_brand(word: str) -> bool:
    """Return whether a word in lower case is a brand of the data file."""
    return word in _brand_numbers()


def sounds_alike(a: str, b: str) -> bool:
    """Return whether a Cyrillic and a Latin word, in lower case, are one name."""
    return a.isascii() != b.isascii() and _sound_alike(a, b)


@lru_cache(maxsize=20_000)
def _sound_alike(a: str, b: str) -> bool:
    if bool(_CYRILLIC.search(a)) == bool(_CYRILLIC.search(b)):
        return False
    numbers = _brand_numbers()
    if a in numbers and b in numbers:
        return numbers[a] == numbers[b]
    first, second = _sound(a), _sound(b)
    if first == second:
        return True
    consonants = [_VOWELS.sub("", sound) for sound in (first, second)]
    return (
        consonants[0] == consonants[1]
        and len(consonants[0]) >= MIN_CONSONANTS
        and bool(_VOWELS.match(first)) == bool(_VOWELS.match(second))
    )


def _sound(word: str) -> str:
    """Return a rough phonetic form in Latin letters."""
    if _CYRILLIC.search(word):
        word = "".join(_SOUNDS_OF_CYRILLIC.get(letter, letter) for letter in word)
    else:
        for letters, sound in _SOUNDS_OF_LATIN:
            word = word.replace(letters, sound)
        word = _HARD_C.sub("k", _SOFT_C.sub("s", word)).replace("y", "i").replace("j", "dzh")
    return _REPEATED.sub(r"\1", word)
