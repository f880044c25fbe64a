"""Words to lemmas: pymorphy3 for Russian and Ukrainian, Snowball for the languages it has."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any, NamedTuple

from .first_parse import FirstParse, Lemma

__all__ = ["Lemma", "Morphology", "Reading", "morphology"]

CACHE_WORDS = 5_000
"""Lemmas kept for whoever has no lexicon of their own, which remembers far more."""

READ_WORDS = 5_000
LONGEST_PARSED = 40

_ANALYSED = ("ru", "uk")
_GIVEN = frozenset(["Name", "Patr"])
_ROLES = ("Surn", "Name", "Patr")
# pymorphy3 asks for the names of letters, and some beyond the first plane have none.
_CYRILLIC = re.compile("(?!.*[\U00010000-\U0010ffff]).*[\u0400-\u052f]", re.S)
_SNOWBALL = {
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
    given_name: bool
    role: str = ""
    case: str = ""
    gender: str = ""


# pymorphy3 and Snowball keep state while they work; one lock for both, taken only for words not met before.
_LOCK = threading.Lock()


@cache
def _analyser(language: str) -> Any:
    import pymorphy3

    return pymorphy3.MorphAnalyzer(lang=language)


@cache
def _first_parse(language: str) -> FirstParse:
    return FirstParse(_analyser(language))


@cache
def _stemmer(language: str) -> Any:
    """A Snowball stemmer, or None where there is none."""
    import snowballstemmer

    name = _SNOWBALL.get(language, "")
    return snowballstemmer.stemmer(name) if name in snowballstemmer.algorithms() else None


class Morphology:
    """Lemmas for the words of one language.

    Cyrillic words of "ru" and "uk" are analysed, Latin words beside them are stemmed as English; words of
    other languages are stemmed by their own Snowball; what nothing knows stays as it is.  Words are
    expected folded and in lower case.  Safe to share between threads.
    """

    def __init__(self, language: str = "ru") -> None:
        self.language = language.lower().replace("_", "-").split("-")[0]
        self._cache: dict[str, Lemma] = {}

    @property
    def has_dictionary(self) -> bool:
        """Whether words have ``readings``, and names can be found."""
        return self.language in _ANALYSED

    def lemma(self, word: str) -> Lemma:
        """The lemma of a word, from the cache when it was met before."""
        found = self._cache.get(word)
        if found is None:
            with _LOCK:
                found = self._find(word)
                if len(self._cache) >= CACHE_WORDS:
                    self._cache.clear()
                self._cache[word] = found
        return found

    def keys(self, words: Iterable[str]) -> list[str]:
        """``lemma(word).key`` of words of up to ``LONGEST_PARSED`` Russian letters, of which nothing is kept: the
        caller remembers them."""
        with _LOCK:
            find = _first_parse(self.language).lemma if self.has_dictionary else self._find
            return [find(word).key for word in words]

    def knows(self, word: str) -> bool | None:
        """Whether the dictionary has a Cyrillic word; None where there is no dictionary."""
        if not self.has_dictionary:
            return None
        with _LOCK:
            return bool(_analyser(self.language).word_is_known(word))

    @lru_cache(maxsize=READ_WORDS)  # noqa: B019  (one instance a language, kept anyway)
    def readings(self, word: str) -> tuple[Reading, ...]:
        """Every way to read a Cyrillic word, the likeliest first; () where there is no dictionary."""
        if not self.has_dictionary or len(word) > LONGEST_PARSED or not _CYRILLIC.match(word):
            return ()
        with _LOCK:
            parses = _analyser(self.language).parse(word)
        return _without_repetitions(map(_reading, parses))

    @lru_cache(maxsize=READ_WORDS)  # noqa: B019  (one instance a language, kept anyway)
    def has_role(self, word: str) -> bool:
        """Whether one of the ``readings`` has a role in a person's name; of a word of the dictionary none is made."""
        if not self.has_dictionary or len(word) > LONGEST_PARSED or not _CYRILLIC.match(word):
            return False
        with _LOCK:
            tags = _first_parse(self.language).tags(word)
        if tags is None:
            return any(reading.role for reading in self.readings(word))
        return any(map(_role, tags))

    def _find(self, word: str) -> Lemma:
        if len(word) > LONGEST_PARSED:
            return Lemma(word)
        if self.has_dictionary and _CYRILLIC.match(word):
            return _first_parse(self.language).lemma(word)
        stemmer = _stemmer("en" if self.has_dictionary else self.language)
        return Lemma(stemmer.stemWord(word) if stemmer else word)


def _without_repetitions(readings: Iterable[Reading]) -> tuple[Reading, ...]:
    """Equal ones that are no part of a name are one: of most words every form."""
    found: list[Reading] = []
    for each in readings:
        if each.role or each not in found:
            found.append(each)
    return tuple(found)


def _reading(parse: Any) -> Reading:
    grammemes = parse.tag.grammemes
    key, given_name = parse.normal_form.replace("ё", "е"), not _GIVEN.isdisjoint(grammemes)
    role = _role(parse.tag)
    if not role:
        return Reading(key, given_name)
    gender = next((gender for gender in ("masc", "femn") if gender in grammemes), "")
    return Reading(key, given_name, role, str(parse.tag.case or ""), gender)


def _role(tag: Any) -> str:
    """What part of one person's name a word so tagged is."""
    grammemes = tag.grammemes
    return next((role for role in _ROLES if role in grammemes), "") if "plur" not in grammemes else ""


@lru_cache(maxsize=32)
def morphology(language: str) -> Morphology:
    """The shared ``Morphology`` of a language."""
    return Morphology(language)
