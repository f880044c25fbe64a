"""The row that compares this version with another: judging, reading, and the job of a save on a large site."""

from __future__ import annotations

import os
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random
from statistics import mean, median

from benchmarks.figures import Bar, Figure, Sizes, row
from benchmarks.texts import edited, posts
from benchmarks.versions import Version, two_versions

WORDS = 200
PAIRS = 200
MOST_EDITED = 0.2
JOBS_AT_ONCE = 20
Times = list[float]


@row("million", "this version beside another: judging a pair, and the job of a save")
def million(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """The other version is the commit that `NEARDUP_BASELINE` names (`make bench ROWS=million BASELINE=v1`), or
    the last commit. Both run in turn, each in its own process and tree.  An aligned pair: posts of 200 words and
    edited
    copies, read before.  The job is that of row 12, of ordinary posts on a site of the full collection on SQLite, whose
    queries cost least, so that a slower judge shows most.  Each run builds its sites, which takes an hour, unless
    `NEARDUP_SITES` names a folder that keeps them; the site of this tree is the file `this_…`."""
    commit = os.environ.get("NEARDUP_BASELINE") or "HEAD"
    with two_versions(commit) as (other, this):
        title = f"beside {other.name}"
        yield Figure(
            "million.1",
            f"judging an aligned pair, {title}",
            *_ratio(other, this, "judge", sizes, bar),
            "<= 1.2",
        )
        yield Figure("million.2", f"tokens of a text, {title}", *_ratio(other, this, "read", sizes, bar))
        times = _jobs(other, this, sizes, bar)
    yield from _figures(times, title)


def _ratio(other: Version, this: Version, name: str, sizes: Sizes, bar: Bar) -> tuple[float, str]:
    """Return how many times as long this version takes: the median over the rounds."""
    count = max(2, PAIRS * sizes.texts // 1000)
    arguments = {"judge": {"pairs": _pairs(count)}, "read": {"texts": list(posts(count, WORDS))}}[name]
    ratios = []
    with bar(f"{name}, in turn", sizes.rounds) as progress:
        for version in (other, this):
            version.ask(name, **arguments)
        for _ in range(sizes.rounds):
            before = other.ask(name, **arguments)
            ratios.append(this.ask(name, **arguments) / before)
            progress.update(1)
    return median(ratios), "x"


def _pairs(count: int) -> list[tuple[str, str]]:
    chance = Random(WORDS)
    return [(text, edited(text, chance, MOST_EDITED * chance.random())) for text in posts(count, WORDS)]


def _jobs(other: Version, this: Version, sizes: Sizes, bar: Bar) -> dict[Version, dict[str, Times]]:
    """Return the seconds of every part of the jobs of both versions."""
    count = max(3, sizes.lookups * 3 // 10)
    with tempfile.TemporaryDirectory(prefix="neardup-sites-") as made:
        folder = Path(os.environ.get("NEARDUP_SITES") or made)
        sites = {
            version: {
                "size": sizes.growth[-1],
                "file": str(folder / f"{version.name or 'this'}_{sizes.growth[-1]}.sqlite3"),
                "quick": sizes.quick,
            }
            for version in (other, this)
        }
        with bar("sites", len(sites)) as progress:
            for version, site in sites.items():
                version.ask("build", **site)
                progress.update(1)
        times: dict[Version, dict[str, Times]] = {version: defaultdict(list) for version in sites}
        with bar("jobs, in turn", count) as progress:
            for start in range(-JOBS_AT_ONCE, count, JOBS_AT_ONCE):
                for version, site in sites.items():
                    some = min(JOBS_AT_ONCE, count - max(start, 0))
                    measured = version.ask("jobs", **site, count=some)
                    if start >= 0:  # the first turn warms up
                        for part, seconds in measured.items():
                            times[version][part] += seconds
                progress.update(JOBS_AT_ONCE if start >= 0 else 0)
    return times


def _figures(times: dict[Version, dict[str, Times]], title: str) -> Iterator[Figure]:
    other, this = times.values()
    parts = [part for part in this if part != "save"]
    jobs = [[sum(spent) for spent in zip(*(measured[part] for part in parts))] for measured in (other, this)]
    yield Figure("million.3", f"the job, {title}", median(jobs[1]) / median(jobs[0]), "x", "<= 1.1")
    yield Figure("million.4", f"the job on average, {title}", mean(jobs[1]) / mean(jobs[0]), "x")
    yield Figure("million.5", "the job", median(jobs[1]) * 1000, "ms")
    yield Figure("million.6", f"the job of {title.removeprefix('beside ')}", median(jobs[0]) * 1000, "ms")
    for place, part in enumerate(parts, 7):
        yield Figure(f"million.{place}", f"{part}, {title}", median(this[part]) / median(other[part]), "x")
