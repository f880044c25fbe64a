"""A comparison as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ..text.difference import Difference
from ..text.zipf import ZipfReport
from .compare import Comparison, Held, Row, Side, percent
from .pieces import UNSHOWABLE, Shared, written


def as_json(comparison: Comparison, *, ascii_only: bool = False) -> str:
    """`as_dict` as text: letters as they are, unless ASCII alone is wanted; what a terminal must not see, and lone
    surrogates, which cannot be written, as escapes."""
    text = json.dumps(as_dict(comparison), ensure_ascii=ascii_only, indent=2)
    return UNSHOWABLE.sub(lambda found: json.dumps(found.group())[1:-1], text)


def as_dict(comparison: Comparison) -> dict[str, Any]:
    """JSON-able, with these keys:

    - `a`, `b`: `title`, `text` (as written), `language`, `words`, `content_words`, `sentences`, `truncated`,
      `zipf` (null for a text under 300 words, else `slope`, `distance`, `anomalous`)
    - `algorithm`: the deciding one; `verdict` ("duplicate", "variant", "contained", "related", "none"), `score`
      (0..1), `percent`, `exact`, `classes` (those that decide), `containment_a` and `containment_b` (0..1)
    - `differences`: each `kind`, `decides`, and for `a` and `b` the `text` and its `span`
    - `passages`: runs of 4 words or more that both hold, each `words` and the spans `a` and `b`; `shared`: the same
      with small differences inside them, each with its `number`
    - `contacts`, `names`, `codes`: each `equal`, `only_a`, `only_b`
    - `algorithms`: each `name`, `score`, `percent`, `verdict`, `shared_keys`, `keys_a`, `keys_b`, `min_shared`,
      `missing` (""; "statistics", it lacks those of a collection; "batch", it refines whole collections: then score,
      percent and verdict are null)
    - `notes`: each `kind` and `side` ("A", "B" or "")
    - `known`, of two objects where it was asked for: `keys` (`shared`, `keys_a`, `keys_b`, `needed`, and by `kinds`),
      `identity` (each declared field "equal", "unequal" or "unknown"), `phrases`, `author`, `first_seen`, `decisions`

    A span is a pair of half-open offsets, in characters, in the text as written.
    """
    judgement, known = comparison.judgement, comparison.known
    return {
        "a": _side(comparison.a),
        "b": _side(comparison.b),
        "algorithm": comparison.algorithm,
        "verdict": judgement.verdict,
        "score": judgement.score,
        "percent": comparison.percent,
        "exact": judgement.exact,
        "classes": list(judgement.classes),
        "containment_a": judgement.containment_a,
        "containment_b": judgement.containment_b,
        "differences": [_difference(comparison, each) for each in judgement.differences],
        "passages": [each.as_dict() for each in judgement.passages],
        "shared": [_shared(each) for each in comparison.shared],
        "contacts": _held(comparison.contacts),
        "names": _held(comparison.names),
        "codes": _held(comparison.codes),
        "algorithms": [_row(each) for each in comparison.rows],
        "notes": [each._asdict() for each in comparison.notes],
        **({} if known is None else {"known": known.as_dict()}),
    }


def _side(side: Side) -> dict[str, Any]:
    document = side.document
    return {
        "title": side.title,
        "text": document.raw,
        "language": document.language,
        "words": document.words,
        "content_words": document.content_words,
        "sentences": len(document.sentences),
        "truncated": document.truncated,
        "zipf": side.zipf and _zipf(side.zipf),
    }


def _zipf(report: ZipfReport) -> dict[str, Any]:
    return {"slope": report.slope, "distance": report.distance, "anomalous": report.anomalous}


def _difference(comparison: Comparison, found: Difference) -> dict[str, Any]:
    return {
        "kind": found.kind,
        "decides": found.decides,
        "a": {"text": written(comparison.a.document, found.span_a), "span": _span(found.span_a)},
        "b": {"text": written(comparison.b.document, found.span_b), "span": _span(found.span_b)},
    }


def _shared(found: Shared) -> dict[str, Any]:
    return {"number": found.number, "words": found.words, "a": _span(found.a), "b": _span(found.b)}


def _span(span: Iterable[int]) -> list[int]:
    return list(span)


def _held(held: Held) -> dict[str, list[str]]:
    return {"equal": list(held.equal), "only_a": list(held.only_a), "only_b": list(held.only_b)}


def _row(row: Row) -> dict[str, Any]:
    return {
        "name": row.name,
        "score": row.score,
        "percent": None if row.score is None else percent(row.score),
        "verdict": row.verdict or None,
        "shared_keys": row.shared,
        "keys_a": row.keys_a,
        "keys_b": row.keys_b,
        "min_shared": row.needed,
        "missing": row.missing,
    }
