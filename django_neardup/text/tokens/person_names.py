"""Names of people in a text: Иванов Иван Иванович, Ивану Иванову, Иванов И. И., И.И. Иванов."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from typing import NamedTuple

from ..lemmas.morphology import Morphology, WordReading, get_morphology
from .tokenize import Token

# S: surname, N: given name, P: patronymic, I: initial. The first pattern that fits wins.
NAME_PATTERNS = ("SNP", "NPS", "SII", "IIS", "SN", "NS", "NP", "SI", "IS")
ROLE_ORDER = "SNPI"
ADJACENT_ROLES = {a + b for pattern in NAME_PATTERNS for a, b in pairwise(pattern) if "I" not in (a, b)}
"""Roles of two adjacent words, both written out, in one of the patterns."""

ROLE_LETTERS = {"Surn": "S", "Name": "N", "Patr": "P"}
MAX_CAPITALIZED_WORDS = 10_000

_PART_GAP = re.compile(r"(?:\s|&nbsp;|<[^<>]{0,200}>|\[/?\w{1,10}\]|[*_]){0,40}")
_HYPHENS = ("-", "\u2010", "\u2011")


class NamePart(NamedTuple):
    """A capitalised word, or two joined by a hyphen. ``is_initial``: one letter and a full stop."""

    word: str
    is_initial: bool


def find_person_names(
    raw: str, tokens: Sequence[Token], sentences: Sequence[tuple[int, int]], language: str
) -> tuple[str, ...]:
    """Return the canonical names of people named in full, each once, in order of appearance.

    A name consists of at least two adjacent capitalised words. It is a given name with a surname or a
    patronymic, in any order and in one case, or a surname with initials. A single name is ambiguous: it
    may be a town.

    The canonical form is the lemma of the surname, then the name and the patronymic or the initials:
    "иванов иван иванович", "иванов и. и.", "иван иванович". A woman's surname and patronymic have the
    lemmas of a man's, as in pymorphy3. Return () for languages that pymorphy3 does not support. In a
    text with very many capitalised words only the first 10,000 adjacent ones are read.
    """
    reader = _NameReader(get_morphology(language))
    if not reader.analyser.has_dictionary:
        return ()
    names: dict[str, None] = {}
    remaining_words = MAX_CAPITALIZED_WORDS
    for run in _capitalized_runs(raw, tokens, sentences):
        names.update(dict.fromkeys(reader.read_names(run[:remaining_words])))
        remaining_words -= len(run)
        if remaining_words <= 0:
            break
    return tuple(names)


def _capitalized_runs(
    raw: str, tokens: Sequence[Token], sentences: Sequence[tuple[int, int]]
) -> Iterator[list[NamePart]]:
    """Yield runs of two or more adjacent parts of one sentence."""
    for start, end in sentences:
        run: list[NamePart] = []
        part_end = -1
        for token in tokens[start:end]:
            if token.kind != "word" or not raw[token.start].isupper():
                continue
            is_initial = len(token.surface) == 1 and raw.startswith(".", token.end)
            gap = raw[part_end : token.start] if part_end >= 0 else "\0"
            if gap in _HYPHENS and not run[-1].is_initial:
                run[-1] = NamePart(f"{run[-1].word}-{token.surface}", False)
            else:
                if not _PART_GAP.fullmatch(gap):
                    if len(run) > 1:
                        yield run
                    run = []
                run.append(NamePart(token.surface, is_initial))
            part_end = token.end + is_initial
        if len(run) > 1:
            yield run


class _NameReader:
    def __init__(self, analyser: Morphology) -> None:
        self.analyser = analyser

    def read_names(self, parts: list[NamePart]) -> Iterator[str]:
        """Yield the names in a run, from left to right, without overlaps."""
        position = 0
        while position < len(parts) - 1:
            length, name = self._read_name_at(parts, position)
            if name:
                yield name
            position += length

    def _read_name_at(self, run_parts: list[NamePart], position: int) -> tuple[int, str]:
        for pattern in NAME_PATTERNS:
            parts = run_parts[position : position + len(pattern)]
            if len(parts) == len(pattern) and (name := self._canonical_name(pattern, parts)):
                return len(pattern), name
        return 1, ""

    def _canonical_name(self, pattern: str, parts: list[NamePart]) -> str:
        """Return the canonical name if the parts fit the pattern and agree in case and gender.

        Otherwise return "".
        """
        if any(part.is_initial != (role == "I") for role, part in zip(pattern, parts, strict=True)):
            return ""
        written_out = [(role, part.word) for role, part in zip(pattern, parts, strict=True) if role != "I"]
        choices = [self._readings_in_role(role, word, "II" in pattern) for role, word in written_out]
        agreed = _likeliest_agreeing_readings(choices)
        if not agreed:
            return ""
        named_parts = [(role, reading.key) for (role, _), reading in zip(written_out, agreed, strict=True)]
        named_parts += [("I", f"{part.word}.") for part in parts if part.is_initial]
        return " ".join(word for _, word in sorted(named_parts, key=lambda item: ROLE_ORDER.index(item[0])))

    def _readings_in_role(self, role: str, word: str, allow_unknown: bool) -> list[WordReading]:
        """Return a word's readings in this role: nominatives first, words that are never declined last.

        ``allow_unknown``: the name has two initials, so an unknown word is a surname.
        """
        readings = self.analyser.readings(word)
        matching = [reading for reading in readings if ROLE_LETTERS.get(reading.role) == role]
        if not matching and allow_unknown and readings and not self.analyser.is_in_dictionary(word):
            return [WordReading(readings[0].key, False)]
        return sorted(
            matching, key=lambda reading: 0 if reading.case == "nomn" else 1 + (reading.key == word)
        )


def can_form_name(first_readings: Sequence[WordReading], second_readings: Sequence[WordReading]) -> bool:
    """Return whether two adjacent words, both written out, may be parts of one name."""
    return any(
        ROLE_LETTERS.get(first.role, "") + ROLE_LETTERS.get(second.role, "") in ADJACENT_ROLES
        and _has_one_case_and_gender([first, second])
        for first in first_readings
        for second in second_readings
    )


def _likeliest_agreeing_readings(
    readings_by_word: Sequence[Sequence[WordReading]],
) -> tuple[WordReading, ...]:
    """Return one reading of each word, all in one case and gender, as likely as possible.

    Return () if none agree.
    """
    agreeing = [
        (sum(rank for rank, _ in ranked), tuple(reading for _, reading in ranked))
        for ranked in product(*map(enumerate, readings_by_word))
        if _has_one_case_and_gender([reading for _, reading in ranked])
    ]
    return min(agreeing)[1] if agreeing else ()


def _has_one_case_and_gender(readings: Sequence[WordReading]) -> bool:
    """Return whether all known cases and all known genders are equal."""
    cases = {reading.case for reading in readings if reading.case}
    genders = {reading.gender for reading in readings if reading.gender}
    return len(cases) <= 1 and len(genders) <= 1
