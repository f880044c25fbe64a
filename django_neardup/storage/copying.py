"""The body of PostgreSQL's binary COPY, made without a Python object a row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

ROW = np.dtype([("fields", ">i2"), ("size", ">i4"), ("key", ">i8"), ("size2", ">i4"), ("document", ">i8")])
"""A row of two bigint columns, each after its size in bytes."""

BEGIN = b"PGCOPY\n\xff\r\n\0" + bytes(8)
END = b"\xff\xff"


def body(keys: NDArray[np.int64], documents: NDArray[np.int64]) -> bytes:
    """Pairs as ``COPY ... FROM STDIN (FORMAT BINARY)`` reads them."""
    rows = np.empty(len(keys), ROW)
    rows["fields"], rows["size"], rows["size2"] = 2, 8, 8
    rows["key"], rows["document"] = keys, documents
    return b"".join((BEGIN, rows.data, END))
