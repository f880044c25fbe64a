"""Batches put together from documents, field by field as the contract of a batch says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from django_neardup.text.canonical_text import CanonicalText
from django_neardup.text.tokens.stopwords import STOP_WORDS

NO_CONTENT = ("price", "contact")


@dataclass(frozen=True)
class PlainBatch:
    """What signing reads of a batch."""

    documents: Sequence[CanonicalText]

    def __len__(self) -> int:
        return len(self.documents)

    def document(self, number: int) -> CanonicalText:
        return self.documents[number]

    @property
    def hashes(self) -> Any:
        return np.array([value for each in self.documents for value in each.hashes], np.uint64)

    @property
    def lengths(self) -> Any:
        return np.array([len(each) for each in self.documents], np.int64)

    @property
    def offsets(self) -> Any:
        return np.concatenate([[0], np.cumsum(self.lengths, dtype=np.int64)])

    @property
    def stop(self) -> Any:
        return np.array(
            [token.key in STOP_WORDS for each in self.documents for token in each.tokens], np.bool_
        )

    @property
    def content(self) -> Any:
        return np.array(
            [
                token.key not in STOP_WORDS and token.kind not in NO_CONTENT
                for each in self.documents
                for token in each.tokens
            ],
            np.bool_,
        )

    @property
    def exacts(self) -> list[bytes]:
        return [each.exact_digest for each in self.documents]
