"""The values that the stages of a comparison pass to one another."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ..algorithms.base import Algorithm, Judgement
from ..text.canonical_text import CanonicalText as Text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class SignedText(Protocol):
    """A text that is compared.

    - ``document_id``: its number. Of two posts in memory the older one has the lower number.
    - ``is_new``: nothing is stored of it yet: no pair, membership or decision.
    - ``keys``: distinct, ascending, hashed with scheme and space.
    - ``sure_keys``: those of equal identity or of an exact copy. A shared one is enough to make a candidate.
    - ``identity``: the values of the identity fields. ``author``: its author's key, or empty.
    - ``text``: None if it was dropped to save memory.
    - ``ignored_classes``: classes of differences that never decide. None means those of the scheme.
    """

    @property
    def document_id(self) -> int: ...
    @property
    def is_new(self) -> bool: ...
    @property
    def space_id(self) -> int: ...
    @property
    def source_digest(self) -> str: ...
    @property
    def exact_digest(self) -> str: ...
    @property
    def word_count(self) -> int: ...
    @property
    def keys(self) -> NDArray[np.int64]: ...
    @property
    def sure_keys(self) -> NDArray[np.int64]: ...
    @property
    def payload(self) -> bytes: ...
    @property
    def identity(self) -> tuple[str, ...]: ...
    @property
    def author(self) -> str: ...
    @property
    def text(self) -> Text | None: ...
    @property
    def ignored_classes(self) -> tuple[str, ...] | None: ...
    @property
    def algorithm(self) -> Algorithm: ...


class ScreeningRow(NamedTuple):
    """What the screen needs of another document: its stored fingerprint, and the leaders of its cluster and family.

    ``source_digest`` is empty if its post is deleted and remembered. ``family_id`` is None if it is no member of a
    family, or its leader.
    """

    document_id: int
    source_digest: str
    exact_digest: str
    word_count: int
    payload: bytes
    packed_keys: bytes
    leader_id: int | None = None
    family_id: int | None = None


class PassingRow(NamedTuple):
    """A document that passes the screen. ``similarity`` is the score of the screen, 0..1."""

    row: ScreeningRow
    similarity: float
    shared_key_count: int


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
class Relations:
    """Stored relations of a document. The attributes are explained at ``Candidates``."""

    paired_documents: set[int] = field(default_factory=set)
    spaces: set[int] = field(default_factory=set)
    leader_id: int | None = None
    has_relations: bool = False


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

    @classmethod
    def of(cls, item: SignedText | StoredFingerprint) -> PairSide:
        """Return the side of a text that is as it was signed."""
        return cls(item.document_id, item.source_digest, item.source_digest)


@dataclass(frozen=True, slots=True)
class JudgeableText:
    """A canonical text that can be judged, and what the judgement needs from its adapter."""

    side: PairSide
    identity: tuple[str, ...]
    text: Text
    ignored_classes: tuple[str, ...] | None
    author: str = ""


@dataclass(frozen=True)
class JudgedPair:
    """A pair with its judgement. The document id of ``a`` is the lower one."""

    a: PairSide
    b: PairSide
    judgement: Judgement

    @classmethod
    def in_order(cls, side: PairSide, other: PairSide, judgement: Judgement) -> JudgedPair:
        """Return the pair of two sides given in any order. The judgement is the same for both orders."""
        a, b = (side, other) if side.document_id < other.document_id else (other, side)
        return cls(a, b, judgement)

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
