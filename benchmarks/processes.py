"""Processes that a row starts beside itself, and what they and a server cost: memory and processor time."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.figures import NotMeasured
from benchmarks.site import UNMAPPED
from tests.services import ROOT

PROC = Path("/proc")
KILOBYTE = 1024
LOOK_SECONDS = 0.1
FAILED = "a process of this row failed:\n{}"
_HZ = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


def environment(alias: str, neardup: dict[str, Any], queues: dict[str, Any] | None = None) -> dict[str, str]:
    """Of a Django process whose default database is that alias of ours."""
    from django.db import connections

    names = ("ENGINE", "NAME", "HOST", "PORT", "USER", "PASSWORD", "OPTIONS")
    described = {name: connections[alias].settings_dict[name] for name in names}
    described["NAME"] = str(described["NAME"])
    if connections[alias].vendor == "sqlite":
        described["OPTIONS"] = {**described["OPTIONS"], "init_command": UNMAPPED}
    given = {
        "database": described,
        "neardup": neardup,
        "queues": queues or {},
    }
    paths = [os.fspath(ROOT), os.environ.get("PYTHONPATH", "")]
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "benchmarks.child_settings",
        "NEARDUP_BENCHMARK": json.dumps(given),
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
    }


def command(*arguments: str) -> list[str]:
    """A command of Django."""
    return [sys.executable, "-m", "django", *arguments]


class Ended(NamedTuple):
    """A process that has ended: `peak`, the most bytes that it or one of those it started has held resident;
    `processor`, the seconds of processor time of all of them."""

    peak: int
    processor: float


def finished(arguments: list[str], environment: dict[str, str]) -> Ended:
    """Run a process to its end; RuntimeError where it fails."""
    before = _children_seconds()
    with (
        subprocess.Popen(
            arguments, env=environment, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as process,
        peak_of(process.pid) as peak,
    ):
        said, _ = process.communicate()
    if process.returncode:
        raise RuntimeError(FAILED.format(said[-3000:]))
    return Ended(max(peak.values(), default=0), _children_seconds() - before)


@contextmanager
def running(arguments: list[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """A process that is ended with the context. Its stdin and stdout are pipes."""
    process = subprocess.Popen(
        arguments,
        env=environment,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


@contextmanager
def peak_of(pid: int) -> Iterator[dict[int, int]]:
    """The high-water mark of resident memory, in bytes, of a process and those under it, by their ids.

    Of each process its own mark (VmHWM): `ru_maxrss` of a new process begins with what its parent held."""
    peak: dict[int, int] = {}
    over = threading.Event()

    def look() -> None:
        while not over.wait(LOOK_SECONDS):
            for each in [pid, *under(pid)]:
                peak[each] = max(peak.get(each, 0), _high_water(each))

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield peak
    finally:
        over.set()
        watcher.join()


def under(pid: int) -> list[int]:
    """Processes that a process has started, and those that they have."""
    if not PROC.is_dir():
        raise NotMeasured("this system has no /proc")
    children: dict[int, list[int]] = {}
    for place in PROC.glob("[0-9]*"):
        with contextlib.suppress(OSError):
            children.setdefault(int(_stat(place)[1]), []).append(int(place.name))
    found = list(children.get(pid, ()))
    for each in found:
        found += children.get(each, ())
    return found


def processor_seconds(pid: int) -> float:
    """Seconds of processor time of a process, those under it, and those of them that have ended."""
    ticks = 0
    for each in [pid, *under(pid)]:
        with contextlib.suppress(OSError):
            own = _stat(PROC / str(each))
            ticks += sum(map(int, own[11:15] if each == pid else own[11:13]))
    return ticks / _HZ


@contextmanager
def on_all_cores(pid: int, cores: set[int]) -> Iterator[None]:
    """A server, and the processes under it, on those cores while the context lasts."""
    before = os.sched_getaffinity(pid)
    _spread(pid, cores)
    try:
        yield
    finally:
        _spread(pid, before)


def _spread(pid: int, cores: set[int]) -> None:
    for each in [pid, *under(pid)]:
        with contextlib.suppress(OSError):
            os.sched_setaffinity(each, cores)


def _children_seconds() -> float:
    used = os.times()
    return used.children_user + used.children_system


def _high_water(pid: int) -> int:
    with contextlib.suppress(OSError):
        for line in (PROC / str(pid) / "status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * KILOBYTE
    return 0


def _stat(place: Path) -> list[str]:
    """The fields of a process's stat behind its name: state, parent ..."""
    return (place / "stat").read_text().rpartition(")")[2].split()
