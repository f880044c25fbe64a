"""Align texts with those of their candidates, and judge the pairs. Nothing is locked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ..algorithms.base import Algorithm, Judgement
from ..algorithms.site_judgement import judge_on_site
from .compared_texts import (
    Candidates,
    JudgeableText,
    JudgedPair,
    PairSide,
    SignedText,
    StoredFingerprint,
)
from .posts import ComparedPosts

AlgorithmLookup = Callable[[tuple[str, ...] | None], Algorithm]
"""Returns the algorithm for classes of differences that are ignored. None means those of the scheme."""

MAX_WORDS_READ = 200_000
"""Words of the candidates that are read together. Their tokens take some 50 MB."""
MIN_SHARED_WORDS = 0.85
"""Least share of equal words by which two texts are called related if they are too long to be aligned.

Long texts about different things share two thirds of their words.
"""

EXACT_COPY = Judgement("duplicate", 1.0, 1.0, 1.0, exact=True)


def verify_many(
    signed: Sequence[SignedText], candidates: Mapping[int, Candidates], posts: ComparedPosts
) -> dict[int, list[JudgedPair]]:
    """Return the judged pairs of texts and their candidates by document id.

    Texts are read once for many. A pair of two texts of ``signed`` is judged once. If the algorithm judges by
    payloads, no text is read. Candidates that exceed ``posts.work`` are left for later, or judged by their
    fingerprints.
    """
    near = {text.document_id: candidates[text.document_id].fingerprints for text in signed}
    judged = {
        text.document_id: judge_by_payload(text, near[text.document_id])
        for text in signed
        if posts.is_judged_by_payload(text, near[text.document_id])
    }
    signed = [text for text in signed if text.document_id not in judged]
    to_align = {text.document_id: _to_align(text, near[text.document_id]) for text in signed}
    pairs: dict[tuple[int, int], JudgedPair] = {}
    for portion in _split_by_words(signed, to_align, posts):
        selected = _select_many(portion, signed, to_align, posts)
        texts = _texts_to_align(signed, selected, posts)
        pair_keys = (
            pair_key
            for text in portion
            for other in selected[text.document_id]
            if (pair_key := _pair_key(text.document_id, other.document_id)) not in pairs
        )
        pairs |= judge_pairs(pair_keys, texts, posts.algorithm)
    return judged | {
        text.document_id: _exact_copies(text, near[text.document_id], to_align[text.document_id])
        + [
            pairs[pair_key]
            for other in to_align[text.document_id]
            if (pair_key := _pair_key(text.document_id, other.document_id)) in pairs
        ]
        + judge_by_fingerprint(text, _screened(text, to_align[text.document_id], posts))
        for text in signed
    }


def _screened(
    text: SignedText, candidates: Sequence[StoredFingerprint], posts: ComparedPosts
) -> list[StoredFingerprint]:
    """Return those of the candidates that are compared by their fingerprints only."""
    screened = {fingerprint.document_id for fingerprint in posts.work.screened.get(text.document_id, ())}
    return [candidate for candidate in candidates if candidate.document_id in screened]


def _split_by_words(
    signed: Sequence[SignedText], to_align: Mapping[int, Sequence[StoredFingerprint]], posts: ComparedPosts
) -> Iterator[list[SignedText]]:
    """Yield the texts in their order, in portions with few enough words to be read together.

    The candidates of one text stay together: the limit of work bounds them.
    """
    portion: list[SignedText] = []
    words_by_candidate: dict[int, int] = {}
    for text in signed:
        preselected = posts.work.preselect(text, to_align[text.document_id])
        candidates = {candidate.document_id: candidate.word_count for candidate in preselected}
        if portion and sum((words_by_candidate | candidates).values()) > MAX_WORDS_READ:
            yield portion
            portion, words_by_candidate = [], {}
        portion.append(text)
        words_by_candidate |= candidates
    if portion:
        yield portion


def _select_many(
    portion: Sequence[SignedText],
    signed: Sequence[SignedText],
    to_align: Mapping[int, Sequence[StoredFingerprint]],
    posts: ComparedPosts,
) -> dict[int, list[StoredFingerprint]]:
    """Return the candidates to align by document id of the text, within the limit of work."""
    preselected = {
        candidate.document_id: candidate
        for text in portion
        for candidate in posts.work.preselect(text, to_align[text.document_id])
    }
    letters = {text.document_id: len(text.text.raw) for text in signed if text.text is not None}
    letters |= posts.letters(
        [candidate for document, candidate in preselected.items() if document not in letters]
    )
    return {
        text.document_id: posts.work.select(text, to_align[text.document_id], letters) for text in portion
    }


def judge_by_payload(signed: SignedText, fingerprints: Sequence[StoredFingerprint]) -> list[JudgedPair]:
    """Return the judgements of a signed document and others, by their stored payloads."""
    if not fingerprints:
        return []
    different = [one for one in fingerprints if one.exact_digest != signed.exact_digest]
    own_side, algorithm = PairSide.of(signed), signed.algorithm
    scores = algorithm.measure_pairs([signed.payload] * len(different), [one.payload for one in different])
    return _exact_copies(signed, fingerprints, different) + [
        JudgedPair.in_order(own_side, PairSide.of(one), algorithm.judge_by_score(score))
        for one, score in zip(different, scores.tolist(), strict=True)
    ]


def judge_by_fingerprint(signed: SignedText, fingerprints: Sequence[StoredFingerprint]) -> list[JudgedPair]:
    """Return the judgements of a text and of candidates that are not aligned with it.

    They are related if nearly all words are equal. What they differ in is not known, so they may be one item.
    Other candidates are left out.
    """
    if not fingerprints:
        return []
    own_side, payloads = PairSide.of(signed), [fingerprint.payload for fingerprint in fingerprints]
    scores = signed.algorithm.screen_many(signed.payload, payloads).tolist()
    return [
        JudgedPair.in_order(
            own_side, PairSide.of(fingerprint), Judgement("related", score, score, score, doubtful=True)
        )
        for fingerprint, score in zip(fingerprints, scores, strict=True)
        if score >= MIN_SHARED_WORDS
    ]


def judge_pairs(
    pair_keys: Iterable[tuple[int, int]],
    texts: Mapping[int, JudgeableText],
    algorithm_ignoring: AlgorithmLookup,
) -> dict[tuple[int, int], JudgedPair]:
    """Return the judged pairs by their keys, the lower document id first. Each pair is judged once.

    Pairs without one of the texts are left out.
    """
    return {
        (a, b): judge_pair(texts[a], texts[b], algorithm_ignoring)
        for a, b in dict.fromkeys(pair_keys)
        if a in texts and b in texts
    }


def judge_pair(a: JudgeableText, b: JudgeableText, algorithm_ignoring: AlgorithmLookup) -> JudgedPair:
    """Return the judgement of two texts, with the lower document id first.

    Equal or unequal identity overrides the algorithm.
    """
    # What either adapter ignores is ignored in the pair.
    ignored = None
    if a.ignored_classes is not None or b.ignored_classes is not None:
        ignored = tuple(sorted({*(a.ignored_classes or ()), *(b.ignored_classes or ())}))
    author = a.author if a.author == b.author else ""
    judgement = judge_on_site(algorithm_ignoring(ignored), a.text, b.text, author)
    return JudgedPair(a.side, b.side, apply_identity(judgement, a.identity, b.identity))


def apply_identity(judgement: Judgement, identity_a: Sequence[str], identity_b: Sequence[str]) -> Judgement:
    """Return the judgement after equal or unequal identity is taken into account.

    Unequal identity makes a similar pair a variant. Equal identity makes any pair a duplicate. Both are sure.
    """
    # Only fields with a value on both sides are compared.
    value_pairs = [
        (value_a, value_b) for value_a, value_b in zip(identity_a, identity_b) if value_a and value_b
    ]
    if any(value_a != value_b for value_a, value_b in value_pairs):
        # What many posts share makes no two of them similar.
        if not judgement.is_similar or judgement.shares_only_boilerplate:
            return judgement
        classes = tuple(sorted({*judgement.classes, "identity"}))
        return replace(judgement, verdict="variant", classes=classes, doubtful=False)
    if value_pairs:
        return replace(judgement, verdict="duplicate", doubtful=False)
    return judgement


def _to_align(signed: SignedText, fingerprints: Sequence[StoredFingerprint]) -> list[StoredFingerprint]:
    """Return the fingerprints to align: all except exact copies."""
    # Equal texts need no alignment, unless an identity can make them variants.
    if any(signed.identity):
        return list(fingerprints)
    return [fingerprint for fingerprint in fingerprints if fingerprint.exact_digest != signed.exact_digest]


def _exact_copies(
    signed: SignedText, fingerprints: Sequence[StoredFingerprint], to_read: Sequence[StoredFingerprint]
) -> list[JudgedPair]:
    read_ids, own_side = {fingerprint.document_id for fingerprint in to_read}, PairSide.of(signed)
    return [
        JudgedPair.in_order(own_side, PairSide.of(fingerprint), EXACT_COPY)
        for fingerprint in fingerprints
        if fingerprint.document_id not in read_ids
    ]


def _texts_to_align(
    signed: Sequence[SignedText], selected: Mapping[int, Sequence[StoredFingerprint]], posts: ComparedPosts
) -> dict[int, JudgeableText]:
    """Return all texts to align: those of ``signed`` from memory, others after reading them."""
    others = {
        fingerprint.document_id: fingerprint
        for fingerprints in selected.values()
        for fingerprint in fingerprints
    }
    aligned = [text for text in signed if selected.get(text.document_id) or text.document_id in others]
    own_texts = {
        text.document_id: judgeable
        for text in aligned
        if (judgeable := judgeable_text(text, others.get(text.document_id))) is not None
    }
    dropped = [
        text.document_id
        for text in aligned
        if text.document_id not in own_texts
        and text.document_id not in others
        and selected.get(text.document_id)
    ]
    if dropped:
        others |= posts.fingerprints_of(dropped)
    unread = [fingerprint for document, fingerprint in others.items() if document not in own_texts]
    return own_texts | posts.texts(unread)


def judgeable_text(signed: SignedText, fingerprint: StoredFingerprint | None = None) -> JudgeableText | None:
    """Return the signed text. Return None if it was dropped, or is not that of the stored fingerprint."""
    if fingerprint is not None and fingerprint.source_digest != signed.source_digest:
        return None
    if signed.text is None:
        return None
    return JudgeableText(
        PairSide.of(signed), signed.identity, signed.text, signed.ignored_classes, signed.author
    )


def _pair_key(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a < b else (b, a)
