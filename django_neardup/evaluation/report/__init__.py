"""The report of a run: its header and its tables, as text, JSON, CSV or one HTML page."""

from .content import Report
from .formats import FORMATS

__all__ = ["FORMATS", "Report"]
