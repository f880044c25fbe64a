"""The check of a sample in memory: sign, compare and group posts.

It uses the keys, screening, alignment, guard and verified leaders of the worker.
"""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.db import DatabaseError
from django.db.models import Model

from ..algorithms.base import Judgement
from ..algorithms.statistics import StatisticsMissing
from ..comparison.candidates import candidates_many
from ..comparison.memory_posts import MemoryPosts
from ..comparison.verify import judge_pair, judgeable_text, verify_many
from ..models import Document, Scheme
from ..pipeline.schemes import algorithm_of
from ..pipeline.sign import sign_texts
from ..pipeline.stage_types import ReadDocument, SignedDocument
from ..search.object_comparison import load_scheme
from ..search.results import safe_url
from ..text.canonical_text import CanonicalText
from .head_proposal import HeadProposal, has_title_line, propose_heads
from .sample_groups import PreviewGraph
from .selection import PostSelection, PreviewError

logger = logging.getLogger(__name__)

BATCH_SIZE = 250
"""Posts that are signed together."""

FORGET_TEXTS_AFTER = 1000
"""Number of compared posts after which the texts that were read word by word are released."""

ReportProgress = Callable[[str, int], None]
"""Called with a phase and the number of posts finished since the last call."""
READING, COMPARING = "reading", "comparing"


@dataclass(frozen=True, slots=True)
class PreviewPost:
    """The displayed facts of a post."""

    key: Any
    title: str
    url: str


@dataclass
class PreviewResult:
    """The groups and pairs among the posts of a selection.

    - ``total_count``: posts of the table that match the selection.
    - ``read_count``: posts that were read.
    - ``short_count``: posts that are too short to compare.
    - ``unreadable_count``: posts with a text that could not be read.
    - ``titled_count``: posts with a first line that looks like a title.
    - ``head_proposal``: what to write if the first lines look like titles. None if they do not.
    - ``groups``: numbers of posts, the leader first; the largest group first.
    - ``ungrouped_pairs``: pairs by verdict, without pairs inside a group.
    """

    selection: PostSelection
    scheme: Scheme
    total_count: int = 0
    read_count: int = 0
    short_count: int = 0
    unreadable_count: int = 0
    titled_count: int = 0
    head_proposal: HeadProposal | None = None
    seconds: float = 0.0
    posts: dict[int, PreviewPost] = field(default_factory=dict)
    signed_posts: dict[int, SignedDocument] = field(default_factory=dict)
    groups: list[list[int]] = field(default_factory=list)
    ungrouped_pairs: dict[str, list[tuple[int, int]]] = field(default_factory=dict)

    @property
    def grouped_count(self) -> int:
        """Return the number of posts in groups."""
        return sum(map(len, self.groups))

    def judge(self, a: int, b: int) -> Judgement:
        """Judge two of the posts."""
        text_a, text_b = judgeable_text(self.signed_posts[a]), judgeable_text(self.signed_posts[b])
        assert text_a is not None and text_b is not None
        return judge_pair(text_a, text_b, partial(algorithm_of, self.scheme)).judgement


def build_preview(
    selection: PostSelection, report_progress: ReportProgress = lambda phase, posts: None
) -> PreviewResult:
    """Find groups among the selected posts.

    Raise PreviewError if there are no posts, or if the settings cannot sign them.
    """
    start = time.monotonic()
    result = PreviewResult(selection, _load_scheme(selection))
    result.total_count = selection.queryset().count()
    _read_posts(result, report_progress)
    if not result.read_count:
        raise PreviewError(f"There are no posts of {selection.adapter.model._meta.label}.")
    graph = _compare_posts(result, report_progress)
    result.groups, result.ungrouped_pairs = graph.groups(), graph.ungrouped_pairs()
    result.head_proposal = propose_heads(result)
    result.seconds = time.monotonic() - start
    return result


def _load_scheme(selection: PostSelection) -> Scheme:
    """Return the scheme that signs. It need not be stored."""
    try:
        scheme, _ = load_scheme(selection.adapter.settings, selection.using)
    except DatabaseError as error:
        algorithm = selection.adapter.settings.algorithm
        raise PreviewError(
            f"The algorithm {algorithm!r} needs statistics of the posts. A preview has none: use the default "
            "algorithm."
        ) from error
    scheme.pk = scheme.pk or 1
    return scheme


def _read_posts(result: PreviewResult, report_progress: ReportProgress) -> None:
    """Read and sign the posts, the oldest first."""
    keys = result.selection.select_keys()
    scopes: dict[tuple[str, ...], int] = defaultdict(lambda: len(scopes) + 1)
    for start in range(0, len(keys), BATCH_SIZE):
        batch = keys[start : start + BATCH_SIZE]
        reads = list(_read_batch(result, result.selection.load_posts(batch)))
        try:
            signed_batch = sign_texts(reads, result.scheme, lambda _, source: (scopes[source.scope], ""))
        except StatisticsMissing as missing:
            raise PreviewError(f"{result.scheme.algorithm} cannot sign: {missing}.") from missing
        result.signed_posts |= {post.document_id: post for post in signed_batch}
        result.short_count += len(reads) - len(signed_batch)
        report_progress(READING, len(batch))
    result.signed_posts = dict(sorted(result.signed_posts.items()))
    for number in result.posts.keys() - result.signed_posts.keys():
        del result.posts[number]


def _read_batch(result: PreviewResult, batch: Sequence[Model]) -> Iterator[ReadDocument]:
    adapter = result.selection.adapter
    for instance in batch:
        result.read_count += 1
        try:
            source = adapter.source(instance, compared=True, live=True)
            post = PreviewPost(
                instance.pk, _call_or_empty(str, instance), safe_url(_call_or_empty(adapter.url, instance))
            )
        # Code of the site reads the post. One broken post must not end the preview.
        except Exception as error:
            logger.warning(
                "%s %s cannot be read: %s", adapter.model._meta.label, instance.pk, type(error).__name__
            )
            result.unreadable_count += 1
            continue
        result.titled_count += has_title_line(source.text)
        result.posts[result.read_count] = post
        yield ReadDocument(Document(pk=result.read_count, wanted=1), adapter, source)


def _call_or_empty(method: Callable[[Any], str], instance: Model) -> str:
    """Call a method of the site. Return an empty string if it fails: the page works without it."""
    try:
        return method(instance)
    except Exception as error:
        logger.info("%s %s: %s", instance._meta.label, instance.pk, type(error).__name__)
        return ""


def _compare_posts(result: PreviewResult, report_progress: ReportProgress) -> PreviewGraph:
    """Compare every post with older posts that share keys with it, and with their leaders."""
    graph, settings = PreviewGraph(), result.selection.adapter.settings
    posts = MemoryPosts(
        settings.bucket,
        settings.max_aligned,
        partial(algorithm_of, result.scheme),
        lambda number: _text_of(result.signed_posts[number]),
        graph.cluster_leader,
    )
    for count, (number, post) in enumerate(result.signed_posts.items(), 1):
        for pair in verify_many([post], candidates_many([post], posts), posts)[number]:
            graph.add(pair.a.document_id, number, pair.judgement)
        posts.add(post)
        graph.assign_leader(number)
        report_progress(COMPARING, 1)
        if not count % FORGET_TEXTS_AFTER:
            _forget_texts(result)
    return graph


def _text_of(post: SignedDocument) -> CanonicalText:
    assert post.text is not None
    return post.text


def _forget_texts(result: PreviewResult) -> None:
    """Release the texts that were read word by word."""
    # Few of thousands of posts are compared again, and a read text takes ten times the memory of the text.
    for batch in {id(post.batch): post.batch for post in result.signed_posts.values()}.values():
        if batch is not None:
            batch.forget()
