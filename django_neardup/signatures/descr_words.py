"""A9 of the RCDL-2007 comparison."""

from __future__ import annotations

from typing import Any, ClassVar

from ..text.document import Document
from ..text.hashing import hash_word
from .matching import Matching
from .registry import register
from .statistics import frequencies, needed


@register
class DescrWords(Matching):
    """A binary vector over support words: 1 where the word's frequency in the text is above the word's threshold.

    Equal vectors are duplicates; the signature is a hash of the words with a 1, in alphabetical order.  A text with
    fewer than `least_words` of them has none.

    Source: Zelenkov, Segalovich (RCDL 2007), algorithm A9, after Ilyinsky, Kuzmin, Melkov, Segalovich, "An efficient
    method to detect duplicates of Web documents with the use of inverted index" (2002).  The article does not state
    how support words and thresholds are chosen; here they are part of the statistics (`TermStatistics.support`, at
    most 2500), and three words are the least: a reconstruction.  Fails on short texts, where few words reach a
    threshold or one word more moves them all below theirs.
    """

    name: ClassVar[str] = "descr-words"
    options: ClassVar[tuple[str, ...]] = ("least_words",)
    needs_statistics: ClassVar[bool] = True

    def __init__(self, *, least_words: int = 3, **common: Any) -> None:
        super().__init__(**common)
        if least_words < 1:
            raise ValueError("least_words is 1 or more")
        self.least_words = least_words

    def signatures(self, document: Document) -> list[int]:
        words = self.support_words(document)
        return [hash_word(" ".join(words), document.secret)] if len(words) >= self.least_words else []

    def support_words(self, document: Document) -> list[str]:
        """The support words of a text that are above their thresholds, in alphabetical order."""
        support = needed(self.statistics, self.name).support
        found = frequencies(document).items()
        return sorted(word for word, frequency in found if word in support and frequency > support[word])
