"""The texts of the example: invented people, adverts and threads, the same at every run."""

from content.adverts import adverts
from content.people import people
from content.shapes import Advert, Message
from content.shelves import SHELVES
from content.threads import SECTIONS, threads

__all__ = ["SECTIONS", "SHELVES", "Advert", "Message", "adverts", "people", "threads"]
