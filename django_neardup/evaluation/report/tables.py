"""Rows of the report's tables: plain values by column name."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from ..calibration_mode import bar_rows, claim_rows, reliability_rows
from ..metrics import CHANGE_BANDS, VerdictCounts, mean, ratio
from ..peers import PEERS
from ..pool_mode import mean_recall
from ..rcdl2007_results import ARTICLE_FIGURES
from ..results import CollectionResult, PairsResult, PoolResult, TableRow, UnionResult
from ..summary import RowSummary
from ..timing import Cost
from .content import BenchReport

TABLE_TITLES = {
    "summary": "All sets together",
    "pairs": "Labelled pairs, set by set",
    "peers": "Thresholds of the peers",
    "rules": "Rules that decided, on true and on false pairs",
    "collections": "Collections",
    "union": "Against the pairs that any row found, beside the comparison article",
    "pool": "All sets in one collection: candidates",
    "pool sets": "All sets in one collection: recall of true pairs at most half changed, by set and share changed",
    "calibration": "Calibration: bars",
    "claims": "Calibration: what the judge says, set by set",
    "reliability": "Calibration: P(same) against the share that is one text",
    "pool sizes": "All sets in one collection: recall of the drawn pairs by number of texts",
}


def build_tables(report: BenchReport) -> dict[str, list[TableRow]]:
    """Return the tables that have rows, by name."""
    tables = {
        "summary": [summary_row(row) for row in report.row_summaries()],
        "pairs": [pair_row(result) for result in report.pairs],
        "peers": peer_threshold_rows(report.pairs),
        "rules": rule_rows(report.pairs) if report.with_rules else [],
        "collections": [collection_row(result) for result in report.collections],
        "union": union_table(report.union),
        "pool": [pool_row(result) for result in report.pool],
        "pool sets": [row for result in report.pool for row in pool_set_rows(result)],
        "pool sizes": [{"algorithm": result.algorithm, **_size_columns(result)} for result in report.pool],
    }
    if report.calibration:
        tables["calibration"] = bar_rows(report.calibration)
        tables["claims"] = claim_rows(report.calibration)
        tables["reliability"] = reliability_rows(report.calibration)
    return {name: rows for name, rows in tables.items() if rows}


def summary_row(row: RowSummary) -> TableRow:
    """Return F1 on core pairs, and the costs."""
    best, totals = row.best_threshold_and_f1, row.cost_totals
    keys, pack, judge = (totals.clock.get(step, Cost()) for step in ("keys", "pack", "judge"))
    return {
        "algorithm": row.algorithm,
        "kind": row.kind,
        "macro F1": row.mean_f1,
        "adverts F1": row.mean_f1_adverts,
        "apart F1": row.mean_f1_separate_sets,
        "with apart": row.mean_f1_all_sets,
        "best at": best[0] if best else None,
        "macro F1 then": best[1] if best else None,
        "ms a pair": judge.mean_milliseconds,
        "keys a text": totals.key_count / keys.count if keys.count else None,
        "keys ms": keys.mean_milliseconds,
        "pack ms": pack.mean_milliseconds,
        "ms a text": _sum_costs(keys, pack),
    }


def _sum_costs(*costs: Cost) -> float | None:
    milliseconds = [mean_cost for cost in costs if (mean_cost := cost.mean_milliseconds) is not None]
    return sum(milliseconds) if milliseconds else None


def pair_row(result: PairsResult) -> TableRow:
    """Return counts and rates of one row on one set.

    ``right`` and ``missed`` are true pairs, ``wrong`` are false ones.
    """
    counts, core = result.counts, result.core_by_verdict
    row: TableRow = {
        "set": result.corpus,
        "algorithm": result.algorithm,
        "pairs": len(result.pairs),
        "true": counts.positive.total_count,
        "right": counts.positive.found_count,
        "missed": counts.missed_count,
        "false": counts.negative.total_count,
        "wrong": counts.wrong_count,
        "precision": counts.precision,
        "recall": counts.recall,
        "f1": counts.f1,
        "core f1": core.f1() if core else None,
        "offered": ratio(counts.positive.offered_count, counts.positive.total_count),
        "false offered": ratio(counts.negative.offered_count, counts.negative.total_count),
        "false grouped": ratio(counts.wrong_count, counts.negative.total_count),
    }
    for name in CHANGE_BANDS[:3]:
        row[name] = _recall(counts.bands[name])
    row["ms a pair"] = result.judgements.clock.get("judge", Cost()).mean_milliseconds
    return row


def _recall(counts: VerdictCounts) -> float | None:
    return ratio(counts.found_count, counts.total_count)


def verdict_row(result: PairsResult) -> TableRow:
    """Return counts of verdicts by label, for the JSON report."""
    counts = result.counts
    counts_by_label = {"true": counts.positive, "false": counts.negative, "policy": counts.policy}
    return {label: dict(verdict_counts.verdicts) for label, verdict_counts in counts_by_label.items()}


def collection_row(result: CollectionResult) -> TableRow:
    """Return candidates and their verdicts: means a text, counts of verdicts, milliseconds."""
    text_count = result.text_count or 1
    row: TableRow = {
        "set": result.corpus,
        "algorithm": result.algorithm,
        "texts": result.text_count,
        "keys a text": result.key_count / text_count,
        "candidates a text": result.candidate_count / text_count,
        "judged a text": result.judged_count / text_count,
        "true pairs": result.true_count,
        "candidate recall": ratio(result.true_candidate_count, result.true_count),
        "offered": ratio(result.true_offered_count, result.true_count),
        "right": result.right_count,
        "wrong": result.wrong_count,
        "precision": result.precision,
        "recall": result.recall,
        "f1": result.f1,
    }
    for verdict in ("duplicate", "variant", "contained", "related"):
        row[verdict] = result.verdicts[verdict]
    clusters = result.clusters
    row |= {
        "grouped texts": clusters.text_count if clusters else None,
        "ari": clusters.adjusted_rand if clusters else None,
        "b3 precision": clusters.precision if clusters else None,
        "b3 recall": clusters.recall if clusters else None,
        "b3 f1": clusters.f1 if clusters else None,
    }
    steps = {step: result.clock.get(step, Cost()) for step in ("keys", "pack", "judge")}
    row["keys ms"], row["pack ms"], row["ms a pair"] = (cost.mean_milliseconds for cost in steps.values())
    row["ms a text"] = 1000 * result.index_seconds / text_count
    return row


def union_table(rows: list[UnionResult]) -> list[TableRow]:
    """Return the rows by set, then for all sets together. The latter include the article's figures."""
    table = [_union_row(row) for row in rows]
    by_title: defaultdict[str, list[UnionResult]] = defaultdict(list)
    for row in rows:
        by_title[row.algorithm].append(row)
    for title, title_rows in by_title.items():
        sums = (
            sum(getattr(row, name) for row in title_rows)
            for name in ("true_count", "found_count", "right_count")
        )
        table.append(_union_row(UnionResult(title, "(all)", *sums)))
    return table


def _union_row(row: UnionResult) -> TableRow:
    article = (
        ARTICLE_FIGURES.get(row.algorithm, (None, None, None))
        if row.corpus == "(all)"
        else (None, None, None)
    )
    return {
        "set": row.corpus,
        "algorithm": row.algorithm,
        "pairs": row.true_count,
        "found": row.found_count,
        "right": row.right_count,
        "recall": row.recall,
        "precision": row.precision,
        "f1": row.f1,
        "article recall": article[0],
        "article precision": article[1],
        "article f1": article[2],
    }


def pool_row(result: PoolResult) -> TableRow:
    """Return keys, neighbours in their buckets, and mean recall of the sets."""
    return {
        "algorithm": result.algorithm,
        "texts": result.text_count,
        "keys a text": result.keys_per_text,
        "150-250 words": result.keys_150_250,
        "met a text": result.bucket_neighbours,
        "mean recall": mean_recall(result),
        "least recall": min(
            (recall for name in result.recall_counts if (recall := result.set_recall(name)) is not None),
            default=None,
        ),
        "ms a text": result.clock["keys"].mean_milliseconds if "keys" in result.clock else None,
    }


def pool_set_rows(result: PoolResult) -> list[TableRow]:
    """Return the recall of one row by set and band."""
    rows = []
    for name, bands in result.recall_counts.items():
        row: TableRow = {"set": name, "algorithm": result.algorithm}
        row["pairs"] = sum(total for _, total in bands.values())
        row["lost"] = row["pairs"] - sum(found for found, _ in bands.values())
        row["recall"] = result.set_recall(name)
        row |= {band: ratio(*counts) for band, counts in bands.items()}
        rows.append(row)
    return rows


def _size_columns(result: PoolResult) -> TableRow:
    return {f"{size} texts": recall for size, recall in result.recall_by_size.items()}


def mean_band_recall(row: RowSummary, band: str) -> float | None:
    """Return the mean over the sets of the recall in a band."""
    return mean(_recall(result.counts.bands[band]) for result in row.results)


def peer_threshold_rows(results: Sequence[PairsResult]) -> list[TableRow]:
    """Return one row for each peer of pairs mode."""
    best_thresholds = {result.algorithm: result.threshold for result in results if result.kind == "peer"}
    return [
        {
            "peer": name,
            "best": best,
            "fixed": PEERS[name].fixed_threshold,
            "source of the fixed one": PEERS[name].threshold_source,
        }
        for name, best in best_thresholds.items()
    ]


ALL_SETS = "(all)"
LABEL_NAMES = {True: "true", False: "false", None: "policy"}
RuleCounts = defaultdict[tuple[str, str, str], Counter[str]]


def rule_rows(results: Sequence[PairsResult]) -> list[TableRow]:
    """Return one row for each set, algorithm and rule that decided, then the sums over the sets.

    A rule that decided several times on a pair counts once.
    """
    by_set, totals = RuleCounts(Counter), RuleCounts(Counter)
    for result in results:
        for pair, rules in zip(result.pairs, result.judgements.rules, strict=True):
            for rule in rules:
                label = LABEL_NAMES[pair.is_duplicate]
                by_set[result.corpus, result.algorithm, rule][label] += 1
                totals[ALL_SETS, result.algorithm, rule][label] += 1
    return [*_sorted_rows(by_set), *_sorted_rows(totals)]


def _sorted_rows(counts_by_rule: RuleCounts) -> list[TableRow]:
    return [
        {
            "set": corpus,
            "algorithm": algorithm,
            "rule": rule,
            "decided": counts.total(),
            **{name: counts[name] for name in LABEL_NAMES.values()},
            "share true": ratio(counts["true"], counts["true"] + counts["false"]),
        }
        for (corpus, algorithm, rule), counts in sorted(counts_by_rule.items())
    ]
