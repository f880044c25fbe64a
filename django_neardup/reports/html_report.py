"""A comparison as one HTML page. It loads nothing and runs no scripts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, NamedTuple

from ..judge.differences import Difference
from .labels import ComparisonLabels, format_percent
from .messages import HEADINGS, VERDICT_SIGNS, Translate, leave_untranslated
from .segments import Segment, quote_span, replace_control_characters, split_text
from .template_engine import render_template
from .text_comparison import AlgorithmResult, Comparison, TextSide

MAX_TEXT_LENGTH = 100_000
"""The number of characters of a text that are shown."""
LEGEND_EXAMPLES = {
    "code": "С140.35",
    "number": "240",
    "measure": "14 м",
    "name": "…",
    "sign": "−5",
    "deal": "",
    "role": "",
    "opposite": "",
    "negation": "",
    "price": "9 450 ₽",
    "date": "12.03",
    "contact": "mail@example.ru",
    "word": "",
}


class Mark(NamedTuple):
    """A stretch of text, with a class of ``page.css`` and a label if it belongs to a difference."""

    text: str
    css_class: str = ""
    label: str = ""


def as_html(
    comparison: Comparison, *, translate: Translate = leave_untranslated, language: str = "en"
) -> str:
    """Return a self-contained page: both texts side by side, shared passages numbered, differences marked by
    class.

    ``language`` is the language into which ``translate`` translates. The page has no script and declares a
    policy that forbids scripts. Of texts over 100,000 characters it shows the beginning. Its size is linear
    in the size of the texts.
    """
    labels, judgement = ComparisonLabels(translate), comparison.judgement
    titles = {letter.lower(): replace_control_characters(side.title) for letter, side in comparison.sides}
    reasons = [
        labels.heading("by", name=comparison.algorithm),
        labels.certainty(judgement.doubtful),
        *map(labels.kind, judgement.classes),
        labels.containment_text(judgement.containment_a, judgement.containment_b),
    ]
    facts = comparison.stored_facts
    context = {
        "language": language,
        "title": labels.heading("title", **titles),
        "headings": {name: labels.heading(name) for name in HEADINGS},
        "verdict_sign": VERDICT_SIGNS[judgement.verdict],
        "verdict": labels.verdict(judgement.verdict),
        "percent": format_percent(comparison.percent),
        "sentence": labels.sentence(judgement),
        "reasons": "; ".join(reasons),
        "notes": [labels.note(note) for note in comparison.notes],
        "sides": [_text_side(comparison, letter, side, labels) for letter, side in comparison.sides],
        "difference_groups": list(_difference_groups(comparison, labels)),
        "no_difference_text": labels.no_difference_text(comparison),
        "shared_values": [
            (labels.heading(name), list(labels.listed_values(name, values)))
            for name, values in comparison.shared_values.items()
        ],
        "zipf_texts": [labels.zipf_text(letter, side.zipf) for letter, side in comparison.sides],
        "stored_facts": list(facts.labelled_rows(labels)) if facts else [],
        "legend": list(_legend(comparison, labels)),
        "algorithm_rows": [_algorithm_row(result, labels) for result in comparison.algorithm_results],
    }
    return render_template("comparison.html", context)


def build_marks(segments: Iterable[Segment], labels: ComparisonLabels) -> list[Mark]:
    """Return the segments of a text, with the classes and labels of their differences."""
    return [
        Mark(segment.text, _css_class(segment.difference), _mark_label(segment.difference, labels))
        if segment.difference
        else Mark(segment.text)
        for segment in segments
    ]


def build_replacement(comparison: Comparison, difference: Difference) -> Mark:
    """Return the words of both texts at a difference: "С140.35 → С90.30"."""
    spans = difference.span_a, difference.span_b
    quotes = [quote_span(side.text, span) for (_, side), span in zip(comparison.sides, spans)]
    return Mark("\N{NO-BREAK SPACE}→ ".join(filter(None, quotes)), _css_class(difference))


def _text_side(
    comparison: Comparison, letter: str, side: TextSide, labels: ComparisonLabels
) -> dict[str, Any]:
    other_letter = "B" if letter == "A" else "A"
    segments = split_text(
        side.text, comparison.judgement.differences, comparison.shared_passages, letter.lower()
    )
    return {
        "letter": letter,
        "other_letter": other_letter,
        "title": replace_control_characters(side.title),
        "word_count": labels.heading("words", count=side.text.word_count),
        "passages": [
            {
                "number": number,
                "boilerplate": labels.heading("boilerplate") if is_boilerplate else "",
                "link_label": labels.heading("go", number=number, side=other_letter),
                "marks": build_marks(passage, labels),
            }
            for (number, is_boilerplate), passage in groupby(
                _truncate_segments(segments),
                key=lambda segment: (segment.passage_number, segment.is_boilerplate),
            )
        ],
    }


def _truncate_segments(segments: Iterable[Segment]) -> Iterator[Segment]:
    remaining = MAX_TEXT_LENGTH
    for segment in segments:
        if remaining > 0:
            yield segment._replace(text=segment.text[:remaining])
        remaining -= len(segment.text)
    if remaining < 0:
        yield Segment("…", None, 0)


def _difference_groups(comparison: Comparison, labels: ComparisonLabels) -> Iterator[dict[str, Any]]:
    """Yield the differences that decide, then the others. Equal ones are one row with their number."""
    for is_decisive, name in ((True, "decides"), (False, "idle")):
        judgement = comparison.judgement
        decisive_heading = labels.decisive_heading(judgement.verdict, judgement.doubtful)
        rows = Counter(
            (
                labels.difference_label(difference),
                build_replacement(comparison, difference),
                labels.rule(difference.rule),
            )
            for difference in comparison.judgement.differences
            if difference.is_decisive is is_decisive
        )
        if rows:
            yield {
                "heading": decisive_heading if is_decisive else labels.heading(name),
                "is_decisive": is_decisive,
                "rows": [(label, mark, rule, times) for (label, mark, rule), times in rows.items()],
            }


def _legend(comparison: Comparison, labels: ComparisonLabels) -> Iterator[tuple[str, list[Mark]]]:
    ignored_kinds = {*comparison.ignored_kinds, "word"}
    for name, is_ignored in (("decides", False), ("idle", True)):
        css_class = "{}" if is_ignored else "decides {}"
        yield (
            labels.heading(name),
            [
                Mark(
                    example or labels.kind(kind), css_class.format(kind), labels.kind(kind) if example else ""
                )
                for kind, example in LEGEND_EXAMPLES.items()
                if (kind in ignored_kinds) is is_ignored
            ],
        )


def _algorithm_row(result: AlgorithmResult, labels: ComparisonLabels) -> dict[str, Any]:
    if result.percent is None:
        return {"name": result.name, "missing_reason": labels.missing_reason(result)}
    return {
        "name": result.name,
        "value": result.percent,
        "percent": format_percent(result.percent),
        "verdict": labels.verdict(result.verdict),
        "key_counts": labels.key_counts(result),
    }


def _mark_label(difference: Difference, labels: ComparisonLabels) -> str:
    if difference.kind == "word" and _has_both_sides(difference):
        return ""
    return labels.difference_label(difference)


def _has_both_sides(difference: Difference) -> bool:
    """Return whether both texts have words at the difference."""
    return all(start < end for start, end in (difference.token_range_a, difference.token_range_b))


def _css_class(difference: Difference) -> str:
    return f"decides {difference.kind}" if difference.is_decisive else difference.kind
