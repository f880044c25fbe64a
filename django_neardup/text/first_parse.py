"""The first parse of a word, as pymorphy3 would give it, without making the others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

NAMES = frozenset(["Name", "Surn", "Patr", "Geox", "Orgn", "Trad"])
ENDINGS = 20_000

Place = tuple[int, int]
Found = Sequence[tuple[str, Sequence[Place]]]

_LETTERS = re.compile("[а-яёіїєґ][а-яёіїєґ']*")
_FIRST = ("DictionaryAnalyzer", "AbbreviatedFirstNameAnalyzer", "AbbreviatedPatronymicAnalyzer")
_SHAPES = ("NumberAnalyzer", "PunctuationAnalyzer")
_LATIN = ("RomanNumberAnalyzer", "LatinAnalyzer")
_HYPHENS = ("HyphenatedWordsAnalyzer", "KnownPrefixAnalyzer", "UnknownPrefixAnalyzer", "KnownSuffixAnalyzer")
# What is said below of words of letters alone is true of these units, in this order.
_KNOWN_UNITS = (
    (*_FIRST, *_SHAPES, *_LATIN, "HyphenSeparatedParticleAnalyzer", "HyphenAdverbAnalyzer", *_HYPHENS, "UnknAnalyzer"),
    (*_FIRST, *_LATIN, *_SHAPES, "HyphenSeparatedParticleAnalyzer", *_HYPHENS, "UnknAnalyzer"),
)  # fmt: skip

_new = tuple.__new__


class Lemma(NamedTuple):
    """``key`` is compared; ``pos`` is pymorphy's part of speech or ""; ``name``: a person, a place, a brand."""

    key: str
    pos: str = ""
    name: bool = False


class _Form(NamedTuple):
    """How a form of a paradigm becomes its normal form: ``head + word[start:end] + tail``; what it is tagged as."""

    start: int
    end: int | None
    head: str
    tail: str
    pos: str
    name: bool
    productive: bool

    def lemma(self, word: str, prefix: str = "") -> Lemma:
        start, end, head, tail, pos, name, _ = self
        return _new(Lemma, (f"{prefix}{head}{word[start:end]}{tail}".replace("ё", "е"), pos, name))


class _Tagged(NamedTuple):
    """What is asked of a tag: part of speech, whether it is a name, whether it takes prefixes."""

    pos: str
    name: bool
    productive: bool


class _Forms(dict[Place, _Form]):
    """Forms by paradigm and place in it, filled as they are met; equal ones are one object."""

    def __init__(self, dictionary: Any) -> None:
        super().__init__()
        self._paradigms, self._tags = dictionary.paradigms, dictionary.gramtab
        self._prefixes, self._suffixes = dictionary.paradigm_prefixes, dictionary.suffixes
        self._tagged: dict[int, _Tagged] = {}
        self._same: dict[_Form, _Form] = {}

    def tag(self, place: Place) -> Any:
        paradigm = self._paradigms[place[0]]
        return self._tags[paradigm[len(paradigm) // 3 + place[1]]]

    def __missing__(self, place: Place) -> _Form:
        """A paradigm is three arrays in one: suffixes, tags and prefixes of its forms, the normal form first."""
        paradigm, index = self._paradigms[place[0]], place[1]
        forms = len(paradigm) // 3
        tagged = self._told(paradigm[forms + index])
        if index:
            start = len(self._prefixes[paradigm[2 * forms + index]])
            end = -len(self._suffixes[paradigm[index]]) or None
            head, tail = self._prefixes[paradigm[2 * forms]], self._suffixes[paradigm[0]]
            made = _Form(start, end, head, tail, *tagged)
        else:
            made = _Form(0, None, "", "", *tagged)
        found = self[place] = self._same.setdefault(made, made)
        return found

    def _told(self, number: int) -> _Tagged:
        found = self._tagged.get(number)
        if found is None:
            tag = self._tags[number]
            name = not NAMES.isdisjoint(tag.grammemes)
            found = self._tagged[number] = _Tagged(str(tag.POS or ""), name, tag.is_productive())
        return found


class FirstParse:
    """Lemmas of the words of one ``pymorphy3.MorphAnalyzer``, equal to those of ``parse(word)[0]``.

    Words that are not letters alone, unknown words that its table of probabilities has, and all words where its
    units are not the ones known here, are parsed.
    """

    def __init__(self, analyser: Any) -> None:
        dictionary = analyser.dictionary
        self._parse = analyser.parse
        self._get, self._similar = dictionary.words.get, dictionary.words.similar_items
        self._replaces = analyser.char_substitutes
        self._replaced = _one_letter(self._replaces)
        self._forms = _Forms(dictionary)
        estimator = analyser.prob_estimator
        self._chances = estimator.p_t_given_w.items if estimator else None
        units = {type(unit.analyzer).__name__: unit.analyzer for unit in analyser._units}
        self._fits = tuple(units) in _KNOWN_UNITS
        if self._fits:
            self._init_prediction(dictionary, units)

    def _init_prediction(self, dictionary: Any, units: dict[str, Any]) -> None:
        suffix = units["KnownSuffixAnalyzer"]
        self._known_prefixes = units["KnownPrefixAnalyzer"].possible_splits
        self._least = suffix.min_word_length
        self._longest = max(suffix._prediction_splits)
        dawgs = dict(zip(dictionary.paradigm_prefixes, dictionary.prediction_suffixes_dawgs, strict=True))
        self._endings = dawgs.pop("").similar_items
        self._prefixed = {prefix: dawg.similar_items for prefix, dawg in dawgs.items()}
        self._ending = lru_cache(maxsize=ENDINGS)(self._likeliest_ending)

    def lemma(self, word: str) -> Lemma:
        """The lemma of a word in lower case, `ё` written as `е`."""
        if not self._fits or not _LETTERS.fullmatch(word):
            return self._parsed(word)
        return self._known(word) or self._predicted(word)

    def tags(self, word: str) -> set[Any] | None:
        """The tags of all readings of a word of the dictionary in lower case; None of any other, which is to be parsed.

        Of one letter alone pymorphy makes an initial."""
        if not self._fits or len(word) < 2 or not _LETTERS.fullmatch(word):
            return None
        return {self._forms.tag(place) for _, places in self._found(word) for place in places} or None

    def _parsed(self, word: str) -> Lemma:
        return _lemma(self._parse(word)[0])

    def _found(self, word: str) -> Found:
        """What the dictionary has: the word as it writes it (ё may be written as е), and its forms."""
        if self._replaced in word:
            return self._similar(word, self._replaces)  # type: ignore[no-any-return]
        places = self._get(word)
        return ((word, places),) if places else ()

    def _known(self, word: str) -> Lemma | None:
        """The likeliest reading of a word of the dictionary."""
        found = self._found(word)
        if not found:
            return None
        forms = self._forms
        fixed, places = found[0]
        form = forms[places[0]]
        if len(found) > 1 or (len(places) > 1 and any(forms[place] is not form for place in places)):
            form, fixed = next(self._ranked(word, found))
        return form.lemma(fixed)

    def _ranked(self, word: str, found: Found) -> Iterator[tuple[_Form, str]]:
        """Readings of a known word, by their probability where it is known."""
        forms = self._forms
        readings = [(place, fixed) for fixed, places in found for place in places]
        chances = dict(self._chances(f"{word}:")) if self._chances else None
        if chances:
            readings.sort(key=lambda reading: -chances.get(f"{word}:{forms.tag(reading[0])}", 0))
        return ((forms[place], fixed) for place, fixed in readings)

    def _predicted(self, word: str) -> Lemma:
        """A word that the dictionary has not: a known prefix and a word, any letters and a word, or a known ending."""
        if self._chances and self._chances(f"{word}:"):
            return self._parsed(word)
        for prefix, rest in self._known_prefixes(word):
            lemma = self._productive(rest)
            if lemma:
                return lemma._replace(key=f"{prefix}{lemma.key}".replace("ё", "е"))
        return self._shortened(word) or self._by_ending(word) or Lemma(word.replace("ё", "е"))

    def _productive(self, word: str) -> Lemma | None:
        """The first reading of a part of speech that takes prefixes."""
        if not _LETTERS.fullmatch(word):
            return next((_lemma(each) for each in self._parse(word) if each.tag.is_productive()), None)
        found = self._found(word)
        if not found:
            return self._predicted(word)
        return next((form.lemma(fixed) for form, fixed in self._ranked(word, found) if form.productive), None)

    def _shortened(self, word: str) -> Lemma | None:
        """By a word of the dictionary, of three letters at least, behind one to five letters."""
        forms = self._forms
        for start in range(1, min(5, len(word) - 3) + 1):
            for fixed, places in self._found(word[start:]):
                for place in places:
                    if forms[place].productive:
                        return forms[place].lemma(fixed, word[:start])
        return None

    def _by_ending(self, word: str) -> Lemma | None:
        """By the longest ending that words of the dictionary have, up to five letters."""
        if len(word) < self._least:
            return None
        if any(word.startswith(prefix) and self._is_prefixed(word, prefix) for prefix in self._prefixed):
            return self._parsed(word)
        for length in range(self._longest, 0, -1):
            found = self._ending(word[-length:])
            if found:
                ending, place = found
                return self._forms[place].lemma(word[:-length] + ending)
        return None

    def _is_prefixed(self, word: str, prefix: str) -> bool:
        items = self._prefixed[prefix]
        return any(items(word[-length:], self._replaces) for length in range(1, self._longest + 1))

    def _likeliest_ending(self, ending: str) -> tuple[str, Place] | None:
        """The ending as the dictionary writes it and the form that most of its words are, if any take prefixes."""
        best, most, seen = None, 0, set()
        for fixed, guesses in self._endings(ending, self._replaces):
            for count, paradigm, index in guesses:
                place = paradigm, index
                reading = fixed, paradigm, self._forms.tag(place)
                if self._forms[place].productive and reading not in seen:
                    seen.add(reading)
                    if count > most:
                        best, most = (fixed, place), count
        return best


def _lemma(parse: Any) -> Lemma:
    name = not NAMES.isdisjoint(parse.tag.grammemes)
    return Lemma(parse.normal_form.replace("ё", "е"), str(parse.tag.POS or ""), name)


def _one_letter(replaces: dict[str | bytes, Any]) -> str:
    """The letter that may stand for another, if it is one alone, else ""."""
    letters = [key.decode() if isinstance(key, bytes) else key for key in replaces]
    return letters[0] if len(letters) == 1 else ""
