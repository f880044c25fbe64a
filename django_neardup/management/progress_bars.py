"""Progress bars of commands: shown on a terminal, unless an option turns them off."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

from tqdm import tqdm


def is_quiet(options: dict[str, Any]) -> bool:
    """Return whether no bar is shown: because of the command's options, or without a terminal."""
    return bool(options["no_progress"] or not sys.stderr.isatty() or not options["verbosity"])


def progress_bar(title: str, total: int, quiet: bool, initial: int = 0, unit: str = "posts") -> Any:
    """Return a bar that counts posts, or another ``unit``. ``initial`` of them were done before."""
    return tqdm(
        total=total,
        initial=initial,
        desc=title,
        unit=f" {unit}",
        disable=quiet,
        dynamic_ncols=True,
        smoothing=0.05,
    )


class PhaseProgress:
    """A bar for work in phases. The current phase is shown after the figures."""

    def __init__(self, bar: Any) -> None:
        self._bar, self.done_count = bar, 0

    def __call__(self, phase: str, posts: int) -> None:
        """Add finished posts."""
        self.done_count += posts
        self._bar.set_postfix_str(phase, refresh=False)
        self._bar.update(posts)


def progress_wrapper(action: str, quiet: bool) -> Callable[[Iterable[Any], int, str], Iterable[Any]]:
    """Return a function that wraps an iterable of known length in a bar with a title and the action."""

    def wrap(objects: Iterable[Any], total: int, title: str) -> Iterable[Any]:
        wrapped: Iterable[Any] = tqdm(
            objects, total=total, desc=f"{title}: {action}", unit=" posts", disable=quiet, dynamic_ncols=True
        )
        return wrapped

    return wrap
