"""The body of PostgreSQL's binary COPY, built without a Python object for each row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

ROW_DTYPE = np.dtype(
    [("fields", ">i2"), ("size", ">i4"), ("key", ">i8"), ("size2", ">i4"), ("document", ">i8")]
)
"""A row of two bigint columns. Each value follows its size in bytes."""

COPY_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
COPY_TRAILER = b"\xff\xff"


def copy_body(keys: NDArray[np.int64], documents: NDArray[np.int64]) -> bytes:
    """Return the pairs in the format that ``COPY ... FROM STDIN (FORMAT BINARY)`` reads."""
    rows = np.empty(len(keys), ROW_DTYPE)
    rows["fields"], rows["size"], rows["size2"] = 2, 8, 8
    rows["key"], rows["document"] = keys, documents
    return b"".join((COPY_HEADER, rows.data, COPY_TRAILER))
