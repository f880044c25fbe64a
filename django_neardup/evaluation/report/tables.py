"""Rows of the report's tables: plain values by the names of columns."""

from __future__ import annotations

from collections import defaultdict

from ..comparison_article import FIGURES
from ..costs import Cost
from ..metrics import BANDS, Outcome, mean, ratio
from ..pooling import reached
from ..results import CollectionResult, PairsResult, PoolResult, Row, UnionRow
from ..summary import Summary
from .content import Report

TITLES = {
    "summary": "All sets together",
    "pairs": "Labelled pairs, set by set",
    "collections": "Collections",
    "union": "Against the pairs that any row found, beside the comparison article",
    "pool": "All sets in one collection: candidates",
    "pool sets": "All sets in one collection: recall of true pairs at most half changed, by set and share changed",
    "pool sizes": "All sets in one collection: recall of the drawn pairs by number of texts",
}


def tables(report: Report) -> dict[str, list[Row]]:
    """Those tables that have rows, by their names."""
    made = {
        "summary": [summary_row(row) for row in report.summaries()],
        "pairs": [pair_row(result) for result in report.pairs],
        "collections": [collection_row(result) for result in report.collections],
        "union": union_table(report.union),
        "pool": [pool_row(result) for result in report.pool],
        "pool sets": [row for result in report.pool for row in pool_set_rows(result)],
        "pool sizes": [{"algorithm": result.algorithm, **_sizes(result)} for result in report.pool],
    }
    return {name: rows for name, rows in made.items() if rows}


def summary_row(row: Summary) -> Row:
    """F1 on core pairs, and what it costs."""
    best, answers = row.best, row.answers
    keys, pack, judge = (answers.clock.get(step, Cost()) for step in ("keys", "pack", "judge"))
    return {
        "algorithm": row.algorithm,
        "kind": row.kind,
        "macro F1": row.macro,
        "adverts F1": row.adverts,
        "apart F1": row.headlines,
        "with apart": row.macro_all,
        "best at": best[0] if best else None,
        "macro F1 then": best[1] if best else None,
        "ms a pair": judge.each,
        "keys a text": answers.keys / keys.count if keys.count else None,
        "keys ms": keys.each,
        "pack ms": pack.each,
        "ms a text": _sum(keys, pack),
    }


def _sum(*costs: Cost) -> float | None:
    known = [each for cost in costs if (each := cost.each) is not None]
    return sum(known) if known else None


def pair_row(result: PairsResult) -> Row:
    """Counts and rates of one row on one set: `right`, `missed` of the true pairs, `wrong` of the false ones."""
    score, core = result.score, result.grouped
    row: Row = {
        "set": result.corpus,
        "algorithm": result.algorithm,
        "pairs": len(result.pairs),
        "true": score.positive.total,
        "right": score.positive.grouped,
        "missed": score.missed,
        "false": score.negative.total,
        "wrong": score.wrong,
        "precision": score.precision,
        "recall": score.recall,
        "f1": score.f1,
        "core f1": core.f1() if core else None,
        "offered": ratio(score.positive.offered, score.positive.total),
        "false offered": ratio(score.negative.offered, score.negative.total),
        "false grouped": ratio(score.wrong, score.negative.total),
    }
    for name in BANDS[:3]:
        row[name] = _recall(score.bands[name])
    row["ms a pair"] = result.answers.clock.get("judge", Cost()).each
    return row


def _recall(outcome: Outcome) -> float | None:
    return ratio(outcome.grouped, outcome.total)


def verdict_row(result: PairsResult) -> Row:
    """Counts of verdicts by truth, for the JSON report."""
    score = result.score
    truths = {"true": score.positive, "false": score.negative, "policy": score.policy}
    return {truth: dict(outcome.verdicts) for truth, outcome in truths.items()}


def collection_row(result: CollectionResult) -> Row:
    """Candidates, then what was made of them; means a text, counts of verdicts, milliseconds."""
    texts = result.texts or 1
    row: Row = {
        "set": result.corpus,
        "algorithm": result.algorithm,
        "texts": result.texts,
        "keys a text": result.keys / texts,
        "candidates a text": result.candidates / texts,
        "judged a text": result.judged / texts,
        "true pairs": result.true_pairs,
        "candidate recall": ratio(result.true_candidates, result.true_pairs),
        "offered": ratio(result.true_offered, result.true_pairs),
        "right": result.right,
        "wrong": result.wrong,
        "precision": result.precision,
        "recall": result.recall,
        "f1": result.f1,
    }
    for verdict in ("duplicate", "variant", "contained", "related"):
        row[verdict] = result.verdicts[verdict]
    steps = {step: result.clock.get(step, Cost()) for step in ("keys", "pack", "judge")}
    row["keys ms"], row["pack ms"], row["ms a pair"] = (cost.each for cost in steps.values())
    row["ms a text"] = 1000 * result.index_seconds / texts
    return row


def union_table(rows: list[UnionRow]) -> list[Row]:
    """Set by set, then all sets together; the article's figures beside the last."""
    made = [_union_row(row) for row in rows]
    by_title: defaultdict[str, list[UnionRow]] = defaultdict(list)
    for row in rows:
        by_title[row.algorithm].append(row)
    for title, each in by_title.items():
        sums = (sum(getattr(row, name) for row in each) for name in ("true", "found", "right"))
        made.append(_union_row(UnionRow(title, "(all)", *sums)))
    return made


def _union_row(row: UnionRow) -> Row:
    article = FIGURES.get(row.algorithm, (None, None, None)) if row.corpus == "(all)" else (None, None, None)
    return {
        "set": row.corpus,
        "algorithm": row.algorithm,
        "pairs": row.true,
        "found": row.found,
        "right": row.right,
        "recall": row.recall,
        "precision": row.precision,
        "f1": row.f1,
        "article recall": article[0],
        "article precision": article[1],
        "article f1": article[2],
    }


def pool_row(result: PoolResult) -> Row:
    """Keys, meetings in their buckets, and mean recall of the sets."""
    return {
        "algorithm": result.algorithm,
        "texts": result.texts,
        "keys a text": result.keys,
        "150-250 words": result.keys_150_250,
        "met a text": result.met,
        "mean recall": reached(result),
        "least recall": min(
            (share for name in result.recall if (share := result.share(name)) is not None), default=None
        ),
        "ms a text": result.clock["keys"].each if "keys" in result.clock else None,
    }


def pool_set_rows(result: PoolResult) -> list[Row]:
    """Recall of one row by set and band."""
    made = []
    for name, bands in result.recall.items():
        row: Row = {"set": name, "algorithm": result.algorithm}
        row["pairs"] = sum(total for _, total in bands.values())
        row["lost"] = row["pairs"] - sum(found for found, _ in bands.values())
        row["recall"] = result.share(name)
        row |= {each: ratio(*counts) for each, counts in bands.items()}
        made.append(row)
    return made


def _sizes(result: PoolResult) -> Row:
    return {f"{size} texts": recall for size, recall in result.sizes.items()}


def macro_band(row: Summary, name: str) -> float | None:
    """Mean over the sets of the recall in a band."""
    return mean(_recall(result.score.bands[name]) for result in row.results)
