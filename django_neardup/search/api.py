"""``find_similar``, ``check_many`` and ``uniqueness``: what a site calls before it publishes a text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from asgiref.sync import sync_to_async
from django.db.models import Model

from ..models import Document
from ..pipeline.read import split_by_length
from ..pipeline.sign import sign_texts
from ..pipeline.stage_types import ReadDocument, SignedDocument
from ..visibility import Querysets
from .batch_repeats import BatchDuplicates
from .candidates import find_candidates
from .deleted_posts import find_deleted_posts, merge_matches
from .request import SearchContext, SearchQuery, build_search_context
from .results import CheckResult, Match, build_match
from .scheme_lookup import SearchIndex, build_unsaved_index, load_search_index
from .verify import JudgedPost, judge_candidates

BATCH_SIZE = 100
"""Texts that are canonised and looked up side by side."""


def find_similar(
    text_or_instance: str | Model,
    model: type[Model] | None = None,
    *,
    visible: Querysets | None = None,
    limit: int = 5,
    author: Any = None,
    scope: Iterable[Any] = (),
    using: str | None = None,
) -> list[Match]:
    """The posts that a text, or an object saved or not, is like: the best first, at most ``limit``. Nothing is written.

    ``model``: whose posts, for a text. ``visible``: the queryset of all that the caller may see, or several, one for
    each model; None: ``live()`` of the adapters of the model and of those it is compared with. ``author``: of the text,
    as ``Adapter.author`` gives it, so that one's own posts are told (None: the object's own). ``scope``: of a plain
    text, the values of the adapter's ``scope``. ``using``: the database (None: the object's, else the one that the
    model is read from).

    Where deleted posts are remembered (MEMORY_DAYS), the likest of one's own may be among them; of others' too, where
    ``visible`` is left out.

    In the order of verdicts (duplicate, variant, contained, related), exact copies before others, then by score. At
    most ten posts are aligned with the text, those likest by their fingerprints of all that may be seen, those that
    name other codes last; once ``limit`` exact copies are known, none is. What is not in ``visible`` changes nothing
    of the answer, so long as no more than BUCKET posts share a passage. [] where nothing is indexed yet and for a text
    that is too short to be compared. Of a text of over 1 MiB the first and the last half of one are read.

    ``NotRegistered`` for a model without an adapter, ``TypeError`` for what is neither text nor object,
    ``GroupingError`` (a ``TypeError``) where ``visible`` cannot be narrowed or a text lacks its scope.
    """
    ask = build_search_context(
        text_or_instance, model, visible=visible, limit=limit, author=author, scope=scope, using=using
    )
    asked = ask.build_query(text_or_instance)
    if not limit:
        return []
    judged, signed = _judge_one(asked, ask, limit)
    return merge_matches(
        _build_matches(asked, judged, ask), find_deleted_posts(signed, [asked], ask).get(0, ()), limit
    )


async def afind_similar(
    text_or_instance: str | Model, model: type[Model] | None = None, **arguments: Any
) -> list[Match]:
    """``find_similar`` for asynchronous code, with the same arguments: it runs in a thread, as all of Django's queries
    do."""
    return await sync_to_async(find_similar)(text_or_instance, model, **arguments)


def check_many(
    texts: Iterable[str | Model],
    model: type[Model],
    *,
    visible: Querysets | None = None,
    limit: int = 5,
    author: Any = None,
    scope: Iterable[Any] = (),
    using: str | None = None,
) -> list[CheckResult]:
    """``find_similar`` of many texts or objects, for parsers and imports: canonised and looked up a hundred at a time.

    What each is like among the posts (``matches``), and which earlier texts of the batch it repeats (``repeats``), in
    the order given. Any iterable will do. Of all texts that repeat none before them the words are kept until the end:
    hand over some thousands at a time. The other arguments, and the errors, are those of ``find_similar``."""
    if isinstance(texts, str):
        raise TypeError("What is checked are several texts, not one: pass a list of them.")
    ask = build_search_context(
        None, model, visible=visible, limit=limit, author=author, scope=scope, using=using
    )
    repeats, checked = BatchDuplicates(), list[CheckResult]()
    items = map(ask.build_query, texts)
    while some := list(islice(items, BATCH_SIZE)):
        for portion in split_by_length(some):
            checked += _check_portion(portion, ask, repeats, len(checked))
    return checked


def uniqueness(
    text_or_instance: str | Model,
    model: type[Model] | None = None,
    *,
    visible: Querysets | None = None,
    scope: Iterable[Any] = (),
    using: str | None = None,
) -> float:
    """How much of a text is its own, in percent, 0..100: 100 x (1 - the likeness of the post that is likest of all
    that may be seen); 100 where none is like it or the text is too short to be compared.

    For staff and the author, never for the public: the figure tells of posts whose text it is near. The arguments, and
    the errors, are those of ``find_similar``."""
    ask = build_search_context(
        text_or_instance, model, visible=visible, limit=1, author=None, scope=scope, using=using
    )
    judged, _ = _judge_one(ask.build_query(text_or_instance), ask, 1)
    return 100 * (1 - max((each.judgement.score for each in judged), default=0.0))


def _check_portion(
    queries: Sequence[SearchQuery],
    context: SearchContext,
    batch_duplicates: BatchDuplicates,
    first_position: int,
) -> Iterator[CheckResult]:
    """Those of a portion, of which the first stands at that place of the batch."""
    index = load_search_index(context.adapter, (each.source for each in queries), context.using)
    signing = index or build_unsaved_index(context.adapter.settings)
    signed = _sign_queries(queries, signing) if signing else {}
    found = _find_posts(queries, signed, context, context.limit) if index else {}
    deleted = find_deleted_posts(signed, queries, context) if index else {}
    for place, each in enumerate(queries):
        matches = merge_matches(
            _build_matches(each, found.get(place, ()), context), deleted.get(place, ()), context.limit
        )
        one = signed.get(place)
        yield CheckResult(matches, batch_duplicates.find(first_position + place, one, each) if one else [])


def _judge_one(
    query: SearchQuery, context: SearchContext, limit: int
) -> tuple[Sequence[JudgedPost], dict[int, SignedDocument]]:
    """One text's comparisons, the best first; and the text signed, by its place, 0."""
    index = load_search_index(context.adapter, [query.source], context.using)
    if index is None or not index.spaces:
        return (), {}
    signed = _sign_queries([query], index)
    return _find_posts([query], signed, context, limit).get(0, ()), signed


def _sign_queries(queries: Sequence[SearchQuery], index: SearchIndex) -> dict[int, SignedDocument]:
    """Those that are compared, by place. They go by numbers below 0, which no document has."""
    reads = [
        ReadDocument(Document(pk=-1 - place), each.adapter, each.source) for place, each in enumerate(queries)
    ]
    return {-1 - one.document_id: one for one in sign_texts(reads, index.scheme, index.find_space)}


def _find_posts(
    queries: Sequence[SearchQuery],
    signed_texts: Mapping[int, SignedDocument],
    context: SearchContext,
    limit: int,
) -> dict[int, list[JudgedPost]]:
    """Comparisons of each, by place."""
    some = [one for one in signed_texts.values() if one.space_id > 0]
    if not some:
        return {}
    keys = {one.document_id: queries[-1 - one.document_id].key for one in some}
    near = find_candidates(some, keys, context.visibility, context.using)
    judged = judge_candidates(some, near, context.visibility, limit, context.using)
    return {-1 - document: each for document, each in judged.items()}


def _build_matches(
    query: SearchQuery, judged_posts: Iterable[JudgedPost], context: SearchContext
) -> list[Match]:
    author = context.author or query.source.author
    offered = (each for each in judged_posts if each.judgement.is_similar)
    return [build_match(each, author, query.source.text) for each in islice(offered, context.limit)]
