"""The texts of the example: invented people, adverts, threads and news, the same at every run."""

from content.adverts import adverts
from content.news import OUTLETS, reports
from content.people import people
from content.shapes import Advert, Message, Report
from content.shelves import SHELVES
from content.threads import SECTIONS, threads

__all__ = [
    "OUTLETS", "SECTIONS", "SHELVES", "Advert", "Message", "Report", "adverts", "people", "reports", "threads",
]  # fmt: skip
