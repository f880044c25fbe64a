"""Jobs in several processes, their results in order, with a progress bar."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

from tqdm import tqdm

Job = TypeVar("Job")
Result = TypeVar("Result")


def cores() -> int:
    """How many processes may run at once on this machine."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_jobs(
    function: Callable[[Job], Result], jobs: Sequence[Job], processes: int, label: str, sizes: Sequence[int]
) -> Iterator[Result]:
    """`function` of every job, in order; in this process if one is asked for or there is one job.

    `sizes` are the jobs' shares of the progress bar, which is shown on a terminal alone.
    """
    hidden = not sys.stderr.isatty()
    with tqdm(total=sum(sizes), desc=label, leave=False, disable=hidden) as bar:
        for result, size in zip(_results(function, jobs, processes), sizes, strict=True):
            yield result
            bar.update(size)


def _results(function: Callable[[Job], Result], jobs: Sequence[Job], processes: int) -> Iterator[Result]:
    if processes <= 1 or len(jobs) <= 1:
        yield from map(function, jobs)
        return
    with ProcessPoolExecutor(min(processes, len(jobs))) as pool:
        yield from pool.map(function, jobs)
