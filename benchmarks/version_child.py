"""Measures the version in whose tree it runs, on request: a JSON line from stdin is answered by a JSON line.

Versions of the app cannot be imported into one process, so ``versions`` starts one child for each. A child imports
the package and the benchmarks of its own tree: only what this file says must be alike in both.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from time import process_time
from typing import Any

sys.path[0] = str(Path.cwd())


def judge(pairs: list[tuple[str, str]]) -> float:
    """Return the seconds that the default algorithm takes to judge the pairs, without reading their texts."""
    from django_neardup.algorithms import get_algorithm
    from django_neardup.text.canonical_text import CanonicalText

    algorithm = get_algorithm("neardup")
    texts = [(CanonicalText(a), CanonicalText(b)) for a, b in pairs]
    for text in (text for pair in texts for text in pair):
        # What a worker has read before it judges.
        _ = text.tokens, text.hashes, text.weights, text.sentences, text.stop, text.exact_digest
    with _undisturbed():
        start = process_time()
        for a, b in texts:
            algorithm.judge(a, b)
        return process_time() - start


def read(texts: list[str]) -> float:
    """Return the seconds that it takes to read the tokens of the texts."""
    from django_neardup.text.canonical_text import CanonicalText

    with _undisturbed():
        start = process_time()
        for text in texts:
            _ = CanonicalText(text).tokens
        return process_time() - start


def build(size: int, file: str, quick: bool) -> bool:
    """Build the site of so many posts on SQLite in a file, unless the file is there. Return whether it was built."""
    is_new = not Path(file).exists()
    if is_new:
        _build(size, Path(file), quick)
    _site(size, file, quick)
    return is_new


def jobs(size: int, file: str, quick: bool, count: int) -> dict[str, list[float]]:
    """Return the seconds of each part of so many jobs: the posts of the row of the job, saved one by one."""
    from benchmarks import onsave

    site, measured = _site(size, file, quick), onsave.Measured()
    with onsave.unheard("board.Post"), onsave.measuring():
        for text in onsave.texts(onsave.ORDINARY, count):
            onsave._job(site, text, measured)
    return {"save": measured.save, **measured.parts}


def _build(size: int, path: Path, quick: bool) -> None:
    import shutil

    from django.db import connections

    from benchmarks import million
    from benchmarks.figures import FULL, QUICK
    from benchmarks.site import file_of

    sizes = QUICK if quick else FULL
    built = million.build(
        "sqlite", million.layout(size, sizes), "neardup", 1 if quick else million.WORKERS, _bar
    )
    connections[built.alias].close()
    shutil.move(file_of(built.alias), path)


@cache
def _site(size: int, file: str, quick: bool) -> Any:
    """Return the site of a copy of the file: the posts of a run are no part of the next. Its words are known."""
    import shutil

    from benchmarks import million, onsave
    from benchmarks.figures import FULL, QUICK
    from benchmarks.site import attach

    alias = attach(shutil.copyfile(file, million.disk() / f"copy_{Path(file).name}"))
    # Or the first commit waits until the whole copy is on the disk.
    os.sync()
    layout = million.layout(size, QUICK if quick else FULL)
    site = million.Site("sqlite", alias, layout, "neardup", 1, 0, 0, 0, 0)
    million.warm(site)
    onsave.meet_words(alias)
    return site


class _Unseen:
    """A progress bar without output."""

    def update(self, steps: int) -> None:
        pass


@contextmanager
def _bar(title: str, steps: int) -> Iterator[_Unseen]:
    yield _Unseen()


@contextmanager
def _undisturbed() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


ANSWERS: dict[str, Callable[..., Any]] = {"judge": judge, "read": read, "build": build, "jobs": jobs}


def main() -> None:
    """Answer until stdin ends."""
    # Nothing but answers may reach the pipe.
    pipe = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    from benchmarks.site import start

    start()
    for line in sys.stdin:
        name, arguments = json.loads(line)
        print(json.dumps(ANSWERS[name](**arguments)), file=pipe, flush=True)


if __name__ == "__main__":
    main()
