"""Progress bars of commands: on a terminal, and where nobody asked for silence."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

from tqdm import tqdm


def is_quiet(options: dict[str, Any]) -> bool:
    """Whether those options of a command, or the lack of a terminal, ask for no bar."""
    return bool(options["no_progress"] or not sys.stderr.isatty() or not options["verbosity"])


def bar(title: str, total: int, quiet: bool, initial: int = 0) -> Any:
    """A bar that counts posts by hand; ``initial`` of them were through before."""
    return tqdm(
        total=total,
        initial=initial,
        desc=title,
        unit=" posts",
        disable=quiet,
        dynamic_ncols=True,
        smoothing=0.05,
    )


class Phased:
    """A bar of work that goes through phases: the one that is under way stands behind the figures."""

    def __init__(self, counting: Any) -> None:
        self._bar, self.through = counting, 0

    def __call__(self, phase: str, posts: int) -> None:
        """So many more posts are through."""
        self.through += posts
        self._bar.set_postfix_str(phase, refresh=False)
        self._bar.update(posts)


def bars(what: str, quiet: bool) -> Callable[[Iterable[Any], int, str], Iterable[Any]]:
    """Wraps objects of a known number and a title in a bar that says what is done with them."""

    def wrap(objects: Iterable[Any], total: int, title: str) -> Iterable[Any]:
        wrapped: Iterable[Any] = tqdm(
            objects, total=total, desc=f"{title}: {what}", unit=" posts", disable=quiet, dynamic_ncols=True
        )
        return wrapped

    return wrap
