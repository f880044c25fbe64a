"""The groups of any table of a site as one HTML page, before anything is installed.

It reads only and keeps nothing. The stages are:

- ``selection``: the model, and which of its posts.
- ``sample_pipeline``: sign and compare them, in memory.
- ``sample_groups``: verdicts and groups.
- ``head_proposal``: whether the first lines should be declared as heads (``head_lines``).
- ``html_page``: the page (a template of ``reports``), with ``examples``.
"""

from .html_page import as_html
from .sample_pipeline import PreviewResult, build_preview
from .selection import PostSelection, PreviewError, build_selection

__all__ = ["PostSelection", "PreviewError", "PreviewResult", "as_html", "build_preview", "build_selection"]
