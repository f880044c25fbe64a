"""Files of verdicts, one for each row."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from .results import PairsResult


def output_paths(path: Path, titles: Sequence[str], peers: Sequence[str]) -> dict[str, Path]:
    """Return a file for every row.

    A single algorithm gets the path itself. Otherwise the name of the row stands before the suffix.
    """
    paths = {
        title: path.with_name(f"{path.stem}.{file_name_part(title)}{path.suffix}")
        for title in [*titles, *peers]
    }
    return {**paths, titles[0]: path} if len(titles) == 1 else paths


def file_name_part(title: str) -> str:
    """Return a row's title as a part of a file name."""
    return "".join(character if character.isalnum() or character in "-_=." else "-" for character in title)


def write_verdicts(path: Path, results: Sequence[PairsResult]) -> None:
    """Write one JSON object a line, for each judged pair."""
    with path.open("w", encoding="utf-8") as out:
        for result in results:
            out.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in result.verdict_records())
