"""Rows, specs, costs: what an algorithm remembers, what it costs, and how rows are asked for."""

from __future__ import annotations

import gc
import inspect

import pytest

from django_neardup.algorithms import UnknownAlgorithm, algorithm_names, get_algorithm
from django_neardup.evaluation.algorithm_specs import (
    AlgorithmSpec,
    algorithm_description,
    describe_flags,
    parse_specs,
)
from django_neardup.evaluation.peers import PEERS, TEXT_PEERS, JaccardPeer, get_peer, installed_peers
from django_neardup.evaluation.rows import AlgorithmRow, PeerRow, is_measured
from django_neardup.evaluation.text_cache import CanonicalTextCache, canonicalize, join_token_keys
from django_neardup.evaluation.timing import Cost, StepClock
from django_neardup.text.canonical_text import CanonicalText
from tests.evaluation.algorithms import Words


class Counting(Words):
    """Counts how often keys and payloads are made; a payload needs the keys."""

    def __init__(self) -> None:
        super().__init__()
        self.made: list[str] = []

    def keys(self, text: CanonicalText) -> list[int]:
        self.made.append("keys")
        return super().keys(text)

    def payload(self, text: CanonicalText) -> bytes:
        self.made.append("pack")
        return len(self.keys(text)).to_bytes(4, "big")


def test_keys_and_payloads_are_made_once_a_document() -> None:
    algorithm = Counting()
    row = AlgorithmRow("counting", algorithm)
    a, b = canonicalize("кот дом"), canonicalize("кот пруд")
    for _ in range(3):
        row.sign(a)
        row.judge(a, b)
    assert algorithm.made == ["keys", "pack"]
    row.sign(b)
    assert algorithm.made == ["keys", "pack"] * 2
    assert (row.key_count, row.clock["keys"].count, row.clock["pack"].count, row.clock["judge"].count) == (
        4,
        2,
        2,
        3,
    )


def test_what_was_made_goes_with_the_document() -> None:
    algorithm = Counting()
    row = AlgorithmRow("counting", algorithm)
    document = canonicalize("кот")
    row.sign(document)
    del document
    gc.collect()
    row.sign(canonicalize("кот"))
    assert algorithm.made == ["keys", "pack", "keys", "pack"]


def test_a_step_is_not_charged_for_the_steps_it_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = iter([0.0, 1.0, 4.0, 5.5])
    monkeypatch.setattr("django_neardup.evaluation.timing.process_time", lambda: next(moments))
    clock = StepClock()
    clock.measure("outer", lambda: clock.measure("inner", lambda: None))
    assert (clock["outer"].seconds, clock["inner"].seconds) == (2.5, 3.0)
    assert clock["outer"].mean_milliseconds == 2500


def test_clocks_add_up() -> None:
    clock = StepClock()
    clock.merge({"keys": Cost(1.0, 2)})
    clock.merge({"keys": Cost(0.5, 1)})
    assert (clock["keys"].seconds, clock["keys"].count, clock["pack"].mean_milliseconds) == (1.5, 3, None)


def test_documents_are_made_again_when_they_were_let_go() -> None:
    documents = CanonicalTextCache({"a": "кот", "b": "дом"}, max_texts=1)
    first = documents["a"]
    assert documents["a"] is first
    assert documents["b"].raw == "дом"
    assert documents["a"] is not first
    assert documents.cost.count == 3


def test_documents_are_let_go_by_their_words_too() -> None:
    documents = CanonicalTextCache({"a": "кот дом лес", "b": "пруд сад", "c": "бор"}, max_words=4)
    first = documents["a"]
    _ = documents["b"], documents["c"]
    assert documents["a"] is not first


def test_a_document_that_is_made_is_told_of_once() -> None:
    told: list[str] = []
    documents = CanonicalTextCache(
        {"a": "кот"}, on_create=lambda key, document: told.append(f"{key} {document.raw}")
    )
    _ = documents["a"], documents["a"]
    assert told == ["a кот"]


def test_the_canonical_text_is_in_lemmas() -> None:
    assert join_token_keys(canonicalize("Котами, домами!")) == "кот дом"


def test_one_text_of_eight_is_measured_whatever_the_run() -> None:
    assert [number for number in range(60) if is_measured(f"t{number}")] == [4, 10, 27, 33, 38, 46, 52, 59]
    assert 80 < sum(is_measured(f"t{number}") for number in range(1000)) < 170


def test_rows_are_named_or_matched_once() -> None:
    assert [spec.title for spec in parse_specs("neardup,neardup*,neardup")] == ["neardup", "neardup-articles"]
    assert [spec.name for spec in parse_specs("all")] == algorithm_names()


def test_options_of_a_row() -> None:
    spec = parse_specs('neardup:word_guard=false;ignored_differences=["price","date"],neardup-articles')[0]
    assert spec == AlgorithmSpec(
        spec.title, "neardup", {"word_guard": False, "ignored_differences": ["price", "date"]}
    )
    assert spec.title == 'neardup:word_guard=false;ignored_differences=["price","date"]'
    assert spec.build().parameters()["word_guard"] is False
    other = spec.with_options(window=8)
    assert other.build().parameters()["window"] == 8
    assert parse_specs(other.title) == [other]


@pytest.mark.parametrize("text", ["absent", "absent*", "neardup,absent"])
def test_an_unknown_algorithm_is_named(text: str) -> None:
    with pytest.raises(UnknownAlgorithm, match="absent"):
        [spec.build() for spec in parse_specs(text)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("neardup:window", "key=value"),
        ("neardup:window=1", "window is 1"),
        ("neardup:absent=1", "neardup:absent=1: "),
    ],
)
def test_a_wrong_option_is_named(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_specs(text)[0].build()


@pytest.mark.parametrize("name", algorithm_names())
def test_every_algorithm_has_a_description(name: str) -> None:
    description = algorithm_description(get_algorithm(name))
    assert len(description) > 20 and "`" not in description


def test_flags_tell_what_is_unlike_others() -> None:
    assert describe_flags(get_algorithm("neardup")) == "needs text, supports containment"
    algorithm = Words()
    algorithm.min_shared, algorithm.limit = 3, 10
    assert describe_flags(algorithm) == "min_shared 3, limit 10"


def test_jaccard_by_hand() -> None:
    row = PeerRow(JaccardPeer())
    assert row.judge(canonicalize("кот дом лес"), canonicalize("кот дом пруд")).score == 0.5
    assert row.judge(canonicalize(""), canonicalize("")).score == 0


@pytest.mark.parametrize("name", [name for name in installed_peers() if name in TEXT_PEERS])
def test_a_peer_knows_like_from_unlike(name: str) -> None:
    row = PeerRow(get_peer(name))
    a = canonicalize("Продам щенка овчарки, мальчик, два месяца, привит, документы есть")
    b = canonicalize("Продам щенка овчарки, мальчик, два месяца, привит, паспорт есть")
    c = canonicalize("Диван угловой, обивка велюр, серый, состояние хорошее, самовывоз из центра")
    assert row.judge(a, a).score == 1
    assert row.judge(a, c).score < row.judge(a, b).score < 1
    for text in ("", "кот", "\0", "\ud800", "🙂"):
        assert 0 <= row.judge(canonicalize(text), a).score <= 1


def test_no_peer_has_the_name_of_an_algorithm() -> None:
    assert not {*PEERS, JaccardPeer.name} & set(algorithm_names())


@pytest.mark.parametrize("name", PEERS)
def test_fixed_thresholds_have_a_source(name: str) -> None:
    assert 0 < PEERS[name].fixed_threshold < 1
    assert PEERS[name].threshold_source


def test_the_fixed_threshold_of_datasketch_is_its_default() -> None:
    datasketch = pytest.importorskip("datasketch")
    default = inspect.signature(datasketch.MinHashLSH).parameters["threshold"].default
    assert PEERS["datasketch MinHashLSH"].fixed_threshold == default
