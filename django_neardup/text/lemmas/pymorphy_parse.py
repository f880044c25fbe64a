"""The first parse of a word, equal to the one of pymorphy3, computed without the other parses.

It takes half of the time of ``MorphAnalyzer.parse``, with the dictionary in Python and with the one in C
(``pip install ".[fast]"``). A first index looks up some nine new words a post, so without this it would take
a tenth longer. To require the dictionary in C would save more, but it has no build for Linux on ARM, where it
needs a compiler.
"""

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
# The shortcuts below, for words that consist of letters only, are correct for these units in this order.
_KNOWN_UNITS = (
    (
        *_FIRST_UNITS, *_SHAPE_UNITS, *_LATIN_UNITS, "HyphenSeparatedParticleAnalyzer", "HyphenAdverbAnalyzer",
        *_HYPHEN_UNITS, "UnknAnalyzer",
    ),
    (*_FIRST_UNITS, *_LATIN_UNITS, *_SHAPE_UNITS, "HyphenSeparatedParticleAnalyzer", *_HYPHEN_UNITS, "UnknAnalyzer"),
)  # fmt: skip

_new_tuple = tuple.__new__


class Lemma(NamedTuple):
    """``key`` is compared.

    ``pos`` is pymorphy's part of speech or "". ``is_name``: a person, a place or a brand.
    """

    key: str
    pos: str = ""
    is_name: bool = False


class _ParadigmForm(NamedTuple):
    """How a form of a paradigm becomes its normal form, and the properties of its tag.

    The normal form is ``lemma_prefix + word[start:end] + lemma_suffix``.
    """

    start: int
    end: int | None
    lemma_prefix: str
    lemma_suffix: str
    pos: str
    is_name: bool
    is_productive: bool

    def lemma(self, word: str, prefix: str = "") -> Lemma:
        start, end, lemma_prefix, lemma_suffix, pos, is_name, _ = self
        return _new_tuple(
            Lemma, (f"{prefix}{lemma_prefix}{word[start:end]}{lemma_suffix}".replace("ё", "е"), pos, is_name)
        )


class _TagProperties(NamedTuple):
    """Properties of a tag: part of speech, whether it is a name, whether it takes prefixes."""

    pos: str
    is_name: bool
    is_productive: bool


class _FormCache(dict[FormIndex, _ParadigmForm]):
    """Forms by paradigm and index in it, filled on demand. Equal forms share one object."""

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
        """Build a form.

        A paradigm is three arrays in one: suffixes, tags and prefixes, the normal form first.
        """
        paradigm, index = self._paradigms[form_index[0]], form_index[1]
        form_count = len(paradigm) // 3
        tag_properties = self._tag_properties(paradigm[form_count + index])
        if index:
            start = len(self._prefixes[paradigm[2 * form_count + index]])
            end = -len(self._suffixes[paradigm[index]]) or None
            lemma_prefix, lemma_suffix = self._prefixes[paradigm[2 * form_count]], self._suffixes[paradigm[0]]
            form = _ParadigmForm(start, end, lemma_prefix, lemma_suffix, *tag_properties)
        else:
            form = _ParadigmForm(0, None, "", "", *tag_properties)
        shared_form = self[form_index] = self._shared_forms.setdefault(form, form)
        return shared_form

    def _tag_properties(self, tag_number: int) -> _TagProperties:
        properties = self._properties_by_tag.get(tag_number)
        if properties is None:
            tag = self._tags[tag_number]
            is_name = not NAME_GRAMMEMES.isdisjoint(tag.grammemes)
            properties = self._properties_by_tag[tag_number] = _TagProperties(
                str(tag.POS or ""), is_name, tag.is_productive()
            )
        return properties


class FirstParseLemmatizer:
    """Lemmas of the words of one ``pymorphy3.MorphAnalyzer``, equal to those of ``parse(word)[0]``.

    Some words are parsed in full:

    - words that do not consist of letters only;
    - unknown words that pymorphy's table of probabilities has;
    - all words, if the analyser's units are not those in ``_KNOWN_UNITS``.
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
        """Return the lemma of a word in lower case. ``ё`` is written as ``е``."""
        if not self._has_known_units or not _CYRILLIC_WORD.fullmatch(word):
            return self._parse_lemma(word)
        return self._dictionary_lemma(word) or self._predict_lemma(word)

    def tags(self, word: str) -> set[Any] | None:
        """Return the tags of all readings of a dictionary word in lower case.

        Return None for any other word: it must be parsed.
        """
        # pymorphy reads a single letter as an initial.
        if not self._has_known_units or len(word) < 2 or not _CYRILLIC_WORD.fullmatch(word):
            return None
        return {
            self._forms.tag(form_index)
            for _, form_indexes in self._dictionary_forms(word)
            for form_index in form_indexes
        } or None

    def _parse_lemma(self, word: str) -> Lemma:
        return _lemma_of_parse(self._parse(word)[0])

    def _dictionary_forms(self, word: str) -> DictionaryForms:
        """Return the dictionary's spellings of a word and the forms of each.

        In the word, ё may be written as е.
        """
        if self._substitutable_letter in word:
            return self._similar_items(word, self._letter_substitutes)  # type: ignore[no-any-return]
        form_indexes = self._get_forms(word)
        return ((word, form_indexes),) if form_indexes else ()

    def _dictionary_lemma(self, word: str) -> Lemma | None:
        """Return the most likely reading of a dictionary word.

        Return None if the dictionary does not have the word.
        """
        dictionary_forms = self._dictionary_forms(word)
        if not dictionary_forms:
            return None
        forms = self._forms
        spelling, form_indexes = dictionary_forms[0]
        form = forms[form_indexes[0]]
        if len(dictionary_forms) > 1 or (
            len(form_indexes) > 1 and any(forms[form_index] is not form for form_index in form_indexes)
        ):
            form, spelling = next(self._rank_readings(word, dictionary_forms))
        return form.lemma(spelling)

    def _rank_readings(
        self, word: str, dictionary_forms: DictionaryForms
    ) -> Iterator[tuple[_ParadigmForm, str]]:
        """Return the readings of a dictionary word, ordered by probability if it is known."""
        forms = self._forms
        readings = [
            (form_index, spelling)
            for spelling, form_indexes in dictionary_forms
            for form_index in form_indexes
        ]
        probabilities = dict(self._parse_probabilities(f"{word}:")) if self._parse_probabilities else None
        if probabilities:
            readings.sort(key=lambda reading: -probabilities.get(f"{word}:{forms.tag(reading[0])}", 0))
        return ((forms[form_index], spelling) for form_index, spelling in readings)

    def _predict_lemma(self, word: str) -> Lemma:
        """Predict the lemma of a word that the dictionary does not have.

        The word is read as a known prefix and a word, as any letters and a word, or by its ending.
        """
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
        """Return the lemma of the first reading with a part of speech that takes prefixes."""
        if not _CYRILLIC_WORD.fullmatch(word):
            return next(
                (_lemma_of_parse(parse) for parse in self._parse(word) if parse.tag.is_productive()), None
            )
        dictionary_forms = self._dictionary_forms(word)
        if not dictionary_forms:
            return self._predict_lemma(word)
        return next(
            (
                form.lemma(spelling)
                for form, spelling in self._rank_readings(word, dictionary_forms)
                if form.is_productive
            ),
            None,
        )

    def _lemma_without_prefix(self, word: str) -> Lemma | None:
        """Return the lemma of a dictionary word of at least three letters behind one to five other letters."""
        forms = self._forms
        for start in range(1, min(5, len(word) - 3) + 1):
            for spelling, form_indexes in self._dictionary_forms(word[start:]):
                for form_index in form_indexes:
                    if forms[form_index].is_productive:
                        return forms[form_index].lemma(spelling, word[:start])
        return None

    def _lemma_by_ending(self, word: str) -> Lemma | None:
        """Return the lemma by the longest ending, up to five letters, that dictionary words have."""
        if len(word) < self._min_predicted_length:
            return None
        if any(
            word.startswith(prefix) and self._is_prefixed(word, prefix)
            for prefix in self._ending_items_by_prefix
        ):
            return self._parse_lemma(word)
        for length in range(self._max_ending_length, 0, -1):
            likeliest = self._cached_likeliest_ending(word[-length:])
            if likeliest:
                ending, form_index = likeliest
                return self._forms[form_index].lemma(word[:-length] + ending)
        return None

    def _is_prefixed(self, word: str, prefix: str) -> bool:
        items = self._ending_items_by_prefix[prefix]
        return any(
            items(word[-length:], self._letter_substitutes)
            for length in range(1, self._max_ending_length + 1)
        )

    def _likeliest_ending(self, ending: str) -> tuple[str, FormIndex] | None:
        """Return an ending in the dictionary's spelling, and the form that most of its words have.

        Only forms that take prefixes count. Return None if there are none.
        """
        best, best_count, counted_readings = None, 0, set()
        for spelling, predictions in self._ending_items(ending, self._letter_substitutes):
            for count, paradigm, index in predictions:
                form_index = paradigm, index
                reading = spelling, paradigm, self._forms.tag(form_index)
                if self._forms[form_index].is_productive and reading not in counted_readings:
                    counted_readings.add(reading)
                    if count > best_count:
                        best, best_count = (spelling, form_index), count
        return best


def _lemma_of_parse(parse: Any) -> Lemma:
    is_name = not NAME_GRAMMEMES.isdisjoint(parse.tag.grammemes)
    return Lemma(parse.normal_form.replace("ё", "е"), str(parse.tag.POS or ""), is_name)


def _only_substitutable_letter(substitutes: dict[str | bytes, Any]) -> str:
    """Return the letter that may stand for another if there is only one such letter, otherwise ""."""
    letters = [key.decode() if isinstance(key, bytes) else key for key in substitutes]
    return letters[0] if len(letters) == 1 else ""
