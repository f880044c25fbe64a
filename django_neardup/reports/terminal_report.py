"""A comparison for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby

from ..judge.differences import Difference
from .algorithm_table import AlgorithmTable
from .labels import ComparisonLabels, format_percent
from .messages import VERDICT_SIGNS, Translate, leave_untranslated
from .segments import Segment, quote_span, replace_control_characters, split_text
from .terminal_text import Fragment, Line, display_width, pad, render_line, wrap_fragments
from .text_comparison import Comparison, SharedValues

MAX_WHOLE_LENGTH = 1500
"""Texts of up to this many characters are shown whole. In longer ones, equal and one-sided stretches are
shortened."""
MAX_STRETCH_LENGTH = 400
STRETCH_END_LENGTH = 120
MAX_TEXT_LINES = 60
"""The most lines that a text takes."""
MAX_DIFFERENCES = 40
MIN_WIDTH, MAX_WIDTH = 40, 120


def as_text(
    comparison: Comparison,
    *,
    width: int = 80,
    use_colours: bool = False,
    translate: Translate = leave_untranslated,
) -> str:
    """Return plain text in lines of ``width`` columns, 40..120. With ``use_colours`` it has ANSI escapes.

    The texts cannot control the terminal, because control characters are replaced.
    """
    lines = _TerminalReport(comparison, max(MIN_WIDTH, min(width, MAX_WIDTH)), translate).lines()
    return "".join(f"{render_line(line, use_colours)}\n" for line in lines)


class _TerminalReport:
    def __init__(self, comparison: Comparison, width: int, translate: Translate) -> None:
        self.comparison, self.width, self.translate = comparison, width, translate
        self.labels = ComparisonLabels(translate)

    def lines(self) -> Iterator[Line]:
        yield from self._header()
        yield from self._differences()
        yield from self._texts()
        yield from self._passages()
        yield from self._found_values()
        yield from self._stored_facts()
        yield from self._algorithms()

    def _header(self) -> Iterator[Line]:
        for letter, side in self.comparison.sides:
            count = self.labels.heading("words", count=side.text.word_count)
            yield from self._hanging_indent(
                f"{letter}  ", Fragment(f"{replace_control_characters(side.title)}, {count}"), style="strong"
            )
        yield []
        judgement = self.comparison.judgement
        verdict = self.labels.verdict(judgement.verdict)
        yield from self._hanging_indent(
            f"{VERDICT_SIGNS[judgement.verdict]}  ",
            Fragment(f"{verdict}, {format_percent(self.comparison.percent)}: ", "strong"),
            Fragment(self.labels.sentence(judgement)),
            style="strong",
        )
        containment = self.labels.containment_text(judgement.containment_a, judgement.containment_b)
        algorithm_label = self.labels.heading("by", name=self.comparison.algorithm)
        class_labels = [
            self.labels.certainty(judgement.doubtful),
            *(self.labels.kind(kind) for kind in judgement.classes),
        ]
        yield from self._hanging_indent(
            "   ", Fragment("; ".join([algorithm_label, *class_labels, containment]), "quiet")
        )
        for note in self.comparison.notes:
            yield from self._hanging_indent("!  ", Fragment(self.labels.note(note), "strong"), style="strong")

    def _differences(self) -> Iterator[Line]:
        yield from self._heading("differs")
        differences = self.comparison.judgement.differences
        if not differences:
            yield [Fragment(f"  {self.labels.no_difference_text(self.comparison)}")]
        # Deciding differences first: only the others may be cut off.
        shown = sorted(differences, key=lambda difference: not difference.is_decisive)[:MAX_DIFFERENCES]
        for decides, group in groupby(shown, key=lambda difference: difference.is_decisive):
            judgement, members = self.comparison.judgement, list(group)
            heading = (
                self.labels.decisive_heading(judgement.verdict, judgement.doubtful)
                if decides
                else self.labels.heading("idle")
            )
            yield [Fragment(f"  {heading}", "quiet")]
            yield from self._difference_lines(members)
            for rule in dict.fromkeys(difference.rule for difference in members if difference.rule):
                yield from self._hanging_indent("    ", Fragment(self.labels.rule(rule), "quiet"))
        yield from self._omitted_count(len(differences) - MAX_DIFFERENCES)

    def _difference_lines(self, group: list[Difference]) -> Iterator[Line]:
        counts = Counter(
            (
                self.labels.difference_label(difference),
                self._replacement_text(difference),
                _difference_style(difference),
            )
            for difference in group
        )
        label_width = max(display_width(label) for label, _, _ in counts)
        for (label, text, style), times in counts.items():
            repeat_count = [Fragment(f" ×{times}", "quiet")] if times > 1 else []
            yield from self._hanging_indent(
                f"    {pad(label, label_width)}  ", Fragment(text, style), *repeat_count
            )

    def _replacement_text(self, difference: Difference) -> str:
        spans = difference.span_a, difference.span_b
        quotes = [quote_span(side.text, span) for (_, side), span in zip(self.comparison.sides, spans)]
        return "\N{NO-BREAK SPACE}→ ".join(filter(None, quotes))

    def _texts(self) -> Iterator[Line]:
        yield from self._heading("texts")
        marks = {"‹1 …›": "shared", "[≠ …]": "decides", "[…]": "idle"}
        legend = ", ".join(f"{mark} {self.labels.heading(name)}" for mark, name in marks.items())
        yield from self._hanging_indent("  ", Fragment(legend, "quiet"))
        for letter, side in self.comparison.sides:
            yield [Fragment(f"  {letter}", "strong")]
            segments = split_text(
                side.text,
                self.comparison.judgement.differences,
                self.comparison.shared_passages,
                letter.lower(),
            )
            is_whole = sum(len(segment.text) for segment in segments) <= MAX_WHOLE_LENGTH
            lines = wrap_fragments(_mark_segments(segments, is_whole, self.labels), self.width - 4)
            yield from ([Fragment("    "), *line] for line in lines[:MAX_TEXT_LINES])
            if len(lines) > MAX_TEXT_LINES:
                yield [Fragment("    …", "quiet")]

    def _passages(self) -> Iterator[Line]:
        if not self.comparison.shared_passages:
            return
        yield from self._heading("passages")
        longest = sorted(self.comparison.shared_passages, key=lambda passage: -passage.word_count)[
            :MAX_DIFFERENCES
        ]
        for passage in sorted(longest):
            text = quote_span(self.comparison.a.text, passage.a, STRETCH_END_LENGTH)
            count = self.labels.heading("words", count=passage.word_count)
            remark = f"{count}, {self.labels.heading('boilerplate')}" if passage.is_boilerplate else count
            fragments = [Fragment(f"{text} "), Fragment(f"({remark})", "quiet")]
            yield from self._hanging_indent(f"  {passage.number:>2}  ", *fragments, style="number")
        yield from self._omitted_count(len(self.comparison.shared_passages) - MAX_DIFFERENCES)

    def _found_values(self) -> Iterator[Line]:
        yield from self._heading("held")
        for name, values in self.comparison.shared_values.items():
            if values:
                yield from self._hanging_indent(
                    f"  {self.labels.heading(name)}: ", Fragment(self._values_text(name, values))
                )
        zipf_text = "; ".join(
            self.labels.zipf_text(letter, side.zipf) for letter, side in self.comparison.sides
        )
        yield from self._hanging_indent(f"  {self.labels.heading('zipf')}: ", Fragment(zipf_text))

    def _stored_facts(self) -> Iterator[Line]:
        if self.comparison.stored_facts is None:
            return
        yield from self._heading("known")
        for name, fact in self.comparison.stored_facts.labelled_rows(self.labels):
            yield from self._hanging_indent(f"  {name}: ", Fragment(fact))

    def _values_text(self, name: str, values: SharedValues) -> str:
        return "; ".join(
            f"{location}: {', '.join(items)}" for location, items in self.labels.listed_values(name, values)
        )

    def _algorithms(self) -> Iterator[Line]:
        yield from self._heading("algorithms")
        for index, (head, rest) in enumerate(
            AlgorithmTable(self.comparison.algorithm_results, self.labels).lines()
        ):
            style = "strong" if index == 1 else "" if index else "quiet"
            yield from self._hanging_indent(head, *rest, style=style)

    def _heading(self, name: str) -> Iterator[Line]:
        yield []
        yield [Fragment(self.labels.heading(name), "heading")]

    def _omitted_count(self, count: int) -> Iterator[Line]:
        if count > 0:
            yield [Fragment(f"    {self.labels.heading('rest', count=count)}", "quiet")]

    def _hanging_indent(self, head: str, *rest: Fragment, style: str = "") -> Iterator[Line]:
        """Yield the lines of the fragments: the head before the first line, an indent before the others."""
        head_width = display_width(head)
        for index, line in enumerate(wrap_fragments(rest, self.width - head_width) or [[]]):
            yield [Fragment(" " * head_width) if index else Fragment(head, style), *line]


def _difference_style(difference: Difference) -> str:
    if not difference.is_decisive:
        return "idle"
    return "negation" if difference.kind == "negation" else "decides"


def _mark_segments(
    segments: Iterable[Segment], is_whole: bool, labels: ComparisonLabels
) -> Iterator[Fragment]:
    for number, group in groupby(segments, key=lambda segment: segment.passage_number):
        if number:
            yield Fragment(f"‹{number}\N{NO-BREAK SPACE}", "number")
        for segment in group:
            text = segment.text if is_whole else shorten_stretch(segment.text)
            yield from _segment_fragments(text, segment.difference, labels)
        if number:
            yield Fragment("›", "number")


def _segment_fragments(
    text: str, difference: Difference | None, labels: ComparisonLabels
) -> Iterator[Fragment]:
    if difference is None:
        yield Fragment(text)
    elif difference.is_decisive:
        yield Fragment(
            f"[≠\N{NO-BREAK SPACE}{labels.kind(difference.kind)}: {text}]", _difference_style(difference)
        )
    else:
        yield Fragment(f"[{text}]", "idle")


def shorten_stretch(text: str) -> str:
    """Return the beginning and the end of a long stretch. Return a short one unchanged."""
    if len(text) <= MAX_STRETCH_LENGTH:
        return text
    head, tail = text[:STRETCH_END_LENGTH], text[-STRETCH_END_LENGTH:]
    head, tail = head.rsplit(" ", 1)[0], tail.split(" ", 1)[-1]
    return f"{head} …… {tail}"
