"""The generator of adverts that differ by a word, a rank, a sign or a letter."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.advert_pairs import CONTRAST_KINDS, PRICE_SLOTS, advert_pairs, bank_names, load_bank, main
from django_neardup.evaluation.corpora import load_corpus

BANKS = ("english", "market", "vacancies")


def test_there_are_three_banks() -> None:
    assert tuple(bank_names()) == BANKS


@pytest.mark.parametrize("name", BANKS)
def test_banks_are_complete(name: str) -> None:
    bank = load_bank(name)
    assert {contrast["kind"] for contrast in bank.contrasts.values()} == set(CONTRAST_KINDS)
    for contrast in bank.contrasts.values():
        assert all(len(set(pair)) == 2 for pair in contrast["pairs"]) and len(contrast["pairs"]) >= 4
    for template in bank.templates.values():
        assert set(bank.contrasts) & set(slots := bank.slot_names(template))
        assert set(PRICE_SLOTS) & set(slots) <= set(bank.slots)
        assert set(PRICE_SLOTS) & set(slots)
    used = {slot for template in bank.templates.values() for slot in bank.slot_names(template)}
    assert used == {*bank.slots, *bank.contrasts}


@pytest.mark.parametrize("name", BANKS)
def test_false_pairs_differ_in_one_contrast_and_maybe_the_price(name: str) -> None:
    bank = load_bank(name)
    lines = list(advert_pairs(bank, 300))
    kinds = Counter(line["edit"] for line in lines)
    assert min(kinds[f"hn_{kind}"] for kind in CONTRAST_KINDS) >= 15
    assert min(kinds["ad_same"], kinds["ad_price"], kinds["hn_model"]) >= 10
    for line in lines:
        slots = set(line["params"]["slots"]) - set(PRICE_SLOTS)
        is_false = line["edit"].startswith("hn_")
        assert (line["dup"], len(slots)) == (not is_false, int(is_false))
        if line["edit"] not in ("ad_same", "hn_model", "ad_price"):
            assert line["edit"] == f"hn_{bank.contrasts[slots.pop()]['kind']}"
        if is_false:
            assert line["a"]["text"] != line["b"]["text"]


def test_added_words_and_ranks_are_one_sided() -> None:
    pairs = [
        sorted(pair, key=len)
        for name in BANKS
        for contrast in load_bank(name).contrasts.values()
        if contrast["kind"] in ("added", "rank")
        for pair in contrast["pairs"]
    ]
    # Of "велосипед" and "рама велосипеда" the word has another case: compare stems.
    assert all(
        all(
            any(part.startswith(word[:4]) or word[:4] in part for part in longer.split())
            for word in shorter.split()
        )
        for shorter, longer in pairs
    )


def test_pairs_depend_on_seed_and_number_alone() -> None:
    bank = load_bank("market")
    assert list(advert_pairs(bank, 30, 7)) == list(advert_pairs(bank, 60, 7))[:30]
    assert list(advert_pairs(bank, 30, 7)) != list(advert_pairs(bank, 30, 8))


def test_the_bench_reads_the_written_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path), "--count", "40", "--seed", "3"]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f"ads_{name}.variants.jsonl.gz" for name in BANKS
    ]
    corpus = load_corpus(tmp_path, "ads_vacancies")
    assert len(corpus.pairs) == 40 and {pair.is_duplicate for pair in corpus.pairs} == {True, False}
    assert main(["--bank", "vacancies", "--count", "40", "--seed", "3"]) == 0
    with gzip.open(tmp_path / "ads_vacancies.variants.jsonl.gz", "rt", encoding="utf-8") as file:
        assert capsys.readouterr().out == file.read()


def test_a_folder_that_is_absent_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([str(tmp_path / "absent")])
    assert "is not a folder" in capsys.readouterr().err
