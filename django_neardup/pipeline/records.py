"""What the stages of a turn hand to one another."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ..adapters import Adapter, Source
from ..models import Document, Scheme
from ..signatures.base import Algorithm, Judgement
from ..text.document import Document as Text
from .schemes import algorithm_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..text.batch import Batch


@dataclass(slots=True)
class Read:
    """A leased document with its object as read: ``adapter`` None where the model has none, ``source`` None where the
    object is gone or cannot be read."""

    document: Document
    adapter: Adapter | None
    source: Source | None


@dataclass(slots=True)
class Skipped:
    """A document that is not compared, and why."""

    read: Read
    reason: str


@dataclass(slots=True)
class Signed:
    """A signed source: what step A stores and step B compares by.

    ``wanted``: the request that the turn answers. ``fresh``: no turn has signed the document before, so that it has
    no fingerprint, pair, place or contact yet. ``space_digest``: the fence asks whether that space is still the same.
    ``keys``: distinct, ascending, hashed with scheme and space;
    ``sure_keys``: those of them of which one shared is enough (of equal identity, of an exact copy). ``contacts``:
    kinds by hash; ``unread``: key phrases were not looked for, as none were known of before. ``batch`` holds its text
    at ``place``, and may be dropped to save memory: ``verify_many`` reads the text anew where it needs one.
    """

    document: int
    wanted: int
    fresh: bool
    adapter: Adapter
    scheme: Scheme
    space: int
    digest: str
    exact_digest: str
    words: int
    keys: NDArray[np.int64]
    sure_keys: NDArray[np.int64]
    payload: bytes
    space_digest: str = ""
    codes: str = ""
    contacts: Mapping[int, str] = field(default_factory=dict)
    unread: bool = False
    identity: tuple[str, ...] = ()
    author: str = ""
    live: bool = True
    truncated: bool = False
    batch: Batch | None = None
    place: int = 0

    @property
    def text(self) -> Text | None:
        """The text, made once; None where ``batch`` has been dropped."""
        return None if self.batch is None else self.batch.document(self.place)

    @property
    def excused(self) -> tuple[str, ...] | None:
        return None if self.adapter.excused is None else tuple(self.adapter.excused)

    @property
    def algorithm(self) -> Algorithm:
        return algorithm_of(self.scheme, self.excused)


class Sketch(NamedTuple):
    """What is to be known of another document to screen it: its stored fingerprint, and the leader of its cluster.
    ``digest`` is empty where its post is deleted, and remembered."""

    document: int
    digest: str
    exact_digest: str
    words: int
    payload: bytes
    keys: bytes
    leader: int | None


class Print(NamedTuple):
    """A stored fingerprint of another document, and what is to be known to read its text."""

    document: int
    digest: str
    exact_digest: str
    words: int
    payload: bytes
    leader: int | None
    space: int | None
    content_type: int
    object_id: str


@dataclass(slots=True)
class Found:
    """Whom a document is to be compared with, and what it has left behind.

    ``partners``: other sides of its pairs. ``spaces``: those where it has pairs or a place. ``tied``: whether it has
    a pair, a place in a cluster or a decision. ``deleted``: look-alikes that are deleted and remembered, in no order;
    they are compared by what is stored of them alone."""

    prints: list[Print]
    partners: frozenset[int] = frozenset()
    spaces: frozenset[int] = frozenset()
    tied: bool = False
    deleted: Sequence[Sketch] = ()


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a pair as step B saw it: the digest that is stored and the digest of what was read."""

    document: int
    stored: str
    read: str


@dataclass(frozen=True)
class Verified:
    """A judged pair, ``a < b``."""

    a: Side
    b: Side
    judgement: Judgement

    def other(self, document: int) -> Side:
        return self.b if self.a.document == document else self.a

    @cached_property
    def evidence(self) -> str:
        """What is stored of the reasons, as JSON."""
        judgement = self.judgement
        if judgement.differences or judgement.passages:
            return json.dumps(judgement.evidence())
        return _without_places(judgement.exact, judgement.classes)


@lru_cache(maxsize=64)
def _without_places(exact: bool, classes: tuple[str, ...]) -> str:
    """The evidence of a judgement that names no place in the texts."""
    return json.dumps(Judgement("none", 0.0, exact=exact, classes=classes).evidence())


class Fact(NamedTuple):
    """A stored pair, ``a < b``, without its evidence."""

    a_id: int
    b_id: int
    verdict: str
    exact: bool
    score: float
    classes: str
    digest_a: str
    digest_b: str
