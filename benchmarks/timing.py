"""Times taken side by side: one pinned core, no garbage collection, the callables in turn, medians."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any

Timed = Callable[[], Any]

TURN = 20
"""Calls of one callable in succession, where several are measured call by call."""


def interleaved(callables: Mapping[str, Timed], rounds: int, progress: Any = None) -> dict[str, float]:
    """Median seconds of each callable over `rounds` rounds, each of which runs all of them in turn.

    One round before them is not counted.  `progress`: what a `Bar` gives, moved one step a counted round.
    """
    times: dict[str, list[float]] = {name: [] for name in callables}
    with measuring():
        for number in range(rounds + 1):
            for name, call in callables.items():
                times[name].append(seconds(call))
            if progress is not None and number:
                progress.update(1)
    return {name: median(taken[1:]) for name, taken in times.items()}


def in_turns(
    calls: Mapping[str, Callable[[int], Any]], places: Sequence[int], warm: int = 0
) -> dict[str, list[float]]:
    """Seconds of each call of each callable, which is given a place; the callables take turns of `TURN` places.

    A turn is long enough that each is measured with its own code and data at hand, as a process that does little else
    has them, and short enough that they share whatever else the machine does.  The first `warm` places of all are
    called once before, and not counted."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for counted, chosen in ((False, places[:warm]), (True, places)):
        for start in range(0, len(chosen), TURN):
            for name, call in calls.items():
                gc.collect(1)
                spent = [_seconds(call, place) for place in chosen[start : start + TURN]]
                if counted:
                    times[name] += spent
    return times


def _seconds(call: Callable[[int], Any], place: int) -> float:
    start = perf_counter()
    call(place)
    return perf_counter() - start


def samples(call: Callable[[int], Any], count: int) -> list[float]:
    """Seconds of each of `count` calls, which are given their number; sorted, so that a percentile is an index."""
    with measuring():
        return sorted(seconds(partial(call, number)) for number in range(count))


def percentile(ordered: list[float], share: float) -> float:
    """The value that a `share`, 0..1, of the sorted values does not exceed."""
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


def seconds(call: Timed) -> float:
    """Seconds of one call; garbage of earlier ones is collected before."""
    gc.collect(1)
    start = perf_counter()
    call()
    return perf_counter() - start


@contextmanager
def measuring() -> Iterator[None]:
    """This process on one core, without garbage collection."""
    collecting = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        with on_cores(measured_core()):
            yield
    finally:
        if collecting:
            gc.enable()


def cores() -> list[int]:
    """The cores that this process was given when it started."""
    return list(_CORES)


def measured_core() -> set[int]:
    """The core that what is measured runs on: the last one."""
    return set(_CORES[-1:])


def other_cores() -> set[int]:
    """Where servers run: all cores but the measured one, or that one where there is no other."""
    return set(_CORES[:-1]) or measured_core()


@contextmanager
def on_cores(chosen: set[int]) -> Iterator[None]:
    """This thread, and the processes it starts, on those cores; nothing where the system cannot."""
    if not chosen or not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, chosen)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


_CORES = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
