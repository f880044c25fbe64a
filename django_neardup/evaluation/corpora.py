"""Reads folders of labelled texts.

A set NAME consists of gzip JSON-lines files, each optional:

- ``NAME.docs.jsonl.gz``: ``{"id", "text"[, "cluster"]}``, one text a line; one cluster: versions of one text;
- ``NAME.pairs.jsonl.gz``: ``{"a", "b", "label", "kind", "dup", "changed"}``, one labelled pair of those texts a line;
- ``NAME.variants.jsonl.gz``: made texts, each with what was done to it: ``{"rec": "variant", "src", "id", "edit",
  "relation", "dup", "touched", "text"}``, ``src`` being the id of a document, or ``{"rec": "pair", "a": {"id",
  "text"}, "b": {"id", "text"}, "edit", "relation", "dup", "touched"}``.

An id is a string, and has one text in a set.  ``dup`` is true (one text: report it), false (never group it) or null (a
matter of policy: left out of the scores).  ``changed`` or ``touched`` is the share of words, 0..1, that differ.  A pair
made to be false (``edit`` begins with ``hn_``) in which only sums of money differ (``params`` holds ``slots`` of prices
alone) is of the kind `hn_price_only`.
"""

from __future__ import annotations

import fnmatch
import gzip
import hashlib
import json
import random
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

SUFFIXES = ("docs", "pairs", "variants")
CORE_CHANGED = 0.3
PRICE_ONLY = "hn_price_only"
_PRICE = re.compile(r"price|usd|rent|hour|pay")


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

    @property
    def core(self) -> bool:
        """Whether a detector is to be asked for this pair: false, or true with at most 30 % of the words changed and
        neither text holding the other.  Made pairs that differ in nothing but a price are left out."""
        if self.duplicate:
            return self.changed is not None and self.changed <= CORE_CHANGED and not self.contains
        return self.duplicate is False and self.kind != PRICE_ONLY


@dataclass(slots=True)
class Corpus:
    """One set: its texts by id, its labelled pairs, and the group (one text's versions) of each id where known.

    `language`: of its texts, where it is not the run's; a pool is read in the run's.
    """

    name: str
    texts: dict[str, str] = field(default_factory=dict)
    pairs: list[LabelledPair] = field(default_factory=list)
    groups: dict[str, str] = field(default_factory=dict)
    language: str = ""


def corpus_names(folder: Path, patterns: Sequence[str] = ("*",), excluded: Sequence[str] = ()) -> list[str]:
    """Names of the sets in `folder` that match any of the shell `patterns` and none of the `excluded` ones, sorted.

    CorpusError if there are none.
    """
    if not folder.is_dir():
        raise CorpusError(f"{folder} is not a folder")
    endings = [f".{suffix}.jsonl.gz" for suffix in SUFFIXES]
    found = {path.name.removesuffix(end) for end in endings for path in folder.glob(f"*{end}")}
    names = sorted(name for name in found if matches(name, patterns) and not matches(name, excluded))
    if not names:
        raise CorpusError(f"no set in {folder} matches {', '.join(patterns)}")
    return names


def load_corpus(folder: Path, name: str) -> Corpus:
    """Read one set.

    CorpusError on a line that is not JSON, lacks a field, or holds an id or a text that cannot be, with file and line
    number; on a pair with a wrong label, or of a text that is not there.
    """
    corpus = Corpus(name)
    readers = {"docs": _add_document, "pairs": _add_pair, "variants": _add_variant}
    for suffix, add in readers.items():
        path = folder / f"{name}.{suffix}.jsonl.gz"
        for number, record in _records(path):
            try:
                add(corpus, record)
            except (AttributeError, KeyError, TypeError) as error:
                raise CorpusError(f"{path.name}:{number}: missing or wrong field {error}") from error
            except ValueError as error:
                raise CorpusError(f"{path.name}:{number}: {error}") from error
    for pair in corpus.pairs:
        _check(corpus, pair)
    return corpus


def _check(corpus: Corpus, pair: LabelledPair) -> None:
    name, changed = f"{corpus.name}: the pair of {pair.a} and {pair.b}", pair.changed
    if not isinstance(pair.duplicate, (bool, type(None))):
        raise CorpusError(f"{name} has a wrong dup: it is true, false or null")
    if changed is not None and not (isinstance(changed, (int, float)) and 0 <= changed <= 1):
        raise CorpusError(f"{name} has a wrong changed or touched: it is a share of words, 0 to 1, or null")
    if not all(isinstance(key, str) and key in corpus.texts for key in (pair.a, pair.b)):
        said = f"a pair of {pair.a} and {pair.b}, of which one is no text of the set"
        raise CorpusError(f"{corpus.name}: {said} (an id is a string)")


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Whether a name matches any of the shell patterns."""
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


def data_digest(folder: Path, names: Iterable[str]) -> str:
    """16 hexadecimal digits that tell these sets, as they are on disk, from any others."""
    made = hashlib.sha256()
    for name in sorted(names):
        for suffix in SUFFIXES:
            path = folder / f"{name}.{suffix}.jsonl.gz"
            if path.exists():
                made.update(f"{path.name}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    return made.hexdigest()[:16]


def long_texts(corpus: Corpus, words: int) -> Corpus:
    """The texts of at least so many words (as separated by spaces), and the pairs of them."""
    if words <= 0:
        return corpus
    texts = {key: text for key, text in corpus.texts.items() if len(text.split()) >= words}
    pairs = [pair for pair in corpus.pairs if pair.a in texts and pair.b in texts]
    return replace(corpus, texts=texts, pairs=pairs)


def sample(corpus: Corpus, size: int, seed: int) -> Corpus:
    """At most `size` of the pairs, drawn with `seed`; all texts stay."""
    if size <= 0 or size >= len(corpus.pairs):
        return corpus
    pairs = random.Random(f"{seed}:{corpus.name}").sample(corpus.pairs, size)
    return replace(corpus, pairs=pairs)


def _records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    if not path.exists():
        return
    number = 0
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield number, json.loads(line)
    except json.JSONDecodeError as error:
        raise CorpusError(f"{path.name}:{number}: not JSON") from error
    except (EOFError, OSError, UnicodeDecodeError, zlib.error) as error:
        raise CorpusError(f"{path.name} cannot be read behind line {number}: {error}") from error


def _add_text(corpus: Corpus, key: Any, text: Any) -> None:
    if not isinstance(key, str):
        raise ValueError(f"the id {key!r} is no string: write it in quotes")
    if not isinstance(text, str):
        raise ValueError(f"the text of {key} is no string")
    if corpus.texts.setdefault(key, text) != text:
        raise ValueError(f"another text of the set has the id {key}, too: give each its own")


def _add_document(corpus: Corpus, record: dict[str, Any]) -> None:
    _add_text(corpus, record["id"], record["text"])
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
        for each in (record["a"], record["b"]):
            _add_text(corpus, each["id"], each["text"])
    else:
        a, b = record["src"], record["id"]
        _add_text(corpus, b, record["text"])
        corpus.groups[a] = corpus.groups[b] = a
    contains = record.get("relation") == "contains"
    kind = _kind(record["edit"], record)
    corpus.pairs.append(LabelledPair(a, b, kind, record["dup"], record.get("touched"), contains))


def _kind(edit: str, record: dict[str, Any]) -> str:
    slots = (record.get("params") or {}).get("slots") or ()
    priced = bool(slots) and all(_PRICE.match(str(name)) for name in slots)
    return PRICE_ONLY if priced and edit.startswith("hn_") else edit
