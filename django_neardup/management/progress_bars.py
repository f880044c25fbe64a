"""Progress bars of commands: shown on a terminal, unless an option turns them off."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

from tqdm import tqdm

from ..pipeline.backfill import PostCounts


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


class IndexBars:
    """A bar for signing and one for comparing.

    Each rate counts only the time in which its work went on. ``is_shared``: other processes do both at once.
    ``compared_now`` is the number of posts compared by this run.
    """

    def __init__(self, title: str, total: int, done: int, quiet: bool, is_shared: bool) -> None:
        self.compared_now, self._total, self._is_shared = 0, total, is_shared
        self._left = {"signing": total - done, "comparing": total - done}
        self._seconds = dict.fromkeys(self._left, 0.0)
        self._counts = dict.fromkeys(self._left, 0)
        self._bars = {
            work: tqdm(
                total=total,
                initial=done,
                desc=f"{title}: {work}",
                bar_format="{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} posts{postfix}",
                disable=quiet,
                dynamic_ncols=True,
                position=position,
            )
            for position, work in enumerate(self._left)
        }
        self._updated = time.monotonic()

    def __enter__(self) -> IndexBars:
        return self

    def __exit__(self, *_error: object) -> None:
        for bar in self._bars.values():
            bar.close()

    def update(self, phase: str, counts: PostCounts) -> None:
        """Add posts. ``phase`` says in words what goes on now."""
        now = time.monotonic()
        for work, count in (("signing", counts.signed), ("comparing", counts.compared)):
            # What was done since the last update was signing if posts have been signed.
            if self._is_shared or (work == "signing") == bool(counts.signed):
                self._seconds[work] += now - self._updated
            self._counts[work] += count
            self._left[work] -= count
            self._bars[work].update(count)
        self.compared_now += counts.compared
        self._updated = now
        self._bars["signing"].set_postfix_str(self._rate_text("signing"))
        self._bars["comparing"].set_postfix_str(
            ", ".join(filter(None, [self._rate_text("comparing"), self._left_text(), phase]))
        )

    def _rate_text(self, work: str) -> str:
        return f"{self._rate(work):.0f} posts/s" if self._rate(work) else ""

    def _rate(self, work: str) -> float:
        return self._counts[work] / self._seconds[work] if self._seconds[work] else 0.0

    def _left_text(self) -> str:
        """Return the time until all posts are compared."""
        if not all(map(self._rate, self._left)):
            return ""
        seconds = [max(left, 0) / self._rate(work) for work, left in self._left.items()]
        return f"{tqdm.format_interval(max(seconds) if self._is_shared else sum(seconds))} left"


def progress_wrapper(
    action: str, quiet: bool, unit: str = "posts"
) -> Callable[[Iterable[Any], int, str], Iterable[Any]]:
    """Return a function that wraps an iterable of known length in a bar with a title and the action."""

    def wrap(objects: Iterable[Any], total: int, title: str) -> Iterable[Any]:
        wrapped: Iterable[Any] = tqdm(
            objects,
            total=total,
            desc=f"{title}: {action}",
            unit=f" {unit}",
            disable=quiet,
            dynamic_ncols=True,
        )
        return wrapped

    return wrap
