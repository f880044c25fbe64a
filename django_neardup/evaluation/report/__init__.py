"""The report of a run: header and tables as text, JSON, CSV or an HTML page."""

from .content import BenchReport
from .formats import FORMATS

__all__ = ["FORMATS", "BenchReport"]
