"""Peers that learn from a whole set: jobs and notes; Splink itself where it is installed."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import pytest

from django_neardup.evaluation import peers as peers_module
from django_neardup.evaluation import set_peers_mode
from django_neardup.evaluation.corpora import Corpus, LabelledPair, load_corpus
from django_neardup.evaluation.peer_base import PeerError, SetPeer, TextPair
from django_neardup.evaluation.results import PairsResult, RowJudgements
from django_neardup.evaluation.set_peers_mode import merge_set_by_set, set_peer_results
from django_neardup.evaluation.splink_peer import SplinkPeer, text_record

FOLDER = Path(__file__).resolve().parents[1] / "data"


class LengthPeer(SetPeer):
    """The score is the share of the longest text of the set. A set of one pair is refused."""

    name = "length"
    fixed_threshold = 0.5
    threshold_source = "a test"

    def score_pairs(self, pairs: Sequence[TextPair]) -> list[float]:
        if len(pairs) == 1:
            raise PeerError("one pair is too little")
        longest = max(len(text) for pair in pairs for text in pair)
        return [min(map(len, pair)) / longest for pair in pairs]


@pytest.fixture
def length_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(set_peers_mode.SET_PEERS, "length", LengthPeer)
    assert peers_module.SET_PEERS is set_peers_mode.SET_PEERS


@pytest.mark.usefixtures("length_peer")
def test_a_set_is_scored_together() -> None:
    pairs = [LabelledPair("a", "b", "k", True, 0.1), LabelledPair("a", "c", "k", False)]
    corpora = [
        Corpus("two", {"a": "кот", "b": "кот дом", "c": "кт"}, pairs),
        Corpus("none", {"a": "кот"}),
        Corpus("one", {"a": "кот", "b": "кот"}, pairs[:1]),
    ]
    results, notes = set_peer_results(corpora, ["length"], 1)
    assert [(result.corpus, result.algorithm, result.kind) for result in results] == [
        ("two", "length", "peer")
    ]
    assert list(results[0].judgements.scores) == [3 / 7, 2 / 7]
    assert results[0].judgements.clock["judge"].count == 2
    assert notes == ["no row on one: one pair is too little"]


def test_rows_of_a_set_stand_together() -> None:
    first = [PairsResult(name, corpus, [], RowJudgements()) for corpus in ("y", "x") for name in ("p", "q")]
    second = [PairsResult("r", corpus, [], RowJudgements()) for corpus in ("x", "y")]
    merged = [(result.corpus, result.algorithm) for result in merge_set_by_set(first, second)]
    assert merged == [("y", "p"), ("y", "q"), ("y", "r"), ("x", "p"), ("x", "q"), ("x", "r")]


def test_the_record_of_a_text() -> None:
    record = text_record(3, "Продам iPhone 13, 128 ГБ, синий; iPhone цел \ud800")
    assert (record["unique_id"], record["pair_number"]) == (3, 3)
    assert record["head"] == "продам iphone 13 128 гб"
    assert record["tail"] == "128 гб синий iphone цел"
    assert record["words"] == ["128", "13", "iphone", "гб", "продам", "синий", "цел"]
    assert record["figures"] == "128 13"
    assert text_record(0, "")["words"] == []


@pytest.fixture
def splink() -> SplinkPeer:
    pytest.importorskip("splink")
    assert version("splink").startswith("5.")
    return SplinkPeer()


def test_splink_tells_copies_from_other_adverts(splink: SplinkPeer) -> None:
    corpus = load_corpus(FOLDER, "example")
    pairs = [(corpus.texts[pair.a], corpus.texts[pair.b]) for pair in corpus.pairs]
    scores = splink.score_pairs(pairs)
    assert all(0 <= score <= 1 for score in scores)
    assert splink.score_pairs(pairs) == scores
    means = {
        label: sum(own) / len(own)
        for label in (True, False)
        if (own := [s for s, pair in zip(scores, corpus.pairs) if pair.is_duplicate is label])
    }
    assert means[True] > 0.8 > 0.5 > means[False]


def test_splink_refuses_a_set_that_is_too_small(splink: SplinkPeer) -> None:
    pairs = [("a b c", "a b c"), ("продам дом 5", "продам сад 6")]
    with pytest.raises(PeerError, match="cannot learn from 2 pairs"):
        splink.score_pairs(pairs)
