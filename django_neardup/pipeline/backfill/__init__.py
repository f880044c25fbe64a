"""The first index of a model: all objects by ranges, shared by any number of processes and machines.

A pass (``passes``) goes once through all objects of the model. ``ranges`` assigns ranges of primary keys to
processes; ``owner_tokens`` identify the process of a range. ``index_model`` goes through a range:
``range_documents`` creates the documents and marks documents with changed posts, and the worker's
``process_batch`` processes them. A document that fails is left to the worker.
"""

from .index_model import process_ranges
from .passes import (
    IndexPass,
    PostCounts,
    abandoned_passes,
    begin_pass,
    is_over,
    postpone_packing,
    should_pack,
)
from .ranges import posts_per_range

__all__ = [
    "IndexPass",
    "PostCounts",
    "abandoned_passes",
    "begin_pass",
    "is_over",
    "postpone_packing",
    "posts_per_range",
    "process_ranges",
    "should_pack",
]
