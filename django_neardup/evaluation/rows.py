"""Rows of the bench: an algorithm, or a peer, with what it remembers of a document and what it costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary
from zlib import crc32

from ..signatures import Algorithm, Judgement
from ..text.document import Document
from .costs import Clock
from .peers import Peer
from .results import Answers

Made = TypeVar("Made")
COSTED = 8


class Row:
    """One row: what is made of a document is made once, as long as the document is kept."""

    kind = "algorithm"

    def __init__(self, title: str) -> None:
        self.title, self.clock, self.keys = title, Clock(), 0

    def judge(self, a: Document, b: Document) -> Judgement:
        raise NotImplementedError

    def sign(self, document: Document) -> None:
        """All that an index would keep of a text."""
        raise NotImplementedError

    def answers(self) -> Answers:
        """An empty list of answers that shares the row's clock."""
        return Answers(clock=self.clock)

    def once(self, step: str, function: Callable[[Document], Made]) -> Callable[[Document], Made]:
        """The function, remembering what it made of a document, its cost charged to `step`."""
        kept: WeakKeyDictionary[Document, Made] = WeakKeyDictionary()

        def made(document: Document) -> Made:
            value = kept.get(document)
            if value is None:
                value = kept[document] = self.clock.run(step, function, document)
            return value

        return made


class AlgorithmRow(Row):
    """An algorithm; its keys and payloads are remembered, also where it asks for them itself."""

    def __init__(self, title: str, algorithm: Algorithm) -> None:
        super().__init__(title)
        self.algorithm = algorithm
        for step, function in (("keys", self._counted(algorithm.keys)), ("pack", algorithm.pack)):
            setattr(algorithm, step, self.once(step, function))

    def _counted(self, keys: Callable[[Document], list[int]]) -> Callable[[Document], list[int]]:
        def counted(document: Document) -> list[int]:
            made = keys(document)
            self.keys += len(made)
            return made

        return counted

    def judge(self, a: Document, b: Document) -> Judgement:
        return self.clock.run("judge", self.algorithm.judge, a, b)

    def sign(self, document: Document) -> None:
        self.algorithm.keys(document)
        self.algorithm.pack(document)


class PeerRow(Row):
    """A peer: a feature of every text, and a score of two features; verdicts are made of the scores later."""

    def __init__(self, peer: Peer) -> None:
        super().__init__(peer.name)
        self.peer, self.kind = peer, peer.kind
        self.feature: Callable[[Document], Any] = self.once("pack", peer.feature)

    def judge(self, a: Document, b: Document) -> Judgement:
        one, two = self.feature(a), self.feature(b)
        return Judgement("none", self.clock.run("judge", self.peer.score, one, two))

    def sign(self, document: Document) -> None:
        self.feature(document)


def costed(key: str) -> bool:
    """Whether the signing of this text is measured in pairs mode, where nothing is indexed: one text of eight is."""
    return crc32(key.encode("utf-8", "replace")) % COSTED == 0
