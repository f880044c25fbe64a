"""Comparison of two texts by every algorithm, and its report for a terminal, as JSON or HTML. No settings."""

from .html_report import as_html
from .json_report import as_dict, as_json
from .segments import Segment, SharedPassage, join_passages, split_text
from .terminal_report import as_text
from .text_comparison import (
    AlgorithmResult,
    Comparison,
    Note,
    NoVerdict,
    SharedValues,
    TextSide,
    compare_texts,
)

__all__ = [
    "AlgorithmResult",
    "Comparison",
    "NoVerdict",
    "Note",
    "Segment",
    "SharedPassage",
    "SharedValues",
    "TextSide",
    "as_dict",
    "as_html",
    "as_json",
    "as_text",
    "compare_texts",
    "join_passages",
    "split_text",
]
