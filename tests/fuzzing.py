"""How many examples Hypothesis makes up: FUZZ of the environment (``make fuzz``) multiplies them."""

import os
from typing import Any

from hypothesis import settings

TIMES = int(os.environ.get("FUZZ") or 1)


def examples(count: int, **others: Any) -> settings:
    """So many examples of a test in an ordinary run."""
    return settings(max_examples=count * TIMES, **others)
