"""The limit of the work that one text may cause: which of its candidates are read and aligned.

Work is estimated before a text is read, from numbers that are known by then: letters and words. So the answer to a
request depends on neither the machine nor its load.

A unit is about a microsecond of one core, with Python 3.11 on the machine that ``tests/trust/test_budgets.py`` takes as
its reference. Near copies of 20,000 letters of the kinds in ``tests/text/hostile.py`` were read and judged to find the
rates. Ordinary Russian texts need a third to a half of what is estimated, texts of figures and of single letters as
much, and texts of invented words that nearly agree up to one and a half times as much.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from .compared_texts import SignedText, StoredFingerprint

LETTER_UNITS = 5
"""Work of reading a letter of a candidate, with the tokens for its alignment."""
WORD_UNITS = 20
"""Work of aligning a word, of either text, and of judging what differs."""
OWN_LETTER_UNITS = 6
"""Work of reading a letter of the text itself, for its keys."""


def alignment_units(own_words: int, words: int, letters: int) -> int:
    """Return the work of reading a candidate and aligning it with a text."""
    return LETTER_UNITS * letters + WORD_UNITS * (own_words + words)


class WorkLimit:
    """The work that is left for each text of a batch, by document id.

    - ``units``: the limit of each text. None means that all its candidates are aligned.
    - ``with_later_turns``: texts with later turns: they align the candidates that exceed the limit.
    - ``left``: the candidates for later turns, by document id, the most promising first.
    - ``screened``: the candidates that are compared by their fingerprints only, by document id.
    """

    def __init__(self, units: int | None = None) -> None:
        self.units, self.with_later_turns = units, set[int]()
        self.left: defaultdict[int, list[StoredFingerprint]] = defaultdict(list)
        self.screened: defaultdict[int, list[StoredFingerprint]] = defaultdict(list)
        self._spent: Counter[int] = Counter()

    def charge(self, document_id: int, units: int) -> None:
        """Count work for a text."""
        self._spent[document_id] += units

    def exhaust(self, document_id: int) -> None:
        """Leave a text no work: all its candidates are compared by their fingerprints only."""
        self.charge(document_id, self.units or 0)

    def spent_on(self, document_id: int) -> int:
        """Return the work that was counted for a text."""
        return self._spent[document_id]

    def may_fit(self, letters: int) -> bool:
        """Return whether a text of this length can be aligned with any other within the limit."""
        return self.units is None or alignment_units(0, 0, letters) <= self.units

    def preselect(self, text: SignedText, candidates: Sequence[StoredFingerprint]) -> list[StoredFingerprint]:
        """Return the candidates that may fit, by their words. The others need not be read. Nothing is counted."""
        unknown_letters = dict.fromkeys((candidate.document_id for candidate in candidates), 0)
        return self._select(text, candidates, unknown_letters)[0]

    def select(
        self, text: SignedText, candidates: Sequence[StoredFingerprint], letters: Mapping[int, int]
    ) -> list[StoredFingerprint]:
        """Return the candidates to align with a text, and count their work. Record what happens to the others.

        ``letters``: the lengths of their texts, by document id, only of preselected documents.
        """
        selected, units = self._select(text, candidates, letters)
        self.charge(text.document_id, units)
        selected_ids = {candidate.document_id for candidate in selected}
        for candidate in candidates:
            if candidate.document_id not in selected_ids:
                self._set_aside(text, candidate, letters.get(candidate.document_id, 0))
        return selected

    def _select(
        self, text: SignedText, candidates: Sequence[StoredFingerprint], letters: Mapping[int, int]
    ) -> tuple[list[StoredFingerprint], int]:
        """Return the candidates that fit, in their order, and their work. One that is too long stops no later one."""
        if self.units is None:
            return list(candidates), 0
        remaining, total, selected = self.units - self._spent[text.document_id], 0, []
        for candidate in candidates:
            if candidate.document_id in letters:
                units = alignment_units(text.word_count, candidate.word_count, letters[candidate.document_id])
                if total + units <= remaining:
                    selected.append(candidate)
                    total += units
        return selected, total

    def _set_aside(self, text: SignedText, candidate: StoredFingerprint, letters: int) -> None:
        units = alignment_units(text.word_count, candidate.word_count, letters)
        has_later_turn = text.document_id in self.with_later_turns
        can_wait = has_later_turn and self.units is not None and units <= self.units
        (self.left if can_wait else self.screened)[text.document_id].append(candidate)
