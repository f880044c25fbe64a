"""The review queue: what waits for a moderator, one question once.

``queue_query`` reads its rows, ``queue_page`` and ``queue_rows`` prepare them for the page, in ``columns`` and with
``filters`` that a site can add to.
"""

from .queue_columns import COLUMNS, Column
from .queue_filters import FILTERS, Filter

__all__ = ["COLUMNS", "FILTERS", "Column", "Filter"]
