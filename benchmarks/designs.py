"""The designs of the articles that the app comes from, as they are told there: each finds texts like one."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from zlib import crc32

from benchmarks.fulltext import Fts5
from benchmarks.peers import tokens

LONGEST = 15
SHARED = 5
COSINE = 0.7
OVERLAP = 0.5
RUN = 3


class WordHashes:
    """The board's: CRC-32 of each of the 15 longest words is a row of a table; who shares 5 of them is a candidate."""

    def __init__(self, file: Path) -> None:
        self._count = 0
        self._connection = sqlite3.connect(file)
        self._connection.execute("CREATE TABLE words (id INTEGER PRIMARY KEY, hash INTEGER, post INTEGER)")
        self._connection.execute("CREATE INDEX words_hash ON words (hash)")

    def add(self, texts: Sequence[str]) -> None:
        """Rows of the texts, numbered after those that are there."""
        rows = ((value, post) for post, text in enumerate(texts, self._count) for value in self._hashes(text))
        self._connection.executemany("INSERT INTO words (hash, post) VALUES (?, ?)", rows)
        self._connection.commit()
        self._count += len(texts)

    def find(self, text: str) -> list[int]:
        """Candidates, those that share most words first."""
        values = self._hashes(text)
        holes = ", ".join("?" * len(values))
        found = self._connection.execute(
            f"SELECT post FROM words WHERE hash IN ({holes}) GROUP BY post"
            f" HAVING count(*) >= {SHARED} ORDER BY count(*) DESC",
            values,
        )
        return [row[0] for row in found]

    def _hashes(self, text: str) -> list[int]:
        longest = sorted(set(tokens(text)), key=lambda word: (-len(word), word))[:LONGEST]
        return [crc32(word.encode()) for word in longest]


class Profiles:
    """The document site's: a profile of word frequencies each, and its cosine with every other one."""

    def __init__(self) -> None:
        self._profiles: list[tuple[dict[str, int], float]] = []

    def add(self, texts: Sequence[str]) -> None:
        """Keep the profiles of the texts."""
        self._profiles += map(self._profile, texts)

    def find(self, text: str) -> list[int]:
        """Those with a cosine of 0.7 at least."""
        own, length = self._profile(text)
        found = []
        for number, (other, size) in enumerate(self._profiles):
            product = sum(times * other.get(word, 0) for word, times in own.items())
            if product >= COSINE * length * size:
                found.append(number)
        return found

    def _profile(self, text: str) -> tuple[dict[str, int], float]:
        counted = dict(Counter(tokens(text)))
        return counted, sqrt(sum(times * times for times in counted.values()))


class SearchThenVerify:
    """The document site's second: the ten best of a full-text search, then the share of common runs of words."""

    def __init__(self, file: Path) -> None:
        self._search = Fts5(file, terms=25)
        self._texts: list[str] = []

    def add(self, texts: Sequence[str]) -> None:
        """Index the texts."""
        self._search.add(texts)
        self._search.learn()
        self._texts += texts

    def find(self, text: str) -> list[int]:
        """Of the ten best those that are half alike."""
        own = _runs(text)
        return [number for number in self._search.find(text) if _alike(own, _runs(self._texts[number]))]


def _runs(text: str) -> set[tuple[str, ...]]:
    words = tokens(text)
    return {tuple(words[start : start + RUN]) for start in range(max(len(words) - RUN + 1, 1))}


def _alike(a: set[tuple[str, ...]], b: set[tuple[str, ...]]) -> bool:
    return len(a & b) >= OVERLAP * len(a | b)
