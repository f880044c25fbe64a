"""The backfill: all objects of a model, in sorted runs, shared by any number of processes on any number of machines.

``passes``: one way through all of them; ``claims``: who works off which range of primary keys. Each range is one run or
few (``working``): ``documents`` are made and leased, ``signing`` reads and signs, the ``spool`` holds it, ``writing``
puts keys into the index in key order and fingerprints after them, ``matching`` compares and clusters, by what
``crowds`` find in full buckets.
What any step cannot do is left to the ordinary drain.
"""

from .claims import POSTS
from .passes import Pass, begin, is_over, is_to_pack, pack_later
from .working import index

__all__ = ["POSTS", "Pass", "begin", "index", "is_over", "is_to_pack", "pack_later"]
