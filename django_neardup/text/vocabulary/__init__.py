"""Data files of words: one concept a line, ``#`` begins a comment. Words are folded and in lower case."""

from __future__ import annotations

from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent


@cache
def read_lines(name: str) -> tuple[str, ...]:
    """Return the lines of the data file ``name`` without comments and empty lines."""
    lines = (FOLDER / f"{name}.txt").read_text("utf-8").splitlines()
    stripped = (line.partition("#")[0].strip() for line in lines)
    return tuple(line for line in stripped if line)


@cache
def read_entries(name: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the lines ``head: word word …`` of a data file as (head, words)."""
    entries = (line.partition(":") for line in read_lines(name))
    return tuple((head.strip(), tuple(words.split())) for head, _, words in entries)
