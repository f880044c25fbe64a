"""The report of ``neardup_index --rejudge``: verdicts before and after, examples, contradicted decisions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain, islice, zip_longest

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from ..models import Decision, Verdict
from ..pipeline.rejudgement import RejudgedPair
from ..reports.segments import replace_control_characters
from .number_format import format_number

MAX_EXAMPLES = 20
VERDICT_ORDER = (*Verdict.values, "none")
CONTRADICTING_VERDICTS: dict[str, tuple[str, ...]] = {
    Decision.Kind.SAME: (Verdict.VARIANT, "none"),
    Decision.Kind.DIFFERENT: (Verdict.DUPLICATE,),
}
"""Verdicts that contradict a decision, by its kind."""

Transition = tuple[str, str]


class RejudgementReport:
    """What a run has changed. It keeps counts, some examples, and the contradicted decisions."""

    def __init__(self) -> None:
        self._counts: Counter[Transition] = Counter()
        self._examples: defaultdict[Transition, list[RejudgedPair]] = defaultdict(list)
        self._contradicted: list[RejudgedPair] = []
        self._left_count = 0
        self._doubts_before = self._doubts_after = 0

    @property
    def judged_count(self) -> int:
        return self._counts.total()

    def add(self, rejudged_pairs: Iterable[RejudgedPair], count: int) -> None:
        """Add the judged pairs of a batch of ``count`` pairs. The others were left to the worker."""
        self._left_count += count
        for pair in rejudged_pairs:
            self._left_count -= 1
            self._add_pair(pair)

    def lines(self) -> Iterator[str]:
        """Yield the lines of the report, in the active language."""
        yield from self._count_lines()
        if self._examples:
            yield ""
            yield _("Examples:")
            yield from (f"  {_describe(pair)}" for pair in self._mixed_examples())
        if self._contradicted:
            yield ""
            yield _("Decisions that the comparison now contradicts. They stay in force:")
            yield from (
                f"  {Decision.Kind(pair.decision).label}; {_describe(pair)}" for pair in self._contradicted
            )

    def _add_pair(self, pair: RejudgedPair) -> None:
        transition = pair.before, pair.after
        self._counts[transition] += 1
        self._doubts_before += pair.was_doubtful
        self._doubts_after += pair.is_doubtful
        if pair.before == pair.after:
            # The judge said the same before, and the decision was made in spite of that.
            return
        if len(self._examples[transition]) < MAX_EXAMPLES:
            self._examples[transition].append(pair)
        if pair.after in CONTRADICTING_VERDICTS.get(pair.decision, ()):
            self._contradicted.append(pair)

    def _count_lines(self) -> Iterator[str]:
        judged = ngettext(
            "%(count)s pair was judged again.", "%(count)s pairs were judged again.", self.judged_count
        )
        yield judged % {"count": format_number(self.judged_count)}
        if self._left_count:
            left = ngettext(
                "%(count)s pair was left for the worker: a post was changed or deleted.",
                "%(count)s pairs were left for the worker: posts were changed or deleted.",
                self._left_count,
            )
            yield left % {"count": format_number(self._left_count)}
        if self.judged_count:
            yield from self._table_lines()
        if self._doubts_before or self._doubts_after:
            counts = {"before": self._doubts_before, "after": self._doubts_after}
            doubts = {name: format_number(count) for name, count in counts.items()}
            yield "  " + _("doubtful verdicts: %(before)s before, %(after)s after") % doubts

    def _table_lines(self) -> Iterator[str]:
        unchanged = sum(count for (before, after), count in self._counts.items() if before == after)
        rows = [
            (_label(before), _label(after), format_number(self._counts[before, after]))
            for before in VERDICT_ORDER
            for after in VERDICT_ORDER
            if before != after and self._counts[before, after]
        ]
        table = [
            (_("before"), _("after"), _("pairs")),
            *rows,
            (_("unchanged"), "", format_number(unchanged)),
        ]
        widths = [max(map(len, column)) for column in zip(*table)]
        for before, after, count in table:
            yield f"  {before:<{widths[0]}}  {after:<{widths[1]}}  {count:>{widths[2]}}"

    def _mixed_examples(self) -> Iterator[RejudgedPair]:
        """Yield at most 20 examples. Every kind of change has its turn, so that rare ones are shown too."""
        turns = zip_longest(*(self._examples[transition] for transition in sorted(self._examples, key=_rank)))
        return islice((pair for pair in chain.from_iterable(turns) if pair is not None), MAX_EXAMPLES)


def _describe(pair: RejudgedPair) -> str:
    """Return verdicts, posts and the decisive difference of a pair on one line."""
    posts = " – ".join(f"{post.name} “{post.beginning}”" for post in (pair.a, pair.b))
    description = f"{_label(pair.before)} → {_label(pair.after)}: {posts}"
    if pair.difference is None:
        return description
    words = " / ".join(" ".join(replace_control_characters(side).split()) or "–" for side in pair.difference)
    return f"{description} ({words})"


def _label(verdict: str) -> str:
    return pgettext("comparison", "none") if verdict == "none" else str(Verdict(verdict).label)


def _rank(transition: Transition) -> tuple[int, int]:
    before, after = transition
    return VERDICT_ORDER.index(before), VERDICT_ORDER.index(after)
