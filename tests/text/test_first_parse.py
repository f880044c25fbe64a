"""The short way to a lemma, against ``MorphAnalyzer.parse``."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pymorphy3
import pytest

from django_neardup.evaluation.corpora import find_set_names, load_corpus
from django_neardup.text.lemmas.morphology import Morphology, get_morphology
from django_neardup.text.lemmas.pymorphy_parse import NAME_GRAMMEMES, FirstParseLemmatizer, Lemma

LETTERS = {"ru": "абвгдежзийклмнопрстуфхцчшщъыьэюяё", "uk": "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя'"}
PREFIXES = {"ru": "по наи не без супер пере анти полу", "uk": "най якнай щонай супер пере анти напів"}
WORD = re.compile(r"[а-яёіїєґ][а-яёіїєґ'\-]*")
SAMPLE = 1_000
HEADS = {"ru": 20, "uk": 100}
"""Of so many three letters that a word may begin with, the words of one are looked at."""
SEED = 5


@pytest.fixture(params=["ru", "uk"], scope="module")
def analyser(request: pytest.FixtureRequest) -> pymorphy3.MorphAnalyzer:
    return pymorphy3.MorphAnalyzer(lang=request.param)


def wanted(analyser: pymorphy3.MorphAnalyzer, word: str) -> Lemma:
    best = analyser.parse(word)[0]
    key = best.normal_form.replace("ё", "е")
    return Lemma(key, str(best.tag.POS or ""), not NAME_GRAMMEMES.isdisjoint(best.tag.grammemes))


def different(analyser: pymorphy3.MorphAnalyzer, words: list[str]) -> list[tuple[str, Lemma, Lemma]]:
    short = FirstParseLemmatizer(analyser).lemma
    both = ((word, short(word), wanted(analyser, word)) for word in words)
    return [(word, ours, theirs) for word, ours, theirs in both if ours != theirs]


@pytest.fixture(scope="module")
def forms(analyser: pymorphy3.MorphAnalyzer) -> list[str]:
    """Forms of the dictionary: all short ones, and all with some beginnings; with their ё and with е in its place."""
    letters, words = LETTERS[analyser.lang], analyser.dictionary.words
    short = ("".join(each) for length in (1, 2) for each in product(letters, repeat=length))
    heads = ["".join(each) for each in product(letters, repeat=3)]
    chosen = random.Random(SEED).sample(heads, len(heads) // HEADS[analyser.lang])
    known = dict.fromkeys(form for head in chosen for form in words.iterkeys(head))
    known |= dict.fromkeys(word for word in short if word in words)
    return [*known, *(word.replace("ё", "е") for word in known if "ё" in word)]


def made_up(language: str, known: list[str]) -> Iterator[str]:
    """Letters at random, heads and tails of two words, and words behind prefixes."""
    draw, letters, prefixes = random.Random(SEED), LETTERS[language], PREFIXES[language].split()
    for _ in range(SAMPLE):
        one, two = draw.choice(known), draw.choice(known)
        yield "".join(draw.choices(letters, k=draw.randint(1, 14)))
        yield one[: draw.randint(2, 5)] + two[-draw.randint(2, 6) :]
        yield draw.choice(prefixes) + one
        yield draw.choice(prefixes) + draw.choice(prefixes) + two


@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.long), 20], ids=["all", "each twentieth"])
def test_words_of_the_dictionary(analyser: pymorphy3.MorphAnalyzer, forms: list[str], step: int) -> None:
    assert len(forms) > (80_000 if analyser.lang == "ru" else 8_000)
    assert different(analyser, forms[::step]) == []


def test_made_up_words(analyser: pymorphy3.MorphAnalyzer, forms: list[str]) -> None:
    assert different(analyser, list(made_up(analyser.lang, forms))) == []


ODD = "кто-то по-русски интернет-магазин 'слово сло'во слово' ё а б-у x-лучи нло авторалли ы 5й по не понаех ИВАН"


def test_odd_words(analyser: pymorphy3.MorphAnalyzer) -> None:
    assert different(analyser, ODD.split()) == []


def test_roles_in_a_name_are_those_of_all_readings(
    analyser: pymorphy3.MorphAnalyzer, forms: list[str]
) -> None:
    morphology, letters = Morphology(analyser.lang), LETTERS[analyser.lang]
    made = list(made_up(analyser.lang, forms))
    words = [*forms[::20], *made[::5], *ODD.split(), *letters, "саша", "петровы", "chair", ""]
    roles = {word: any(reading.role for reading in morphology.readings(word)) for word in words}
    assert {word: morphology.has_role(word) for word in words} == roles
    assert {*roles.values()} == {True, False}


@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.long), 20], ids=["all", "each twentieth"])
def test_words_of_posts(step: int) -> None:
    folder = os.environ.get("NEARDUP_DATA")
    if not folder:
        pytest.skip("NEARDUP_DATA is not set: no folder of labelled texts")
    corpora = (
        load_corpus(Path(folder), name) for name in find_set_names(Path(folder)) if name.startswith("ru")
    )
    words = {
        word for corpus in corpora for text in corpus.texts.values() for word in WORD.findall(text.lower())
    }
    assert len(words) > 50_000
    assert different(pymorphy3.MorphAnalyzer(lang="ru"), sorted(words)[::step]) == []


def test_an_analyser_of_other_units_is_asked_itself() -> None:
    plain = pymorphy3.MorphAnalyzer(lang="ru")
    other = pymorphy3.MorphAnalyzer(lang="ru", units=plain._units_unbound[:-2] + plain._units_unbound[-1:])
    words = ["бутявкать", "стульями", "лягушкать"]
    assert different(other, words) == []
    assert wanted(other, "бутявкать") != wanted(plain, "бутявкать")


@pytest.mark.parametrize("language", ["ru", "uk", "en", "xx"])
def test_a_fresh_one_agrees_with_the_shared_one(language: str) -> None:
    words = ["стульями", "chairs", "бегущий", "стульями", "москве", "абырвалгом", "п'ять", "5"]
    fresh = Morphology(language)
    assert [fresh.lemma(word) for word in words] == [get_morphology(language).lemma(word) for word in words]
