"""Many texts at once: canonised and signed with numpy, equal to what `Document` makes of each of them."""

from .batch import Batch
from .memory import clear, configure
from .reading import read_batch

__all__ = ["Batch", "clear", "configure", "read_batch"]
