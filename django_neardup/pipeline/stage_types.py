"""The values that the stages of processing pass to one another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from ..adapters import Adapter, Source
from ..algorithms.base import Algorithm
from ..comparison.packed_keys import LIVE_BIT
from ..models import Document, Scheme, Verdict
from ..text.canonical_text import CanonicalText as Text
from .schemes import algorithm_of
from .source_properties import ignored_classes_of

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


class StoredText(NamedTuple):
    """The exact digest of the text that was stored before, and the keys by which it was compared."""

    exact_digest: str
    keys: set[int]


class LaterCandidates(NamedTuple):
    """The candidates that earlier turns of a document have left, and the number of its later turns with this one.

    ``documents`` is None if this turn looks for all candidates again.
    """

    turns: int
    documents: tuple[int, ...] | None


@dataclass(slots=True)
class Edit:
    """Another text that a post's own save has brought, until its age is known.

    - ``time``: the time of the save, in milliseconds since 1970.
    - ``former_time``: ``text_since`` of the text before.
    - ``former_digest``: the exact digest of the text before, or empty.
    - ``is_jump``: the two texts share few keys.
    - ``former_duplicates``: the duplicates of the text before. None until they are read.
    - ``unchanged_duplicates``: those of them whose own texts have not changed since.
    - ``is_copy``: the text is a duplicate of an earlier text that the text before was no duplicate of.
    """

    time: int
    former_time: int
    former_digest: str
    is_jump: bool
    former_duplicates: set[int] | None = None
    unchanged_duplicates: set[int] = field(default_factory=set)
    is_copy: bool = False


@dataclass(slots=True)
class SignedDocument:
    """A signed source: the stage ``store`` writes it, and later stages compare by it.

    - ``requested_version``: the request that is being answered.
    - ``is_new``: the document was never signed. So it has no fingerprint, pair, membership or contact yet.
    - ``space_digest``: the version guard uses it to check that the space is still the same.
    - ``keys``: distinct, ascending, hashed with scheme and space. ``stored_keys``: the same with the bit that says
      whether the post is live.
    - ``sure_keys``: keys of equal identity or of an exact copy. A shared one is enough to make a candidate.
    - ``contacts``: kinds by hash.
    - ``assumed_no_phrases``: no key phrases were known, and the text was not searched for any.
    - ``edited_at``: the time of the last edit, if the adapter names it, in milliseconds since 1970.
    - ``edit``: another text than the stored one, from ``store_many`` on.
    - ``later``: candidates that earlier turns have left. None in a first turn.
    - ``has_left_candidates``: such candidates are stored, for this text or for an earlier one.
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
    edited_at: int | None = None
    edit: Edit | None = None
    later: LaterCandidates | None = None
    has_left_candidates: bool = False
    batch: Batch | None = None
    batch_index: int = 0

    @property
    def text(self) -> Text | None:
        """The text, built on first use by the batch. None if ``batch`` was dropped."""
        return None if self.batch is None else self.batch.document(self.batch_index)

    @property
    def looks_for_candidates(self) -> bool:
        """Whether this turn looks for candidates. Otherwise it only compares ``left_candidates``."""
        return self.later is None or self.later.documents is None

    @property
    def left_candidates(self) -> tuple[int, ...]:
        """The candidates that earlier turns have left, if this turn compares only them."""
        return (self.later and self.later.documents) or ()

    @property
    def stored_keys(self) -> NDArray[np.int64]:
        return self.keys | LIVE_BIT if self.is_live else self.keys

    @property
    def ignored_classes(self) -> tuple[str, ...] | None:
        return ignored_classes_of(self.adapter)

    @property
    def algorithm(self) -> Algorithm:
        return algorithm_of(self.scheme, self.ignored_classes)


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
    doubtful: bool = False

    def other_id(self, document: int) -> int:
        """Return the id of the pair's other document."""
        return self.b_id if self.a_id == document else self.a_id

    @property
    def is_offered(self) -> bool:
        """Whether people are offered the two side by side: alike, and no duplicates, for all that is known."""
        return self.verdict == Verdict.VARIANT or (self.verdict == Verdict.RELATED and bool(self.doubtful))
