"""The first parse of a word, as pymorphy3 would give it, without making the others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

NAME_GRAMMEMES = frozenset(["Name", "Surn", "Patr", "Geox", "Orgn", "Trad"])
MAX_CACHED_ENDINGS = 20_000

FormIndex = tuple[int, int]
DictionaryForms = Sequence[tuple[str, Sequence[FormIndex]]]

_CYRILLIC_WORD = re.compile("[а-яёіїєґ][а-яёіїєґ']*")
_FIRST_UNITS = ("DictionaryAnalyzer", "AbbreviatedFirstNameAnalyzer", "AbbreviatedPatronymicAnalyzer")
_SHAPE_UNITS = ("NumberAnalyzer", "PunctuationAnalyzer")
_LATIN_UNITS = ("RomanNumberAnalyzer", "LatinAnalyzer")
_HYPHEN_UNITS = (
    "HyphenatedWordsAnalyzer",
    "KnownPrefixAnalyzer",
    "UnknownPrefixAnalyzer",
    "KnownSuffixAnalyzer",
)
# What is said below of words of letters alone is true of these units, in this order.
_KNOWN_UNITS = (
    (
        *_FIRST_UNITS, *_SHAPE_UNITS, *_LATIN_UNITS, "HyphenSeparatedParticleAnalyzer", "HyphenAdverbAnalyzer",
        *_HYPHEN_UNITS, "UnknAnalyzer",
    ),
    (*_FIRST_UNITS, *_LATIN_UNITS, *_SHAPE_UNITS, "HyphenSeparatedParticleAnalyzer", *_HYPHEN_UNITS, "UnknAnalyzer"),
)  # fmt: skip

_new_tuple = tuple.__new__


class Lemma(NamedTuple):
    """``key`` is compared; ``pos`` is pymorphy's part of speech or ""; ``name``: a person, a place, a brand."""

    key: str
    pos: str = ""
    is_name: bool = False


class _ParadigmForm(NamedTuple):
    """How a form of a paradigm becomes its normal form: ``head + word[start:end] + tail``; what it is tagged as."""

    start: int
    end: int | None
    lemma_prefix: str
    lemma_suffix: str
    pos: str
    is_name: bool
    is_productive: bool

    def lemma(self, word: str, prefix: str = "") -> Lemma:
        start, end, head, tail, pos, name, _ = self
        return _new_tuple(Lemma, (f"{prefix}{head}{word[start:end]}{tail}".replace("ё", "е"), pos, name))


class _TagProperties(NamedTuple):
    """What is asked of a tag: part of speech, whether it is a name, whether it takes prefixes."""

    pos: str
    is_name: bool
    is_productive: bool


class _FormCache(dict[FormIndex, _ParadigmForm]):
    """Forms by paradigm and place in it, filled as they are met; equal ones are one object."""

    def __init__(self, dictionary: Any) -> None:
        super().__init__()
        self._paradigms, self._tags = dictionary.paradigms, dictionary.gramtab
        self._prefixes, self._suffixes = dictionary.paradigm_prefixes, dictionary.suffixes
        self._properties_by_tag: dict[int, _TagProperties] = {}
        self._shared_forms: dict[_ParadigmForm, _ParadigmForm] = {}

    def tag(self, form_index: FormIndex) -> Any:
        paradigm = self._paradigms[form_index[0]]
        return self._tags[paradigm[len(paradigm) // 3 + form_index[1]]]

    def __missing__(self, form_index: FormIndex) -> _ParadigmForm:
        """A paradigm is three arrays in one: suffixes, tags and prefixes of its forms, the normal form first."""
        paradigm, index = self._paradigms[form_index[0]], form_index[1]
        forms = len(paradigm) // 3
        tagged = self._tag_properties(paradigm[forms + index])
        if index:
            start = len(self._prefixes[paradigm[2 * forms + index]])
            end = -len(self._suffixes[paradigm[index]]) or None
            head, tail = self._prefixes[paradigm[2 * forms]], self._suffixes[paradigm[0]]
            made = _ParadigmForm(start, end, head, tail, *tagged)
        else:
            made = _ParadigmForm(0, None, "", "", *tagged)
        found = self[form_index] = self._shared_forms.setdefault(made, made)
        return found

    def _tag_properties(self, tag_number: int) -> _TagProperties:
        found = self._properties_by_tag.get(tag_number)
        if found is None:
            tag = self._tags[tag_number]
            name = not NAME_GRAMMEMES.isdisjoint(tag.grammemes)
            found = self._properties_by_tag[tag_number] = _TagProperties(
                str(tag.POS or ""), name, tag.is_productive()
            )
        return found


class FirstParseLemmatizer:
    """Lemmas of the words of one ``pymorphy3.MorphAnalyzer``, equal to those of ``parse(word)[0]``.

    Words that are not letters alone, unknown words that its table of probabilities has, and all words where its
    units are not the ones known here, are parsed.
    """

    def __init__(self, analyser: Any) -> None:
        dictionary = analyser.dictionary
        self._parse = analyser.parse
        self._get_forms, self._similar_items = dictionary.words.get, dictionary.words.similar_items
        self._letter_substitutes = analyser.char_substitutes
        self._substitutable_letter = _only_substitutable_letter(self._letter_substitutes)
        self._forms = _FormCache(dictionary)
        estimator = analyser.prob_estimator
        self._parse_probabilities = estimator.p_t_given_w.items if estimator else None
        units = {type(unit.analyzer).__name__: unit.analyzer for unit in analyser._units}
        self._has_known_units = tuple(units) in _KNOWN_UNITS
        if self._has_known_units:
            self._init_prediction(dictionary, units)

    def _init_prediction(self, dictionary: Any, units: dict[str, Any]) -> None:
        suffix = units["KnownSuffixAnalyzer"]
        self._known_prefixes = units["KnownPrefixAnalyzer"].possible_splits
        self._min_predicted_length = suffix.min_word_length
        self._max_ending_length = max(suffix._prediction_splits)
        dawgs = dict(zip(dictionary.paradigm_prefixes, dictionary.prediction_suffixes_dawgs, strict=True))
        self._ending_items = dawgs.pop("").similar_items
        self._ending_items_by_prefix = {prefix: dawg.similar_items for prefix, dawg in dawgs.items()}
        self._cached_likeliest_ending = lru_cache(maxsize=MAX_CACHED_ENDINGS)(self._likeliest_ending)

    def lemma(self, word: str) -> Lemma:
        """The lemma of a word in lower case, `ё` written as `е`."""
        if not self._has_known_units or not _CYRILLIC_WORD.fullmatch(word):
            return self._parse_lemma(word)
        return self._dictionary_lemma(word) or self._predict_lemma(word)

    def tags(self, word: str) -> set[Any] | None:
        """The tags of all readings of a word of the dictionary in lower case; None of any other, which is to be parsed.

        Of one letter alone pymorphy makes an initial."""
        if not self._has_known_units or len(word) < 2 or not _CYRILLIC_WORD.fullmatch(word):
            return None
        return {
            self._forms.tag(place) for _, places in self._dictionary_forms(word) for place in places
        } or None

    def _parse_lemma(self, word: str) -> Lemma:
        return _lemma_of_parse(self._parse(word)[0])

    def _dictionary_forms(self, word: str) -> DictionaryForms:
        """What the dictionary has: the word as it writes it (ё may be written as е), and its forms."""
        if self._substitutable_letter in word:
            return self._similar_items(word, self._letter_substitutes)  # type: ignore[no-any-return]
        places = self._get_forms(word)
        return ((word, places),) if places else ()

    def _dictionary_lemma(self, word: str) -> Lemma | None:
        """The likeliest reading of a word of the dictionary."""
        found = self._dictionary_forms(word)
        if not found:
            return None
        forms = self._forms
        fixed, places = found[0]
        form = forms[places[0]]
        if len(found) > 1 or (len(places) > 1 and any(forms[place] is not form for place in places)):
            form, fixed = next(self._rank_readings(word, found))
        return form.lemma(fixed)

    def _rank_readings(
        self, word: str, dictionary_forms: DictionaryForms
    ) -> Iterator[tuple[_ParadigmForm, str]]:
        """Readings of a known word, by their probability where it is known."""
        forms = self._forms
        readings = [(place, fixed) for fixed, places in dictionary_forms for place in places]
        chances = dict(self._parse_probabilities(f"{word}:")) if self._parse_probabilities else None
        if chances:
            readings.sort(key=lambda reading: -chances.get(f"{word}:{forms.tag(reading[0])}", 0))
        return ((forms[place], fixed) for place, fixed in readings)

    def _predict_lemma(self, word: str) -> Lemma:
        """A word that the dictionary has not: a known prefix and a word, any letters and a word, or a known ending."""
        if self._parse_probabilities and self._parse_probabilities(f"{word}:"):
            return self._parse_lemma(word)
        for prefix, rest in self._known_prefixes(word):
            lemma = self._productive_lemma(rest)
            if lemma:
                return lemma._replace(key=f"{prefix}{lemma.key}".replace("ё", "е"))
        return (
            self._lemma_without_prefix(word) or self._lemma_by_ending(word) or Lemma(word.replace("ё", "е"))
        )

    def _productive_lemma(self, word: str) -> Lemma | None:
        """The first reading of a part of speech that takes prefixes."""
        if not _CYRILLIC_WORD.fullmatch(word):
            return next(
                (_lemma_of_parse(each) for each in self._parse(word) if each.tag.is_productive()), None
            )
        found = self._dictionary_forms(word)
        if not found:
            return self._predict_lemma(word)
        return next(
            (form.lemma(fixed) for form, fixed in self._rank_readings(word, found) if form.is_productive),
            None,
        )

    def _lemma_without_prefix(self, word: str) -> Lemma | None:
        """By a word of the dictionary, of three letters at least, behind one to five letters."""
        forms = self._forms
        for start in range(1, min(5, len(word) - 3) + 1):
            for fixed, places in self._dictionary_forms(word[start:]):
                for place in places:
                    if forms[place].is_productive:
                        return forms[place].lemma(fixed, word[:start])
        return None

    def _lemma_by_ending(self, word: str) -> Lemma | None:
        """By the longest ending that words of the dictionary have, up to five letters."""
        if len(word) < self._min_predicted_length:
            return None
        if any(
            word.startswith(prefix) and self._is_prefixed(word, prefix)
            for prefix in self._ending_items_by_prefix
        ):
            return self._parse_lemma(word)
        for length in range(self._max_ending_length, 0, -1):
            found = self._cached_likeliest_ending(word[-length:])
            if found:
                ending, place = found
                return self._forms[place].lemma(word[:-length] + ending)
        return None

    def _is_prefixed(self, word: str, prefix: str) -> bool:
        items = self._ending_items_by_prefix[prefix]
        return any(
            items(word[-length:], self._letter_substitutes)
            for length in range(1, self._max_ending_length + 1)
        )

    def _likeliest_ending(self, ending: str) -> tuple[str, FormIndex] | None:
        """The ending as the dictionary writes it and the form that most of its words are, if any take prefixes."""
        best, most, seen = None, 0, set()
        for fixed, guesses in self._ending_items(ending, self._letter_substitutes):
            for count, paradigm, index in guesses:
                place = paradigm, index
                reading = fixed, paradigm, self._forms.tag(place)
                if self._forms[place].is_productive and reading not in seen:
                    seen.add(reading)
                    if count > most:
                        best, most = (fixed, place), count
        return best


def _lemma_of_parse(parse: Any) -> Lemma:
    name = not NAME_GRAMMEMES.isdisjoint(parse.tag.grammemes)
    return Lemma(parse.normal_form.replace("ё", "е"), str(parse.tag.POS or ""), name)


def _only_substitutable_letter(substitutes: dict[str | bytes, Any]) -> str:
    """The letter that may stand for another, if it is one alone, else ""."""
    letters = [key.decode() if isinstance(key, bytes) else key for key in substitutes]
    return letters[0] if len(letters) == 1 else ""
