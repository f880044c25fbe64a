"""The report of a run: header and tables as text, JSON, CSV or an HTML page."""

from .case_formats import CASE_FORMATS
from .content import BenchReport
from .formats import FORMATS

__all__ = ["CASE_FORMATS", "FORMATS", "BenchReport"]
