"""The comparison of a text with its best candidates. The candidates are read again first."""

from __future__ import annotations

import logging
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Model

from ..adapters import Adapter, Source, adapter_for
from ..algorithms.base import VERDICTS, Judgement
from ..pipeline.stage_types import PairSide, SignedDocument
from ..pipeline.text_cache import cached_canonical_text
from ..pipeline.verify import EXACT_COPY, JudgeableText, apply_identity, judge_pair
from ..visibility import ObjectKey, VisibilityFilter
from .candidates import SearchCandidate

logger = logging.getLogger(__name__)

MAX_ALIGNED = 10
"""Maximum number of texts that one text is aligned with."""

NO_DOCUMENT_SIDE = PairSide(0, "", "")
"""The pair side of a text without a document."""


@dataclass(frozen=True, slots=True)
class JudgedPost:
    """A post that was compared with a text.

    The first side of the judgement is the text. ``source`` is the post's source.
    """

    instance: Model
    source: Source
    judgement: Judgement
    static_order: tuple[int, int]

    @property
    def rank(self) -> tuple[int, bool, float, tuple[int, int]]:
        """The sort key: verdict, exact copies, score, then static order. The best is first."""
        judgement = self.judgement
        return VERDICTS.index(judgement.verdict), not judgement.exact, -judgement.score, self.static_order


def judge_candidates(
    signed_texts: Sequence[SignedDocument],
    candidates: Mapping[int, Sequence[SearchCandidate]],
    visibility: VisibilityFilter,
    limit: int,
    using: str,
) -> dict[int, list[JudgedPost]]:
    """Compare each text with its best candidates.

    Return all compared posts by document id of the text, best first. The result also holds posts that turn
    out not to be similar. At most ``limit`` exact copies are taken; they need no alignment. If fewer exist,
    at most ten other candidates are aligned, the most promising first.

    The objects of all texts are read together, through the querysets of ``visibility``.
    """
    selected = {
        signed_text.document_id: _select_candidates(signed_text, candidates[signed_text.document_id], limit)
        for signed_text in signed_texts
    }
    object_keys = dict.fromkeys(
        candidate.location.key for text_candidates in selected.values() for candidate in text_candidates
    )
    objects = visibility.fetch_objects(object_keys, using) if object_keys else {}
    posts = {
        key: (instance, source) for key, instance in objects.items() if (source := _read_source(instance))
    }
    changed_keys = {
        candidate.location.key
        for text_candidates in selected.values()
        for candidate in text_candidates
        if _has_changed(candidate, posts)
    }
    # Copies that changed since they were signed are judged like other candidates. The selection is repeated,
    # so that they do not displace other posts.
    if changed_keys:
        remaining = {
            document_id: list(_demote_changed_copies(text_candidates, changed_keys, posts))
            for document_id, text_candidates in candidates.items()
        }
        return judge_candidates(signed_texts, remaining, visibility, limit + MAX_ALIGNED, using)
    return {
        signed_text.document_id: sorted(
            _judge_selected(signed_text, selected[signed_text.document_id], posts),
            key=lambda post: post.rank,
        )
        for signed_text in signed_texts
    }


def _select_candidates(
    signed_text: SignedDocument, candidates: Sequence[SearchCandidate], limit: int
) -> list[SearchCandidate]:
    """Return the candidates to read."""
    # No match is better than an exact copy, unless its identity values differ from those of the text.
    copies = [candidate for candidate in candidates if candidate.is_copy][:limit]
    if len(copies) == limit and not any(signed_text.identity):
        return copies
    return copies + [candidate for candidate in candidates if not candidate.is_copy][:MAX_ALIGNED]


def _judge_selected(
    signed_text: SignedDocument,
    candidates: Sequence[SearchCandidate],
    posts: Mapping[ObjectKey, tuple[Any, Source]],
) -> Iterator[JudgedPost]:
    """Yield the selected candidates with their judgements. Skip objects that could not be read."""
    aligned_count = 0
    for candidate in candidates:
        if candidate.location.key not in posts:
            continue
        instance, source = posts[candidate.location.key]
        if candidate.is_copy and _is_unchanged(candidate, source):
            judgement = apply_identity(EXACT_COPY, signed_text.identity, source.identity)
        elif aligned_count < MAX_ALIGNED:
            aligned_count += 1
            judgement = judge_text(signed_text, adapter_for(instance), source, candidate.payload)
        else:
            continue
        yield JudgedPost(instance, source, judgement, candidate.location.static_order)


def judge_text(signed_text: SignedDocument, adapter: Adapter, source: Source, payload: bytes) -> Judgement:
    """Return the judgement of a text (first side) and another source.

    ``source``: the other text as ``adapter`` read it. ``payload``: its fingerprint. The payload is enough
    for an algorithm that does not read texts.
    """
    if signed_text.algorithm.needs_text or signed_text.algorithm.guard:
        assert signed_text.text is not None
        own_text = JudgeableText(
            NO_DOCUMENT_SIDE, signed_text.identity, signed_text.text, signed_text.ignored_classes
        )
        ignored_classes = None if adapter.ignored_differences is None else tuple(adapter.ignored_differences)
        text = cached_canonical_text(adapter, source, source.digest, signed_text.scheme)
        return judge_pair(
            own_text,
            JudgeableText(NO_DOCUMENT_SIDE, source.identity, text, ignored_classes),
            signed_text.scheme,
        ).judgement
    judgement = signed_text.algorithm.judge_by_score(
        signed_text.algorithm.measure(signed_text.payload, payload)
    )
    return apply_identity(judgement, signed_text.identity, source.identity)


def _has_changed(candidate: SearchCandidate, posts: Mapping[ObjectKey, tuple[Any, Source]]) -> bool:
    """Return whether the candidate was a copy and is no copy now, or could not be read."""
    key = candidate.location.key
    return candidate.is_copy and not (key in posts and _is_unchanged(candidate, posts[key][1]))


def _demote_changed_copies(
    candidates: Sequence[SearchCandidate], changed_keys: Collection[ObjectKey], posts: Container[ObjectKey]
) -> Iterator[SearchCandidate]:
    """Yield the candidates.

    A changed copy becomes an ordinary candidate if its object exists, otherwise it is dropped.
    """
    for candidate in candidates:
        if candidate.location.key not in changed_keys:
            yield candidate
        elif candidate.location.key in posts:
            yield replace(candidate, is_copy=False)


def _is_unchanged(candidate: SearchCandidate, source: Source) -> bool:
    """Return whether the post has the source that was signed.

    It may have become live or ceased to be live since.
    """
    return candidate.source_digest in (source.digest, replace(source, live=False).digest)


def _read_source(instance: Model) -> Source | None:
    """Return the object's source. Return None and log a warning if it cannot be read."""
    try:
        return adapter_for(instance).source(instance, compared=True, live=True)
    except Exception as error:
        logger.warning("%s %s cannot be read: %s", instance._meta.label, instance.pk, type(error).__name__)
        return None
