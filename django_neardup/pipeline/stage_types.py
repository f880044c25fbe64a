"""The values that the stages of processing pass to one another."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ..adapters import Adapter, Source
from ..algorithms.base import Algorithm, Judgement
from ..models import Document, Scheme
from ..text.canonical_text import CanonicalText as Text
from .schemes import algorithm_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..text.batch import Batch


@dataclass(slots=True)
class ReadDocument:
    """A leased document with its object as read.

    ``adapter`` is None if the model has none. ``source`` is None if the object is gone or cannot be read.
    """

    document: Document
    adapter: Adapter | None
    source: Source | None


@dataclass(slots=True)
class SkippedDocument:
    """A document that is not compared, and the reason."""

    read_document: ReadDocument
    reason: str


@dataclass(slots=True)
class SignedDocument:
    """A signed source: the stage ``store`` writes it, and later stages compare by it.

    - ``requested_version``: the request that is being answered.
    - ``is_new``: the document was never signed. So it has no fingerprint, pair, membership or contact yet.
    - ``space_digest``: the version guard uses it to check that the space is still the same.
    - ``keys``: distinct, ascending, hashed with scheme and space.
    - ``sure_keys``: keys of equal identity or of an exact copy. A shared one is enough to make a candidate.
    - ``contacts``: kinds by hash.
    - ``assumed_no_phrases``: no key phrases were known, and the text was not searched for any.
    - ``batch`` holds the text at ``batch_index``. To save memory it may be dropped: then ``verify_many``
      reads the text again if it needs it.
    """

    document_id: int
    requested_version: int
    is_new: bool
    adapter: Adapter
    scheme: Scheme
    space_id: int
    source_digest: str
    exact_digest: str
    word_count: int
    keys: NDArray[np.int64]
    sure_keys: NDArray[np.int64]
    payload: bytes
    space_digest: str = ""
    codes: str = ""
    contacts: Mapping[int, str] = field(default_factory=dict)
    assumed_no_phrases: bool = False
    identity: tuple[str, ...] = ()
    author: str = ""
    is_live: bool = True
    is_truncated: bool = False
    batch: Batch | None = None
    batch_index: int = 0

    @property
    def text(self) -> Text | None:
        """The text, built on first use by the batch. None if ``batch`` was dropped."""
        return None if self.batch is None else self.batch.document(self.batch_index)

    @property
    def ignored_classes(self) -> tuple[str, ...] | None:
        return None if self.adapter.ignored_differences is None else tuple(self.adapter.ignored_differences)

    @property
    def algorithm(self) -> Algorithm:
        return algorithm_of(self.scheme, self.ignored_classes)


class ScreeningRow(NamedTuple):
    """What the screen needs of another document: its stored fingerprint, and the leader of its cluster.

    ``source_digest`` is empty if its post is deleted and remembered.
    """

    document_id: int
    source_digest: str
    exact_digest: str
    word_count: int
    payload: bytes
    packed_keys: bytes
    leader_id: int | None


class StoredFingerprint(NamedTuple):
    """A stored fingerprint of another document, and what is needed to read its text."""

    document_id: int
    source_digest: str
    exact_digest: str
    word_count: int
    payload: bytes
    leader_id: int | None
    space_id: int | None
    content_type_id: int
    object_id: str


@dataclass(slots=True)
class Candidates:
    """The documents to compare a document with, and its stored relations.

    - ``paired_documents``: the other sides of its pairs.
    - ``spaces``: spaces in which it has pairs or a membership.
    - ``has_relations``: it has a pair, a membership or a decision.
    - ``deleted_posts``: similar posts that are deleted and remembered, in no order. They are compared by
      their stored fingerprints only.
    """

    fingerprints: list[StoredFingerprint]
    paired_documents: frozenset[int] = frozenset()
    spaces: frozenset[int] = frozenset()
    has_relations: bool = False
    deleted_posts: Sequence[ScreeningRow] = ()


@dataclass(frozen=True, slots=True)
class PairSide:
    """One side of a pair when it was judged: the stored digest, and the digest of the text as read."""

    document_id: int
    stored_digest: str
    read_digest: str


@dataclass(frozen=True)
class JudgedPair:
    """A pair with its judgement. The document id of ``a`` is the lower one."""

    a: PairSide
    b: PairSide
    judgement: Judgement

    def other_side(self, document: int) -> PairSide:
        return self.b if self.a.document_id == document else self.a

    @cached_property
    def evidence_json(self) -> str:
        """The reasons of the judgement, in their stored form."""
        judgement = self.judgement
        if judgement.differences or judgement.passages:
            return json.dumps(judgement.evidence())
        return _evidence_without_spans(judgement.exact, judgement.classes)


@lru_cache(maxsize=64)
def _evidence_without_spans(exact: bool, classes: tuple[str, ...]) -> str:
    """Return the evidence of a judgement without differences and passages."""
    return json.dumps(Judgement("none", 0.0, exact=exact, classes=classes).evidence())


class PairRow(NamedTuple):
    """A stored pair without its evidence. ``a_id`` is lower than ``b_id``."""

    a_id: int
    b_id: int
    verdict: str
    exact: bool
    score: float
    classes: str
    digest_a: str
    digest_b: str
