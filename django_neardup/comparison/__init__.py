"""Two texts compared in every way, and the report of it: for a terminal, as JSON, as one HTML page.  No Django."""

from .compare import Comparison, Held, Note, NoVerdict, Row, Side, compare_texts
from .data import as_dict, as_json
from .html import as_html
from .pieces import Piece, Shared, pieces, shared_passages
from .terminal import as_text

__all__ = [
    "Comparison",
    "Held",
    "NoVerdict",
    "Note",
    "Piece",
    "Row",
    "Shared",
    "Side",
    "as_dict",
    "as_html",
    "as_json",
    "as_text",
    "compare_texts",
    "pieces",
    "shared_passages",
]
