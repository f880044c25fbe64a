"""Measures of other packages on the same texts, and the brute-force ceiling of the bench.

A peer scores two texts, most by a feature of each. It has two rows: one at the best single
threshold on that score, which the bench searches for, and one at a fixed threshold, the same for all sets.
Peers that are not installed are listed and left out: ``pip install "path/to/django-neardup[peers]"``.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any, ClassVar

from rapidfuzz import fuzz

from ..text.canonical_text import CanonicalText
from .peer_base import BasePeer, Peer, PeerIndex, SetPeer
from .splink_peer import SplinkPeer

PERMUTATIONS = 128
SHINGLE_SIZE = 3
SIMHASH_BITS = 64
_WORD = re.compile(r"\w+")


class JaccardPeer(Peer):
    """Brute force: the share of words in both texts among the words of either, as sets."""

    name: ClassVar[str] = "(jaccard)"
    kind: ClassVar[str] = "ceiling"

    def feature(self, text: CanonicalText) -> frozenset[int]:
        return frozenset(text.hashes)

    def score(self, a: frozenset[int], b: frozenset[int]) -> float:
        return len(a & b) / len(a | b) if a or b else 0.0


class RapidfuzzRatioPeer(Peer):
    """rapidfuzz: edits of characters (Indel) of the lower-case texts."""

    name: ClassVar[str] = "rapidfuzz ratio"
    package: ClassVar[str | None] = "rapidfuzz"
    fixed_threshold: ClassVar[float] = 0.9
    threshold_source: ClassVar[str] = "a round value: rapidfuzz has no default"

    def feature(self, text: CanonicalText) -> str:
        return text.raw.lower()

    def score(self, a: str, b: str) -> float:
        return fuzz.ratio(a, b) / 100


class TokenSetRatioPeer(RapidfuzzRatioPeer):
    """rapidfuzz: the same ratio for the sorted words, shared and not shared."""

    name: ClassVar[str] = "rapidfuzz token_set"

    def score(self, a: str, b: str) -> float:
        return fuzz.token_set_ratio(a, b) / 100


class DatasketchPeer(Peer):
    """datasketch: MinHash of 128 permutations on shingles of three words, found by MinHashLSH."""

    name: ClassVar[str] = "datasketch MinHashLSH"
    package: ClassVar[str | None] = "datasketch"
    has_index: ClassVar[bool] = True
    fixed_threshold: ClassVar[float] = 0.9
    threshold_source: ClassVar[str] = "default of datasketch.MinHashLSH"

    def __init__(self) -> None:
        self._module = import_module("datasketch")

    def feature(self, text: CanonicalText) -> Any:
        minhash = self._module.MinHash(PERMUTATIONS)
        # Lone surrogates cannot be encoded.
        minhash.update_batch([shingle.encode("utf-8", "replace") for shingle in word_shingles(text.raw)])
        return minhash

    def score(self, a: Any, b: Any) -> float:
        return float(a.jaccard(b))

    def build_index(self, threshold: float) -> PeerIndex:
        return _LshIndex(self._module.MinHashLSH(threshold=min(threshold, 0.99), num_perm=PERMUTATIONS))


class RensaPeer(Peer):
    """rensa: R-MinHash of 128 permutations on shingles of three words, found by RMinHashLSH of 32 bands."""

    name: ClassVar[str] = "rensa RMinHashLSH"
    package: ClassVar[str | None] = "rensa"
    has_index: ClassVar[bool] = True
    fixed_threshold: ClassVar[float] = 0.8
    threshold_source: ClassVar[str] = "example of rensa's README; there is no default"
    bands: ClassVar[int] = 32

    def __init__(self) -> None:
        self._module = import_module("rensa")

    def feature(self, text: CanonicalText) -> Any:
        minhash = self._module.RMinHash(num_perm=PERMUTATIONS, seed=1)
        minhash.update(word_shingles(text.raw))
        return minhash

    def score(self, a: Any, b: Any) -> float:
        return float(a.jaccard(b))

    def build_index(self, threshold: float) -> PeerIndex:
        lsh = self._module.RMinHashLSH(threshold=threshold, num_perm=PERMUTATIONS, num_bands=self.bands)
        return _LshIndex(lsh)


class SimHashPeer(Peer):
    """simhash: 64 bits of the text's shingles of three characters, as in the example of the package."""

    name: ClassVar[str] = "simhash package"
    package: ClassVar[str | None] = "simhash"
    fixed_threshold: ClassVar[float] = 1 - 2 / SIMHASH_BITS
    threshold_source: ClassVar[str] = "default of simhash.SimhashIndex: 2 of 64 bits differ"

    def __init__(self) -> None:
        self._module = import_module("simhash")

    def feature(self, text: CanonicalText) -> Any:
        # Lone surrogates cannot be encoded, so they are replaced.
        characters = "".join(_WORD.findall(text.raw.lower())).encode("utf-8", "replace").decode()
        shingles = [
            characters[start : start + SHINGLE_SIZE]
            for start in range(max(len(characters) - SHINGLE_SIZE + 1, 1))
        ]
        return self._module.Simhash(shingles, f=SIMHASH_BITS)

    def score(self, a: Any, b: Any) -> float:
        return 1 - float(a.distance(b)) / SIMHASH_BITS


class _LshIndex(PeerIndex):
    def __init__(self, lsh: Any) -> None:
        self._lsh = lsh

    def query(self, feature: Any) -> Iterable[Hashable]:
        keys: Iterable[Hashable] = self._lsh.query(feature)
        return keys

    def insert(self, key: int, feature: Any) -> None:
        self._lsh.insert(key, feature)


TEXT_PEERS: dict[str, type[Peer]] = {
    peer.name: peer
    for peer in (RapidfuzzRatioPeer, TokenSetRatioPeer, DatasketchPeer, RensaPeer, SimHashPeer)
}
SET_PEERS: dict[str, type[SetPeer]] = {SplinkPeer.name: SplinkPeer}
PEERS: dict[str, type[BasePeer]] = {**TEXT_PEERS, **SET_PEERS}


def word_shingles(text: str) -> list[str]:
    """Return the shingles of three lower-case words. A shorter text is one shingle."""
    words = _WORD.findall(text.lower())
    return [
        " ".join(words[start : start + SHINGLE_SIZE])
        for start in range(max(len(words) - SHINGLE_SIZE + 1, 1))
    ]


def peer_version(name: str) -> str | None:
    """Return the version of a peer's package. Return None if it is not installed."""
    package = PEERS[name].package
    try:
        return version(package) if package else None
    except PackageNotFoundError:
        return None


def installed_peers() -> list[str]:
    """Return the names of peers with an installed package."""
    return [name for name in PEERS if peer_version(name)]


def get_peer(name: str) -> Peer:
    """Return the peer of single texts, or the brute-force ceiling, by its name."""
    return JaccardPeer() if name == JaccardPeer.name else TEXT_PEERS[name]()
