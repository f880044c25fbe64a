"""Lemmas of words: pymorphy3 for Russian and Ukrainian, Snowball stemmers for other languages."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any, NamedTuple

from .pymorphy_parse import FirstParseLemmatizer, Lemma

__all__ = ["STEMMED_LANGUAGES", "Lemma", "Morphology", "WordReading", "get_morphology"]

MAX_CACHED_LEMMAS = 5_000
"""Lemmas cached for callers without a lexicon. A lexicon caches far more."""

MAX_CACHED_READINGS = 5_000
MAX_PARSED_LENGTH = 40

_ANALYSED_LANGUAGES = ("ru", "uk")
_GIVEN_NAME_GRAMMEMES = frozenset(["Name", "Patr"])
_NAME_ROLES = ("Surn", "Name", "Patr")
# pymorphy3 looks up the Unicode names of letters, and some letters beyond the first plane have no name.
_CYRILLIC_WORD = re.compile("(?!.*[\U00010000-\U0010ffff]).*[\u0400-\u052f]", re.S)
_SNOWBALL_LANGUAGES = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "es": "spanish", "et": "estonian", "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi",
    "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian", "ne": "nepali",
    "nl": "dutch", "no": "norwegian", "nb": "norwegian", "nn": "norwegian", "pl": "polish", "pt": "portuguese",
    "ro": "romanian", "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
STEMMED_LANGUAGES = frozenset({*_ANALYSED_LANGUAGES, *_SNOWBALL_LANGUAGES})
"""Codes of the languages whose words are reduced to lemmas or stems."""


class WordReading(NamedTuple):
    """One way to read a word: its lemma, and whether it is a given name or a patronymic.

    ``role``: "Surn", "Name" or "Patr" for a part of a person's name, otherwise "".
    ``case`` and ``gender``: of that part, in pymorphy's terms. They are "" if the part has none or may
    have any.
    """

    key: str
    is_given_name: bool
    role: str = ""
    case: str = ""
    gender: str = ""


# pymorphy3 and Snowball keep state while they work. Both share one lock, taken only for words not in a cache.
_ANALYSER_LOCK = threading.Lock()


@cache
def _get_analyser(language: str) -> Any:
    import pymorphy3

    return pymorphy3.MorphAnalyzer(lang=language)


@cache
def _get_lemmatizer(language: str) -> FirstParseLemmatizer:
    return FirstParseLemmatizer(_get_analyser(language))


@cache
def _get_stemmer(language: str) -> Any:
    """Return a Snowball stemmer. Return None if the language has none."""
    import snowballstemmer

    name = _SNOWBALL_LANGUAGES.get(language, "")
    return snowballstemmer.stemmer(name) if name in snowballstemmer.algorithms() else None


class Morphology:
    """Lemmas of the words of one language.

    For "ru" and "uk", Cyrillic words are analysed and Latin words are stemmed as English. For other
    languages, words are stemmed by the language's own Snowball stemmer. A word that neither can handle
    stays unchanged. Words must be folded and in lower case. Instances may be shared between threads.
    """

    def __init__(self, language: str = "ru") -> None:
        self.language = language.lower().replace("_", "-").split("-")[0]
        self._lemma_cache: dict[str, Lemma] = {}

    @property
    def has_dictionary(self) -> bool:
        """Whether words have ``readings``, so that names can be detected."""
        return self.language in _ANALYSED_LANGUAGES

    def lemma(self, word: str) -> Lemma:
        """Return the lemma of a word, cached if possible."""
        word_lemma = self._lemma_cache.get(word)
        if word_lemma is None:
            with _ANALYSER_LOCK:
                word_lemma = self._compute_lemma(word)
                if len(self._lemma_cache) >= MAX_CACHED_LEMMAS:
                    self._lemma_cache.clear()
                self._lemma_cache[word] = word_lemma
        return word_lemma

    def key(self, word: str) -> str:
        """Return ``lemma(word).key`` of a word of at most ``MAX_PARSED_LENGTH`` Russian letters.

        The result is not cached here: the caller does it.
        """
        with _ANALYSER_LOCK:
            find = _get_lemmatizer(self.language).lemma if self.has_dictionary else self._compute_lemma
            return find(word).key

    def is_in_dictionary(self, word: str) -> bool | None:
        """Return whether the dictionary has a Cyrillic word. Return None if the language has no dictionary."""
        if not self.has_dictionary:
            return None
        with _ANALYSER_LOCK:
            return bool(_get_analyser(self.language).word_is_known(word))

    @lru_cache(maxsize=MAX_CACHED_READINGS)  # noqa: B019  (one instance a language, kept anyway)
    def readings(self, word: str) -> tuple[WordReading, ...]:
        """Return every reading of a Cyrillic word, the most likely first. Return () without a dictionary."""
        if not self.has_dictionary or len(word) > MAX_PARSED_LENGTH or not _CYRILLIC_WORD.match(word):
            return ()
        with _ANALYSER_LOCK:
            parses = _get_analyser(self.language).parse(word)
        return _drop_repeated_readings(map(_reading_of_parse, parses))

    @lru_cache(maxsize=MAX_CACHED_READINGS)  # noqa: B019  (one instance a language, kept anyway)
    def has_role(self, word: str) -> bool:
        """Return whether one of the ``readings`` has a role in a person's name.

        For a word of the dictionary no readings are made: its tags are enough.
        """
        if not self.has_dictionary or len(word) > MAX_PARSED_LENGTH or not _CYRILLIC_WORD.match(word):
            return False
        with _ANALYSER_LOCK:
            tags = _get_lemmatizer(self.language).tags(word)
        if tags is None:
            return any(reading.role for reading in self.readings(word))
        return any(map(_name_role, tags))

    def _compute_lemma(self, word: str) -> Lemma:
        if len(word) > MAX_PARSED_LENGTH:
            return Lemma(word)
        if self.has_dictionary and _CYRILLIC_WORD.match(word):
            return _get_lemmatizer(self.language).lemma(word)
        stemmer = _get_stemmer("en" if self.has_dictionary else self.language)
        return Lemma(stemmer.stemWord(word) if stemmer else word)


def _drop_repeated_readings(readings: Iterable[WordReading]) -> tuple[WordReading, ...]:
    """Drop repeated readings that are no part of a name.

    For most words every inflected form gives the same one.
    """
    distinct: list[WordReading] = []
    for reading in readings:
        if reading.role or reading not in distinct:
            distinct.append(reading)
    return tuple(distinct)


def _reading_of_parse(parse: Any) -> WordReading:
    grammemes = parse.tag.grammemes
    key, given_name = parse.normal_form.replace("ё", "е"), not _GIVEN_NAME_GRAMMEMES.isdisjoint(grammemes)
    role = _name_role(parse.tag)
    if not role:
        return WordReading(key, given_name)
    gender = next((gender for gender in ("masc", "femn") if gender in grammemes), "")
    return WordReading(key, given_name, role, str(parse.tag.case or ""), gender)


def _name_role(tag: Any) -> str:
    """Return the role of a word with this tag in a person's name, or "". Plural forms have none."""
    grammemes = tag.grammemes
    return next((role for role in _NAME_ROLES if role in grammemes), "") if "plur" not in grammemes else ""


@lru_cache(maxsize=32)
def get_morphology(language: str) -> Morphology:
    """Return the shared ``Morphology`` of a language."""
    return Morphology(language)
