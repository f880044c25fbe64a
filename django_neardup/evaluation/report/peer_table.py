"""The table of the peers' thresholds: the best one on the labelled pairs, and the fixed one with its source."""

from __future__ import annotations

from collections.abc import Sequence

from ..peers import PEERS
from ..results import PairsResult, TableRow


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
