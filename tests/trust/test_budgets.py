"""No hostile request and no turn costs more than its budget.

The work is counted, so the tests do not depend on the machine. ``make fuzz HOSTILE=10000`` also measures processor
time and memory, with texts of up to a megabyte.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Any

import pytest

from django_neardup.api.views import TYPING_UNITS
from django_neardup.comparison.work_limit import LETTER_UNITS, OWN_LETTER_UNITS, WORD_UNITS
from django_neardup.pipeline.later_turns import MAX_LATER_TURNS
from django_neardup.pipeline.stored_posts import TURN_UNITS
from django_neardup.search.request import SEARCH_UNITS
from django_neardup.text.normalization.plain_text import MAX_BYTES
from tests.services import ROOT
from tests.trust.hostile_cases import CASES_OF_A_WORLD, DOZEN, TYPED_LETTERS

HOSTILE = int(os.environ.get("HOSTILE") or 0)
"""Cases of ``make fuzz``. They are measured, too."""
CASES = HOSTILE or 300
PROCESSES = 2
WORLDS_OF_A_PROCESS = 25
"""What is kept between requests is not what one of them takes: the caches of a process fill by and by."""
UNITS = {"typing": TYPING_UNITS, "form": SEARCH_UNITS, "turn": TURN_UNITS}
SECONDS = {"typing": 0.3, "form": 1.0, "turn": 1.0}
"""Processor time. A turn may also read its own text."""
READING_SECONDS = 4.0
"""Processor time of reading a text at the limit. Shorter ones have their share of it."""
REFERENCE_LOOP = 0.08
"""Processor time of ``reference_seconds`` on the machine for which the budgets are meant."""
TOLERANCE = 1.5
"""A shared machine is slower than its loop says while others work on it."""
PEAK_MEGABYTES = 300
SHORT = 30_000
"""The longest stored text of ``make test``, in bytes."""


def measure(first: int, last: int, largest: int, *options: str) -> list[dict[str, Any]]:
    """Run the worlds of some seeds in processes of their own. Return what each question has cost."""
    seeds = range(first, last)
    size = min(WORLDS_OF_A_PROCESS, -(-len(seeds) // PROCESSES))
    with ThreadPoolExecutor(PROCESSES) as pool:
        parts = [seeds[start : start + size] for start in range(0, len(seeds), size)]
        return list(chain.from_iterable(pool.map(lambda part: _measure_part(part, largest, *options), parts)))


def _measure_part(seeds: range, largest: int, *options: str) -> list[dict[str, Any]]:
    arguments = [str(seeds.start), str(seeds.stop), str(largest), *options]
    output = subprocess.run(
        [sys.executable, "-m", "tests.trust.budget_child", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NEARDUP_TEST_DATABASE": "sqlite"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    results: list[dict[str, Any]] = []
    loop, cases = {}, []
    for row in map(json.loads, output.splitlines()):
        if "loop" in row:
            loop, cases = row, []
        elif "peak" in row:
            results += [{**case, **loop, **row} for case in cases]
        else:
            cases.append(row)
    return results


def units_of(case: dict[str, Any]) -> int:
    """Return the work of a case, from what was read and aligned."""
    own = OWN_LETTER_UNITS * case["own"] if case["read"] and case["purpose"] != "turn" else 0
    return own + LETTER_UNITS * case["others"] + WORD_UNITS * case["words"]


def seconds_allowed(case: dict[str, Any]) -> float:
    speed = max(case["loop"] / REFERENCE_LOOP, 1.0) * TOLERANCE
    reading = READING_SECONDS * case["bytes"] / MAX_BYTES if case["purpose"] == "turn" else 0.0
    return speed * (SECONDS[case["purpose"]] + reading)


pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("budgets")]


@pytest.fixture(scope="module")
def cases() -> list[dict[str, Any]]:
    return measure(DOZEN, -(-CASES // CASES_OF_A_WORLD), MAX_BYTES if HOSTILE else SHORT)


def test_no_case_exceeds_its_work(cases: list[dict[str, Any]]) -> None:
    assert len(cases) >= CASES
    assert not [case for case in cases if units_of(case) > UNITS[case["purpose"]]]
    assert all(case["status"] == 200 for case in cases if case["purpose"] == "typing")


def test_no_post_has_more_turns_than_allowed(cases: list[dict[str, Any]]) -> None:
    # A recheck after the last of them aligns nothing.
    assert max(case.get("turn", 1) for case in cases if case["words"]) <= 1 + MAX_LATER_TURNS


def test_the_cases_are_hostile(cases: list[dict[str, Any]]) -> None:
    """Some of them meet the limit, and some are answered in full."""
    partial = Counter(case["partial"] for case in cases if case["purpose"] == "typing")
    assert partial[True] and partial[False]
    assert max(case["own"] for case in cases) >= TYPED_LETTERS


@pytest.mark.skipif(not HOSTILE, reason="make fuzz HOSTILE= measures time and memory")
def test_no_case_exceeds_its_time_and_memory(cases: list[dict[str, Any]]) -> None:
    for purpose in SECONDS:
        asked = sorted(
            (case for case in cases if case["purpose"] == purpose), key=lambda case: case["seconds"]
        )
        slowest = asked[-1]
        print(
            f"{purpose}: {len(asked)} cases, 99 % within {asked[len(asked) * 99 // 100]['seconds']} s, "
            f"at most {slowest['seconds']} s ({slowest['world']}, {slowest['own']} letters)"
        )
    largest = min(cases, key=lambda case: (-case["peak"], case["world"]))
    print(f"peak memory: {largest['peak']} MB ({largest['world']})")
    print(f"loop: at most {max(case['loop'] for case in cases):.3f} s")
    assert not [case for case in cases if case["seconds"] > seconds_allowed(case)]
    assert max(case["peak"] for case in cases) <= PEAK_MEGABYTES


def test_without_the_limits_a_dozen_long_posts_exceed_them() -> None:
    undefended = measure(DOZEN, DOZEN + 1, SHORT, "undefended")
    exceeding = [case for case in undefended if units_of(case) > 2 * UNITS[case["purpose"]]]
    assert {case["purpose"] for case in exceeding} == {"typing", "form", "turn"}
