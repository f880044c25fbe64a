"""TextProfileSignature of Apache Nutch and Solr."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

from ...text.canonical_text import CanonicalText
from ...text.features import written_form
from ...text.hashing import md5
from ..key_matching import KeyMatchAlgorithm
from ..registry import register


@register
class TextProfile(KeyMatchAlgorithm):
    """The first 64 bits of the MD5 of a text's frequent words with their counts, rounded down.

    quant is the product of ``rate`` (.01) and the count of the most frequent word, rounded. It is at least 2
    if a word repeats, otherwise 1. Words as written, longer than 2 characters, have their counts rounded
    down to a multiple of quant. Words with counts below quant are left out. Lines "word count", the most
    frequent first, are hashed.

    Source: the programs of Apache Nutch and Apache Solr. They sort only by count, over a hash table, so the
    order of equal counts is not defined. Here equal counts are sorted by the word. A word is a token of this
    package: a code or a phone number is one word, and the programs cut it at every mark.

    Options:

    - ``rate``: 0 to 1
    - ``shortest``: characters of a word (3)
    - ``terms``: the fewest different words of a profile, 1 as in the programs. A text with fewer has no
      signature.

    Fails: in a short text in which one word repeats, that word is the whole profile, and unrelated texts are
    equal (raise ``terms``). If no word repeats, every word counts, and one changed word separates copies.
    Chinese, Japanese and Thai texts have no profile, because each glyph is a word (``shortest`` 1 gives them
    one).
    """

    name: ClassVar[str] = "text-profile"
    options: ClassVar[tuple[str, ...]] = ("rate", "shortest", "terms")

    def __init__(
        self, *, rate: float = 0.01, shortest: int = 3, terms: int = 1, **common_options: Any
    ) -> None:
        super().__init__(**common_options)
        if not 0 <= rate <= 1:
            raise ValueError(f"rate is {rate}: it is 0 to 1")
        if shortest < 1 or terms < 1:
            raise ValueError(f"shortest is {shortest} and terms {terms}: both are 1 or more")
        self.rate, self.shortest, self.terms = rate, shortest, terms

    def signatures(self, text: CanonicalText) -> list[int]:
        lines = self.profile_lines(text)
        return [md5("\n".join(lines))] if len(lines) >= self.terms else []

    def profile_lines(self, text: CanonicalText) -> list[str]:
        """Return the lines "word count" that are hashed, in order."""
        words = [written_form(token) for token in text.tokens]
        counts = Counter(word for word in words if len(word) >= self.shortest)
        max_count = max(counts.values(), default=0)
        quant = max(int(max_count * self.rate + 0.5), 2 if max_count > 1 else 1)
        rounded_counts = [(count // quant * quant, word) for word, count in counts.items() if count >= quant]
        return [
            f"{word} {count}" for count, word in sorted(rounded_counts, key=lambda item: (-item[0], item[1]))
        ]
