"""A deterministic measure of work: the number of lines of Python that a call executes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def count_lines(action: Callable[[], object]) -> int:
    """Call ``action``. Return the number of lines and calls that were executed, each time they were."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += 1
        return trace

    earlier = sys.gettrace()
    sys.settrace(trace)
    try:
        action()
    finally:
        sys.settrace(earlier)
    return count
