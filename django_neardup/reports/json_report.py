"""A comparison as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ..judge.differences import Difference
from ..text.zipf import ZipfReport
from .segments import CONTROL_CHARACTERS, SharedPassage, quote_span
from .text_comparison import AlgorithmResult, Comparison, SharedValues, TextSide, whole_percent


def as_json(comparison: Comparison, *, ascii_only: bool = False) -> str:
    """Return ``as_dict`` as JSON text. With ``ascii_only`` it is ASCII, otherwise it has letters of any script.

    Control characters are escaped, because a terminal may show the text. Lone surrogates are escaped,
    because they cannot be encoded.
    """
    text = json.dumps(as_dict(comparison), ensure_ascii=ascii_only, indent=2)
    return CONTROL_CHARACTERS.sub(lambda match: json.dumps(match.group())[1:-1], text)


def as_dict(comparison: Comparison) -> dict[str, Any]:
    """Return a JSON-able dict with these keys:

    - ``a``, ``b``: ``title``, ``text`` (as written), ``language``, ``words``, ``content_words``, ``sentences``,
      ``too_long``, ``zipf`` (null for a text under 300 words, otherwise ``slope``, ``distance``, ``anomalous``)
    - ``algorithm``: the deciding one; ``verdict`` ("duplicate", "variant", "contained", "related", "none"),
      ``score`` (0..1), ``percent``, ``exact``, ``certainty`` ("sure" or "maybe"), ``classes`` (the deciding ones),
      ``containment_a`` and ``containment_b`` (0..1)
    - ``differences``: each ``kind``, ``decides``, the ``rule`` that decided or "",
      and for ``a`` and ``b`` the ``text`` and its ``span``
    - ``passages``: runs of 4 words or more that both texts have, each ``words`` and the spans ``a`` and ``b``;
      ``shared``: the same with small differences inside them, each with its ``number``
    - ``contacts``, ``names``, ``codes``: each ``equal``, ``only_a``, ``only_b``
    - ``algorithms``: each ``name``, ``score``, ``percent``, ``verdict``, ``shared_keys``, ``keys_a``, ``keys_b``,
      ``min_shared``, ``missing``. ``missing`` is "", "statistics" (it needs a collection's) or "batch" (it refines
      whole collections). If it is not "", score, percent and verdict are null.
    - ``notes``: each ``kind`` and ``side`` ("A", "B" or "")
    - ``known``, if it was requested for two objects: ``keys`` (``shared``, ``keys_a``, ``keys_b``, ``needed``, and by
      ``kinds``), ``identity`` (each declared field "equal", "unequal" or "unknown"), ``phrases``, ``author``,
      ``first_seen``, ``decisions``

    A span is a pair of half-open offsets, in characters, in the text as written.
    """
    judgement, stored_facts = comparison.judgement, comparison.stored_facts
    return {
        "a": _text_as_dict(comparison.a),
        "b": _text_as_dict(comparison.b),
        "algorithm": comparison.algorithm,
        "verdict": judgement.verdict,
        "score": judgement.score,
        "percent": comparison.percent,
        "exact": judgement.exact,
        "certainty": judgement.certainty,
        "classes": list(judgement.classes),
        "containment_a": judgement.containment_a,
        "containment_b": judgement.containment_b,
        "differences": [_difference_as_dict(comparison, difference) for difference in judgement.differences],
        "passages": [passage.as_dict() for passage in judgement.passages],
        "shared": [_passage_as_dict(shared_passage) for shared_passage in comparison.shared_passages],
        "contacts": _values_as_dict(comparison.contacts),
        "names": _values_as_dict(comparison.names),
        "codes": _values_as_dict(comparison.codes),
        "algorithms": [_result_as_dict(result) for result in comparison.algorithm_results],
        "notes": [note._asdict() for note in comparison.notes],
        **({} if stored_facts is None else {"known": stored_facts.as_dict()}),
    }


def _text_as_dict(side: TextSide) -> dict[str, Any]:
    text = side.text
    return {
        "title": side.title,
        "text": text.raw,
        "language": text.language,
        "words": text.word_count,
        "content_words": text.content_word_count,
        "sentences": len(text.sentences),
        "too_long": text.too_long,
        "zipf": side.zipf and _zipf_as_dict(side.zipf),
    }


def _zipf_as_dict(report: ZipfReport) -> dict[str, Any]:
    return {"slope": report.slope, "distance": report.distance, "anomalous": report.is_anomalous}


def _difference_as_dict(comparison: Comparison, difference: Difference) -> dict[str, Any]:
    return {
        "kind": difference.kind,
        "decides": difference.is_decisive,
        "rule": difference.rule,
        "a": {
            "text": quote_span(comparison.a.text, difference.span_a),
            "span": _span_as_list(difference.span_a),
        },
        "b": {
            "text": quote_span(comparison.b.text, difference.span_b),
            "span": _span_as_list(difference.span_b),
        },
    }


def _passage_as_dict(passage: SharedPassage) -> dict[str, Any]:
    return {
        "number": passage.number,
        "words": passage.word_count,
        "a": _span_as_list(passage.a),
        "b": _span_as_list(passage.b),
    }


def _span_as_list(span: Iterable[int]) -> list[int]:
    return list(span)


def _values_as_dict(values: SharedValues) -> dict[str, list[str]]:
    return {"equal": list(values.equal), "only_a": list(values.only_a), "only_b": list(values.only_b)}


def _result_as_dict(result: AlgorithmResult) -> dict[str, Any]:
    return {
        "name": result.name,
        "score": result.score,
        "percent": None if result.score is None else whole_percent(result.score),
        "verdict": result.verdict or None,
        "shared_keys": result.shared_keys,
        "keys_a": result.keys_a,
        "keys_b": result.keys_b,
        "min_shared": result.min_shared,
        "missing": result.missing_reason,
    }
