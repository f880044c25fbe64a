"""Values worked by hand or taken from the source articles (tests/data/golden/*.csv), over every implementation.

A cell that begins with ``@`` names texts of texts.csv, which are put together in that order.
"""

from __future__ import annotations

import csv
import json
import math
from collections import Counter
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import pytest

from django_neardup.algorithms import Algorithm, algorithm_names, get_algorithm
from django_neardup.algorithms.statistics import TermStatistics
from django_neardup.text import hashing, set_similarity
from django_neardup.text.canonical_text import CanonicalText
from django_neardup.text.features import join_letters
from django_neardup.text.shingles import classic_shingles, classic_text, shingles
from django_neardup.text.word_lists import word_set

GOLDEN = Path(__file__).parents[1] / "data" / "golden"
NAMED = word_set(
    """
    md5 tf tf-idf tf-ridf long-sent heavy-sent megashingles lex-rand log-shingles descr-words opt-freq decomposition
    three-plus-five longest-words profile-cosine minhash-70 spamooborona shingles supershingles char-shingles
    containment long-passages minhash-lsh simhash text-profile winnowing spotsigs neardup neardup-articles
    """
)
STOP = {
    "article": word_set(
        "это как так и в над к до не на но за то с ли а во от со для о же ну вы бы что кто он она"
    ),
    "none": frozenset[str](),
}
PROFILE_SHORTEST = 3


@cache
def table(name: str) -> tuple[dict[str, str], ...]:
    with (GOLDEN / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


@cache
def named_texts() -> dict[str, str]:
    return {row["name"]: row["text"] for row in table("texts")}


def text(cell: str) -> str:
    if not cell.startswith("@"):
        return cell
    return "\n\n".join(named_texts()[name.removeprefix("@")] for name in cell.split())


@lru_cache(maxsize=256)
def document(cell: str) -> CanonicalText:
    return CanonicalText(text(cell))


def value(cell: str) -> float:
    """A number, or a fraction; ``√`` stands before a root."""
    parts = [
        math.sqrt(float(part.removeprefix("√"))) if part.startswith("√") else float(part)
        for part in cell.split("/")
    ]
    return parts[0] / parts[1] if len(parts) > 1 else parts[0]


def integer(cell: str) -> int:
    return int(cell, 0)


def rows(name: str, *label: str) -> list[Any]:
    return [
        pytest.param(row, id=f"{place}-" + "-".join(row[column][:24] for column in label))
        for place, row in enumerate(table(name), 2)
    ]


# --- the text core ---


def items(cell: str, of: str, size: int = 1, multiset: bool = False) -> Any:
    if of == "words":
        whole: Any = [word.strip(".,:").lower() for word in text(cell).split()]
    else:
        whole = text(cell) if of == "letters" else join_letters(document(cell), PROFILE_SHORTEST)
    runs = shingles(whole, size)
    return Counter(runs) if multiset else set(runs)


@pytest.mark.parametrize("row", rows("similarity", "measure", "a", "b"))
def test_similarity(row: dict[str, str]) -> None:
    how = json.loads(row["parameters"])
    found = getattr(set_similarity, row["measure"])(items(row["a"], **how), items(row["b"], **how))
    assert found == pytest.approx(value(row["expected"])), row["source"]


@pytest.mark.parametrize("row", rows("hashes", "function", "text"))
def test_hashes(row: dict[str, str]) -> None:
    """CRC-32 whole, modulo 2³²; of MD5 and SHA-1 the first 64 bits, which is what the project keeps of them."""
    found = getattr(hashing, row["function"])(row["text"])
    bits = {"crc32": 32, "md5": 128, "sha1": 160}[row["function"]]
    expected = integer(row["expected"]) % (1 << bits)
    assert found == expected >> max(bits - 64, 0), row["source"]


@pytest.mark.parametrize("row", rows("shingles", "size", "text"))
def test_shingles(row: dict[str, str]) -> None:
    stop = STOP[row["stop"]]
    assert classic_text(row["text"], stop_words=stop) == row["canonical"], row["source"]
    found = classic_shingles(row["text"], int(row["size"]), stop_words=stop)
    assert len(found) == int(row["count"]), row["source"]


# --- the algorithms ---


@cache
def collection(name: str) -> TermStatistics:
    members = [row for row in table("collections") if row["collection"] == name]
    assert members, f"no collection {name}"
    return TermStatistics(
        text_count=int(members[0]["documents"]),
        average_length=float(members[0]["average_length"]),
        terms={row["word"]: (int(row["texts_with"]), int(row["occurrences"])) for row in members},
        support_thresholds={row["word"]: float(row["threshold"]) for row in members if row["threshold"]},
    )


def algorithm(row: dict[str, str]) -> Algorithm:
    options = json.loads(row["options"] or "{}")
    if row["collection"]:
        options["statistics"] = collection(row["collection"])
    return get_algorithm(row["algorithm"], **options)


def test_every_named_algorithm_is_there() -> None:
    assert not set(NAMED) - set(algorithm_names())


def test_every_algorithm_has_rows() -> None:
    counted = Counter(row["algorithm"] for row in table("algorithms"))
    signed = {name for name in algorithm_names() if not get_algorithm(name).bench_only}
    assert not {name for name in signed if counted[name] < 6}
    assert set(counted) <= set(algorithm_names())


def test_sources_are_given() -> None:
    for name in ("similarity", "hashes", "shingles", "algorithms", "texts"):
        assert all(row["source"] for row in table(name)), name


@pytest.mark.parametrize("row", rows("algorithms", "algorithm", "a", "b"))
def test_algorithms(row: dict[str, str]) -> None:
    """Verdict, score, share of a in b and candidates, each where the row gives it, and the same from b's side."""
    made = algorithm(row)
    a, b = document(row["a"]), document(row["b"])
    found, back = made.judge(a, b), made.judge(b, a)
    told = f"{row['source']}: {found.verdict} {found.score:.4f} {found.containment_a:.4f} {found.classes}"
    if row["verdict"]:
        assert found.verdict in row["verdict"].split("|"), told
        assert back.verdict == found.verdict, told
    if row["score"]:
        tolerance = value(row["tolerance"] or "1e-9")
        assert found.score == pytest.approx(value(row["score"]), abs=tolerance), told
        assert back.score == pytest.approx(found.score), told
    if row["containment_a"]:
        assert found.containment_a == pytest.approx(value(row["containment_a"]), abs=0.03), told
        assert back.containment_b == pytest.approx(found.containment_a), told
    if row["candidates"]:
        shared = set(made.keys(a)) & set(made.keys(b))
        assert (len(shared) >= made.min_shared) == (row["candidates"] == "yes"), (
            f"{row['source']}: {len(shared)} shared keys"
        )
