"""Hostile posts and questions about them, composed at random from a table of kinds.

A world has a dozen stored posts that are near copies of one text, of about the same length or much longer. The
questions about them are near copies, too: what a hostile author would publish and type.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django_neardup.text.normalization.plain_text import MAX_BYTES
from tests.text.hostile import HOSTILE

STORED = 12
"""Posts of a world."""
TYPED_LETTERS = 20_000
"""The longest text that may be typed."""
TYPED = 12
"""Questions while somebody types, for each world."""
LONG_WORLDS = 1 / 8
SHORTEST = 300
"""Letters of the shortest base text."""
CYRILLIC = "абвгдежзийклмнопрстуфхцчшщъыьэюя"
FIRST_NAMES = ["Анна", "Мария", "Ольга", "Пётр", "Иван", "Сергей", "Татьяна", "Олег", "Мехмет", "Джон"]
FATHERS = ["Иванович", "Петрович", "Сергеевна", "Павловна", "Олегович"]


def _words(source: random.Random, count: int, length: int = 7, letters: str = CYRILLIC) -> list[str]:
    return ["".join(source.choices(letters, k=source.randint(2, length))) for _ in range(count)]


def _stem_words(source: random.Random, count: int) -> list[str]:
    """Words that differ in their last letters only: each may be a spelling of any other."""
    return ["корабел" + "".join(source.choices("абвгд", k=3)) for _ in range(count)]


MAKERS: dict[str, Callable[[random.Random, int], str]] = {
    "invented words": lambda source, n: " ".join(_words(source, n // 6, 9)),
    "short words": lambda source, n: " ".join(_words(source, n // 4, 3)),
    "one word": lambda source, n: f"{_words(source, 1)[0]} " * (n // 6),
    "long words": lambda source, n: " ".join(_words(source, n // 150, 300)),
    "look-alikes": lambda source, n: " ".join(_stem_words(source, n // 11)),
    "latin words": lambda source, n: " ".join(_words(source, n // 6, 9, "abcdefghiklmnoprstuvwxyz")),
    "numbers": lambda source, n: " ".join(str(source.randrange(10**6)) for _ in range(n // 6)),
    "codes": lambda source, n: " ".join(
        f"{source.choice('абвгд')}{source.randrange(999)}-{source.randrange(99)}" for _ in range(n // 8)
    ),
    "prices": lambda source, n: " ".join(f"цена {source.randrange(10**5)} руб." for _ in range(n // 16)),
    "phones": lambda source, n: " ".join(f"+7 903 {source.randrange(10**7):07}" for _ in range(n // 15)),
    "names": lambda source, n: " ".join(
        f"{source.choice(FIRST_NAMES)} {source.choice(FATHERS)} {word.title()}" for word in _words(source, n // 22)
    ),
    "single letters": lambda source, n: " ".join(source.choices(CYRILLIC, k=n // 2)),
    "repeated passage": lambda source, n: " ".join(_words(source, 30)) * max(1, n // 150),
    "markup": lambda source, n: "".join(
        f"<b x='{word}'>{word}</b><!-- {word} -->" for word in _words(source, n // 35)
    ),
}  # fmt: skip


def _make(source: random.Random, name: str, letters: int) -> str:
    maker = MAKERS.get(name)
    if maker is not None:
        return maker(source, letters)
    unit = HOSTILE[name](50)
    return HOSTILE[name](max(1, 50 * letters // len(unit)))[:letters]


def _storable(text: str) -> str:
    """Return the text as a database can store it."""
    return "".join(char for char in text if not "\ud800" <= char <= "\udfff").replace("\0", " ")


def _swap_passages(source: random.Random, words: list[str]) -> list[str]:
    size = max(1, len(words) // source.randint(4, 80))
    passages = [words[start : start + size] for start in range(0, len(words), size)]
    for _ in range(len(passages) // 3):
        first, second = source.randrange(len(passages)), source.randrange(len(passages))
        passages[first], passages[second] = passages[second], passages[first]
    return [word for passage in passages for word in passage]


def _misspell(source: random.Random, words: list[str], step: int) -> list[str]:
    def misspell(word: str) -> str:
        place = source.randrange(len(word) + 1)
        return word[:place] + source.choice(CYRILLIC) + word[place + 1 :]

    return [word if position % step else misspell(word) for position, word in enumerate(words)]


def _replace_runs(source: random.Random, words: list[str]) -> list[str]:
    """Leave six words of 36, as many as a shared passage needs, and misspell the others."""
    misspelt = _misspell(source, words, 1)
    return [
        word if position % 36 < 6 else other
        for position, (word, other) in enumerate(zip(words, misspelt, strict=True))
    ]


EDITS: dict[str, Callable[[random.Random, list[str]], list[str]]] = {
    "a word": lambda source, words: _misspell(source, words, max(2, len(words))),
    "every fifth word": lambda source, words: _misspell(source, words, 5),
    "every second word": lambda source, words: _misspell(source, words, 2),
    "all but short runs": _replace_runs,
    "passages": _swap_passages,
    "passages and words": lambda source, words: _misspell(source, _swap_passages(source, words), 7),
    "insertions": lambda source, words: [
        part
        for position, word in enumerate(words)
        for part in ((word, *_words(source, 1)) if position % 9 == 0 else (word,))
    ],
}


@dataclass(frozen=True)
class Question:
    """A text that somebody types or sends, or publishes: ``purpose`` is "typing", "form" or "turn"."""

    purpose: str
    text: str


@dataclass(frozen=True)
class World:
    """The stored posts, and what is asked. ``name`` says how they were made."""

    name: str
    posts: list[str]
    questions: list[Question]


def make_world(seed: int, largest: int = MAX_BYTES) -> World:
    """Make the world of a seed. ``largest``: the limit of a text that is stored or sent, in bytes.

    In one world of eight the texts may have any length up to it, in others up to that of a typed text.
    """
    source = random.Random(f"hostile {seed}")
    kinds = source.sample(source.choice([[*MAKERS], [*HOSTILE]]), source.choice([1, 1, 2, 3]))
    edit_name = source.choice(list(EDITS))
    typed = _log_uniform(source, SHORTEST, TYPED_LETTERS)
    filler_letters = 0
    if source.random() < LONG_WORLDS:
        filler_letters = max(0, _log_uniform(source, SHORTEST, largest) - typed)
    base = " ".join(_storable(_make(source, kind, typed // len(kinds))) for kind in kinds).split(" ")
    filler = _storable(_make(source, kinds[0], filler_letters)).split(" ") if filler_letters else []

    def near_copy(words: list[str], edit: str = "") -> str:
        return _cut(" ".join(EDITS[edit or source.choice(list(EDITS))](source, words)), largest)

    posts = [near_copy([*base, *filler], edit_name) for _ in range(STORED)]
    questions = [
        *(Question("typing", near_copy(base)[:TYPED_LETTERS]) for _ in range(TYPED)),
        *(Question("form", near_copy(words)) for words in (base, base, [*base, *filler], [*base, *filler])),
        Question("turn", near_copy([*base, *filler], edit_name)),
    ]
    name = f"{seed}: {' + '.join(kinds)}, {edit_name}, {typed} and {typed + filler_letters} letters"
    return World(name, posts, questions)


def dozen_long_posts() -> World:
    """A dozen stored posts of 20,000 letters in which each fifth word is misspelt, and one that is typed."""
    source = random.Random("dozen")
    words = _words(source, TYPED_LETTERS // 6, 9)
    copies = [" ".join(_misspell(source, words, 5))[:TYPED_LETTERS] for _ in range(STORED + 1)]
    purposes = ("typing", "form", "turn")
    return World("a dozen long posts", copies[1:], [Question(purpose, copies[0]) for purpose in purposes])


DOZEN = -1
"""The seed of ``dozen_long_posts``."""
CASES_OF_A_WORLD = STORED + TYPED + 5
"""At least so many requests and turns are measured in a world. Each post has a turn, or several."""


def worlds(seeds: range, largest: int = MAX_BYTES) -> Iterator[World]:
    """Make the worlds of some seeds, one after another."""
    return (dozen_long_posts() if seed == DOZEN else make_world(seed, largest) for seed in seeds)


def _log_uniform(source: random.Random, low: int, high: int) -> int:
    return int(math.exp(source.uniform(math.log(low), math.log(high))))


def _cut(text: str, size: int) -> str:
    """Return the beginning of the text with at most so many bytes."""
    return text.encode()[:size].decode(errors="ignore")
