"""The backfill of a model: all objects in sorted runs, shared by any number of processes and machines.

A pass (``passes``) goes once through all objects of the model. ``ranges`` assigns ranges of primary keys to
processes, and ``index_model`` processes a range in one or more runs:

- ``range_documents`` creates and leases the documents.
- ``sign_range`` reads and signs the objects, and ``spool`` stores the signatures in files.
- ``write_keys`` writes the keys to the index in key order, and then the fingerprints.
- ``matcher`` compares and clusters the documents. ``bucket_cache`` reads full buckets for it.

A document that fails in any step is left to the normal drain (``batch_fallback``).

The same posts, marked and drained by as many workers, take twice as long (``make bench ROWS=first``): their keys
are written post by post, and each batch reads its buckets again. So both ways exist.
"""

from .index_model import process_ranges
from .passes import IndexPass, PostCounts, begin_pass, is_over, postpone_packing, should_pack
from .ranges import posts_per_range

__all__ = [
    "IndexPass",
    "PostCounts",
    "begin_pass",
    "is_over",
    "postpone_packing",
    "posts_per_range",
    "process_ranges",
    "should_pack",
]
