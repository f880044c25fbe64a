"""Beside datasketch's index in Redis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from benchmarks.figures import Bar, Figure, Sizes, row
from benchmarks.keytables import alternated, key_database, size_of
from benchmarks.loaded import Fill, asked, collection, empty, loaded, rates
from benchmarks.ours import NAMES, algorithm
from benchmarks.peers import SLOTS, datasketch_signatures, needs, runs_of, tokens
from benchmarks.site import server
from benchmarks.timing import Timed
from benchmarks.whole import whole

LIKE = 0.5
RUN, LONG_RUN = 5000, 50_000
LOOKUPS = 300
BOUNDS = {
    "insert": (">= 5", ">= 20"),
    "find": (">= 3", ">= 4"),
    "bytes": ("<= 0.05", "<= 0.04"),
}


class Peer:
    """datasketch's index in a Redis of its own, and the signatures of the texts it holds."""

    index: Any = None

    def __init__(self, texts: Sequence[str]) -> None:
        self._module, client = needs("datasketch"), needs("redis")
        self._where = {key: server("redis").parameters[key] for key in ("host", "port")}
        self._redis, self._before = client.Redis(**self._where), 0
        self.signatures = datasketch_signatures(texts)

    def emptied(self) -> Timed:
        """An index in an empty Redis; what fills it."""
        self._redis.flushall()
        self._before = self._used()
        storage = {"type": "redis", "basename": b"neardup", "redis": self._where}
        self.index = self._module.MinHashLSH(threshold=LIKE, num_perm=SLOTS, storage_config=storage)
        return self._fill

    def _fill(self) -> None:
        with self.index.insertion_session(buffer_size=LONG_RUN) as session:
            for number, signature in enumerate(self.signatures):
                session.insert(str(number), signature)

    @property
    def bytes(self) -> float:
        """What Redis keeps of a post."""
        return (self._used() - self._before) / len(self.signatures)

    def _used(self) -> int:
        return int(self._redis.info("memory")["used_memory"])


@row("13", "beside datasketch in Redis, 100,000 posts")
def redis(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """Posts of 100 words.  datasketch: `MinHashLSH` for a threshold of 0.5 with Redis as its storage, filled in an
    insertion session; a query is text to `MinHash`, `query`, then `jaccard` with signatures kept in this process.
    Ours: the key table on SQLite, filled by `add_run` in runs of 5,000 posts; text to keys, candidates, payloads read
    from their table, likeness.  Inserting starts from ready signatures on both sides, and is the median of five fills
    of an empty index, all of them in turn.  Bytes: only the keys. For the default scheme: keys, fingerprint and
    pairs of 100,000 indexed posts."""
    texts = collection(sizes.collection)
    peer = Peer(texts)
    ours = {_way(name, run): _own_fill(name, texts, run) for name in NAMES for run in (RUN, LONG_RUN)}
    rate = rates({"peer": peer.emptied, **ours}, len(texts), sizes, bar)
    kept, own = peer.bytes, {"neardup": whole("sqlite", sizes, bar).kept}
    alias = loaded("sqlite", "minhash-lsh", sizes.collection, bar).index.alias
    own["minhash-lsh"] = size_of(alias, "neardup_key") / len(texts)
    numbers = asked(sizes.collection, min(LOOKUPS, sizes.lookups))
    calls = {"peer": partial(_verified, peer, texts, numbers)}
    for name in NAMES:
        index = loaded("sqlite", name, sizes.collection, bar).index
        calls[name] = partial(_found, index, texts, numbers)
    with bar("look-ups", sizes.rounds) as progress:
        taken = alternated(calls, len(numbers), sizes.rounds, progress)
    places = iter(range(1, 100))
    for name, title in NAMES.items():
        bounds = BOUNDS if name == "minhash-lsh" else dict.fromkeys(BOUNDS, (None, None))
        ratio = rate[_way(name, RUN)] / rate["peer"]
        yield Figure(f"13.{next(places)}", f"insert, {title}", ratio, "x", *bounds["insert"])
        ratio = taken["peer"] / taken[name]
        yield Figure(f"13.{next(places)}", f"text to verified answer, {title}", ratio, "x", *bounds["find"])
        share = own[name] / kept
        yield Figure(f"13.{next(places)}", f"bytes over datasketch's, {title}", share, "", *bounds["bytes"])
        ratio = rate[_way(name, LONG_RUN)] / rate["peer"]
        yield Figure(f"13.{next(places)}", f"insert in runs of 50,000, {title}", ratio, "x")
    yield Figure(f"13.{next(places)}", "datasketch in Redis, inserted", rate["peer"], "posts/s")
    yield Figure(
        f"13.{next(places)}", "datasketch in Redis, text to verified answer", taken["peer"] * 1e6, "us"
    )
    yield Figure(f"13.{next(places)}", "datasketch in Redis", kept, "bytes")


def _verified(peer: Peer, texts: Sequence[str], numbers: Sequence[int], place: int) -> list[str]:
    """Posts of likeness 0.5 or more, as datasketch's guide does it."""
    signature = needs("datasketch").MinHash(num_perm=SLOTS)
    signature.update_batch(runs_of(tokens(texts[numbers[place]])))
    found = peer.index.query(signature)
    return [key for key in found if signature.jaccard(peer.signatures[int(key)]) >= LIKE]


def _found(index: Any, texts: Sequence[str], numbers: Sequence[int], place: int) -> Any:
    return index.find(texts[numbers[place]])


def _way(name: str, run: int) -> str:
    return f"{name} in runs of {run}"


def _own_fill(name: str, texts: Sequence[str], run: int) -> Fill:
    """Ready keys, in runs of so many posts, into a key table on SQLite."""
    import numpy as np

    from django_neardup.index import add_run
    from django_neardup.text.batch import read_batch

    alias = key_database("sqlite", "inserted")
    signed = [
        algorithm(name).sign_batch(read_batch(texts[at : at + run])) for at in range(0, len(texts), run)
    ]
    ready = [(each.keys, each.offsets) for each in signed]

    def fill() -> None:
        for number, (keys, offsets) in enumerate(ready):
            owners = np.repeat(np.arange(len(offsets) - 1) + number * run, np.diff(offsets))
            add_run(alias, keys, owners, assume_new=True)

    def emptied() -> Timed:
        empty(alias, ("neardup_key",))
        return fill

    return emptied
