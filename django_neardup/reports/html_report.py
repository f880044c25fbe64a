"""A comparison as one HTML page. It loads nothing and runs no scripts.

All text from the compared texts is escaped before it is marked up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from html import escape
from itertools import groupby
from pathlib import Path

from ..judge.differences import Difference
from .labels import ComparisonLabels, format_percent
from .messages import VERDICT_SIGNS, Translate, leave_untranslated
from .segments import Segment, quote_span, replace_control_characters, split_text
from .text_comparison import AlgorithmResult, Comparison, SharedValues, TextSide

STYLESHEET_PATH = Path(__file__).with_name("page.css")
MAX_TEXT_LENGTH = 100_000
"""The number of characters of a text that are shown."""
# Strangers write these texts. If an escape were missing, the browser would still run nothing.
CONTENT_SECURITY_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
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


def as_html(
    comparison: Comparison, *, translate: Translate = leave_untranslated, language: str = "en"
) -> str:
    """Return a self-contained page: both texts side by side, shared passages numbered, differences marked by
    class.

    ``language`` is the language into which ``translate`` translates. The page has no script and declares a
    policy that forbids scripts. Of texts over 100,000 characters it shows the beginning. Its size is linear
    in the size of the texts.
    """
    return "\n".join(_ComparisonPage(comparison, translate).render(language)) + "\n"


class _ComparisonPage:
    def __init__(self, comparison: Comparison, translate: Translate) -> None:
        self.comparison, self.labels = comparison, ComparisonLabels(translate)

    def render(self, language: str) -> Iterator[str]:
        title = self.labels.heading(
            "title",
            a=replace_control_characters(self.comparison.a.title),
            b=replace_control_characters(self.comparison.b.title),
        )
        yield f'<!DOCTYPE html>\n<html lang="{escape(language)}">\n<head>\n<meta charset="utf-8">'
        yield f'<meta http-equiv="Content-Security-Policy" content="{CONTENT_SECURITY_POLICY}">'
        yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
        yield '<meta name="robots" content="noindex">'
        yield f"<title>{escape(title)}</title>\n<style>\n{STYLESHEET_PATH.read_text('utf-8')}</style>\n</head>\n<body>"
        yield from self._header(title)
        yield from self._texts()
        yield '<div class="pair"><div>'
        yield from self._differences()
        yield from self._found_values()
        yield from self._stored_facts()
        yield from self._legend()
        yield "</div><div>"
        yield from self._algorithms()
        yield "</div></div>\n</body>\n</html>"

    def _header(self, title: str) -> Iterator[str]:
        judgement = self.comparison.judgement
        containment = self.labels.containment_text(judgement.containment_a, judgement.containment_b)
        class_labels = [self.labels.kind(kind) for kind in judgement.classes]
        reasons = "; ".join(
            [self.labels.heading("by", name=self.comparison.algorithm), *class_labels, containment]
        )
        yield f'<header class="head"><h1>{escape(title)}</h1>'
        yield (
            f'<p class="verdict"><i aria-hidden="true">{VERDICT_SIGNS[judgement.verdict]}</i>'
            f"<b>{escape(self.labels.verdict(judgement.verdict))}, {format_percent(self.comparison.percent)}</b>: "
            f"{escape(self.labels.sentence(judgement))}</p>"
        )
        yield f'<p class="quiet">{escape(reasons)}</p>'
        yield from (f'<p class="note">{escape(self.labels.note(note))}</p>' for note in self.comparison.notes)
        yield "</header>"

    def _texts(self) -> Iterator[str]:
        yield '<main class="texts">'
        for letter, side in self.comparison.sides:
            yield from self._text(letter, side)
        yield "</main>"

    def _text(self, letter: str, side: TextSide) -> Iterator[str]:
        count = escape(self.labels.heading("words", count=side.text.word_count))
        yield f'<article><h2><span class="letter">{letter}</span>{escape(replace_control_characters(side.title))} '
        yield f'<span class="quiet">{count}</span></h2>'
        segments = split_text(
            side.text, self.comparison.judgement.differences, self.comparison.shared_passages, letter.lower()
        )
        body = "".join(self._render_passages(_truncate_segments(segments), letter))
        ellipsis = "…" if sum(len(segment.text) for segment in segments) > MAX_TEXT_LENGTH else ""
        yield f'<div class="text" dir="auto">{body}{ellipsis}</div></article>'

    def _render_passages(self, segments: Iterable[Segment], letter: str) -> Iterator[str]:
        other = "B" if letter == "A" else "A"
        for number, group in groupby(segments, key=lambda segment: segment.passage_number):
            content = render_segments(group, self.labels)
            if not number:
                yield content
                continue
            link_label = escape(self.labels.heading("go", number=number, side=other))
            yield f'<span class="shared" id="{letter}{number}">'
            yield f'<a href="#{other}{number}" aria-label="{link_label}">{number}</a>{content}</span>'

    def _differences(self) -> Iterator[str]:
        differences = self.comparison.judgement.differences
        yield f"<section><h2>{self._escape_heading('differs')}</h2><table><tbody>"
        if not differences:
            yield f"<tr><td>{escape(self.labels.no_difference_text(self.comparison))}</td></tr>"
        for decides in (True, False):
            rows = Counter(
                self._difference_row(difference)
                for difference in differences
                if difference.is_decisive is decides
            )
            if rows:
                name = "decides" if decides else "idle"
                yield f'<tr class="split"><th colspan="2" scope="colgroup">{self._escape_heading(name)}</th></tr>'
            style = ' class="deciding"' if decides else ""
            for (label, replacement), times in rows.items():
                repeat_count = f' <span class="quiet">×{times}</span>' if times > 1 else ""
                yield f'<tr{style}><th scope="row">{label}</th><td>{replacement}{repeat_count}</td></tr>'
        yield "</tbody></table></section>"

    def _difference_row(self, difference: Difference) -> tuple[str, str]:
        return escape(self.labels.difference_label(difference)), render_replacement(
            self.comparison, difference, self.labels
        )

    def _legend(self) -> Iterator[str]:
        yield f'<section class="legend"><h2>{self._escape_heading("legend")}</h2><dl>'
        ignored_kinds = {*self.comparison.ignored_kinds, "word"}
        for name, kinds in (("decides", LEGEND_EXAMPLES.keys() - ignored_kinds), ("idle", ignored_kinds)):
            marks = "".join(self._example(kind, name) for kind in LEGEND_EXAMPLES if kind in kinds)
            yield f"<dt>{self._escape_heading(name)}</dt><dd>{marks}</dd>" if marks else ""
        yield f'<dt>{self._escape_heading("shared")}</dt><dd><span><span class="shared"><b>1</b>…</span> '
        yield f"{self._escape_heading('passage')}</span></dd></dl></section>"

    def _example(self, kind: str, name: str) -> str:
        label, text = escape(self.labels.kind(kind)), LEGEND_EXAMPLES[kind]
        content = f"<small>{label}</small>{text}" if text else label
        style = f"decides {kind}" if name == "decides" else kind
        return f'<span><mark class="{style}">{content}</mark></span>'

    def _algorithms(self) -> Iterator[str]:
        yield f"<section><h2>{self._escape_heading('algorithms')}</h2><table><thead><tr>"
        yield from (
            f'<th scope="col"{span}>{self._escape_heading(name)}</th>'
            for name, span in (("algorithm", ""), ("score", ' colspan="2"'), ("verdict", ""), ("keys", ""))
        )
        yield "</tr></thead><tbody>"
        for index, result in enumerate(self.comparison.algorithm_results):
            yield (
                f'<tr class="{"" if index else "first"}"><th scope="row">{escape(result.name)}</th>'
                f"{self._algorithm_cells(result)}</tr>"
            )
        yield "</tbody></table></section>"

    def _algorithm_cells(self, result: AlgorithmResult) -> str:
        if result.percent is None:
            return f'<td colspan="4" class="quiet">{escape(self.labels.missing_reason(result))}</td>'
        return (
            f'<td><meter max="100" value="{result.percent}">{result.percent}</meter></td>'
            f'<td class="number">{format_percent(result.percent)}</td>'
            f'<td class="verdict-word">{escape(self.labels.verdict(result.verdict))}</td>'
            f"<td>{escape(self.labels.key_counts(result))}</td>"
        )

    def _found_values(self) -> Iterator[str]:
        yield f"<section><h2>{self._escape_heading('held')}</h2><table><tbody>"
        for name, values in self.comparison.shared_values.items():
            yield (
                f'<tr><th scope="row">{self._escape_heading(name)}</th>'
                f"<td>{self._render_values(name, values)}</td></tr>"
            )
        zipf_lines = "<br>".join(
            escape(self.labels.zipf_text(letter, side.zipf)) for letter, side in self.comparison.sides
        )
        yield f'<tr><th scope="row">{self._escape_heading("zipf")}</th><td>{zipf_lines}</td></tr>'
        yield "</tbody></table></section>"

    def _stored_facts(self) -> Iterator[str]:
        if self.comparison.stored_facts is None:
            return
        yield f"<section><h2>{self._escape_heading('known')}</h2><table><tbody>"
        for name, fact in self.comparison.stored_facts.labelled_rows(self.labels):
            yield f'<tr><th scope="row">{escape(name)}</th><td>{escape(fact)}</td></tr>'
        yield "</tbody></table></section>"

    def _render_values(self, name: str, values: SharedValues) -> str:
        return "<br>".join(
            f'<span class="quiet">{escape(location)}:</span> {escape(", ".join(items))}'
            for location, items in self.labels.listed_values(name, values)
        ) or self._escape_heading("nothing")

    def _escape_heading(self, name: str) -> str:
        return escape(self.labels.heading(name))


def render_segments(segments: Iterable[Segment], labels: ComparisonLabels) -> str:
    """Return the escaped segments of a text, with differences marked by the classes of ``page.css``."""
    return "".join(
        _render_mark(segment.difference, segment.text, labels) if segment.difference else escape(segment.text)
        for segment in segments
    )


def render_replacement(comparison: Comparison, difference: Difference, labels: ComparisonLabels) -> str:
    """Return the words of both texts at a difference, escaped and marked: "С140.35 → С90.30"."""
    spans = difference.span_a, difference.span_b
    quotes = [quote_span(side.text, span) for (_, side), span in zip(comparison.sides, spans)]
    words = "\N{NO-BREAK SPACE}→ ".join(filter(None, quotes))
    return _render_mark(difference, words, labels, with_label=False)


def _render_mark(difference: Difference, text: str, labels: ComparisonLabels, with_label: bool = True) -> str:
    label = (
        labels.difference_label(difference)
        if difference.kind != "word" or not _has_both_sides(difference)
        else ""
    )
    label_html = f"<small>{escape(label)}</small>" if label and with_label else ""
    return f'<mark class="{_css_classes(difference)}">{label_html}{escape(text)}</mark>'


def _has_both_sides(difference: Difference) -> bool:
    """Return whether both texts have words at the difference."""
    return all(start < end for start, end in (difference.token_range_a, difference.token_range_b))


def _css_classes(difference: Difference) -> str:
    return f"decides {difference.kind}" if difference.is_decisive else difference.kind


def _truncate_segments(segments: Iterable[Segment]) -> Iterator[Segment]:
    remaining = MAX_TEXT_LENGTH
    for segment in segments:
        if remaining <= 0:
            return
        yield segment._replace(text=segment.text[:remaining])
        remaining -= len(segment.text)
