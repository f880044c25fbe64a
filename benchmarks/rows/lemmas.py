"""Lemmas: the same as pymorphy3's, and faster on words not met before."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from random import Random

from benchmarks.figures import Bar, Figure, Sizes, row
from benchmarks.peers import analyser, normal_form
from benchmarks.texts import pool
from benchmarks.timing import interleaved

FORMS = 120_000
PARSES = 5_000_000
"""As many as the dictionary has, about."""
CYRILLIC = re.compile(r"\b[а-я]+\b")
LETTERS = "абвгдежзийклмнопрстуфхцчшщъыьэюя"


@row("5", "lemmas, beside pymorphy3")
def lemmas(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """Forms of pymorphy3's dictionary, words of the texts, and made-up ones, which end as real words do.  The peer:
    `parse(word)[0].normal_form`, with the C dictionary where it is installed.  Every word is asked for once to compare
    the lemmas; then words of the texts and of the dictionary are timed as if not met before: ours begins with an empty
    cache of words (endings of unknown ones it knows by then), the peer keeps none."""
    from django_neardup.text.lemmas.morphology import Morphology

    size = 600 if sizes.quick else FORMS
    forms = _forms(size)
    lemma = Morphology("ru").lemma
    ours = [lemma(word).key for word in forms]
    theirs = [normal_form(word).replace("ё", "е") for word in forms]
    yield Figure(
        "5.1", "lemmas that differ", sum(a != b for a, b in zip(ours, theirs, strict=True)), "words", "<= 0"
    )
    yield Figure("5.2", "words compared", len(forms), "words")
    ratio, spent = _missed(_words_of_texts(), sizes, bar)
    yield Figure("5.3", "word not met before, of the texts", ratio, "x", ">= 1.4", ">= 3")
    yield Figure("5.4", "word not met before, of the texts", spent * 1e6, "us")
    yield Figure(
        "5.5", "word not met before, of the dictionary", _missed(_dictionary(size), sizes, bar)[0], "x"
    )


def _missed(words: list[str], sizes: Sizes, bar: Bar) -> tuple[float, float]:
    """How many times faster than pymorphy3, and seconds a word; other words every round."""
    from django_neardup.text.lemmas.morphology import Morphology

    size = min(len(words) // (sizes.rounds + 1), 20 * sizes.texts)
    mine, other = (
        iter([words[start : start + size] for start in range(0, len(words), size)]) for _ in range(2)
    )

    lemma = Morphology("ru").lemma
    lemma("слово")

    def ours() -> None:
        for word in next(mine):
            lemma(word)

    def peer() -> None:
        for word in next(other):
            normal_form(word)

    with bar("lemmas", sizes.rounds) as progress:
        taken = interleaved({"ours": ours, "peer": peer}, sizes.rounds, progress)
    return taken["peer"] / taken["ours"], taken["ours"] / size


def _forms(count: int) -> list[str]:
    """Forms of the dictionary, of the texts, and made-up ones, in random order."""
    chance = Random(5)
    known = _dictionary(count)
    made = sorted({_made(word, chance) for word in chance.sample(known, count // 6)})
    forms = sorted({*known, *_words_of_texts(), *made})
    chance.shuffle(forms)
    return forms


def _dictionary(count: int) -> list[str]:
    """Folded forms of the whole dictionary at even steps, in random order; of its beginning where few are asked for."""
    step = max(1, PARSES // count) if count == FORMS else 1
    parses = islice(analyser().iter_known_word_parses(), 0, count * step, step)
    words = sorted({parse.word.replace("ё", "е") for parse in parses})
    Random(6).shuffle(words)
    return words


def _words_of_texts() -> list[str]:
    """Cyrillic words of the texts, each once and folded as the lemmatiser gets them, in random order."""
    joined = " ".join(pool().words).lower().replace("ё", "е")
    words = sorted(set(CYRILLIC.findall(joined)))
    Random(7).shuffle(words)
    return words


def _made(word: str, chance: Random) -> str:
    """A word that no dictionary has: other letters before the same end."""
    start = "".join(chance.choice(LETTERS) for _ in range(3))
    return start + word[-max(2, len(word) // 2) :]
