"""The row of the job that a save asks for, beside the save itself."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from statistics import mean

from benchmarks.figures import Bar, Figure, Sizes, row
from benchmarks.million import NAMES, Site, largest
from benchmarks.onsave import ORDINARY, PARTS, TEMPLATE, Measured, milliseconds, on_save
from benchmarks.ours import NAMES as SCHEMES

Bound = tuple[str | None, str | None]
JOB: dict[tuple[str, str], Bound] = {
    ("minhash-lsh", "sqlite"): ("<= 5.5", "<= 4"),
    ("minhash-lsh", "postgresql"): ("<= 4", "<= 3"),
    ("neardup", "sqlite"): ("<= 8", None),
    ("neardup", "postgresql"): ("<= 6", None),
}
HOT: Bound = ("<= 2.2", "<= 1.5")


@row("12", "the job of a save, on a large site")
def job(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """Medians of a post's save (a model with three indexes, no receiver) and of its job: canonise, write keys and
    fingerprint, look up, verify, conclude, stage by stage as a worker takes them; lease and reading of the object are
    in the whole turn. In turn in one process, on a site of the full collection; a fifth of the ordinary posts are
    edited copies. Buckets of a template post are full, and it is compared with up to 32 others: of the default scheme
    the ratio is of all but verification, which stands apart."""
    numbers = count(1)
    for algorithm, engine in JOB:
        made = largest(engine, sizes, bar, algorithm)
        found = on_save(made, sizes, bar)
        for name, value, unit, bounds in _figures(made, found[ORDINARY], found[TEMPLATE]):
            title = f"{NAMES[engine]}, {SCHEMES[algorithm]}: {name}"
            yield Figure(f"12.{next(numbers)}", title, value, unit, *bounds)


def _figures(made: Site, plain: Measured, hot: Measured) -> Iterator[tuple[str, float, str, Bound]]:
    """Name, value, unit and bounds of one site's figures."""
    free: Bound = (None, None)
    apart = made.algorithm == "neardup"
    saved, whole = milliseconds(plain.save), milliseconds(plain.job)
    yield "job to save", whole / saved, "x", JOB[made.algorithm, made.engine]
    yield "template post to ordinary", milliseconds(hot.job) / whole, "x", free if apart else HOT
    aside = milliseconds(hot.aside) / milliseconds(plain.aside)
    yield "template post to ordinary, verification apart", aside, "x", HOT if apart else free
    yield "whole turn to save", milliseconds(plain.turn) / saved, "x", free
    yield "save", saved, "ms", free
    yield "whole turn", milliseconds(plain.turn), "ms", free
    yield "whole turn of a template post", milliseconds(hot.turn), "ms", free
    for part in PARTS:
        yield part, milliseconds(plain.parts[part]), "ms", free
    yield "verify a template post", milliseconds(hot.parts["verify"]), "ms", free
    yield "compared with an ordinary post", mean(plain.aligned), "posts", free
    yield "compared with a template post", mean(hot.aligned), "posts", free
