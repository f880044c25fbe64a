"""People's names in a text: Иванов Иван Иванович, Ивану Иванову, Иванов И. И., И.И. Иванов."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from typing import NamedTuple

from ..lemmas.morphology import Morphology, Reading, get_morphology
from .tokenize import Token

# S: surname, N: given name, P: patronymic, I: initial; the first that fits wins.
NAME_PATTERNS = ("SNP", "NPS", "SII", "IIS", "SN", "NS", "NP", "SI", "IS")
ROLE_ORDER = "SNPI"
ADJACENT_ROLES = {a + b for pattern in NAME_PATTERNS for a, b in pairwise(pattern) if "I" not in (a, b)}
"""Words written out that stand side by side in one of the patterns."""

ROLE_LETTERS = {"Surn": "S", "Name": "N", "Patr": "P"}
MAX_CAPITALIZED_WORDS = 10_000

_PART_GAP = re.compile(r"(?:\s|&nbsp;|<[^<>]{0,200}>|\[/?\w{1,10}\]|[*_]){0,40}")
_HYPHENS = ("-", "\u2010", "\u2011")


class NamePart(NamedTuple):
    """A capitalised word, or two joined by a hyphen; ``initial``: one letter and a full stop."""

    word: str
    is_initial: bool


def find_person_names(
    raw: str, tokens: Sequence[Token], sentences: Sequence[tuple[int, int]], language: str
) -> tuple[str, ...]:
    """Canonical names of the people that a text names in full, each once, in order of appearance.

    A name is two words at least, capitalised and side by side: a given name with a surname or a patronymic, in
    any order and in one case, or a surname with initials; a single name may be anybody's, or a town's.  In the
    canonical form the lemma of the surname comes first, then the name and the patronymic or the initials:
    "иванов иван иванович", "иванов и. и.", "иван иванович"; a woman's surname and patronymic have the lemmas of a
    man's, as pymorphy3 has them.  () for languages that pymorphy3 does not know.
    Of a text with very many capitalised words only the first 10,000 that stand together are looked at.
    """
    reader = _NameReader(get_morphology(language))
    if not reader.analyser.has_dictionary:
        return ()
    found: dict[str, None] = {}
    left = MAX_CAPITALIZED_WORDS
    for run in _capitalized_runs(raw, tokens, sentences):
        found.update(dict.fromkeys(reader.read_names(run[:left])))
        left -= len(run)
        if left <= 0:
            break
    return tuple(found)


def _capitalized_runs(
    raw: str, tokens: Sequence[Token], sentences: Sequence[tuple[int, int]]
) -> Iterator[list[NamePart]]:
    """Parts that stand together in one sentence, two or more."""
    for start, end in sentences:
        run: list[NamePart] = []
        place = -1
        for token in tokens[start:end]:
            if token.kind != "word" or not raw[token.start].isupper():
                continue
            initial = len(token.surface) == 1 and raw.startswith(".", token.end)
            gap = raw[place : token.start] if place >= 0 else "\0"
            if gap in _HYPHENS and not run[-1].is_initial:
                run[-1] = NamePart(f"{run[-1].word}-{token.surface}", False)
            else:
                if not _PART_GAP.fullmatch(gap):
                    if len(run) > 1:
                        yield run
                    run = []
                run.append(NamePart(token.surface, initial))
            place = token.end + initial
        if len(run) > 1:
            yield run


class _NameReader:
    def __init__(self, analyser: Morphology) -> None:
        self.analyser = analyser

    def read_names(self, parts: list[NamePart]) -> Iterator[str]:
        """Names in a run, from left to right, none overlapping."""
        place = 0
        while place < len(parts) - 1:
            length, name = self._read_name_at(parts, place)
            if name:
                yield name
            place += length

    def _read_name_at(self, run_parts: list[NamePart], position: int) -> tuple[int, str]:
        for pattern in NAME_PATTERNS:
            parts = run_parts[position : position + len(pattern)]
            if len(parts) == len(pattern) and (name := self._canonical_name(pattern, parts)):
                return len(pattern), name
        return 1, ""

    def _canonical_name(self, pattern: str, parts: list[NamePart]) -> str:
        """The canonical name, if the parts are what the pattern says and agree in case and gender."""
        if any(part.is_initial != (role == "I") for role, part in zip(pattern, parts, strict=True)):
            return ""
        full = [(role, part.word) for role, part in zip(pattern, parts, strict=True) if role != "I"]
        choices = [self._readings_in_role(role, word, "II" in pattern) for role, word in full]
        agreed = _likeliest_agreeing_readings(choices)
        if not agreed:
            return ""
        said = [(role, reading.key) for (role, _), reading in zip(full, agreed, strict=True)]
        said += [("I", f"{part.word}.") for part in parts if part.is_initial]
        return " ".join(word for _, word in sorted(said, key=lambda item: ROLE_ORDER.index(item[0])))

    def _readings_in_role(self, role: str, word: str, allow_unknown: bool) -> list[Reading]:
        """Ways to read a word in this role: nominatives first, words that are never declined last.

        ``sure``: there are two initials beside it, so that a word no dictionary has is a surname.
        """
        readings = self.analyser.readings(word)
        found = [reading for reading in readings if ROLE_LETTERS.get(reading.role) == role]
        if not found and allow_unknown and readings and not self.analyser.is_in_dictionary(word):
            return [Reading(readings[0].key, False)]
        return sorted(found, key=lambda reading: 0 if reading.case == "nomn" else 1 + (reading.key == word))


def can_form_name(first_readings: Sequence[Reading], second_readings: Sequence[Reading]) -> bool:
    """Whether two words, one behind the other and both written out, may be parts of one name."""
    return any(
        ROLE_LETTERS.get(first.role, "") + ROLE_LETTERS.get(second.role, "") in ADJACENT_ROLES
        and _has_one_case_and_gender([first, second])
        for first in first_readings
        for second in second_readings
    )


def _likeliest_agreeing_readings(readings_by_word: Sequence[Sequence[Reading]]) -> tuple[Reading, ...]:
    """One reading of each word, in one case and gender, as far to the front as can be; () if none agree."""
    agreeing = [
        (sum(place for place, _ in ranked), tuple(reading for _, reading in ranked))
        for ranked in product(*map(enumerate, readings_by_word))
        if _has_one_case_and_gender([reading for _, reading in ranked])
    ]
    return min(agreeing)[1] if agreeing else ()


def _has_one_case_and_gender(readings: Sequence[Reading]) -> bool:
    """Whether cases and genders, where they have any, are one."""
    cases = {reading.case for reading in readings if reading.case}
    genders = {reading.gender for reading in readings if reading.gender}
    return len(cases) <= 1 and len(genders) <= 1
