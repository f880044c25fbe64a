"""Sources canonised and signed side by side: keys, payloads and contacts. Stores nothing of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING

from ..adapters import Adapter, Source, language_of
from ..models import Scheme
from ..signatures.base import Algorithm
from ..signatures.neardup_keys import EXACT
from ..storage import keys as storage
from ..text.hashing import hash_word, mix
from ..text.may_name import may_name
from .phrases import PhraseList
from .records import Read, Signed, Skipped
from .remembering import is_silent, known_space
from .schemes import algorithm_of
from .sign import MOST_CONTACTS, contact_hash, contacts_of, is_too_short
from .synonyms import synonyms_of
from .words import share_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..signatures.signed_batch import Signatures
    from ..text.batch import Batch

CODES = 2000
"""Characters kept of a text's codes."""

Place = Callable[[Adapter, Source], tuple[int, str]]
"""Tells the space where a source is compared: its number and its digest."""


def sign_many(reads: Sequence[Read], scheme: Scheme, using: str) -> tuple[list[Signed], list[Skipped]]:
    """Keys, payload and contacts of texts canonised side by side, and those that are not compared, with the reason.

    All of one scheme's profile, each with an adapter and a source. Writes nothing but spaces that are new. Keys are
    hashed with scheme and space. ``StatisticsMissing`` where the scheme's statistics are gone."""
    signed: list[Signed] = []
    skipped = [Skipped(each, "not compared") for each in reads if not _source(each).compared]
    phrases = PhraseList(scheme.profile, using, unread=is_silent(scheme.profile, using))
    for language, batch, group, made in _groups(reads, scheme, partial(known_space, using=using)):
        enough = {one.place for one in made}
        skipped += [Skipped(each, "too short") for at, each in enumerate(group) if at not in enough]
        for one in made:
            one.contacts = _contacts(one, _source(group[one.place]), batch, language, phrases)
            one.unread = phrases.unread
        signed += made
    order = {each.document.pk: at for at, each in enumerate(reads)}
    signed.sort(key=lambda one: order[one.document])
    return signed, skipped


def sign_texts(reads: Sequence[Read], scheme: Scheme, place: Place) -> list[Signed]:
    """Keys and payload of texts canonised side by side, of those that are compared, in no order. Reads and writes
    nothing; contacts are left out. ``place``: in which space each is compared."""
    return [one for *_, made in _groups(reads, scheme, place) for one in made]


def _groups(
    reads: Sequence[Read], scheme: Scheme, place: Place
) -> Iterator[tuple[str, Batch, list[Read], list[Signed]]]:
    """Those that are compared, batch by batch, and what is signed of each batch."""
    for language, batch, group in _batches([each for each in reads if _source(each).compared], scheme):
        long = [_is_long(each, batch, at) for at, each in enumerate(group)]
        yield language, batch, group, _sign(batch, group, long, scheme, place) if any(long) else []


def _source(read: Read) -> Source:
    assert read.source is not None
    return read.source


def _adapter(read: Read) -> Adapter:
    assert read.adapter is not None
    return read.adapter


def _batches(reads: Iterable[Read], scheme: Scheme) -> Iterator[tuple[str, Batch, list[Read]]]:
    """The texts canonised side by side: a batch for each language and way with quotes."""
    from ..text.batch import read_batch

    share_words()
    groups: dict[tuple[str, str], list[Read]] = {}
    for each in reads:
        adapter = _adapter(each)
        groups.setdefault((language_of(adapter, scheme), adapter.quotes), []).append(each)
    for (language, quotes), group in groups.items():
        batch = read_batch(
            [_source(each).text for each in group],
            language=language,
            quotes=quotes,
            secret=bytes.fromhex(scheme.secret),
            synonyms=synonyms_of(scheme, language),
        )
        yield language, batch, group


def _is_long(read: Read, batch: Batch, place: int) -> bool:
    words, content = int(batch.lengths[place]), int(batch.content_words[place])
    return not is_too_short(_adapter(read), _source(read), words, content)


def _sign(
    batch: Batch, group: Sequence[Read], long: Sequence[bool], scheme: Scheme, place_of: Place
) -> list[Signed]:
    algorithm, secret = algorithm_of(scheme), bytes.fromhex(scheme.secret)
    made = algorithm.sign(batch)
    spaces = [
        place_of(_adapter(each), _source(each)) if enough else (0, "")
        for each, enough in zip(group, long, strict=True)
    ]
    own = [_place_of(scheme.pk, space) for space, _ in spaces]
    found = _placed(made, own)
    signed = []
    for place, (read, enough) in enumerate(zip(group, long, strict=True)):
        if enough:
            sure = _sure(algorithm, made, batch, place, read, secret)
            keys, sure_keys = _joined(found[place], [mix(own[place], key) for key in sure])
            signed.append(
                _record(batch, place, read, scheme, spaces[place], keys, sure_keys, made.packs[place])
            )
    return signed


def _record(
    batch: Batch,
    place: int,
    read: Read,
    scheme: Scheme,
    space: tuple[int, str],
    keys: NDArray[np.int64],
    sure_keys: NDArray[np.int64],
    payload: bytes,
) -> Signed:
    document, source = read.document, _source(read)
    return Signed(
        document=document.pk,
        wanted=document.wanted,
        fresh=document.version == 0,
        adapter=_adapter(read),
        scheme=scheme,
        space=space[0],
        space_digest=space[1],
        digest=source.digest,
        exact_digest=batch.exact(place).hex(),
        words=int(batch.lengths[place]),
        keys=keys,
        sure_keys=sure_keys,
        payload=payload,
        codes=" ".join(sorted(batch.codes(place)))[:CODES],
        identity=source.identity,
        author=source.author[:255],
        live=source.live,
        truncated=bool(batch.truncated[place]),
        batch=batch,
        place=place,
    )


@lru_cache(maxsize=1024)
def _place_of(scheme: int, space: int) -> int:
    """What keys are hashed with that are compared there."""
    return mix(scheme, space)


@lru_cache(maxsize=1024)
def _begun(place: int) -> int:
    """The state of `mix` that has taken in a place."""
    return mix(place)


def _placed(made: Signatures, places: Sequence[int]) -> list[NDArray[np.int64]]:
    """The keys of each text, hashed with its place, ascending as databases hold them: `mix(place, key)`."""
    import numpy as np

    from ..text.batch.mixing import mix_on
    from ..text.batch.runs import lengths_of, sort_runs

    begun = np.array([_begun(place) for place in places], np.uint64)
    keys = mix_on(begun.repeat(lengths_of(made.offsets)), made.keys).view(np.int64)
    sort_runs(keys, made.offsets)
    return [keys[start:end] for start, end in pairwise(made.offsets.tolist())]


def _sure(
    algorithm: Algorithm, made: Signatures, batch: Batch, place: int, read: Read, secret: bytes
) -> set[int]:
    """Keys of which one shared is enough: each identity's, and the exact copies' where the algorithm has none."""
    copy = mix(int.from_bytes(batch.exact(place)[:8], "big"), seed=EXACT)
    sure = {hash_word(f"identity\0{value}", secret) for value in _source(read).identity if value}
    brings_copies = algorithm.min_shared == 1 and algorithm.limit is None
    if not (brings_copies and copy in made.keys_of(place).tolist()):
        sure.add(copy)
    return sure


def _joined(keys: NDArray[np.int64], sure: Collection[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    import numpy as np

    few = sorted(storage.signed(key) for key in sure)
    every = np.array(sorted({*keys.tolist(), *few}), np.int64) if few else keys
    return every, np.array(few, np.int64)


def _contacts(
    one: Signed, source: Source, batch: Batch, language: str, phrases: PhraseList
) -> dict[int, str]:
    synonyms = bool(one.scheme.parameters.get("synonyms"))
    named = may_name(batch.plain(one.place), language, synonyms)
    names = batch.document(one.place).names if named else ()
    told = phrases.found_in(lambda: batch.document(one.place))
    found = contacts_of(source.contacts, batch.contacts(one.place), told, names, language)
    secret = bytes.fromhex(one.scheme.secret)
    return {contact_hash(kind, value, secret): kind for kind, value in found[:MOST_CONTACTS]}
