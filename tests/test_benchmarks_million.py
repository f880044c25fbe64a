"""Sites of the benchmarks: what is planted in them is found, and the tag groups it. Nothing is asserted of any time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from benchmarks.figures import row_of
from benchmarks.planted import Layout, is_template, planted_pairs
from tests import services

ENGINES = ("SQLite", "PostgreSQL")
WAYS = ("offered to alignment", "paired")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Figures of rows 23 and 25 in their quick form, from a process of their own."""
    try:
        services.find("postgres")
    except services.MissingServiceError as missing:
        pytest.skip(str(missing))
    path = tmp_path_factory.mktemp("figures") / "figures.json"
    hidden = ("DJANGO_SETTINGS_MODULE", "NEARDUP_DATA", "NEARDUP_TEST_DIRECTORY")
    kept = {name: value for name, value in os.environ.items() if name not in hidden}
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--quick", "--rows", "23,25", "--json", str(path)],
        cwd=services.ROOT, env=kept, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    figures: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return figures


def of(found: dict[str, Any], number: str) -> dict[str, Any]:
    """Values of a row by name."""
    return {each["name"]: each["value"] for each in found["rows"] if row_of(each["row"]) == number}


@pytest.mark.slow
@pytest.mark.xdist_group("benchmarks")
class TestSites:
    @pytest.mark.parametrize("engine", ENGINES)
    @pytest.mark.parametrize("way", WAYS)
    @pytest.mark.parametrize("size", [100, 400])
    def test_planted_pairs_are_found(self, found: dict[str, Any], engine: str, way: str, size: int) -> None:
        assert of(found, "25")[f"{engine}: {way} at {size}"] == 100

    def test_the_tag_groups_with_few_queries(self, found: dict[str, Any]) -> None:
        row = of(found, "23")
        assert row["entries with others behind them"] > 0
        assert row["queries"] <= 2


class TestLayout:
    @pytest.mark.parametrize("size", [100, 1000, 7777])
    def test_planted_posts_stand_where_it_says(self, size: int) -> None:
        layout = Layout(size, 5)
        texts = list(layout.texts()) if size <= 1000 else []
        assert len(set(layout.places)) == 10 and max(layout.places) < size
        for (one, two), pair in zip(layout.planted, planted_pairs(5)):
            assert not texts or (texts[one], texts[two]) == pair

    def test_templates_are_among_them(self) -> None:
        texts = list(Layout(1000, 5).texts())
        templates = [text for number, text in enumerate(texts) if is_template(number)]
        assert len(texts) == 1000 and len(templates) > 3
        assert len({text[:40] for text in templates}) == 1
        assert len(set(templates)) == len(templates)
