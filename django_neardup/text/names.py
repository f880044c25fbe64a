"""People's names in a text: Иванов Иван Иванович, Ивану Иванову, Иванов И. И., И.И. Иванов."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from typing import NamedTuple

from .morphology import Morphology, Reading, morphology
from .tokenize import Token

# S: surname, N: given name, P: patronymic, I: initial; the first that fits wins.
PATTERNS = ("SNP", "NPS", "SII", "IIS", "SN", "NS", "NP", "SI", "IS")
ORDER = "SNPI"
NEIGHBOURS = {a + b for pattern in PATTERNS for a, b in pairwise(pattern) if "I" not in (a, b)}
"""Words written out that stand side by side in one of the patterns."""

ROLES = {"Surn": "S", "Name": "N", "Patr": "P"}
MOST_WORDS = 10_000

_GAP = re.compile(r"(?:\s|&nbsp;|<[^<>]{0,200}>|\[/?\w{1,10}\]|[*_]){0,40}")
_HYPHENS = ("-", "\u2010", "\u2011")


class Part(NamedTuple):
    """A capitalised word, or two joined by a hyphen; ``initial``: one letter and a full stop."""

    word: str
    initial: bool


def people(
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
    reader = _Reader(morphology(language))
    if not reader.words.has_dictionary:
        return ()
    found: dict[str, None] = {}
    left = MOST_WORDS
    for run in _runs(raw, tokens, sentences):
        found.update(dict.fromkeys(reader.names(run[:left])))
        left -= len(run)
        if left <= 0:
            break
    return tuple(found)


def _runs(raw: str, tokens: Sequence[Token], sentences: Sequence[tuple[int, int]]) -> Iterator[list[Part]]:
    """Parts that stand together in one sentence, two or more."""
    for start, end in sentences:
        run: list[Part] = []
        place = -1
        for token in tokens[start:end]:
            if token.kind != "word" or not raw[token.start].isupper():
                continue
            initial = len(token.surface) == 1 and raw.startswith(".", token.end)
            gap = raw[place : token.start] if place >= 0 else "\0"
            if gap in _HYPHENS and not run[-1].initial:
                run[-1] = Part(f"{run[-1].word}-{token.surface}", False)
            else:
                if not _GAP.fullmatch(gap):
                    if len(run) > 1:
                        yield run
                    run = []
                run.append(Part(token.surface, initial))
            place = token.end + initial
        if len(run) > 1:
            yield run


class _Reader:
    def __init__(self, words: Morphology) -> None:
        self.words = words

    def names(self, run: list[Part]) -> Iterator[str]:
        """Names in a run, from left to right, none overlapping."""
        place = 0
        while place < len(run) - 1:
            length, name = self._name_at(run, place)
            if name:
                yield name
            place += length

    def _name_at(self, run: list[Part], place: int) -> tuple[int, str]:
        for pattern in PATTERNS:
            parts = run[place : place + len(pattern)]
            if len(parts) == len(pattern) and (name := self._name(pattern, parts)):
                return len(pattern), name
        return 1, ""

    def _name(self, pattern: str, parts: list[Part]) -> str:
        """The canonical name, if the parts are what the pattern says and agree in case and gender."""
        if any(part.initial != (role == "I") for role, part in zip(pattern, parts, strict=True)):
            return ""
        full = [(role, part.word) for role, part in zip(pattern, parts, strict=True) if role != "I"]
        choices = [self._readings(role, word, "II" in pattern) for role, word in full]
        agreed = _likeliest(choices)
        if not agreed:
            return ""
        said = [(role, reading.key) for (role, _), reading in zip(full, agreed, strict=True)]
        said += [("I", f"{part.word}.") for part in parts if part.initial]
        return " ".join(word for _, word in sorted(said, key=lambda item: ORDER.index(item[0])))

    def _readings(self, role: str, word: str, sure: bool) -> list[Reading]:
        """Ways to read a word in this role: nominatives first, words that are never declined last.

        ``sure``: there are two initials beside it, so that a word no dictionary has is a surname.
        """
        readings = self.words.readings(word)
        found = [reading for reading in readings if ROLES.get(reading.role) == role]
        if not found and sure and readings and not self.words.knows(word):
            return [Reading(readings[0].key, False)]
        return sorted(found, key=lambda reading: 0 if reading.case == "nomn" else 1 + (reading.key == word))


def together(one: Sequence[Reading], two: Sequence[Reading]) -> bool:
    """Whether two words, one behind the other and both written out, may be parts of one name."""
    return any(
        ROLES.get(first.role, "") + ROLES.get(second.role, "") in NEIGHBOURS and _agree([first, second])
        for first in one
        for second in two
    )


def _likeliest(choices: Sequence[Sequence[Reading]]) -> tuple[Reading, ...]:
    """One reading of each word, in one case and gender, as far to the front as can be; () if none agree."""
    agreeing = [
        (sum(place for place, _ in ranked), tuple(reading for _, reading in ranked))
        for ranked in product(*map(enumerate, choices))
        if _agree([reading for _, reading in ranked])
    ]
    return min(agreeing)[1] if agreeing else ()


def _agree(readings: Sequence[Reading]) -> bool:
    """Whether cases and genders, where they have any, are one."""
    cases = {reading.case for reading in readings if reading.case}
    genders = {reading.gender for reading in readings if reading.gender}
    return len(cases) <= 1 and len(genders) <= 1
