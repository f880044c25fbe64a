"""Documents of a corpus, made when first asked for; the last ones are kept, up to a number of words."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping

from ..text.document import Document
from .costs import Clock, Cost

KEPT = 8192
KEPT_WORDS = 1_000_000


class Documents:
    """`documents[id]` for the texts of one corpus, canonised once as long as they are kept.

    At most `kept` documents and `kept_words` tokens (some 230 bytes each) are kept, the ones last used.  `cost` is
    the processor time of canonising; `made` is called with each document that is made.
    """

    def __init__(
        self,
        texts: Mapping[str, str],
        language: str = "ru",
        kept: int = KEPT,
        kept_words: int = KEPT_WORDS,
        made: Callable[[str, Document], None] | None = None,
    ) -> None:
        self.texts = texts
        self._language, self._size, self._most, self._made = language, kept, kept_words, made
        self._kept: OrderedDict[str, Document] = OrderedDict()
        self._words = 0
        self._clock = Clock()

    @property
    def cost(self) -> Cost:
        return self._clock["canonise"]

    def __getitem__(self, key: str) -> Document:
        document = self._kept.get(key)
        if document is None:
            return self._add(key)
        self._kept.move_to_end(key)
        return document

    def _add(self, key: str) -> Document:
        document = self._kept[key] = self._clock.run("canonise", canonised, self.texts[key], self._language)
        self._words += len(document)
        while len(self._kept) > 1 and (len(self._kept) > self._size or self._words > self._most):
            self._words -= len(self._kept.popitem(last=False)[1])
        if self._made:
            self._made(key, document)
        return document


def canonised(text: str, language: str = "ru") -> Document:
    """A document with the views that all algorithms share, so that none of them is charged for those."""
    document = Document(text, language=language)
    _ = document.weight, document.exact, document.hashes, document.content_words
    return document


def canonical(document: Document) -> str:
    """The text as algorithms see it: the keys of its tokens, with spaces between."""
    return " ".join(token.key for token in document.tokens)
