"""Other people's measures on the same texts: the floor and the ceiling of the bench, and installed peers.

Each is given a feature of a text and scores two of them; its verdict is the one best threshold on that score, which
the bench sweeps for.  What is not installed is listed and left out: ``pip install "path/to/django-neardup[peers]"``.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any, ClassVar

from rapidfuzz import fuzz

from ..text.document import Document

PERMUTATIONS = 128
SHINGLE = 3
BITS = 64
_WORD = re.compile(r"\w+")


class Index(ABC):
    """Finds texts by features, one threshold for all."""

    @abstractmethod
    def query(self, feature: Any) -> Iterable[Hashable]:
        """Keys of the candidates among the texts inserted before."""

    @abstractmethod
    def insert(self, key: int, feature: Any) -> None: ...


class Peer(ABC):
    """A measure of two texts, 0..1, by a feature of each; `package` is where it comes from, None for our own."""

    name: ClassVar[str]
    package: ClassVar[str | None] = None
    kind: ClassVar[str] = "peer"
    indexed: ClassVar[bool] = False

    @abstractmethod
    def feature(self, document: Document) -> Any: ...

    @abstractmethod
    def score(self, a: Any, b: Any) -> float: ...

    def index(self, threshold: float) -> Index:
        """An empty index.  Only of peers that are `indexed`."""
        raise NotImplementedError(f"{self.name} has no index")


class Jaccard(Peer):
    """Brute force: the words of both texts among the words of either, as sets."""

    name: ClassVar[str] = "(jaccard)"
    kind: ClassVar[str] = "ceiling"

    def feature(self, document: Document) -> frozenset[int]:
        return frozenset(document.hashes)

    def score(self, a: frozenset[int], b: frozenset[int]) -> float:
        return len(a & b) / len(a | b) if a or b else 0.0


class Ratio(Peer):
    """rapidfuzz: edits of letters (Indel) of the lower-case texts."""

    name: ClassVar[str] = "rapidfuzz ratio"
    package: ClassVar[str | None] = "rapidfuzz"

    def feature(self, document: Document) -> str:
        return document.raw.lower()

    def score(self, a: str, b: str) -> float:
        return fuzz.ratio(a, b) / 100


class TokenSet(Ratio):
    """rapidfuzz: the same of the sorted words that are shared and of those that are not."""

    name: ClassVar[str] = "rapidfuzz token_set"

    def score(self, a: str, b: str) -> float:
        return fuzz.token_set_ratio(a, b) / 100


class Datasketch(Peer):
    """datasketch: MinHash of 128 permutations on runs of three words, found by MinHashLSH."""

    name: ClassVar[str] = "datasketch MinHashLSH"
    package: ClassVar[str | None] = "datasketch"
    indexed: ClassVar[bool] = True

    def __init__(self) -> None:
        self._module = import_module("datasketch")

    def feature(self, document: Document) -> Any:
        made = self._module.MinHash(PERMUTATIONS)
        made.update_batch([shingle.encode("utf-8", "replace") for shingle in shingled(document.raw)])
        return made

    def score(self, a: Any, b: Any) -> float:
        return float(a.jaccard(b))

    def index(self, threshold: float) -> Index:
        return _Lsh(self._module.MinHashLSH(threshold=min(threshold, 0.99), num_perm=PERMUTATIONS))


class Rensa(Peer):
    """rensa: R-MinHash of 128 permutations on runs of three words, found by RMinHashLSH of 32 bands."""

    name: ClassVar[str] = "rensa RMinHashLSH"
    package: ClassVar[str | None] = "rensa"
    indexed: ClassVar[bool] = True
    bands: ClassVar[int] = 32

    def __init__(self) -> None:
        self._module = import_module("rensa")

    def feature(self, document: Document) -> Any:
        made = self._module.RMinHash(num_perm=PERMUTATIONS, seed=1)
        made.update(shingled(document.raw))
        return made

    def score(self, a: Any, b: Any) -> float:
        return float(a.jaccard(b))

    def index(self, threshold: float) -> Index:
        lsh = self._module.RMinHashLSH(threshold=threshold, num_perm=PERMUTATIONS, num_bands=self.bands)
        return _Lsh(lsh)


class SimHash(Peer):
    """simhash: 64 bits of the text's runs of three characters, as in the package's own example."""

    name: ClassVar[str] = "simhash package"
    package: ClassVar[str | None] = "simhash"

    def __init__(self) -> None:
        self._module = import_module("simhash")

    def feature(self, document: Document) -> Any:
        letters = "".join(_WORD.findall(document.raw.lower())).encode("utf-8", "replace").decode()
        runs = [letters[start : start + SHINGLE] for start in range(max(len(letters) - SHINGLE + 1, 1))]
        return self._module.Simhash(runs, f=BITS)

    def score(self, a: Any, b: Any) -> float:
        return 1 - float(a.distance(b)) / BITS


class _Lsh(Index):
    def __init__(self, lsh: Any) -> None:
        self._lsh = lsh

    def query(self, feature: Any) -> Iterable[Hashable]:
        found: Iterable[Hashable] = self._lsh.query(feature)
        return found

    def insert(self, key: int, feature: Any) -> None:
        self._lsh.insert(key, feature)


PEERS: dict[str, type[Peer]] = {each.name: each for each in (Ratio, TokenSet, Datasketch, Rensa, SimHash)}


def shingled(text: str) -> list[str]:
    """Runs of three lower-case words; a shorter text is one run."""
    words = _WORD.findall(text.lower())
    return [" ".join(words[start : start + SHINGLE]) for start in range(max(len(words) - SHINGLE + 1, 1))]


def peer_version(name: str) -> str | None:
    """The version of the package of a peer; None if it is not installed."""
    package = PEERS[name].package
    try:
        return version(package) if package else None
    except PackageNotFoundError:
        return None


def installed_peers() -> list[str]:
    """Names of the peers whose packages are installed."""
    return [name for name in PEERS if peer_version(name)]


def get_peer(name: str) -> Peer:
    """The peer, or the brute-force ceiling, of this name."""
    return Jaccard() if name == Jaccard.name else PEERS[name]()
