"""Splink: probabilistic record linkage (Fellegi and Sunter) with parameters learnt from each set.

A text is a record of four columns: its first words, its last words, the set of its words, and its words with
digits. The comparisons are those of Splink's library. The probabilities of agreement among other texts come
from random pairs, the rest by expectation maximisation over the pairs of the set, without their labels.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from importlib import import_module
from typing import Any, ClassVar

from .peer_base import PeerError, SetPeer, TextPair

EDGE_WORDS = 5
"""Words of the columns ``head`` and ``tail``."""
RANDOM_PAIRS = 50_000
"""Random pairs that are compared. More took minutes on texts of 600 words."""
WORDS_SIMILARITY = "len(list_intersect(words_l, words_r)) / len(list_distinct(list_concat(words_l, words_r)))"
"""Jaccard index of two sets of words, in SQL."""
_WORD = re.compile(r"\w+")


class SplinkPeer(SetPeer):
    """splink: match probability of two texts as records of head, tail, words and figures."""

    name: ClassVar[str] = "splink match probability"
    package: ClassVar[str | None] = "splink"
    fixed_threshold: ClassVar[float] = 0.95
    threshold_source: ClassVar[str] = "quickstart of Splink's README; there is no default"

    def __init__(self) -> None:
        self._splink = import_module("splink")
        self._comparisons = import_module("splink.comparison_library")
        self._levels = import_module("splink.comparison_level_library")

    def score_pairs(self, pairs: Sequence[TextPair]) -> list[float]:
        linker = self._build_linker(pairs)
        training = linker.training
        same_pair = self._splink.block_on("pair_number")
        training.estimate_u_using_random_sampling(max_pairs=RANDOM_PAIRS, seed=1)
        try:
            training.estimate_parameters_using_expectation_maximisation(
                same_pair, populate_probability_two_random_records_match_from_trained_values=True
            )
            predictions = linker.inference.predict().as_duckdbpyrelation()
        # A level that no pair of a small set reaches gets the probability 0, which Splink refuses.
        except ValueError as error:
            raise PeerError(f"{self.name} cannot learn from {len(pairs)} pairs: {error}") from error
        rows = predictions.select("unique_id_l", "match_probability").fetchall()
        scores = dict(rows)
        return [float(scores[number]) for number in range(len(pairs))]

    def _build_linker(self, pairs: Sequence[TextPair]) -> Any:
        duckdb = import_module("duckdb")
        # One thread: the bench has its own processes, and sums have one order.
        database = self._splink.DuckDBAPI(connection=duckdb.connect(config={"threads": 1}))
        tables = [
            database.register(_records_table([pair[side] for pair in pairs]), dataset_display_name=name)
            for side, name in enumerate(("a", "b"))
        ]
        return self._splink.Linker(tables, self._settings(), log_level=logging.ERROR)

    def _settings(self) -> Any:
        edges = [self._comparisons.JaroWinklerAtThresholds(column, [0.9, 0.7]) for column in ("head", "tail")]
        similar_words = [
            self._levels.CustomLevel(f"{WORDS_SIMILARITY} >= {share}", label_for_charts=f"words {share}")
            for share in (0.9, 0.7, 0.5)
        ]
        words = self._comparisons.CustomComparison(
            output_column_name="words",
            comparison_levels=[self._levels.NullLevel("words"), *similar_words, self._levels.ElseLevel()],
        )
        return self._splink.SettingsCreator(
            link_type="link_only",
            comparisons=[*edges, words, self._comparisons.ExactMatch("figures")],
            # Only the pairs of the set are scored.
            blocking_rules_to_generate_predictions=[self._splink.block_on("pair_number")],
        )


def _records_table(texts: Sequence[str]) -> Any:
    """Return an Arrow table with one record a text."""
    arrow = import_module("pyarrow")
    strings = arrow.string()
    schema = {
        "unique_id": arrow.int64(),
        "pair_number": arrow.int64(),
        "head": strings,
        "tail": strings,
        "words": arrow.list_(strings),
        "figures": strings,
    }
    records = [text_record(number, text) for number, text in enumerate(texts)]
    return arrow.Table.from_pylist(records, schema=arrow.schema(list(schema.items())))


def text_record(number: int, text: str) -> dict[str, Any]:
    """Return the columns of a text. Lone surrogates are replaced, since they cannot be encoded."""
    words = _WORD.findall(text.lower().encode("utf-8", "replace").decode())
    figures = {word for word in words if any(character.isdigit() for character in word)}
    return {
        "unique_id": number,
        "pair_number": number,
        "head": " ".join(words[:EDGE_WORDS]),
        "tail": " ".join(words[-EDGE_WORDS:]),
        "words": sorted(set(words)),
        "figures": " ".join(sorted(figures)),
    }
