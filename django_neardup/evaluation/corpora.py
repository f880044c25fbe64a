"""Readers of folders with labelled texts.

A set NAME consists of gzip JSON-lines files, each optional:

- ``NAME.docs.jsonl.gz``: ``{"id", "text"[, "cluster"]}``, one text a line. Texts of one cluster are versions
  of one text.
- ``NAME.pairs.jsonl.gz``: ``{"a", "b", "label", "kind", "dup", "changed"}``, one labelled pair of those texts
  a line.
- ``NAME.variants.jsonl.gz``: generated texts, each with its edit. A line has one of two forms:

    - ``{"rec": "variant", "src", "id", "edit", "relation", "dup", "touched", "text"}``. ``src`` is the id of
      a document.
    - ``{"rec": "pair", "a": {"id", "text"}, "b": {"id", "text"}, "edit", "relation", "dup", "touched"}``.

An id is a string, and has one text in a set. ``changed`` or ``touched`` is the share of words, 0..1, that
differ. ``dup`` is one of three values:

- true: one text, report it.
- false: never group it.
- null: a matter of policy, left out of the scores.

Pairs that were generated to be false have an ``edit`` that begins with ``hn_``. If they differ only in sums
of money (``params`` holds only ``slots`` of prices), their kind is ``hn_price_only``.
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

from ..text.heads import first_line_length

SUFFIXES = ("docs", "pairs", "variants")
CORE_MAX_CHANGED_SHARE = 0.3
"""Share of changed words, 0..1, up to which a true pair is a core pair."""
PRICE_ONLY_KIND = "hn_price_only"
_PRICE_SLOT = re.compile(r"price|usd|rent|hour|pay")


class CorpusError(ValueError):
    """A folder or one of its files cannot be used. The message says which one and why."""


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """Two texts of a corpus, and their label by people or by the generator of the texts."""

    a: str
    b: str
    kind: str
    is_duplicate: bool | None
    changed_share: float | None = None
    is_containment: bool = False

    @property
    def is_core(self) -> bool:
        """Return whether a detector must decide this pair.

        A core pair is false, or true with at most 30 % of the words changed and no text inside the other.
        Generated pairs that differ only in a price are no core pairs.
        """
        if self.is_duplicate:
            return (
                self.changed_share is not None
                and self.changed_share <= CORE_MAX_CHANGED_SHARE
                and not self.is_containment
            )
        return self.is_duplicate is False and self.kind != PRICE_ONLY_KIND


@dataclass(slots=True)
class Corpus:
    """One set of texts.

    - ``texts``: texts by id.
    - ``pairs``: labelled pairs.
    - ``groups``: the group (versions of one text) of each id, if known.
    - ``heads``: lengths of declared heads (titles) by id. Other texts have none.
    - ``language``: the language of the texts, if it is not the language of the run. Pool mode ignores it.
    """

    name: str
    texts: dict[str, str] = field(default_factory=dict)
    pairs: list[LabelledPair] = field(default_factory=list)
    groups: dict[str, str] = field(default_factory=dict)
    heads: dict[str, int] = field(default_factory=dict)
    language: str = ""

    def parts(self, pair_count: int) -> Iterator[Corpus]:
        """Yield sets of ``pair_count`` pairs each, with their texts and heads: what another process needs."""
        for start in range(0, len(self.pairs), pair_count):
            pairs = self.pairs[start : start + pair_count]
            texts = {key: self.texts[key] for pair in pairs for key in (pair.a, pair.b)}
            heads = {key: self.heads[key] for key in texts if key in self.heads}
            yield Corpus(self.name, texts, pairs, heads=heads, language=self.language)


def find_set_names(folder: Path, patterns: Sequence[str] = ("*",), excluded: Sequence[str] = ()) -> list[str]:
    """Return the sorted names of the sets in ``folder``.

    A set must match one of the shell ``patterns`` and must not match an ``excluded`` one. Raise CorpusError
    if no set is left.
    """
    if not folder.is_dir():
        raise CorpusError(f"{folder} is not a folder")
    endings = [f".{suffix}.jsonl.gz" for suffix in SUFFIXES]
    all_names = {path.name.removesuffix(ending) for ending in endings for path in folder.glob(f"*{ending}")}
    names = sorted(
        name for name in all_names if matches_any(name, patterns) and not matches_any(name, excluded)
    )
    if not names:
        raise CorpusError(f"no set in {folder} matches {', '.join(patterns)}")
    return names


def load_corpus(folder: Path, name: str) -> Corpus:
    """Read one set.

    Raise CorpusError with file and line number for a line that is not JSON, lacks a field, or holds an
    invalid id or text. Raise it also for a pair with a wrong label or with an unknown text.
    """
    corpus = Corpus(name)
    readers = {"docs": _add_document, "pairs": _add_pair, "variants": _add_variant}
    for suffix, add in readers.items():
        path = folder / f"{name}.{suffix}.jsonl.gz"
        for number, record in _read_records(path):
            try:
                add(corpus, record)
            except (AttributeError, KeyError, TypeError) as error:
                raise CorpusError(f"{path.name}:{number}: missing or wrong field {error}") from error
            except ValueError as error:
                raise CorpusError(f"{path.name}:{number}: {error}") from error
    for pair in corpus.pairs:
        _check_pair(corpus, pair)
    return corpus


def _check_pair(corpus: Corpus, pair: LabelledPair) -> None:
    name, changed = f"{corpus.name}: the pair of {pair.a} and {pair.b}", pair.changed_share
    if not isinstance(pair.is_duplicate, (bool, type(None))):
        raise CorpusError(f"{name} has a wrong dup: it is true, false or null")
    if changed is not None and not (isinstance(changed, (int, float)) and 0 <= changed <= 1):
        raise CorpusError(f"{name} has a wrong changed or touched: it is a share of words, 0 to 1, or null")
    if not all(isinstance(key, str) and key in corpus.texts for key in (pair.a, pair.b)):
        problem = f"a pair of {pair.a} and {pair.b}, of which one is no text of the set"
        raise CorpusError(f"{corpus.name}: {problem} (an id is a string)")


def matches_any(name: str, patterns: Iterable[str]) -> bool:
    """Return whether a name matches any of the shell patterns."""
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


def data_digest(folder: Path, names: Iterable[str]) -> str:
    """Return 16 hexadecimal digits that identify the contents of the sets on disk."""
    digest = hashlib.sha256()
    for name in sorted(names):
        for suffix in SUFFIXES:
            path = folder / f"{name}.{suffix}.jsonl.gz"
            if path.exists():
                digest.update(f"{path.name}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def drop_short_texts(corpus: Corpus, min_words: int) -> Corpus:
    """Return the corpus without texts of fewer words (separated by spaces), and without their pairs."""
    if min_words <= 0:
        return corpus
    texts = {key: text for key, text in corpus.texts.items() if len(text.split()) >= min_words}
    pairs = [pair for pair in corpus.pairs if pair.a in texts and pair.b in texts]
    return replace(corpus, texts=texts, pairs=pairs)


def declare_first_lines(corpus: Corpus) -> Corpus:
    """Return the corpus with the first line of every text as its head."""
    return replace(corpus, heads={key: first_line_length(text) for key, text in corpus.texts.items()})


def sample_pairs(corpus: Corpus, size: int, seed: int) -> Corpus:
    """Return the corpus with at most ``size`` pairs, drawn with ``seed``.

    All texts stay. A ``size`` of 0 keeps all pairs.
    """
    if size <= 0 or size >= len(corpus.pairs):
        return corpus
    # Each set has its own generator: adding a set does not change the samples of others.
    pairs = random.Random(f"{seed}:{corpus.name}").sample(corpus.pairs, size)
    return replace(corpus, pairs=pairs)


def _read_records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
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
        LabelledPair(
            record["a"], record["b"], kind, record["dup"], changed, is_containment=label == "contains"
        )
    )


def _add_variant(corpus: Corpus, record: dict[str, Any]) -> None:
    if record["rec"] == "pair":
        a, b = record["a"]["id"], record["b"]["id"]
        for side in (record["a"], record["b"]):
            _add_text(corpus, side["id"], side["text"])
    else:
        a, b = record["src"], record["id"]
        _add_text(corpus, b, record["text"])
        corpus.groups[a] = corpus.groups[b] = a
    contains = record.get("relation") == "contains"
    kind = _variant_kind(record["edit"], record)
    corpus.pairs.append(LabelledPair(a, b, kind, record["dup"], record.get("touched"), contains))


def _variant_kind(edit: str, record: dict[str, Any]) -> str:
    slots = (record.get("params") or {}).get("slots") or ()
    only_prices = bool(slots) and all(_PRICE_SLOT.match(str(name)) for name in slots)
    return PRICE_ONLY_KIND if only_prices and edit.startswith("hn_") else edit
