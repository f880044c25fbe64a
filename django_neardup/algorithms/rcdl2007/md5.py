"""Algorithm A0 of the RCDL-2007 comparison: one hash of the whole text."""

from __future__ import annotations

from typing import ClassVar

from ...text.canonical_text import CanonicalText
from ...text.hashing import md5
from ..key_matching import KeyMatchAlgorithm
from ..registry import register


@register
class MD5(KeyMatchAlgorithm):
    """The first 64 bits of the MD5 of the canonical text: the keys of all its words, joined by spaces.

    Source: Zelenkov, Segalovich (RCDL 2007), algorithm A0. The article hashes the document. Here markup,
    case, punctuation and grammatical forms do not count, as in every algorithm of this package.

    Fails if one word is added or removed: it finds only copies.
    """

    name: ClassVar[str] = "md5"

    def signatures(self, text: CanonicalText) -> list[int]:
        return [md5(" ".join([token.key for token in text.tokens]))]
