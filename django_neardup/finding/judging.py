"""The likeliest are read as they are now and compared: what is said of each."""

from __future__ import annotations

import logging
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Model

from ..adapters import Adapter, Source, adapter_for
from ..pipeline.canonised import canonised
from ..pipeline.records import Side, Signed
from ..pipeline.verify import COPIES, Readable, by_identity, judge
from ..signatures.base import VERDICTS, Judgement
from ..visible import Key, Visible
from .near import Near

logger = logging.getLogger(__name__)

ALIGNED = 10
"""Texts that one text is aligned with at most."""

NOWHERE = Side(0, "", "")
"""The side of a text that is no document."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A post that was compared with a text: the judgement's first side is the text's. ``source``: as it was read."""

    instance: Model
    source: Source
    judgement: Judgement
    place: tuple[int, int]

    @property
    def order(self) -> tuple[int, bool, float, tuple[int, int]]:
        """The best first: verdict, exact copies, score, then static order."""
        said = self.judgement
        return VERDICTS.index(said.verdict), not said.exact, -said.score, self.place


def judge_many(
    signed: Sequence[Signed], near: Mapping[int, Sequence[Near]], visible: Visible, limit: int, using: str
) -> dict[int, list[Judged]]:
    """By text, those of its look-alikes that it was compared with, the best first; offered or not.

    Exact copies, at most ``limit``, need no comparison; where they leave room, at most ten others are aligned, the
    likeliest. Objects of all texts are read together, as the querysets of ``visible`` give them. Where a copy has
    changed since it was signed it is looked at like others, and again with what there is beside it."""
    chosen = {one.document: _chosen(one, near[one.document], limit) for one in signed}
    keys = dict.fromkeys(each.place.key for some in chosen.values() for each in some)
    objects = visible.fetch(keys, using) if keys else {}
    read = {key: (instance, source) for key, instance in objects.items() if (source := _source(instance))}
    changed = {each.place.key for some in chosen.values() for each in some if _has_changed(each, read)}
    if changed:
        left = {document: list(_without(some, changed, read)) for document, some in near.items()}
        return judge_many(signed, left, visible, limit + ALIGNED, using)
    return {
        one.document: sorted(_judged(one, chosen[one.document], read), key=lambda each: each.order)
        for one in signed
    }


def _chosen(one: Signed, near: Sequence[Near], limit: int) -> list[Near]:
    """Whom to read: exact copies are the best that can be found, unless an identity says that they are others."""
    copies = [each for each in near if each.copy][:limit]
    if len(copies) == limit and not any(one.identity):
        return copies
    return copies + [each for each in near if not each.copy][:ALIGNED]


def _judged(one: Signed, near: Sequence[Near], read: Mapping[Key, tuple[Any, Source]]) -> Iterator[Judged]:
    aligned = 0
    for each in near:
        if each.place.key not in read:
            continue
        instance, source = read[each.place.key]
        if each.copy and _is_as_signed(each, source):
            judgement = by_identity(COPIES, one.identity, source.identity)
        elif aligned < ALIGNED:
            aligned += 1
            judgement = judgement_of(one, adapter_for(instance), source, each.payload)
        else:
            continue
        yield Judged(instance, source, judgement, each.place.order)


def judgement_of(one: Signed, adapter: Adapter, source: Source, payload: bytes) -> Judgement:
    """What is said of a text and another, its first side the former. ``source``: the other as it was read, by that
    adapter; ``payload``: of it, which is enough for an algorithm that looks at no text."""
    if one.algorithm.needs_text or one.algorithm.guard:
        assert one.text is not None
        mine = Readable(NOWHERE, one.identity, one.text, one.excused)
        excused = None if adapter.excused is None else tuple(adapter.excused)
        text = canonised(adapter, source, source.digest, one.scheme)
        return judge(mine, Readable(NOWHERE, source.identity, text, excused), one.scheme).judgement
    own = one.algorithm.by_score(one.algorithm.measure(one.payload, payload))
    return by_identity(own, one.identity, source.identity)


def _has_changed(near: Near, read: Mapping[Key, tuple[Any, Source]]) -> bool:
    """Whether a copy is none any more, as it was read; or could not be read."""
    key = near.place.key
    return near.copy and not (key in read and _is_as_signed(near, read[key][1]))


def _without(near: Sequence[Near], changed: Collection[Key], read: Container[Key]) -> Iterator[Near]:
    """The same; of those copies that have changed, what is there as one of the others."""
    for each in near:
        if each.place.key not in changed:
            yield each
        elif each.place.key in read:
            yield replace(each, copy=False)


def _is_as_signed(near: Near, source: Source) -> bool:
    """Whether the post is as it was when it was signed, whether it was live then or not."""
    return near.digest in (source.digest, replace(source, live=False).digest)


def _source(instance: Model) -> Source | None:
    """All that is read of an object; None, and a line in the log, where it cannot be read."""
    try:
        return adapter_for(instance).source(instance, compared=True, live=True)
    except Exception as error:
        logger.warning("%s %s cannot be read: %s", instance._meta.label, instance.pk, type(error).__name__)
        return None
