"""The search for boilerplate: which passages many authors of a profile, or many posts of one author, share.

It reads the existing key buckets, and a few posts of each bucket as examples. It counts clusters of different authors
and never posts: any number of copies count once, and so do all posts of one author.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from django.utils.translation import gettext

from ..adapters import Adapter, registered_adapters
from ..comparison.bucket_matches import BucketLimit
from ..conf import Profile
from ..db.chunks import chunked
from ..db.sql import filter_in_chunks
from ..index import frequent_keys, read_buckets
from ..judge.boilerplate_snapshot import (
    MIN_WORDS,
    RUN_WORDS,
    hash_runs,
    known_ranges,
    of_author,
)
from ..judge.differences import text_offsets
from ..models import Document, Scheme
from ..reports.segments import quote_span
from ..text.canonical_text import CanonicalText as Text
from .content_objects import content_type_of, is_stored_in
from .schemes import active_or_unsaved_scheme
from .stored_posts import fingerprints_of, read_unchanged_texts

MIN_HOLDERS = 5
"""Clusters of different authors, or clusters of one author, that make a passage boilerplate."""

MIN_AGREEING = 4
"""Number of the ``MIN_HOLDERS`` examples that must have a run of words. One example may be cut or changed there."""

MAX_KEYS, MAX_GROUPS, MAX_RUNS = 200_000, 20_000, 1_500_000
"""The most frequent keys that are looked at, groups of examples that are read, and runs that are kept (12 MB)."""

MIN_OWN_WORDS = 3
"""Words beside what is shared that ``MIN_AGREEING`` examples must have."""

BUCKET_SIZE, LARGE_BUCKET_SIZE = 64, 4096
"""Newest posts of a bucket that are looked at, and those of a bucket whose newest posts are copies of few texts."""

KEYS_PER_READ, CROWDED_KEYS_PER_READ, GROUPS_PER_READ = 500, 10, 40
MAX_CROWDED_KEYS = 5_000
CACHED_HOLDERS, CACHED_TEXTS = 200_000, 1_000
MAX_QUOTE = 300
"""Characters of a passage that are shown."""

ProgressCallback = Callable[[Iterable[Any], int, str], Iterable[Any]]
"""Wraps an iterable, its length and a title, to show the progress."""


class FoundPassage(NamedTuple):
    """A passage that was found, with the beginning of its words.

    ``author``: the key of its author, or empty for one of many authors. ``posts``: how many of the newest posts
    with it were looked at.
    """

    text: str
    words: int
    author: str
    posts: int


class Examples(NamedTuple):
    """Documents of ``MIN_HOLDERS`` clusters that share a key. ``author``: their author, or empty for different ones."""

    author: str
    documents: tuple[int, ...]


class _Holder(NamedTuple):
    """A document in a bucket.

    ``author`` is empty if the author is not known. ``writer`` counts as one author: all posts without an
    author of a model with authors have the same one. ``cluster`` is a unique number for a document without a
    cluster.
    """

    document: int
    author: str
    writer: str
    cluster: int


def find_boilerplate(
    profile: Profile, using: str, progress: ProgressCallback = lambda items, total, title: items
) -> tuple[set[int], list[FoundPassage]]:
    """Return the runs of words in the profile's boilerplate, and the passages, the longest first.

    Nothing is written. Raise ``NotImplementedError`` if the key index does not count its keys.
    """
    scheme = active_or_unsaved_scheme(profile, using)
    if scheme._state.adding:
        return set(), []
    examples = _ExampleSearch(profile, using).run(progress).most_common(MAX_GROUPS)
    search = _PassageSearch(scheme, using)
    chunks = list(chunked(examples, GROUPS_PER_READ))
    for chunk in progress(chunks, len(chunks), gettext("reading posts")):
        search.add(chunk)
    return search.runs, sorted(search.passages.values(), key=lambda passage: (-passage.words, passage.text))


class _ExampleSearch:
    """The groups of documents that share a key, with the number of posts in the largest of their buckets."""

    def __init__(self, profile: Profile, using: str) -> None:
        self._using = using
        self._adapters = {
            content_type_of(adapter.model, using).pk: adapter
            for adapter in registered_adapters().values()
            if adapter.profile == profile.alias and is_stored_in(adapter.model, using)
        }
        self._holders: dict[int, _Holder | None] = {}
        self._examples: Counter[Examples] = Counter()

    def run(self, progress: ProgressCallback) -> Counter[Examples]:
        chunks = list(chunked(frequent_keys(self._using, MIN_HOLDERS, MAX_KEYS), KEYS_PER_READ))
        crowded: list[int] = []
        for keys in progress(chunks, len(chunks), gettext("reading buckets")):
            crowded += self._add_buckets(keys, BUCKET_SIZE)
        # The posts that are read of a bucket may all be copies of one text, or of one author.
        chunks = list(chunked(crowded[:MAX_CROWDED_KEYS], CROWDED_KEYS_PER_READ))
        for keys in progress(chunks, len(chunks), gettext("reading full buckets")):
            self._add_buckets(keys, LARGE_BUCKET_SIZE)
        return self._examples

    def _add_buckets(self, keys: Sequence[int], size: int) -> list[int]:
        """Add the groups of the buckets. Return the keys of full buckets without any."""
        positions, documents = read_buckets(self._using, keys, BucketLimit.of(size))
        self._read_holders(set(documents.tolist()))
        buckets: defaultdict[int, list[int]] = defaultdict(list)
        for position, document in zip(positions.tolist(), documents.tolist(), strict=True):
            buckets[position].append(document)
        crowded = []
        for position, bucket in buckets.items():
            holders = [holder for document in sorted(bucket) if (holder := self._holders[document])]
            groups = list(_groups_of(holders))
            for group in groups:
                self._examples[group] = max(self._examples[group], len(holders))
            if not groups and len(bucket) >= size:
                crowded.append(keys[position])
        return crowded

    def _read_holders(self, documents: set[int]) -> None:
        """Read the indexed documents of the adapters' models. The others are known as None."""
        if len(self._holders) > CACHED_HOLDERS:
            self._holders.clear()
        unknown = sorted(documents - self._holders.keys())
        self._holders.update(dict.fromkeys(unknown))
        indexed = Document.objects.using(self._using).filter(
            state=Document.State.INDEXED, content_type__in=self._adapters
        )
        rows = indexed.values_list("pk", "content_type", "author", "membership__cluster")
        for chunk in filter_in_chunks(rows, "pk", unknown):
            for document, content_type, author, cluster in chunk:
                # A model without authors says nothing about who wrote what: each of its posts counts.
                writer = author if has_authors(self._adapters[content_type]) else f"\0{document}"
                self._holders[document] = _Holder(
                    document, author, writer, -document if cluster is None else cluster
                )


def has_authors(adapter: Adapter) -> bool:
    """Return whether the adapter names the authors of its posts."""
    return type(adapter).author is not Adapter.author


def _groups_of(bucket: Sequence[_Holder]) -> Iterator[Examples]:
    """Yield examples from the documents of one bucket: of different authors, and of single authors."""
    yield from _first_examples("", bucket, differ_in_writer=True)
    by_author: defaultdict[str, list[_Holder]] = defaultdict(list)
    for holder in bucket:
        if holder.author:
            by_author[holder.author].append(holder)
    for author, holders in by_author.items():
        yield from _first_examples(author, holders, differ_in_writer=False)


def _first_examples(author: str, holders: Sequence[_Holder], differ_in_writer: bool) -> Iterator[Examples]:
    """Yield the first ``MIN_HOLDERS`` documents of different clusters, and authors, if there are so many."""
    clusters, writers, documents = set[int](), set[str](), list[int]()
    for holder in holders:
        if holder.cluster in clusters or (differ_in_writer and holder.writer in writers):
            continue
        clusters.add(holder.cluster)
        writers.add(holder.writer)
        documents.append(holder.document)
        if len(documents) == MIN_HOLDERS:
            yield Examples(author, tuple(documents))
            return


class _PassageSearch:
    """The passages that groups of examples have in common.

    ``runs``: hashed runs of words, at most ``MAX_RUNS``. ``passages``: by the hash of their first run.
    """

    def __init__(self, scheme: Scheme, using: str) -> None:
        self._scheme, self._using = scheme, using
        self._texts: dict[int, Text] = {}
        self.runs: set[int] = set()
        self.passages: dict[int, FoundPassage] = {}

    def add(self, groups: Sequence[tuple[Examples, int]]) -> None:
        """Read the posts of groups of examples, each with its number of posts, and add what they share."""
        self._read({document for group, _ in groups for document in group.documents})
        for group, posts in groups:
            texts = [self._texts[document] for document in group.documents if document in self._texts]
            if len(self.runs) < MAX_RUNS:
                self._add_group(texts, group.author, posts)

    def _add_group(self, texts: Sequence[Text], author: str, posts: int) -> None:
        """Add the shared words of the texts, if most of the texts also have different words."""
        runs_by_text = [hash_runs(text) for text in texts]
        if author:
            runs_by_text = [of_author(runs, author) for runs in runs_by_text]
        runs_by_text = [runs.tolist() for runs in runs_by_text]
        counts = Counter(run for runs in runs_by_text for run in set(runs))
        ranges_by_text = [
            list(known_ranges([counts[run] >= MIN_AGREEING for run in runs], MIN_WORDS))
            for runs in runs_by_text
        ]
        # Versions of one text, which differ in a word or two, say nothing about other texts.
        with_own_words = sum(
            len(text) - sum(end - start for start, end in ranges) >= MIN_OWN_WORDS
            for text, ranges in zip(texts, ranges_by_text, strict=True)
        )
        if with_own_words < MIN_AGREEING:
            return
        for text, runs, ranges in zip(texts, runs_by_text, ranges_by_text, strict=True):
            for start, end in ranges:
                if runs[start] not in self.runs:
                    span = text_offsets(text.tokens, (start, end))
                    quote = quote_span(text, span, MAX_QUOTE)
                    self.passages[runs[start]] = FoundPassage(quote, end - start, author, posts)
                self.runs.update(runs[start : end - RUN_WORDS + 1])

    def _read(self, documents: set[int]) -> None:
        """Read the texts of documents that are not read yet. Those of earlier groups are kept while there is room."""
        if len(self._texts) > CACHED_TEXTS:
            self._texts.clear()
        fingerprints = fingerprints_of(documents - self._texts.keys(), self._scheme.pk, self._using)
        texts = read_unchanged_texts(fingerprints.values(), self._scheme, self._using)
        self._texts |= {document: judgeable.text for document, judgeable in texts.items()}
