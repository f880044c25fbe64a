"""Canonicalize and sign many sources together: keys, payloads and contacts. Nothing is stored here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING

from ..adapters import Adapter, Source, language_of
from ..algorithms.base import Algorithm
from ..algorithms.default.neardup_keys import EXACT_SEED
from ..comparison.packed_keys import LIVE_BIT, compared_key, to_signed
from ..models import Scheme
from ..text.hashing import hash_word, mix
from ..text.tokens.name_prefilter import can_contain_name
from .hash_secrets import secret_of
from .key_phrases import PhraseList
from .later_turns import later_candidates
from .scheme_cache import cached_space, has_no_key_phrases
from .schemes import algorithm_of
from .source_properties import (
    MAX_CONTACTS,
    NOT_COMPARED,
    TOO_LONG,
    TOO_SHORT,
    contact_hash,
    contacts_of,
    is_too_short,
)
from .stage_types import ReadDocument, SignedDocument, SkippedDocument
from .synonym_files import synonyms_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..algorithms.kernels.signatures import Signatures
    from ..text.batch import Batch

MAX_CODES_LENGTH = 2000
"""Maximum number of stored characters of a text's codes."""

SpaceLookup = Callable[[Adapter, Source], tuple[int, str]]
"""Returns the id and the digest of the space in which a source is compared."""


class SignedTexts(list[SignedDocument]):
    """Signed texts. ``too_long``: the ids of documents with texts that are too long to be compared."""

    def __init__(self) -> None:
        super().__init__()
        self.too_long: set[int] = set()


def sign_many(
    read_documents: Sequence[ReadDocument], scheme: Scheme, using: str
) -> tuple[list[SignedDocument], list[SkippedDocument]]:
    """Sign texts together. Return the signed documents, and the skipped ones with the reason.

    All documents have an adapter of the scheme's profile and a source. Keys are hashed with scheme and space.
    Nothing is written except new spaces. Raise StatisticsMissing if the statistics of the scheme are gone.
    """
    signed: list[SignedDocument] = []
    skipped = [
        SkippedDocument(read_document, NOT_COMPARED)
        for read_document in read_documents
        if not _require_source(read_document).compared
    ]
    phrases = PhraseList(scheme.profile, using, assumed_empty=has_no_key_phrases(scheme.profile, using))
    for language, batch, group, signed_in_batch in _sign_batches(
        read_documents, scheme, partial(cached_space, using=using)
    ):
        long_enough = {signed_document.batch_index for signed_document in signed_in_batch}
        skipped += [
            SkippedDocument(read_document, TOO_LONG if batch.too_long[batch_index] else TOO_SHORT)
            for batch_index, read_document in enumerate(group)
            if batch_index not in long_enough
        ]
        for signed_document in signed_in_batch:
            signed_document.contacts = _contact_hashes(
                signed_document, _require_source(group[signed_document.batch_index]), batch, language, phrases
            )
            signed_document.assumed_no_phrases = phrases.assumed_empty
        signed += signed_in_batch
    order = {read_document.document.pk: index for index, read_document in enumerate(read_documents)}
    signed.sort(key=lambda signed_document: order[signed_document.document_id])
    return signed, skipped


def sign_texts(
    read_documents: Sequence[ReadDocument], scheme: Scheme, find_space: SpaceLookup
) -> SignedTexts:
    """Return keys and payloads of the texts that are compared, in no order, without contacts.

    Nothing is read or written. ``find_space`` returns the space in which a source is compared.
    """
    signed = SignedTexts()
    for _, batch, group, signed_in_batch in _sign_batches(read_documents, scheme, find_space):
        signed += signed_in_batch
        signed.too_long |= {
            read_document.document.pk
            for batch_index, read_document in enumerate(group)
            if batch.too_long[batch_index]
        }
    return signed


def _sign_batches(
    read_documents: Sequence[ReadDocument], scheme: Scheme, find_space: SpaceLookup
) -> Iterator[tuple[str, Batch, list[ReadDocument], list[SignedDocument]]]:
    """Yield the documents that are compared, batch by batch, and the signed documents of each batch."""
    for language, batch, group in _read_batches(
        [read_document for read_document in read_documents if _require_source(read_document).compared], scheme
    ):
        long_enough = [
            _is_long_enough(read_document, batch, batch_index)
            for batch_index, read_document in enumerate(group)
        ]
        yield (
            language,
            batch,
            group,
            _sign_batch(batch, group, long_enough, scheme, find_space) if any(long_enough) else [],
        )


def _require_source(read_document: ReadDocument) -> Source:
    assert read_document.source is not None
    return read_document.source


def _require_adapter(read_document: ReadDocument) -> Adapter:
    assert read_document.adapter is not None
    return read_document.adapter


def _read_batches(
    read_documents: Iterable[ReadDocument], scheme: Scheme
) -> Iterator[tuple[str, Batch, list[ReadDocument]]]:
    """Yield the texts as batches, one for each language, each handling of quotes and each markup."""
    from ..text.batch import read_batch

    groups: dict[tuple[str, str, str | None], list[ReadDocument]] = {}
    for read_document in read_documents:
        adapter = _require_adapter(read_document)
        reading = language_of(adapter, scheme), adapter.quotes, adapter.markup
        groups.setdefault(reading, []).append(read_document)
    for (language, quotes, markup), group in groups.items():
        sources = [_require_source(read_document) for read_document in group]
        batch = read_batch(
            [source.text for source in sources],
            language=language,
            quotes=quotes,
            markup=markup,
            secret=secret_of(scheme),
            synonyms=synonyms_of(scheme, language),
            heads=[source.head for source in sources],
        )
        yield language, batch, group


def _is_long_enough(read_document: ReadDocument, batch: Batch, batch_index: int) -> bool:
    if batch.too_long[batch_index]:
        return False
    words, content = int(batch.lengths[batch_index]), int(batch.content_words[batch_index])
    return not is_too_short(_require_adapter(read_document), _require_source(read_document), words, content)


def _sign_batch(
    batch: Batch,
    group: Sequence[ReadDocument],
    long_enough: Sequence[bool],
    scheme: Scheme,
    find_space: SpaceLookup,
) -> list[SignedDocument]:
    algorithm, secret = algorithm_of(scheme), secret_of(scheme)
    signatures = algorithm.sign_batch(batch)
    spaces = [
        find_space(_require_adapter(read_document), _require_source(read_document)) if is_long else (0, "")
        for read_document, is_long in zip(group, long_enough, strict=True)
    ]
    seeds = [_key_seed(scheme.pk, space) for space, _ in spaces]
    seeded_keys = _seeded_keys(signatures, seeds)
    signed = []
    for batch_index, (read_document, is_long) in enumerate(zip(group, long_enough, strict=True)):
        if is_long:
            text_sure_keys = _sure_keys(algorithm, signatures, batch, batch_index, read_document, secret)
            keys, sure_keys = _merge_keys(
                seeded_keys[batch_index], [mix(seeds[batch_index], key) for key in text_sure_keys]
            )
            signed.append(
                _build_signed_document(
                    batch,
                    batch_index,
                    read_document,
                    scheme,
                    spaces[batch_index],
                    keys,
                    sure_keys,
                    signatures.payloads[batch_index],
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
        edited_at=source.edited_at,
        later=later_candidates(document, source, scheme.pk),
        has_left_candidates=bool(document.unaligned),
        batch=batch,
        batch_index=batch_index,
    )


@lru_cache(maxsize=1024)
def _key_seed(scheme: int, space: int) -> int:
    """Return the seed with which the keys of a scheme and a space are hashed."""
    # The space is part of the seed, so that keys of different scopes and models never match.
    return mix(scheme, space)


@lru_cache(maxsize=1024)
def _hash_state(seed: int) -> int:
    """Return the state of ``mix`` after its seed."""
    return mix(seed)


def _seeded_keys(signatures: Signatures, seeds: Sequence[int]) -> list[NDArray[np.int64]]:
    """Return the keys of each text as ``mix(seed, key)``, ascending as databases compare them."""
    import numpy as np

    from ..algorithms.kernels.hash_mixing import mix_on
    from ..algorithms.kernels.ragged import lengths_of, sort_runs

    states = np.array([_hash_state(seed) for seed in seeds], np.uint64)
    keys = mix_on(states.repeat(lengths_of(signatures.offsets)), signatures.keys).view(np.int64) & ~LIVE_BIT
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
    exact_copy_key = mix(int.from_bytes(batch.exact(batch_index)[:8], "big"), seed=EXACT_SEED)
    sure_keys = {
        hash_word(f"identity\0{value}", secret) for value in _require_source(read_document).identity if value
    }
    finds_copies = algorithm.min_shared == 1 and algorithm.limit is None
    if not (finds_copies and exact_copy_key in signatures.keys_of(batch_index).tolist()):
        sure_keys.add(exact_copy_key)
    return sure_keys


def _merge_keys(
    keys: NDArray[np.int64], sure_keys: Collection[int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    import numpy as np

    signed_sure_keys = sorted(compared_key(to_signed(key)) for key in sure_keys)
    all_keys = np.array(sorted({*keys.tolist(), *signed_sure_keys}), np.int64) if signed_sure_keys else keys
    return all_keys, np.array(signed_sure_keys, np.int64)


def _contact_hashes(
    signed: SignedDocument, source: Source, batch: Batch, language: str, phrases: PhraseList
) -> dict[int, str]:
    synonyms = bool(signed.scheme.parameters.get("synonyms"))
    may_contain_name = can_contain_name(batch.plain(signed.batch_index), language, synonyms)
    names = batch.document(signed.batch_index).person_names if may_contain_name else ()
    phrases_found = phrases.find_in(lambda: batch.document(signed.batch_index))
    contacts = contacts_of(
        source.contacts, batch.contacts(signed.batch_index), phrases_found, names, language
    )
    secret = secret_of(signed.scheme)
    return {contact_hash(kind, value, secret): kind for kind, value in contacts[:MAX_CONTACTS]}
