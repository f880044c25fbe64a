"""Reads folders of labelled texts.

A set NAME consists of gzip JSON-lines files, each optional:

- ``NAME.docs.jsonl.gz``: ``{"id", "text"[, "cluster"]}``, one text a line; one cluster: versions of one text;
- ``NAME.pairs.jsonl.gz``: ``{"a", "b", "label", "kind", "dup", "changed"}``, one labelled pair of those texts a line;
- ``NAME.variants.jsonl.gz``: made texts, each with what was done to it: ``{"rec": "variant", "src", "id", "edit",
  "relation", "dup", "touched", "text"}``, ``src`` being the id of a document, or ``{"rec": "pair", "a": {"id",
  "text"}, "b": {"id", "text"}, "edit", "relation", "dup", "touched"}``.

``dup`` is true (one text: report it), false (never group it) or null (a matter of policy: left out of the scores).
``changed`` or ``touched`` is the share of words, 0..1, that differ.
"""

from __future__ import annotations

import fnmatch
import gzip
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SUFFIXES = ("docs", "pairs", "variants")


class CorpusError(ValueError):
    """A folder or a file of it cannot be used; the message says which and why."""


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """Two texts of a corpus and what people (or the maker of the texts) said of them."""

    a: str
    b: str
    kind: str
    duplicate: bool | None
    changed: float | None = None
    contains: bool = False


@dataclass(slots=True)
class Corpus:
    """One set: its texts by id, its labelled pairs, and the group (one text's versions) of each id where known."""

    name: str
    texts: dict[str, str] = field(default_factory=dict)
    pairs: list[LabelledPair] = field(default_factory=list)
    groups: dict[str, str] = field(default_factory=dict)


def corpus_names(folder: Path, patterns: Sequence[str] = ("*",)) -> list[str]:
    """Names of the sets in `folder` that match any of the shell `patterns`, sorted.  CorpusError if there are none."""
    if not folder.is_dir():
        raise CorpusError(f"{folder} is not a folder")
    found = {path.name.split(".")[0] for suffix in SUFFIXES for path in folder.glob(f"*.{suffix}.jsonl.gz")}
    names = sorted(name for name in found if any(fnmatch.fnmatch(name, pattern) for pattern in patterns))
    if not names:
        raise CorpusError(f"no set in {folder} matches {', '.join(patterns)}")
    return names


def load_corpus(folder: Path, name: str) -> Corpus:
    """Read one set.  CorpusError on a line that is not JSON or lacks a field, with file and line number."""
    corpus = Corpus(name)
    readers = {"docs": _add_document, "pairs": _add_pair, "variants": _add_variant}
    for suffix, add in readers.items():
        path = folder / f"{name}.{suffix}.jsonl.gz"
        for number, record in _records(path):
            try:
                add(corpus, record)
            except (KeyError, TypeError) as error:
                raise CorpusError(f"{path.name}:{number}: missing or wrong field {error}") from error
    return corpus


def sample(corpus: Corpus, size: int, seed: int) -> Corpus:
    """At most `size` of the pairs, drawn with `seed`; all texts stay."""
    if size <= 0 or size >= len(corpus.pairs):
        return corpus
    pairs = random.Random(f"{seed}:{corpus.name}").sample(corpus.pairs, size)
    return Corpus(corpus.name, corpus.texts, pairs, corpus.groups)


def _records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    if not path.exists():
        return
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                try:
                    yield number, json.loads(line)
                except ValueError as error:
                    raise CorpusError(f"{path.name}:{number}: not JSON") from error


def _add_document(corpus: Corpus, record: dict[str, Any]) -> None:
    corpus.texts[record["id"]] = record["text"]
    if record.get("cluster"):
        corpus.groups[record["id"]] = str(record["cluster"])


def _add_pair(corpus: Corpus, record: dict[str, Any]) -> None:
    label = str(record.get("label"))
    kind = f"{record.get('kind')}:{label}"
    changed = record.get("changed")
    corpus.pairs.append(
        LabelledPair(record["a"], record["b"], kind, record["dup"], changed, contains=label == "contains")
    )


def _add_variant(corpus: Corpus, record: dict[str, Any]) -> None:
    if record["rec"] == "pair":
        a, b = record["a"]["id"], record["b"]["id"]
        corpus.texts[a], corpus.texts[b] = record["a"]["text"], record["b"]["text"]
    else:
        a, b = record["src"], record["id"]
        corpus.texts[b] = record["text"]
        corpus.groups[a] = corpus.groups[b] = a
    contains = record.get("relation") == "contains"
    corpus.pairs.append(LabelledPair(a, b, record["edit"], record["dup"], record.get("touched"), contains))
