"""The likeliest are read as they are now and compared: what is said of each."""

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
"""Texts that one text is aligned with at most."""

NO_DOCUMENT_SIDE = PairSide(0, "", "")
"""The side of a text that is no document."""


@dataclass(frozen=True, slots=True)
class JudgedPost:
    """A post that was compared with a text: the judgement's first side is the text's. ``source``: as it was read."""

    instance: Model
    source: Source
    judgement: Judgement
    static_order: tuple[int, int]

    @property
    def rank(self) -> tuple[int, bool, float, tuple[int, int]]:
        """The best first: verdict, exact copies, score, then static order."""
        said = self.judgement
        return VERDICTS.index(said.verdict), not said.exact, -said.score, self.static_order


def judge_candidates(
    signed_texts: Sequence[SignedDocument],
    candidates: Mapping[int, Sequence[SearchCandidate]],
    visibility: VisibilityFilter,
    limit: int,
    using: str,
) -> dict[int, list[JudgedPost]]:
    """By text, those of its look-alikes that it was compared with, the best first; offered or not.

    Exact copies, at most ``limit``, need no comparison; where they leave room, at most ten others are aligned, the
    likeliest. Objects of all texts are read together, as the querysets of ``visible`` give them. Where a copy has
    changed since it was signed it is looked at like others, and again with what there is beside it."""
    chosen = {
        one.document_id: _select_candidates(one, candidates[one.document_id], limit) for one in signed_texts
    }
    keys = dict.fromkeys(each.location.key for some in chosen.values() for each in some)
    objects = visibility.fetch_objects(keys, using) if keys else {}
    read = {
        key: (instance, source) for key, instance in objects.items() if (source := _read_source(instance))
    }
    changed = {each.location.key for some in chosen.values() for each in some if _has_changed(each, read)}
    if changed:
        left = {
            document: list(_demote_changed_copies(some, changed, read))
            for document, some in candidates.items()
        }
        return judge_candidates(signed_texts, left, visibility, limit + MAX_ALIGNED, using)
    return {
        one.document_id: sorted(
            _judge_selected(one, chosen[one.document_id], read), key=lambda each: each.rank
        )
        for one in signed_texts
    }


def _select_candidates(
    signed_text: SignedDocument, candidates: Sequence[SearchCandidate], limit: int
) -> list[SearchCandidate]:
    """Whom to read: exact copies are the best that can be found, unless an identity says that they are others."""
    copies = [each for each in candidates if each.is_copy][:limit]
    if len(copies) == limit and not any(signed_text.identity):
        return copies
    return copies + [each for each in candidates if not each.is_copy][:MAX_ALIGNED]


def _judge_selected(
    signed_text: SignedDocument,
    candidates: Sequence[SearchCandidate],
    posts: Mapping[ObjectKey, tuple[Any, Source]],
) -> Iterator[JudgedPost]:
    aligned = 0
    for each in candidates:
        if each.location.key not in posts:
            continue
        instance, source = posts[each.location.key]
        if each.is_copy and _is_unchanged(each, source):
            judgement = apply_identity(EXACT_COPY, signed_text.identity, source.identity)
        elif aligned < MAX_ALIGNED:
            aligned += 1
            judgement = judge_text(signed_text, adapter_for(instance), source, each.payload)
        else:
            continue
        yield JudgedPost(instance, source, judgement, each.location.static_order)


def judge_text(signed_text: SignedDocument, adapter: Adapter, source: Source, payload: bytes) -> Judgement:
    """What is said of a text and another, its first side the former. ``source``: the other as it was read, by that
    adapter; ``payload``: of it, which is enough for an algorithm that looks at no text."""
    if signed_text.algorithm.needs_text or signed_text.algorithm.guard:
        assert signed_text.text is not None
        mine = JudgeableText(
            NO_DOCUMENT_SIDE, signed_text.identity, signed_text.text, signed_text.ignored_classes
        )
        ignored_classes = None if adapter.ignored_differences is None else tuple(adapter.ignored_differences)
        text = cached_canonical_text(adapter, source, source.digest, signed_text.scheme)
        return judge_pair(
            mine, JudgeableText(NO_DOCUMENT_SIDE, source.identity, text, ignored_classes), signed_text.scheme
        ).judgement
    own = signed_text.algorithm.judge_by_score(signed_text.algorithm.measure(signed_text.payload, payload))
    return apply_identity(own, signed_text.identity, source.identity)


def _has_changed(candidate: SearchCandidate, posts: Mapping[ObjectKey, tuple[Any, Source]]) -> bool:
    """Whether a copy is none any more, as it was read; or could not be read."""
    key = candidate.location.key
    return candidate.is_copy and not (key in posts and _is_unchanged(candidate, posts[key][1]))


def _demote_changed_copies(
    candidates: Sequence[SearchCandidate], changed_keys: Collection[ObjectKey], posts: Container[ObjectKey]
) -> Iterator[SearchCandidate]:
    """The same; of those copies that have changed, what is there as one of the others."""
    for each in candidates:
        if each.location.key not in changed_keys:
            yield each
        elif each.location.key in posts:
            yield replace(each, is_copy=False)


def _is_unchanged(candidate: SearchCandidate, source: Source) -> bool:
    """Whether the post is as it was when it was signed, whether it was live then or not."""
    return candidate.source_digest in (source.digest, replace(source, live=False).digest)


def _read_source(instance: Model) -> Source | None:
    """All that is read of an object; None, and a line in the log, where it cannot be read."""
    try:
        return adapter_for(instance).source(instance, compared=True, live=True)
    except Exception as error:
        logger.warning("%s %s cannot be read: %s", instance._meta.label, instance.pk, type(error).__name__)
        return None
