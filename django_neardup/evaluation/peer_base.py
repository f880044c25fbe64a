"""The interfaces of peers: measures of other packages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, ClassVar

from ..text.canonical_text import CanonicalText

TextPair = tuple[str, str]


class PeerError(ValueError):
    """A peer cannot score a set. The message says why."""


class PeerIndex(ABC):
    """An index that finds texts by their features, at one threshold."""

    @abstractmethod
    def query(self, feature: Any) -> Iterable[Hashable]:
        """Return the keys of candidates among the texts inserted before."""

    @abstractmethod
    def insert(self, key: int, feature: Any) -> None: ...


class BasePeer(ABC):
    """A measure of two texts, 0..1.

    ``package`` is the package that it comes from. None means that the bench defines it. ``fixed_threshold`` is
    the threshold of its fixed row, and ``threshold_source`` says where that comes from.
    """

    name: ClassVar[str]
    package: ClassVar[str | None] = None
    kind: ClassVar[str] = "peer"
    fixed_threshold: ClassVar[float]
    threshold_source: ClassVar[str]


class Peer(BasePeer):
    """A peer that compares a feature of each text."""

    has_index: ClassVar[bool] = False

    @abstractmethod
    def feature(self, text: CanonicalText) -> Any: ...

    @abstractmethod
    def score(self, a: Any, b: Any) -> float: ...

    def build_index(self, threshold: float) -> PeerIndex:
        """Return an empty index. Raise NotImplementedError if the peer has none (``has_index``)."""
        raise NotImplementedError(f"{self.name} has no index")


class SetPeer(BasePeer):
    """A peer that learns from the pairs of a whole set, without their labels."""

    @abstractmethod
    def score_pairs(self, pairs: Sequence[TextPair]) -> list[float]:
        """Return the scores of all pairs. Raise PeerError if the set gives it too little to learn from."""
