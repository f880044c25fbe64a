"""HTML posts with lemmas, beside what a site would write of Django, pymorphy3 and datasketch; and whole processes."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, NamedTuple

from benchmarks.cold import SCHEMES, sign_naive
from benchmarks.figures import Bar, Figure, Sizes, row
from benchmarks.ours import NAMES, signed
from benchmarks.peers import needs
from benchmarks.site import empty_file
from benchmarks.texts import copies, html, posts
from benchmarks.timing import interleaved, measured_core, on_cores
from tests.services import ROOT, workspace

COLD_SHARE = 0.8
"""Of `Sizes.cold`: 4,000 posts are signed cold, 5,000 go through a whole process."""
ROUNDS = 5
PROCESSES = {
    "find-ours": NAMES["minhash-lsh"], "find-datasketch": "naive datasketch", "find-rensa": "naive rensa",
    "find-default": NAMES["neardup"],
}  # fmt: skip
"""Titles of the ways that go through a whole process."""


@row("4", "HTML posts with lemmas to signature")
def markup(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """Posts of 200 words with some 38 tags.  The peer: `strip_tags`, `unescape`, `re`, pymorphy3 behind an unbounded
    cache, stop words, `MinHash.bulk`.  Warm: the same posts again, in one process.  Cold: fresh processes, in turn,
    without the seconds of imports and of opening the dictionary."""
    needs("datasketch")
    texts = list(html_posts(sizes.texts))
    ours = {name: partial(signed, name, texts) for name in NAMES}
    with bar("HTML, warm", sizes.rounds) as progress:
        warm = interleaved({**ours, "naive": partial(sign_naive, texts)}, sizes.rounds, progress)
    yield Figure(
        "4.1", "warm, beside naive datasketch", warm["naive"] / warm["minhash-lsh"], "x", ">= 7", ">= 10"
    )
    cold = _processes(["sign-ours", "sign-naive"], int(sizes.cold * COLD_SHARE), sizes, bar, inner=True)
    beside = cold["sign-naive"].seconds / cold["sign-ours"].seconds
    yield Figure("4.2", "cold, beside naive datasketch", beside, "x", ">= 2", ">= 4")
    yield Figure("4.3", "warm, default scheme", warm["naive"] / warm["neardup"], "x")
    for place, (name, spent) in enumerate(warm.items(), 4):
        yield Figure(f"4.{place}", f"{NAMES.get(name, name)}, warm", len(texts) / spent, "texts/s")


@row("16", "whole processes: cold HTML posts, found and verified")
def whole(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """Fresh processes in turn, from start to exit: imports, dictionary, every post canonised, looked up among those
    before it, verified and added.  Ours keeps an SQLite file; the naive ones keep everything in memory: `strip_tags`,
    `re`, pymorphy3 behind a cache, stop words, datasketch's MinHashLSH or rensa's RMinHashLSH, sets to verify.  The
    default scheme is shown beside them without a bar.  Pairs found: ours by the likeness of payloads, the naive ones by
    that of the sets, of one half and more; the default scheme offers what is less alike, too."""
    needs("datasketch"), needs("rensa")
    done = _processes(list(PROCESSES), sizes.cold, sizes, bar, inner=False)
    taken = {way: each.seconds for way, each in done.items()}
    ours, default = (taken[way] for way in SCHEMES)
    yield Figure("16.1", "beside naive datasketch", taken["find-datasketch"] / ours, "x", ">= 2.3", ">= 4")
    yield Figure("16.2", "beside naive rensa", taken["find-rensa"] / ours, "x", ">= 1.2", ">= 2")
    for place, (way, spent) in enumerate(taken.items(), 3):
        yield Figure(f"16.{place}", f"{PROCESSES[way]}, a whole process", spent, "s")
    for place, way in enumerate(("find-datasketch", "find-rensa"), 7):
        yield Figure(f"16.{place}", f"default scheme, beside {PROCESSES[way]}", taken[way] / default, "x")
    for place, (way, each) in enumerate(done.items(), 9):
        yield Figure(f"16.{place}", f"{PROCESSES[way]}, pairs found", each.found, "pairs")


def html_posts(count: int) -> Iterator[str]:
    """HTML posts, a fifth of them edited copies of others."""
    planted = count // 5
    for number, text in enumerate(posts(count - planted, 200)):
        yield html(text, Random(number))
    for number, copy in enumerate(copies(planted, count - planted, 200)):
        yield html(copy.text, Random(-number - 1))


class Done(NamedTuple):
    """What a process took, and how many pairs, or signatures, it has found."""

    seconds: float
    found: int


def _processes(ways: Sequence[str], count: int, sizes: Sizes, bar: Bar, inner: bool) -> Mapping[str, Done]:
    """Median seconds of fresh processes, run in turn: those that they print where `inner`, else from start to exit."""
    done: dict[str, list[Done]] = {way: [] for way in ways}
    rounds = min(ROUNDS, sizes.rounds)
    with TemporaryDirectory(dir=workspace()) as folder, bar("processes", rounds) as progress:
        file, empty = Path(folder) / "posts", empty_file()
        lines = (json.dumps(post, ensure_ascii=False) for post in html_posts(count))
        file.write_text("\n".join(lines), encoding="utf-8")
        for number in range(rounds):
            for way in ways:
                fresh = Path(shutil.copy(empty, Path(folder) / f"{way}-{number}.sqlite3"))
                done[way].append(_process(way, file, fresh, inner))
            progress.update(1)
    return {way: Done(median(each.seconds for each in runs), runs[0].found) for way, runs in done.items()}


def _process(way: str, file: Path, fresh: Path, inner: bool) -> Done:
    command = [sys.executable, "-m", "benchmarks.cold", way, str(file)]
    if way in SCHEMES:
        command.append(str(fresh))
    start = perf_counter()
    with on_cores(measured_core()):
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1800)
    spent = perf_counter() - start
    if done.returncode:
        raise RuntimeError(f"{way} failed: {done.stderr.strip().splitlines()[-1]}")
    printed: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return Done(float(printed["seconds"]) if inner else spent, int(printed["found"]))
