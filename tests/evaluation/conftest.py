"""A small folder of labelled texts."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

DOG = "Продам щенка овчарки, мальчик, два месяца, привит, документы есть, звоните вечером после шести"
DOG_AGAIN = "Продам щенка овчарки, мальчик, два месяца, привит, документы есть, звоните после шести вечером!"
SOFA = "Диван угловой, обивка велюр, цвет серый, состояние хорошее, самовывоз из центра до конца недели"


def write_lines(path: Path, records: list[dict[str, Any]]) -> None:
    with gzip.open(path, "wt", encoding="utf-8") as out:
        out.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path)


def write_folder(tmp_path: Path) -> Path:
    """Two sets: `small` of documents and pairs, `made` of variants."""
    documents = [("dog", DOG, "dogs"), ("dog2", DOG_AGAIN, "dogs"), ("sofa", SOFA, "sofas")]
    write_lines(
        tmp_path / "small.docs.jsonl.gz",
        [{"id": key, "text": text, "cluster": cluster} for key, text, cluster in documents],
    )
    write_lines(
        tmp_path / "small.pairs.jsonl.gz",
        [
            {"a": "dog", "b": "dog2", "label": "same", "kind": "hand", "dup": True, "changed": 0.05},
            {"a": "dog", "b": "sofa", "label": "different", "kind": "hand", "dup": False, "changed": 1.0},
            {"a": "dog2", "b": "sofa", "label": "unsure", "kind": "hand", "dup": None, "changed": None},
        ],
    )
    write_lines(tmp_path / "made.docs.jsonl.gz", [{"id": "dog", "text": DOG}, {"id": "sofa", "text": SOFA}])
    write_lines(
        tmp_path / "made.variants.jsonl.gz",
        [
            {
                "rec": "variant",
                "src": "dog",
                "id": "dog~upper",
                "edit": "case",
                "relation": "same",
                "dup": True,
                "touched": 0.0,
                "text": DOG.upper(),
            },
            {
                "rec": "pair",
                "a": {"id": "x", "text": DOG},
                "b": {"id": "y", "text": SOFA},
                "edit": "hn_topic",
                "relation": "different",
                "dup": False,
                "touched": 1.0,
            },
        ],
    )
    return tmp_path
