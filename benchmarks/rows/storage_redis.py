"""Beside datasketch's index in Redis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

from ..figures import Bar, Figure, Sizes, row
from ..keytables import alternated, key_database, size_of
from ..loaded import asked, collection, loaded
from ..ours import NAMES, algorithm
from ..peers import SLOTS, datasketch_signatures, needs, runs_of, tokens
from ..site import server
from ..timing import measuring

LIKE = 0.5
RUN, LONG_RUN = 5000, 50_000
LOOKUPS = 300
BOUNDS = {
    "insert": (">= 5", ">= 20"),
    "find": (">= 3", ">= 4"),
    "bytes": ("<= 0.05", "<= 0.04"),
}


class Peer(NamedTuple):
    """datasketch's index, its signatures, how many of them it took a second, and the bytes of a post in Redis."""

    index: Any
    signatures: Sequence[Any]
    rate: float
    bytes: float


@row("13", "beside datasketch in Redis, 100,000 posts")
def redis(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """Posts of 100 words.  datasketch: `MinHashLSH` for a threshold of 0.5 with Redis as its storage, filled in an
    insertion session; a query is text to `MinHash`, `query`, then `jaccard` with signatures kept in this process.
    Ours: the key table on SQLite, filled by `add_run` in runs of 5,000 posts; text to keys, candidates, payloads read
    from their table, likeness.  Inserting starts from ready signatures on both sides; bytes are those of keys alone."""
    texts = collection(sizes.collection)
    peer = _peer(texts, bar)
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
        rate = _inserted(name, texts, RUN)
        bytes_each = size_of(loaded("sqlite", name, sizes.collection, bar).index.alias, "neardup_key")
        yield Figure(f"13.{next(places)}", f"insert, {title}", rate / peer.rate, "x", *bounds["insert"])
        ratio = taken["peer"] / taken[name]
        yield Figure(f"13.{next(places)}", f"text to verified answer, {title}", ratio, "x", *bounds["find"])
        share = bytes_each / len(texts) / peer.bytes
        yield Figure(f"13.{next(places)}", f"bytes over datasketch's, {title}", share, "", *bounds["bytes"])
        long = _inserted(name, texts, LONG_RUN)
        yield Figure(f"13.{next(places)}", f"insert in runs of 50,000, {title}", long / peer.rate, "x")
    yield Figure(f"13.{next(places)}", "datasketch in Redis, inserted", peer.rate, "posts/s")
    yield Figure(
        f"13.{next(places)}", "datasketch in Redis, text to verified answer", taken["peer"] * 1e6, "us"
    )
    yield Figure(f"13.{next(places)}", "datasketch in Redis", peer.bytes, "bytes")


def _peer(texts: Sequence[str], bar: Bar) -> Peer:
    """datasketch's index of those texts, in an empty Redis."""
    module, client = needs("datasketch"), needs("redis")
    where = {key: server("redis").parameters[key] for key in ("host", "port")}
    connection = client.Redis(**where)
    connection.flushall()
    before = connection.info("memory")["used_memory"]
    storage = {"type": "redis", "basename": b"neardup", "redis": where}
    index = module.MinHashLSH(threshold=LIKE, num_perm=SLOTS, storage_config=storage)
    signatures = datasketch_signatures(texts)
    with bar("datasketch into Redis", len(texts)) as progress, measuring():
        start = perf_counter()
        with index.insertion_session(buffer_size=LONG_RUN) as session:
            for number, signature in enumerate(signatures):
                session.insert(str(number), signature)
                progress.update(1)
        rate = len(texts) / (perf_counter() - start)
    used = connection.info("memory")["used_memory"] - before
    return Peer(index, signatures, rate, used / len(texts))


def _verified(peer: Peer, texts: Sequence[str], numbers: Sequence[int], place: int) -> list[str]:
    """Posts of likeness 0.5 or more, as datasketch's guide does it."""
    signature = needs("datasketch").MinHash(num_perm=SLOTS)
    signature.update_batch(runs_of(tokens(texts[numbers[place]])))
    found = peer.index.query(signature)
    return [key for key in found if signature.jaccard(peer.signatures[int(key)]) >= LIKE]


def _found(index: Any, texts: Sequence[str], numbers: Sequence[int], place: int) -> Any:
    return index.find(texts[numbers[place]])


def _inserted(name: str, texts: Sequence[str], run: int) -> float:
    """Posts a second, from ready keys into an empty key table on SQLite."""
    import numpy as np
    from django.db import connections

    from django_neardup.storage import add_run
    from django_neardup.text.batch import read_batch

    alias = key_database("sqlite", "inserted")
    signed = [algorithm(name).sign(read_batch(texts[at : at + run])) for at in range(0, len(texts), run)]
    with connections[alias].cursor() as cursor:
        cursor.execute("DELETE FROM neardup_key")
    with measuring():
        start = perf_counter()
        for number, each in enumerate(signed):
            owners = np.repeat(np.arange(len(each)) + number * run, np.diff(each.offsets))
            add_run(alias, each.keys, owners, fresh=True)
        return len(texts) / (perf_counter() - start)
