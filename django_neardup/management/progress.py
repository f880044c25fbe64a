"""Progress bars of commands: on a terminal, and where nobody asked for silence."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

from tqdm import tqdm


def is_quiet(options: dict[str, Any]) -> bool:
    """Whether those options of a command, or the lack of a terminal, ask for no bar."""
    return bool(options["no_progress"] or not sys.stderr.isatty() or not options["verbosity"])


def bar(title: str, total: int, quiet: bool) -> Any:
    """A bar that counts posts by hand."""
    return tqdm(total=total, desc=title, unit=" posts", disable=quiet, dynamic_ncols=True)


def bars(what: str, quiet: bool) -> Callable[[Iterable[Any], int, str], Iterable[Any]]:
    """Wraps objects of a known number and a title in a bar that says what is done with them."""

    def wrap(objects: Iterable[Any], total: int, title: str) -> Iterable[Any]:
        wrapped: Iterable[Any] = tqdm(
            objects, total=total, desc=f"{title}: {what}", unit=" posts", disable=quiet, dynamic_ncols=True
        )
        return wrapped

    return wrap
