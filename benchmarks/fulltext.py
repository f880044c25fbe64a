"""Full-text engines that find texts like one: tantivy's more_like_this, SQLite's FTS5, PostgreSQL's pg_trgm."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from math import log
from pathlib import Path
from typing import Any

from benchmarks.figures import NotMeasured
from benchmarks.peers import needs, tokens

TOP = 10
HEAP = 256 << 20
BATCH = 1000
THRESHOLD = 0.5


class Tantivy:
    """An index on disk, written by one thread; `find` asks for the texts most like one that is in it.  Numbers are a
    column of their own, so that no stored text is read to tell them."""

    def __init__(self, folder: Path, terms: int = 10) -> None:
        self._module, self._terms = needs("tantivy"), terms
        builder = self._module.SchemaBuilder()
        builder.add_integer_field("number", fast=True)
        builder.add_text_field("text", stored=True)
        folder.mkdir()
        self._index = self._module.Index(builder.build(), str(folder))

    def add(self, texts: Sequence[str]) -> None:
        """Index the texts, and commit."""
        writer = self._index.writer(HEAP, 1)
        for number, text in enumerate(texts):
            writer.add_document(self._module.Document(number=number, text=text))
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()
        self._searcher = self._index.searcher()

    def learn(self) -> None:
        """Read where each text is; `find` needs it."""
        everything = self._searcher.search(self._module.Query.all_query(), self._searcher.num_docs).hits
        places = [place for _, place in everything]
        self._places = dict(zip(self._numbers(places), places, strict=True))

    def find(self, number: int) -> list[int]:
        """Numbers of the ten texts that are most like this one, itself among them."""
        asked = self._module.Query.more_like_this_query(
            self._places[number], min_doc_frequency=1, min_term_frequency=1, max_query_terms=self._terms
        )
        return self._numbers([place for _, place in self._searcher.search(asked, TOP, count=False).hits])

    def _numbers(self, places: list[Any]) -> list[int]:
        found: list[int] = self._searcher.fast_field_values("number", places)
        return found


class Fts5:
    """An SQLite file; `find` asks for any of the words of a text that are rarest for it, the best ten by BM25."""

    def __init__(self, file: Path, terms: int = 10) -> None:
        self._terms, self._count = terms, 0
        self._connection = sqlite3.connect(file)
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute("PRAGMA synchronous=NORMAL")
        try:
            self._connection.execute("CREATE VIRTUAL TABLE posts USING fts5(text)")
        except sqlite3.OperationalError as error:
            raise NotMeasured(f"SQLite has no FTS5: {error}") from error

    def add(self, texts: Sequence[str]) -> None:
        """Index the texts in one transaction, after those that are there."""
        rows = enumerate(texts, self._count)
        self._connection.executemany("INSERT INTO posts(rowid, text) VALUES (?, ?)", rows)
        self._connection.commit()
        self._count += len(texts)

    def learn(self) -> None:
        """Read how many texts hold each word; `find` needs it."""
        self._connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS terms USING fts5vocab(posts, row)")
        self._held: dict[str, int] = dict(self._connection.execute("SELECT term, doc FROM terms"))

    def find(self, text: str) -> list[int]:
        """Numbers of the ten texts that are most like this one."""
        times = Counter(tokens(text))
        value = {word: count * log(self._count / self._held.get(word, 1)) for word, count in times.items()}
        best = sorted(value, key=lambda word: (-value[word], word))[: self._terms]
        asked = " OR ".join(f'"{word}"' for word in best)
        found = self._connection.execute(
            f"SELECT rowid FROM posts WHERE posts MATCH ? ORDER BY rank LIMIT {TOP}", [asked]
        )
        return [row[0] for row in found]


class Trigrams:
    """A table with a GIN index of trigrams; `find` asks for texts with a similarity above one half."""

    def __init__(self, alias: str) -> None:
        from django.db import connections

        self._cursor = connections[alias].cursor()
        try:
            self._cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
        except Exception as error:
            raise NotMeasured(f"PostgreSQL has no pg_trgm: {error}") from error
        self._cursor.execute("CREATE TABLE trigram_posts (number integer PRIMARY KEY, text text)")
        self._cursor.execute("CREATE INDEX ON trigram_posts USING gin (text gin_trgm_ops)")
        self._cursor.execute(f"SET pg_trgm.similarity_threshold = {THRESHOLD}")

    def add(self, texts: Sequence[str]) -> None:
        """Index the texts, a thousand to a statement."""
        for start in range(0, len(texts), BATCH):
            some = list(enumerate(texts[start : start + BATCH], start))
            holes = ", ".join(["(%s, %s)"] * len(some))
            values = [value for pair in some for value in pair]
            self._cursor.execute(f"INSERT INTO trigram_posts VALUES {holes}", values)
        self._cursor.execute("VACUUM ANALYZE trigram_posts")

    def find(self, text: str) -> list[int]:
        """Numbers of the texts whose trigrams are alike."""
        self._cursor.execute("SELECT number FROM trigram_posts WHERE text %% %s", [text])
        return [row[0] for row in self._cursor.fetchall()]
