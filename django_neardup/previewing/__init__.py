"""The groups of a site's own table as one HTML page, before anything is installed: reads only, keeps nothing.

``asking`` (whose posts, which of them) → ``collecting`` (signed, compared, in memory) → ``relations`` (verdicts and
groups) → ``page`` (with ``examples``)."""

from .asking import Choice, PreviewError, chosen_by
from .collecting import Preview, preview
from .page import as_html

__all__ = ["Choice", "Preview", "PreviewError", "as_html", "chosen_by", "preview"]
