"""Cases mode: every algorithm judges every case, and its verdict is compared with the expected ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..algorithms import Algorithm, Judgement
from ..judge.word_classes import CLASS_BY_KIND
from ..text.canonical_text import CanonicalText
from ..text.heads import FIRST_LINE, first_line_length
from .algorithm_specs import AlgorithmSpec, any_uses_statistics
from .case_files import Case
from .decisive_differences import decisive_differences, difference_record, is_sure
from .jobs import StatisticsJob, gather_statistics
from .word_diff import PIECE, WORD, WordDiff


@dataclass(frozen=True, slots=True)
class DecisiveRecord:
    """A decisive difference, and whether a diff of the raw texts has it too.

    - ``content``: kind, rule, words and offsets.
    - ``is_in_word_diff``: all of its words are changed in a diff of words.
    - ``is_in_piece_diff``: all of its pieces are changed in a diff of what stands between blanks, signs
      included.
    - ``names_ignored``: one of its tokens is of a class that the algorithm ignores.
    """

    content: dict[str, Any]
    is_in_word_diff: bool
    is_in_piece_diff: bool
    names_ignored: bool


@dataclass
class CaseResult:
    """The verdict of one algorithm on one case."""

    case: Case
    algorithm: str
    verdict: str
    score: float
    is_exact: bool
    is_sure: bool
    decisive: tuple[DecisiveRecord, ...]

    @cached_property
    def is_right(self) -> bool:
        return self.verdict in self.case.expected

    def as_record(self) -> dict[str, Any]:
        """Return the result, ready for JSON."""
        return {
            "id": self.case.id,
            "kind": self.case.kind,
            "algorithm": self.algorithm,
            "expected": list(self.case.expected),
            "got": self.verdict,
            "right": self.is_right,
            "exact": self.is_exact,
            "sure": self.is_sure,
            "score": round(self.score, 3),
            "decisive": [
                {**record.content, "in_diff": record.is_in_word_diff or record.is_in_piece_diff}
                for record in self.decisive
            ],
        }


def case_results(
    cases: Sequence[Case],
    specs: Sequence[AlgorithmSpec],
    language: str,
    use_case_languages: bool = False,
    head: str | None = None,
) -> list[CaseResult]:
    """Judge all cases by each algorithm, in the order of the algorithms.

    The language of a case is its option. Otherwise it is the language that its file states, with
    ``use_case_languages``, or ``language``. The first line of a text is its head if its option or ``head`` says
    so. Raise ValueError for an algorithm that has no verdict on a pair.
    """
    algorithms = list(_build_algorithms(cases, specs, language))
    return [
        _judge_case(case, title, algorithm, (use_case_languages and case.language) or language, head)
        for title, algorithm in algorithms
        for case in cases
    ]


def _build_algorithms(
    cases: Sequence[Case], specs: Sequence[AlgorithmSpec], language: str
) -> Iterator[tuple[str, Algorithm]]:
    if collection_only := [spec.title for spec in specs if spec.build().bench_only]:
        raise ValueError(f"{', '.join(collection_only)}: no verdict on a pair, only in a collection")
    statistics = None
    if any_uses_statistics(specs):
        texts = [text for case in cases for text in (case.a, case.b)]
        statistics = gather_statistics(StatisticsJob(dict(zip(map(str, range(len(texts))), texts)), language))
    for spec in specs:
        yield spec.title, spec.build(statistics if spec.build().uses_statistics else None)


def _judge_case(case: Case, title: str, algorithm: Algorithm, language: str, head: str | None) -> CaseResult:
    a, b = (_canonicalize(text, case, language, head) for text in (case.a, case.b))
    judgement = algorithm.judge(a, b)
    return CaseResult(
        case,
        title,
        judgement.verdict,
        judgement.score,
        judgement.exact,
        is_sure(judgement),
        tuple(_decisive_records(a, b, judgement, algorithm.ignored_differences)),
    )


def _canonicalize(text: str, case: Case, language: str, head: str | None) -> CanonicalText:
    has_head = case.options.get("head", head) == FIRST_LINE
    return CanonicalText(
        text,
        language=case.options.get("language", language),
        quotes=case.options.get("quotes", "keep"),
        head=first_line_length(text) if has_head else 0,
    )


def _decisive_records(
    a: CanonicalText, b: CanonicalText, judgement: Judgement, ignored_classes: Sequence[str]
) -> Iterator[DecisiveRecord]:
    decisive = list(decisive_differences(judgement))
    if not decisive:
        return
    word_diff, piece_diff = WordDiff(a.raw, b.raw, WORD), WordDiff(a.raw, b.raw, PIECE)
    for difference in decisive:
        spans = difference.span_a, difference.span_b
        tokens = (
            *a.tokens[slice(*difference.token_range_a)],
            *b.tokens[slice(*difference.token_range_b)],
        )
        yield DecisiveRecord(
            difference_record(difference),
            word_diff.covers(*spans),
            piece_diff.covers(*spans),
            any(CLASS_BY_KIND.get(token.kind) in ignored_classes for token in tokens),
        )
