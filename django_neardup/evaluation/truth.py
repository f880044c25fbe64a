"""What is known of any two texts of a set."""

from __future__ import annotations

from .corpora import Corpus

HALF = 0.5


class Truth:
    """Labels first, then groups.

    `pairs`: labelled as one text, at most half of the words changed; `labelled`: all that are, less those of which
    one text holds the other.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._labels = {frozenset((pair.a, pair.b)): pair.duplicate for pair in corpus.pairs}
        true = [pair for pair in corpus.pairs if pair.duplicate]
        self.pairs = {frozenset((p.a, p.b)) for p in true if p.changed is None or p.changed <= HALF}
        self.labelled = {frozenset((p.a, p.b)) for p in true if not p.contains}
        self._groups = corpus.groups
        self._doubtful = {
            key
            for pair in corpus.pairs
            if not pair.duplicate or pair.contains
            for key in (pair.a, pair.b)
            if corpus.groups.get(pair.a) == corpus.groups.get(pair.b) is not None
            and corpus.groups[key] != key
        }

    def relation(self, a: str, b: str) -> str:
        """`same`, `different`, or `unknown`: of two texts without a label whose groups are not known, or that are of
        one group but one of which is more than an edit of its source."""
        label = self._labels.get(frozenset((a, b)), "")
        if label != "":
            return {True: "same", False: "different", None: "unknown"}[label]  # type: ignore[index]
        one, two = self._groups.get(a), self._groups.get(b)
        if one is None or two is None:
            return "unknown"
        if one != two:
            return "different"
        return "unknown" if a in self._doubtful or b in self._doubtful else "same"
