"""Words to lemmas: pymorphy3 for Russian and Ukrainian, Snowball for the languages it has."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any, NamedTuple

from .pymorphy_parse import FirstParseLemmatizer, Lemma

__all__ = ["Lemma", "Morphology", "Reading", "get_morphology"]

MAX_CACHED_LEMMAS = 5_000
"""Lemmas kept for whoever has no lexicon of their own, which remembers far more."""

MAX_CACHED_READINGS = 5_000
MAX_PARSED_LENGTH = 40

_ANALYSED_LANGUAGES = ("ru", "uk")
_GIVEN_NAME_GRAMMEMES = frozenset(["Name", "Patr"])
_NAME_ROLES = ("Surn", "Name", "Patr")
# pymorphy3 asks for the names of letters, and some beyond the first plane have none.
_CYRILLIC_WORD = re.compile("(?!.*[\U00010000-\U0010ffff]).*[\u0400-\u052f]", re.S)
_SNOWBALL_LANGUAGES = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "es": "spanish", "et": "estonian", "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi",
    "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian", "ne": "nepali",
    "nl": "dutch", "no": "norwegian", "nb": "norwegian", "nn": "norwegian", "pl": "polish", "pt": "portuguese",
    "ro": "romanian", "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip


class Reading(NamedTuple):
    """One way to read a word: its lemma, and whether it is a person's given name or patronymic.

    ``role``: "Surn", "Name" or "Patr" for a part of one person's name, else ""; ``case`` and ``gender`` of that
    part as pymorphy names them, "" where it has none or any.
    """

    key: str
    is_given_name: bool
    role: str = ""
    case: str = ""
    gender: str = ""


# pymorphy3 and Snowball keep state while they work; one lock for both, taken only for words not met before.
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
    """A Snowball stemmer, or None where there is none."""
    import snowballstemmer

    name = _SNOWBALL_LANGUAGES.get(language, "")
    return snowballstemmer.stemmer(name) if name in snowballstemmer.algorithms() else None


class Morphology:
    """Lemmas for the words of one language.

    Cyrillic words of "ru" and "uk" are analysed, Latin words beside them are stemmed as English; words of
    other languages are stemmed by their own Snowball; what nothing knows stays as it is.  Words are
    expected folded and in lower case.  Safe to share between threads.
    """

    def __init__(self, language: str = "ru") -> None:
        self.language = language.lower().replace("_", "-").split("-")[0]
        self._lemma_cache: dict[str, Lemma] = {}

    @property
    def has_dictionary(self) -> bool:
        """Whether words have ``readings``, and names can be found."""
        return self.language in _ANALYSED_LANGUAGES

    def lemma(self, word: str) -> Lemma:
        """The lemma of a word, from the cache when it was met before."""
        found = self._lemma_cache.get(word)
        if found is None:
            with _ANALYSER_LOCK:
                found = self._compute_lemma(word)
                if len(self._lemma_cache) >= MAX_CACHED_LEMMAS:
                    self._lemma_cache.clear()
                self._lemma_cache[word] = found
        return found

    def key(self, word: str) -> str:
        """Return ``lemma(word).key`` of a word of up to ``LONGEST_PARSED`` Russian letters. The caller remembers it."""
        with _ANALYSER_LOCK:
            find = _get_lemmatizer(self.language).lemma if self.has_dictionary else self._compute_lemma
            return find(word).key

    def is_in_dictionary(self, word: str) -> bool | None:
        """Whether the dictionary has a Cyrillic word; None where there is no dictionary."""
        if not self.has_dictionary:
            return None
        with _ANALYSER_LOCK:
            return bool(_get_analyser(self.language).word_is_known(word))

    @lru_cache(maxsize=MAX_CACHED_READINGS)  # noqa: B019  (one instance a language, kept anyway)
    def readings(self, word: str) -> tuple[Reading, ...]:
        """Every way to read a Cyrillic word, the likeliest first; () where there is no dictionary."""
        if not self.has_dictionary or len(word) > MAX_PARSED_LENGTH or not _CYRILLIC_WORD.match(word):
            return ()
        with _ANALYSER_LOCK:
            parses = _get_analyser(self.language).parse(word)
        return _drop_repeated_readings(map(_reading_of_parse, parses))

    @lru_cache(maxsize=MAX_CACHED_READINGS)  # noqa: B019  (one instance a language, kept anyway)
    def has_role(self, word: str) -> bool:
        """Whether one of the ``readings`` has a role in a person's name; of a word of the dictionary none is made."""
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


def _drop_repeated_readings(readings: Iterable[Reading]) -> tuple[Reading, ...]:
    """Equal ones that are no part of a name are one: of most words every form."""
    found: list[Reading] = []
    for each in readings:
        if each.role or each not in found:
            found.append(each)
    return tuple(found)


def _reading_of_parse(parse: Any) -> Reading:
    grammemes = parse.tag.grammemes
    key, given_name = parse.normal_form.replace("ё", "е"), not _GIVEN_NAME_GRAMMEMES.isdisjoint(grammemes)
    role = _name_role(parse.tag)
    if not role:
        return Reading(key, given_name)
    gender = next((gender for gender in ("masc", "femn") if gender in grammemes), "")
    return Reading(key, given_name, role, str(parse.tag.case or ""), gender)


def _name_role(tag: Any) -> str:
    """What part of one person's name a word so tagged is."""
    grammemes = tag.grammemes
    return next((role for role in _NAME_ROLES if role in grammemes), "") if "plur" not in grammemes else ""


@lru_cache(maxsize=32)
def get_morphology(language: str) -> Morphology:
    """The shared ``Morphology`` of a language."""
    return Morphology(language)
