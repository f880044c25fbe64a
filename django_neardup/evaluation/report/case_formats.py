"""The report of cases mode as a table for the terminal and as JSON lines."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence

from ..cases_mode import CaseResult, DecisiveRecord
from ..results import TableRow
from .formats import format_table


def as_case_lines(results: Sequence[CaseResult]) -> str:
    """Return one JSON object a case and algorithm, each on its line."""
    return "".join(json.dumps(result.as_record(), ensure_ascii=False) + "\n" for result in results)


def as_case_table(results: Sequence[CaseResult]) -> str:
    """Return the results by kind, every wrong case, and the totals, one algorithm after another."""
    by_algorithm: defaultdict[str, list[CaseResult]] = defaultdict(list)
    for result in results:
        by_algorithm[result.algorithm].append(result)
    lines = [line for title, own in by_algorithm.items() for line in _algorithm_lines(title, own)]
    return "\n".join(lines) + "\n"


CASE_FORMATS: dict[str, Callable[[Sequence[CaseResult]], str]] = {
    "table": as_case_table,
    "json": as_case_lines,
}


def _algorithm_lines(title: str, results: Sequence[CaseResult]) -> Iterator[str]:
    wrong = [result for result in results if not result.is_right]
    yield f"{title}: cases by kind"
    yield ""
    yield from format_table(list(_kind_rows(results)))
    yield ""
    yield f"{title}: {len(wrong)} wrong"
    for result in wrong:
        yield from _wrong_lines(result)
    yield ""
    yield f"{title}: {_share(len(results) - len(wrong), len(results))} right"
    yield from _difference_lines([record for result in results for record in result.decisive])
    yield ""


def _kind_rows(results: Sequence[CaseResult]) -> Iterator[TableRow]:
    by_kind: defaultdict[tuple[str, str], list[CaseResult]] = defaultdict(list)
    for result in results:
        by_kind[result.case.kind, "|".join(result.case.expected)].append(result)
    for (kind, expected), own in sorted(by_kind.items()):
        verdicts = Counter(result.verdict for result in own).most_common()
        yield {
            "kind": kind,
            "expected": expected,
            "got": ", ".join(f"{verdict} {count}" for verdict, count in verdicts),
            "right": sum(result.is_right for result in own),
            "total": len(own),
        }


def _wrong_lines(result: CaseResult) -> Iterator[str]:
    case = result.case
    exact = ", exact" if result.is_exact else ""
    expected = "|".join(case.expected)
    yield f"{case.id} ({case.kind}): expected {expected}, got {result.verdict} {result.score:.2f}{exact}"
    for record in result.decisive:
        content = record.content
        rule = f", {content['rule']}" if content["rule"] else ""
        yield f"    {content['kind']}{rule}: {content['a'] or '∅'} → {content['b'] or '∅'}"


def _difference_lines(records: Sequence[DecisiveRecord]) -> Iterator[str]:
    """Yield what a diff that is independent of the judge says of its decisive differences."""
    inside_words = sum(record.is_in_word_diff for record in records)
    inside_any = sum(record.is_in_word_diff or record.is_in_piece_diff for record in records)
    ignored = sum(record.names_ignored for record in records)
    yield f"decisive differences inside the word diff: {_share(inside_words, len(records))}"
    yield f"... or inside the diff of words with their signs: {_share(inside_any, len(records))}"
    yield f"decisive differences that name an ignored word: {_share(ignored, len(records))}"


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / whole:.1f} %)" if whole else "0 of 0"
