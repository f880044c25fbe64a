"""One process that starts cold: ``python -m benchmarks.cold WAY FILE [DATABASE]``; prints seconds and pairs as JSON.

FILE holds HTML posts, a JSON string a line.  WAY is "sign-ours" or "sign-naive" (text to signature, seconds without
imports and dictionaries), or "find-ours", "find-default", "find-datasketch" or "find-rensa": every post is looked up
among those before it, likeness is verified, and it is added.  "find-ours" and "find-default", which is the default
scheme, keep their index in DATABASE, a migrated SQLite file.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.peers import RUN, SLOTS, analyser, content_lemmas, datasketch_signatures, needs, runs_of

BATCH = 500
LIKE = 0.5
SCHEMES = {"find-ours": "minhash-lsh", "find-default": "neardup"}
"""The algorithm of each way that keeps its index in a database."""


def sign_ours(posts: Sequence[str]) -> int:
    """`read_batch` and `sign_batch`, as a worker that has just started."""
    from benchmarks.ours import signed

    return sum(
        len(signed("minhash-lsh", posts[start : start + BATCH])) for start in range(0, len(posts), BATCH)
    )


def sign_naive(posts: Sequence[str]) -> int:
    """strip_tags, `re`, lemmas with a cache, stop words, `MinHash.bulk`."""
    return len(datasketch_signatures(posts, content_lemmas))


def find_ours(posts: Sequence[str], database: Path, scheme: str) -> int:
    """The app's own tables in an SQLite file; likeness by the payloads of the algorithm of this name."""
    from benchmarks.index import Index
    from benchmarks.site import attach, start

    start()
    index, found = Index(attach(database), scheme), 0
    for first in range(0, len(posts), BATCH):
        some = posts[first : first + BATCH]
        signed = index.sign(some)
        index.add(signed, first)
        found += index.pairs(signed, first)
    return found


def find_datasketch(posts: Sequence[str]) -> int:
    """A MinHashLSH in memory, the sets of all posts kept to verify."""
    datasketch = needs("datasketch")
    lsh = datasketch.MinHashLSH(threshold=LIKE, num_perm=SLOTS)

    def signature(runs: Sequence[bytes]) -> Any:
        made = datasketch.MinHash(num_perm=SLOTS)
        made.update_batch(runs)
        return made

    return _found(posts, signature, lsh)


def find_rensa(posts: Sequence[str]) -> int:
    """An RMinHashLSH in memory, the sets of all posts kept to verify."""
    rensa = needs("rensa")
    lsh = rensa.RMinHashLSH(threshold=LIKE, num_perm=SLOTS, num_bands=32)

    def signature(runs: Sequence[bytes]) -> Any:
        made = rensa.RMinHash(num_perm=SLOTS, seed=1)
        made.update(runs)
        return made

    return _found(posts, signature, lsh)


def _found(posts: Sequence[str], signature: Callable[[Sequence[bytes]], Any], lsh: Any) -> int:
    """Look every post up, verify, and add it; how many pairs are alike."""
    kept: list[frozenset[bytes]] = []
    found = 0
    for number, post in enumerate(posts):
        runs = runs_of(content_lemmas(post))
        made, own = signature(runs), frozenset(runs)
        found += sum(len(own & kept[other]) >= LIKE * len(own | kept[other]) for other in lsh.query(made))
        kept.append(own)
        lsh.insert(number, made)
    return found


def warm_up(way: str) -> None:
    """Load what both ways of signing load once: the package, and the dictionary by one word."""
    if way == "sign-ours":
        sign_ours(["слово"])
    elif way == "sign-naive":
        analyser().parse("слово")
        sign_naive(["слово " * RUN])


def main(way: str, file: str, *database: str) -> dict[str, float]:
    """Do it the way that is named."""
    ways: dict[str, Callable[..., int]] = {
        "sign-ours": sign_ours, "sign-naive": sign_naive, "find-datasketch": find_datasketch, "find-rensa": find_rensa,
        **{name: partial(find_ours, scheme=scheme) for name, scheme in SCHEMES.items()},
    }  # fmt: skip
    posts = [json.loads(line) for line in Path(file).read_text(encoding="utf-8").splitlines()]
    warm_up(way)
    started = perf_counter()
    found = ways[way](posts, *(Path(each) for each in database))
    return {"seconds": perf_counter() - started, "found": found}


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
