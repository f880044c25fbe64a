"""The labels of a comparison, put together in one language."""

from __future__ import annotations

from collections.abc import Iterator

from ..algorithms import Judgement
from ..judge.differences import Difference
from ..text.zipf import ZipfReport
from .messages import (
    CERTAINTY_CONTEXT,
    CERTAINTY_LABELS,
    COMPARISON_CONTEXT,
    DECIMAL_SEPARATOR,
    DIFFERENCE_CONTEXT,
    DIFFERENCE_LABELS,
    DOUBT_SENTENCES,
    EXACT_SENTENCE,
    HEADINGS,
    IDENTITY_LABEL,
    KEY_KIND_LABELS,
    NOTE_TEXTS,
    ONE_SIDE_LABELS,
    RULE_REASONS,
    VERDICT_LABELS,
    VERDICT_SENTENCES,
    Translate,
)
from .segments import replace_control_characters
from .shared_keys import SharedKeys
from .stored_facts import PastDecision
from .text_comparison import AlgorithmResult, Comparison, Note, SharedValues, whole_percent

MAX_LISTED_ITEMS = 40
"""The number of contacts, names or codes that are listed."""


def format_percent(value: int, width: int = 0) -> str:
    """Format a percentage: "71 %"."""
    return f"{value:>{width}}\N{NO-BREAK SPACE}%".replace(" ", "\N{NO-BREAK SPACE}")


class ComparisonLabels:
    """Labels for the parts of a comparison."""

    def __init__(self, translate: Translate) -> None:
        self.translate = translate

    def heading(self, name: str, /, **values: object) -> str:
        """Return the text of this name in ``messages.HEADINGS``, with the values filled in."""
        text = self.translate(HEADINGS[name])
        return text % values if values else text

    def verdict(self, name: str) -> str:
        return self.translate(VERDICT_LABELS[name], COMPARISON_CONTEXT if name == "none" else "")

    def sentence(self, judgement: Judgement) -> str:
        if judgement.exact:
            return self.translate(EXACT_SENTENCE)
        sentences = DOUBT_SENTENCES if judgement.doubtful else VERDICT_SENTENCES
        return self.translate(sentences[judgement.verdict])

    def certainty(self, doubtful: bool) -> str:
        """Return "sure" or "maybe"."""
        return self.translate(CERTAINTY_LABELS["maybe" if doubtful else "sure"], CERTAINTY_CONTEXT)

    def decisive_heading(self, verdict: str, doubtful: bool) -> str:
        """Return the heading of the differences that decide, or may decide."""
        if not doubtful:
            return self.heading("decides")
        return self.heading("maybe" if verdict == "variant" else "kept apart")

    def rule(self, name: str) -> str:
        """Return the reason of a rule with its example. Return an empty string without a rule."""
        if name not in RULE_REASONS:
            return ""
        reason, example = RULE_REASONS[name]
        return self.heading("rule", reason=self.translate(reason), example=example)

    def kind(self, name: str) -> str:
        """Return the label of a class of differences."""
        return self.translate(
            IDENTITY_LABEL if name == "identity" else DIFFERENCE_LABELS.get(name, DIFFERENCE_LABELS["word"]),
            DIFFERENCE_CONTEXT,
        )

    def difference_label(self, difference: Difference) -> str:
        """Return the class of a difference. If only one text has the words, add which one."""
        (start_a, end_a), (start_b, end_b) = difference.span_a, difference.span_b
        only_side = "A" if start_b == end_b else "B" if start_a == end_a else ""
        if not only_side:
            return self.kind(difference.kind)
        side_label = self.translate(ONE_SIDE_LABELS[only_side], DIFFERENCE_CONTEXT)
        return (
            side_label
            if difference.kind in ("only", "word")
            else f"{self.kind(difference.kind)}, {side_label}"
        )

    def note(self, note: Note) -> str:
        return self.translate(NOTE_TEXTS[note.kind]) % {"side": note.side}

    def containment_text(self, a: float, b: float) -> str:
        """Return the text for both containments."""
        return self.heading("inside", a=format_percent(whole_percent(a)), b=format_percent(whole_percent(b)))

    def key_counts(self, result: AlgorithmResult) -> str:
        """Return how many keys are equal, and how many are needed if it is more than one."""
        equal_keys = self.heading("met", shared=result.shared_keys, a=result.keys_a, b=result.keys_b)
        return (
            f"{equal_keys}, {self.heading('needed', count=result.min_shared)}"
            if result.min_shared > 1
            else equal_keys
        )

    def shared_keys_text(self, shared_keys: SharedKeys) -> str:
        """Return how many keys are equal, how many are needed, and the kinds of the equal keys."""
        parts = [
            self.heading("met", shared=shared_keys.shared, a=shared_keys.keys_a, b=shared_keys.keys_b),
            self.heading("needed", count=shared_keys.needed),
            *(
                self.translate(KEY_KIND_LABELS[kind]) % {"count": count}
                for kind, count in shared_keys.kinds
                if kind in KEY_KIND_LABELS
            ),
        ]
        return ", ".join(parts)

    def decision_text(self, decision: PastDecision) -> str:
        """Describe a person's decision."""
        parts = [
            self.heading(decision.kind),
            replace_control_characters(decision.by) or self.heading("nobody"),
            decision.when,
        ]
        if decision.note:
            parts.append(f"«{' '.join(replace_control_characters(decision.note).split())}»")
        return ", ".join([*parts, *([self.heading("withdrawn")] if decision.is_withdrawn else [])])

    def missing_reason(self, result: AlgorithmResult) -> str:
        """Return why an algorithm has no score for the two texts."""
        return (
            self.heading("gather", command=result.gather_command)
            if result.gather_command
            else self.heading(result.missing_reason)
        )

    def no_difference_text(self, comparison: Comparison) -> str:
        """Return the text for a pair without differences.

        Either nothing differs, or only the order of the words or letters inside words.
        """
        return self.heading(
            "nothing" if comparison.a.text.exact_digest == comparison.b.text.exact_digest else "order"
        )

    def format_decimal(self, value: float) -> str:
        """Format a number with two decimals, without a sign before 0."""
        # Adding 0.0 turns -0.0 into 0.0.
        return f"{round(value, 2) + 0.0:.2f}".replace(
            ".", self.translate(DECIMAL_SEPARATOR, COMPARISON_CONTEXT)
        )

    def zipf_text(self, letter: str, report: ZipfReport | None) -> str:
        """Describe whether a text's words deviate from Zipf's law."""
        if report is None:
            return self.heading("brief", side=letter)
        figures = {
            "slope": self.format_decimal(report.slope),
            "distance": self.format_decimal(report.distance),
        }
        return self.heading("unusual" if report.is_anomalous else "usual", side=letter, **figures)

    def listed_values(self, name: str, values: SharedValues) -> Iterator[tuple[str, list[str]]]:
        """Yield a location ("in both", "only in A" or "only in B") and its values.

        The values are the first 40. A remark about the number of values not shown follows.
        """
        for location, values_there in (
            (self.heading("both"), values.equal),
            (self.translate(ONE_SIDE_LABELS["A"], DIFFERENCE_CONTEXT), values.only_a),
            (self.translate(ONE_SIDE_LABELS["B"], DIFFERENCE_CONTEXT), values.only_b),
        ):
            if values_there:
                omitted = (
                    [self.heading("rest", count=len(values_there) - MAX_LISTED_ITEMS)]
                    if len(values_there) > MAX_LISTED_ITEMS
                    else []
                )
                yield (
                    location,
                    [*(_format_canonical(name, item) for item in values_there[:MAX_LISTED_ITEMS]), *omitted],
                )


def _format_canonical(name: str, item: str) -> str:
    """Format a canonical contact, name or code as people write it."""
    if name == "names":
        return replace_control_characters(item.title())
    return replace_control_characters(
        item.upper() if name == "codes" else item.removeprefix("tel:").removeprefix("mailto:")
    )
