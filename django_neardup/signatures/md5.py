"""A0 of the RCDL-2007 comparison."""

from __future__ import annotations

from typing import ClassVar

from ..text.document import Document
from ..text.hashing import md5
from .matching import Matching
from .registry import register


@register
class MD5(Matching):
    """The first 64 bits of the MD5 of the canonical text: the keys of all its words, joined by spaces.

    Source: Zelenkov, Segalovich (RCDL 2007), algorithm A0.  The article hashes the document; here markup, case,
    punctuation and grammatical forms are nothing, as for every algorithm of this package.  One word more or less, and
    the texts are strangers: it finds copies and nothing else.
    """

    name: ClassVar[str] = "md5"

    def signatures(self, document: Document) -> list[int]:
        return [md5(" ".join([token.key for token in document.tokens]))]
