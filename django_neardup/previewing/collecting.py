"""A sample of posts signed, compared and grouped in memory, by what the worker goes by: the same keys, screen,
alignment, guard and verified leaders."""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import DatabaseError
from django.db.models import Model

from ..comparing import scheme_of
from ..conf import Profile
from ..evaluation.collecting import Collection, Entry
from ..finding.matches import safe_url
from ..models import Document, Scheme
from ..pipeline.ranking import in_order
from ..pipeline.records import Read, Signed
from ..pipeline.signing import sign_texts
from ..pipeline.verify import COPIES, by_identity
from ..signatures.base import Judgement
from ..signatures.statistics import StatisticsMissing
from .asking import Choice, PreviewError
from .relations import Relations

logger = logging.getLogger(__name__)

BATCH = 250
"""Posts that are signed together."""

KEPT = 1000
"""Posts after whose comparison the texts that were read word by word are let go."""

Tell = Callable[[str, int], None]
"""Told of a phase that so many more posts are through."""
READING, COMPARING = "reading", "comparing"


@dataclass(frozen=True, slots=True)
class Post:
    """What is shown of a post."""

    key: Any
    title: str
    url: str


@dataclass
class Preview:
    """What was found among the posts of a choice.

    ``total``: how many could be chosen from; ``read``: how many were; ``short``: too short to be compared;
    ``unreadable``: their text could not be read. ``groups``: numbers of posts, the representative first, the largest
    group first. ``pairs``: of other verdicts, by verdict, those inside a group left out."""

    choice: Choice
    scheme: Scheme
    total: int = 0
    read: int = 0
    short: int = 0
    unreadable: int = 0
    seconds: float = 0.0
    posts: dict[int, Post] = field(default_factory=dict)
    signed: dict[int, Signed] = field(default_factory=dict)
    groups: list[list[int]] = field(default_factory=list)
    pairs: dict[str, list[tuple[int, int]]] = field(default_factory=dict)

    @property
    def grouped(self) -> int:
        """Posts that are in a group."""
        return sum(map(len, self.groups))

    def judgement(self, a: int, b: int) -> Judgement:
        """What is said of two of the posts."""
        return _judged(self.signed[a], self.signed[b])


def preview(choice: Choice, tell: Tell = lambda phase, posts: None) -> Preview:
    """Look for groups among those posts. ``PreviewError`` where there are none, or the settings cannot sign."""
    began = time.monotonic()
    found = Preview(choice, _scheme(choice))
    found.total = choice.rows().count()
    _read(found, tell)
    if not found.read:
        raise PreviewError(f"There are no posts of {choice.adapter.model._meta.label} to look at.")
    relations = _related(found, tell)
    found.groups, found.pairs = relations.groups(), relations.others()
    found.seconds = time.monotonic() - began
    return found


def _scheme(choice: Choice) -> Scheme:
    """The scheme that signs, which need not be stored."""
    try:
        scheme, _ = scheme_of(choice.adapter.settings, choice.using)
    except DatabaseError as error:
        algorithm = choice.adapter.settings.algorithm
        raise PreviewError(
            f"The algorithm {algorithm!r} needs statistics of the posts, which are gathered once the app's tables are "
            "there: preview with the default one."
        ) from error
    scheme.pk = scheme.pk or 1
    return scheme


def _read(found: Preview, tell: Tell) -> None:
    """Read and sign the posts, the oldest first."""
    keys = found.choice.chosen()
    scopes: dict[tuple[str, ...], int] = defaultdict(lambda: len(scopes) + 1)
    for start in range(0, len(keys), BATCH):
        batch = keys[start : start + BATCH]
        reads = list(_sources(found, found.choice.read(batch)))
        try:
            signed = sign_texts(reads, found.scheme, lambda _, source: (scopes[source.scope], ""))
        except StatisticsMissing as missing:
            raise PreviewError(f"{found.scheme.algorithm} cannot sign: {missing}.") from missing
        found.signed |= {one.document: one for one in signed}
        found.short += len(reads) - len(signed)
        tell(READING, len(batch))
    found.signed = dict(sorted(found.signed.items()))
    for number in found.posts.keys() - found.signed.keys():
        del found.posts[number]


def _sources(found: Preview, batch: Sequence[Model]) -> Iterator[Read]:
    adapter = found.choice.adapter
    for instance in batch:
        found.read += 1
        try:
            source = adapter.source(instance, compared=True, live=True)
            post = Post(instance.pk, _said(str, instance), safe_url(_said(adapter.url, instance)))
        except Exception as error:
            logger.warning(
                "%s %s cannot be read: %s", adapter.model._meta.label, instance.pk, type(error).__name__
            )
            found.unreadable += 1
            continue
        found.posts[found.read] = post
        yield Read(Document(pk=found.read, wanted=1), adapter, source)


def _said(method: Callable[[Any], str], instance: Model) -> str:
    """What a method of the site's says of a post; nothing where it fails: the page can do without."""
    try:
        return method(instance)
    except Exception as error:
        logger.info("%s %s: %s", instance._meta.label, instance.pk, type(error).__name__)
        return ""


def _related(found: Preview, tell: Tell) -> Relations:
    """Every post is compared with those before it that share keys with it, and with their representatives."""
    relations = Relations()
    near = Near(found.choice.adapter.settings)
    for count, (number, one) in enumerate(found.signed.items(), 1):
        for other in near.of(number, one, relations.representative):
            relations.add(other, number, found.judgement(other, number))
        relations.place(number)
        tell(COMPARING, 1)
        if not count % KEPT:
            _forget_documents(found)
    return relations


def _forget_documents(found: Preview) -> None:
    """Of thousands of posts few are compared again; what is made of a text is ten times as large as the text."""
    for batch in {id(one.batch): one.batch for one in found.signed.values()}.values():
        if batch is not None:
            batch.forget()


class Near:
    """Whom each post is to be compared with, as they come: those that have come before it."""

    def __init__(self, settings: Profile) -> None:
        self._bucket, self._most = settings.bucket, settings.max_aligned
        self._collection: Collection | None = None
        self._named: defaultdict[str, list[int]] = defaultdict(list)
        self._entries: dict[int, Entry] = {}
        self._signed: dict[int, Signed] = {}

    def of(self, number: int, one: Signed, representative: Callable[[int], int | None]) -> list[int]:
        """Exact copies and namesakes of a post, then few others: as the worker orders them."""
        collection = self._collection = self._collection or Collection(one.algorithm, self._bucket)
        entry, shared = collection.enter(str(number), one.keys.tolist(), one.payload, one.words)
        near = {int(other.id) for other, _ in shared} | self._namesakes(number, one)
        leaders = {leader for other in near if (leader := representative(other))} - near
        sure = {other for other in near | leaders if self._is_sure(other, one)}
        shared += [self._outside(leader, one) for leader in leaders - sure]
        passed = [int(other.id) for other, passes in collection.screened(entry, shared) if passes]
        copies = [other for other in sorted(sure) if self._signed[other].exact_digest == one.exact_digest]
        order = in_order(
            {other: representative(other) for other in passed if other not in sure},
            map(representative, copies),
            self._most,
        )
        self._entries[number], self._signed[number] = entry, one
        return [*sorted(sure), *order[: self._most]]

    def _is_sure(self, other: int, one: Signed) -> bool:
        """Whether an earlier post is an exact copy or has an equal identity."""
        earlier = self._signed[other]
        if earlier.exact_digest == one.exact_digest:
            return True
        return not set(filter(None, one.identity)).isdisjoint(earlier.identity)

    def _outside(self, leader: int, one: Signed) -> tuple[Entry, int]:
        """A representative that stands outside the cap of a bucket, with how many keys it shares."""
        keys = set(self._signed[leader].keys.tolist())
        return self._entries[leader], len(keys.intersection(one.keys.tolist()))

    def _namesakes(self, number: int, one: Signed) -> set[int]:
        """Earlier posts of an equal identity."""
        values = [f"{one.space} {value}" for value in one.identity if value]
        found = {other for value in values for other in self._named[value][-self._bucket :]}
        for value in values:
            self._named[value].append(number)
        return found


def _judged(a: Signed, b: Signed) -> Judgement:
    algorithm = a.algorithm
    if (algorithm.needs_text or algorithm.guard) and a.text is not None and b.text is not None:
        judgement = algorithm.judge(a.text, b.text)
    elif a.exact_digest == b.exact_digest:
        judgement = COPIES
    else:
        judgement = algorithm.by_score(algorithm.measure(a.payload, b.payload))
    return by_identity(judgement, a.identity, b.identity)
