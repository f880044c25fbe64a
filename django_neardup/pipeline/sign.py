"""Canonicalize and sign many sources together: keys, payloads and contacts. Nothing is stored here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING

from ..adapters import Adapter, Source, language_of
from ..algorithms.base import Algorithm
from ..algorithms.default.neardup_keys import EXACT_SEED
from ..index import keys as storage
from ..models import Scheme
from ..text.hashing import hash_word, mix
from ..text.tokens.name_prefilter import can_contain_name
from .key_phrases import PhraseList
from .scheme_cache import cached_space, has_no_key_phrases
from .schemes import algorithm_of
from .source_properties import MAX_CONTACTS, contact_hash, contacts_of, is_too_short
from .stage_types import ReadDocument, SignedDocument, SkippedDocument
from .synonym_files import synonyms_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..algorithms.kernels.signatures import Signatures
    from ..text.batch import Batch

MAX_CODES_LENGTH = 2000
"""Characters that are stored of a text's codes."""

SpaceLookup = Callable[[Adapter, Source], tuple[int, str]]
"""Returns the id and the digest of the space in which a source is compared."""


def sign_many(
    read_documents: Sequence[ReadDocument], scheme: Scheme, using: str
) -> tuple[list[SignedDocument], list[SkippedDocument]]:
    """Sign texts together. Return the signed documents, and the skipped ones with the reason.

    All documents have an adapter of the scheme's profile and a source. Keys are hashed with scheme and space.
    Nothing is written except new spaces. Raise StatisticsMissing if the statistics of the scheme are gone.
    """
    signed: list[SignedDocument] = []
    skipped = [
        SkippedDocument(each, "not compared") for each in read_documents if not _require_source(each).compared
    ]
    phrases = PhraseList(scheme.profile, using, assumed_empty=has_no_key_phrases(scheme.profile, using))
    for language, batch, group, made in _sign_batches(
        read_documents, scheme, partial(cached_space, using=using)
    ):
        enough = {one.batch_index for one in made}
        skipped += [SkippedDocument(each, "too short") for at, each in enumerate(group) if at not in enough]
        for one in made:
            one.contacts = _contact_hashes(
                one, _require_source(group[one.batch_index]), batch, language, phrases
            )
            one.assumed_no_phrases = phrases.assumed_empty
        signed += made
    order = {each.document.pk: at for at, each in enumerate(read_documents)}
    signed.sort(key=lambda one: order[one.document_id])
    return signed, skipped


def sign_texts(
    read_documents: Sequence[ReadDocument], scheme: Scheme, find_space: SpaceLookup
) -> list[SignedDocument]:
    """Return keys and payloads of the texts that are compared, in no order, without contacts.

    Nothing is read or written. ``find_space`` returns the space in which a source is compared.
    """
    return [one for *_, made in _sign_batches(read_documents, scheme, find_space) for one in made]


def _sign_batches(
    read_documents: Sequence[ReadDocument], scheme: Scheme, find_space: SpaceLookup
) -> Iterator[tuple[str, Batch, list[ReadDocument], list[SignedDocument]]]:
    """Yield the documents that are compared, batch by batch, and the signed documents of each batch."""
    for language, batch, group in _read_batches(
        [each for each in read_documents if _require_source(each).compared], scheme
    ):
        long = [_is_long_enough(each, batch, at) for at, each in enumerate(group)]
        yield language, batch, group, _sign_batch(batch, group, long, scheme, find_space) if any(long) else []


def _require_source(read_document: ReadDocument) -> Source:
    assert read_document.source is not None
    return read_document.source


def _require_adapter(read_document: ReadDocument) -> Adapter:
    assert read_document.adapter is not None
    return read_document.adapter


def _read_batches(
    read_documents: Iterable[ReadDocument], scheme: Scheme
) -> Iterator[tuple[str, Batch, list[ReadDocument]]]:
    """The texts canonised side by side: a batch for each language and way with quotes."""
    from ..text.batch import read_batch

    groups: dict[tuple[str, str], list[ReadDocument]] = {}
    for each in read_documents:
        adapter = _require_adapter(each)
        groups.setdefault((language_of(adapter, scheme), adapter.quotes), []).append(each)
    for (language, quotes), group in groups.items():
        batch = read_batch(
            [_require_source(each).text for each in group],
            language=language,
            quotes=quotes,
            secret=bytes.fromhex(scheme.secret),
            synonyms=synonyms_of(scheme, language),
        )
        yield language, batch, group


def _is_long_enough(read_document: ReadDocument, batch: Batch, batch_index: int) -> bool:
    words, content = int(batch.lengths[batch_index]), int(batch.content_words[batch_index])
    return not is_too_short(_require_adapter(read_document), _require_source(read_document), words, content)


def _sign_batch(
    batch: Batch,
    group: Sequence[ReadDocument],
    long_enough: Sequence[bool],
    scheme: Scheme,
    find_space: SpaceLookup,
) -> list[SignedDocument]:
    algorithm, secret = algorithm_of(scheme), bytes.fromhex(scheme.secret)
    made = algorithm.sign_batch(batch)
    spaces = [
        find_space(_require_adapter(each), _require_source(each)) if enough else (0, "")
        for each, enough in zip(group, long_enough, strict=True)
    ]
    own = [_key_seed(scheme.pk, space) for space, _ in spaces]
    found = _seeded_keys(made, own)
    signed = []
    for place, (read, enough) in enumerate(zip(group, long_enough, strict=True)):
        if enough:
            sure = _sure_keys(algorithm, made, batch, place, read, secret)
            keys, sure_keys = _merge_keys(found[place], [mix(own[place], key) for key in sure])
            signed.append(
                _build_signed_document(
                    batch, place, read, scheme, spaces[place], keys, sure_keys, made.payloads[place]
                )
            )
    return signed


def _build_signed_document(
    batch: Batch,
    batch_index: int,
    read_document: ReadDocument,
    scheme: Scheme,
    space: tuple[int, str],
    keys: NDArray[np.int64],
    sure_keys: NDArray[np.int64],
    payload: bytes,
) -> SignedDocument:
    document, source = read_document.document, _require_source(read_document)
    return SignedDocument(
        document_id=document.pk,
        requested_version=document.wanted,
        is_new=document.version == 0,
        adapter=_require_adapter(read_document),
        scheme=scheme,
        space_id=space[0],
        space_digest=space[1],
        source_digest=source.digest,
        exact_digest=batch.exact(batch_index).hex(),
        word_count=int(batch.lengths[batch_index]),
        keys=keys,
        sure_keys=sure_keys,
        payload=payload,
        codes=" ".join(sorted(batch.codes(batch_index)))[:MAX_CODES_LENGTH],
        identity=source.identity,
        author=source.author[:255],
        is_live=source.live,
        is_truncated=bool(batch.truncated[batch_index]),
        batch=batch,
        batch_index=batch_index,
    )


@lru_cache(maxsize=1024)
def _key_seed(scheme: int, space: int) -> int:
    """Return the seed with which the keys of a scheme and a space are hashed."""
    return mix(scheme, space)


@lru_cache(maxsize=1024)
def _hash_state(seed: int) -> int:
    """Return the state of `mix` after its seed."""
    return mix(seed)


def _seeded_keys(signatures: Signatures, seeds: Sequence[int]) -> list[NDArray[np.int64]]:
    """Return the keys of each text as `mix(seed, key)`, ascending as databases compare them."""
    import numpy as np

    from ..algorithms.kernels.hash_mixing import mix_on
    from ..algorithms.kernels.ragged import lengths_of, sort_runs

    begun = np.array([_hash_state(place) for place in seeds], np.uint64)
    keys = mix_on(begun.repeat(lengths_of(signatures.offsets)), signatures.keys).view(np.int64)
    sort_runs(keys, signatures.offsets)
    return [keys[start:end] for start, end in pairwise(signatures.offsets.tolist())]


def _sure_keys(
    algorithm: Algorithm,
    signatures: Signatures,
    batch: Batch,
    batch_index: int,
    read_document: ReadDocument,
    secret: bytes,
) -> set[int]:
    """Return the sure keys of a text. A shared one is enough to make a candidate.

    These are the keys of its identity values. If the algorithm has no key for exact copies, that key is
    added.
    """
    copy = mix(int.from_bytes(batch.exact(batch_index)[:8], "big"), seed=EXACT_SEED)
    sure = {
        hash_word(f"identity\0{value}", secret) for value in _require_source(read_document).identity if value
    }
    brings_copies = algorithm.min_shared == 1 and algorithm.limit is None
    if not (brings_copies and copy in signatures.keys_of(batch_index).tolist()):
        sure.add(copy)
    return sure


def _merge_keys(
    keys: NDArray[np.int64], sure_keys: Collection[int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    import numpy as np

    few = sorted(storage.to_signed(key) for key in sure_keys)
    every = np.array(sorted({*keys.tolist(), *few}), np.int64) if few else keys
    return every, np.array(few, np.int64)


def _contact_hashes(
    signed: SignedDocument, source: Source, batch: Batch, language: str, phrases: PhraseList
) -> dict[int, str]:
    synonyms = bool(signed.scheme.parameters.get("synonyms"))
    named = can_contain_name(batch.plain(signed.batch_index), language, synonyms)
    names = batch.document(signed.batch_index).person_names if named else ()
    told = phrases.find_in(lambda: batch.document(signed.batch_index))
    found = contacts_of(source.contacts, batch.contacts(signed.batch_index), told, names, language)
    secret = bytes.fromhex(signed.scheme.secret)
    return {contact_hash(kind, value, secret): kind for kind, value in found[:MAX_CONTACTS]}
