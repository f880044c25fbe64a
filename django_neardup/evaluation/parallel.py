"""Jobs in several processes, with results in order and a progress bar."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

from tqdm import tqdm

Job = TypeVar("Job")
Result = TypeVar("Result")


def available_cores() -> int:
    """Return the number of processes that can run at the same time on this machine."""
    # macOS and Windows lack ``sched_getaffinity``.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_jobs(
    function: Callable[[Job], Result], jobs: Sequence[Job], processes: int, label: str, sizes: Sequence[int]
) -> Iterator[Result]:
    """Yield the result of ``function`` for every job, in order.

    With one process or one job, it runs in this process. ``sizes`` are the jobs' shares of the progress bar,
    which is shown only on a terminal.
    """
    hidden = not sys.stderr.isatty()
    with tqdm(total=sum(sizes), desc=label, leave=False, disable=hidden) as bar:
        for result, size in zip(_run_all(function, jobs, processes), sizes, strict=True):
            yield result
            bar.update(size)


def _run_all(function: Callable[[Job], Result], jobs: Sequence[Job], processes: int) -> Iterator[Result]:
    if processes <= 1 or len(jobs) <= 1:
        yield from map(function, jobs)
        return
    with ProcessPoolExecutor(min(processes, len(jobs))) as pool:
        yield from pool.map(function, jobs)
