"""The texts of the example: invented people, adverts and threads, the same at every run."""

from .adverts import adverts
from .people import people
from .shapes import Advert, Message
from .shelves import SHELVES
from .threads import SECTIONS, threads

__all__ = ["SECTIONS", "SHELVES", "Advert", "Message", "adverts", "people", "threads"]
