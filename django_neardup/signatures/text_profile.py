"""TextProfileSignature of Nutch and Solr."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

from ..text.document import Document
from ..text.hashing import md5
from ..text.views import written
from .matching import Matching
from .registry import register


@register
class TextProfile(Matching):
    """The first 64 bits of the MD5 of a text's frequent words with their counts, rounded down.

    quant = the rounded product of `rate` (.01) and the count of the most frequent word, at least 2 if a word repeats,
    else 1.  Words as written, longer than 2 characters, have their counts rounded down to a multiple of quant; those
    below quant are left out.  Lines "word count", the most frequent first, are hashed.
    Source: the programs of Apache Nutch and Apache Solr.  They sort by count alone, over a hash table, so that the
    order of equal counts is not defined; here equal counts are sorted by the word.  A word is a token of this
    package: a code or a phone number is one, where the programs cut it at every mark.

    Options: `rate`, 0 to 1; `shortest`, characters of a word (3); `terms`, the fewest different words of a profile, 1
    as in the programs: a text with fewer has no signature.

    Fails: in a short text where one word repeats, that word is the whole profile, and strangers are one text (raise
    `terms`); where none does, every word counts, and one changed word makes strangers of copies; Chinese, Japanese and
    Thai, where each glyph is a word, have no profile (`shortest` 1 gives them one).
    """

    name: ClassVar[str] = "text-profile"
    options: ClassVar[tuple[str, ...]] = ("rate", "shortest", "terms")

    def __init__(self, *, rate: float = 0.01, shortest: int = 3, terms: int = 1, **common: Any) -> None:
        super().__init__(**common)
        if not 0 <= rate <= 1:
            raise ValueError(f"rate is {rate}: it is 0 to 1")
        if shortest < 1 or terms < 1:
            raise ValueError(f"shortest is {shortest} and terms {terms}: both are 1 or more")
        self.rate, self.shortest, self.terms = rate, shortest, terms

    def signatures(self, document: Document) -> list[int]:
        lines = self.profile(document)
        return [md5("\n".join(lines))] if len(lines) >= self.terms else []

    def profile(self, document: Document) -> list[str]:
        """The lines "word count" that are hashed, in order."""
        words = [written(token) for token in document.tokens]
        counts = Counter(word for word in words if len(word) >= self.shortest)
        most = max(counts.values(), default=0)
        quant = max(int(most * self.rate + 0.5), 2 if most > 1 else 1)
        kept = [(count // quant * quant, word) for word, count in counts.items() if count >= quant]
        return [f"{word} {count}" for count, word in sorted(kept, key=lambda item: (-item[0], item[1]))]
