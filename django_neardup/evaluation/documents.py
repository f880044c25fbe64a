"""Documents of a corpus, made when first asked for; the last few thousand are kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping

from ..text.document import Document

KEPT = 4096


class Documents:
    """`documents[id]` for the texts of one corpus."""

    def __init__(self, texts: Mapping[str, str], language: str = "ru", kept: int = KEPT) -> None:
        self._texts, self._language, self._size = texts, language, kept
        self._kept: OrderedDict[str, Document] = OrderedDict()

    def __getitem__(self, key: str) -> Document:
        document = self._kept.get(key)
        if document is None:
            document = self._kept[key] = Document(self._texts[key], language=self._language)
            if len(self._kept) > self._size:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(key)
        return document
