"""``find_similar``, ``check_many`` and ``uniqueness``: what a site calls before it publishes a text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from asgiref.sync import sync_to_async
from django.db.models import Model

from ..comparison.work_limit import WorkLimit
from ..models import Document
from ..pipeline.read import split_by_length
from ..pipeline.sign import sign_texts
from ..pipeline.stage_types import ReadDocument, SignedDocument
from ..text.normalization.plain_text import exceeds_limit
from ..visibility import Querysets
from .batch_repeats import BatchDuplicates
from .deleted_posts import find_deleted_posts, merge_matches
from .judged_posts import JudgedPost, judge_posts
from .request import SEARCH_UNITS, SearchContext, SearchQuery, build_search_context
from .results import CheckResult, Match, Matches, build_match
from .scheme_lookup import SearchIndex, build_unsaved_index, load_search_index
from .visible_posts import VisiblePosts

BATCH_SIZE = 100
"""Number of texts that are canonicalized and looked up together."""


class FoundPosts(dict[int, list[JudgedPost]]):
    """The posts that were compared with each text, by its position, best first.

    ``partial``: the positions of texts for which not all candidates were read and aligned.
    """

    def __init__(
        self, posts: Mapping[int, list[JudgedPost]] | None = None, partial: frozenset[int] = frozenset()
    ) -> None:
        super().__init__(posts or {})
        self.partial = partial


def find_similar(
    text_or_instance: str | Model,
    model: type[Model] | None = None,
    *,
    visible: Querysets | None = None,
    limit: int = 5,
    author: Any = None,
    scope: Iterable[Any] = (),
    using: str | None = None,
) -> Matches:
    """Return the posts similar to a text or to an object, saved or not.

    The best is first. Nothing is written.

    Parameters:

    - ``model``: the model of the posts, for a plain text.
    - ``visible``: the queryset of all posts that the caller may see, or several, one for each model. None
      means ``live()`` of the adapter of the model and of the adapters of its partners.
    - ``limit``: the maximum number of matches.
    - ``author``: the author of the text as ``Adapter.author`` returns it. It marks the author's own posts.
      None means the author of the object.
    - ``scope``: the values of the adapter's ``scope``, for a plain text.
    - ``using``: the database alias. None means the database to which the object, or the model, is written: a
      replica may lack recent posts.

    If deleted posts are remembered (MEMORY_DAYS), the matches may include the author's own deleted post that
    is most similar. If ``visible`` is None, they may also include the most similar one of other authors.

    Matches are in the order of verdicts (duplicate, variant, contained, related), then exact copies, then by
    score. At most ten posts are aligned with the text: the visible ones with the most similar fingerprints,
    and posts with other codes last. Three of the ten are the earliest that may be duplicates, so that later variants
    do not displace them. If ``limit`` exact copies exist, no post is aligned. Posts outside
    ``visible`` do not change the answer, unless more than BUCKET posts share a passage: then more are read, and if
    there are still more of them, ``partial`` of the result is true. It is also true if the texts are too long to be
    aligned with all candidates in a second. Then the others are compared by their fingerprints only, and are
    ``related`` if nearly all their words are equal. A text over 1 MiB or 200 000 words is not compared: the result
    is empty, and its ``too_long`` is true.

    Return an empty list if nothing is indexed yet or if the text is too short to be compared.

    Raise ``NotRegistered`` if the model has no adapter. Raise ``TypeError`` if the first argument is neither
    a text nor an object. Raise ``GroupingError`` (a ``TypeError``) if ``visible`` cannot be filtered or if a
    text has no scope.
    """
    context = build_search_context(
        text_or_instance, model, visible=visible, limit=limit, author=author, scope=scope, using=using
    )
    return _find_in_context(text_or_instance, context)


def find_for_request(
    text_or_instance: str | Model,
    model: type[Model] | None = None,
    *,
    units: int = SEARCH_UNITS,
    visible: Querysets | None = None,
    limit: int = 5,
    author: Any = None,
    scope: Iterable[Any] = (),
    using: str | None = None,
) -> Matches:
    """Run ``find_similar`` for a visitor who waits for the answer.

    ``units``: the limit of the work, reading the text included. A text that is too long to be read within it is not
    compared: the result is empty and partial. ``limit``: the maximum number of exact copies. Ten posts are aligned
    beside them: the visitor's own copies do not hide the original.
    """
    context = build_search_context(
        text_or_instance, model, visible=visible, limit=limit, author=author, scope=scope, using=using
    )
    return _find_in_context(text_or_instance, replace(context, units=units, is_for_request=True))


def _find_in_context(text_or_instance: str | Model, context: SearchContext) -> Matches:
    query, limit = context.build_query(text_or_instance), context.limit
    if not limit or exceeds_limit(query.source.text):
        return Matches(too_long=exceeds_limit(query.source.text))
    if not context.can_read(query):
        return Matches(partial=True)
    posts, signed, too_long = _judge_one(query, context, limit)
    matches = _build_matches(query, posts.get(0, ()), context)
    deleted_matches = find_deleted_posts(signed, [query], context).get(0, ())
    return Matches(
        merge_matches(matches, deleted_matches, context.match_limit),
        partial=0 in posts.partial,
        too_long=too_long,
    )


async def afind_similar(
    text_or_instance: str | Model, model: type[Model] | None = None, **arguments: Any
) -> Matches:
    """Run ``find_similar`` from asynchronous code, with the same arguments.

    It runs in a thread, as all database queries of Django do.
    """
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
    """Run ``find_similar`` for many texts or objects, for parsers and imports.

    Return one result for each text, in the given order: its matches, and the earlier texts of the batch that
    it repeats (``repeats``). ``texts`` is any iterable. It is processed in batches of a hundred.

    The words of each text that repeats no earlier text stay in memory until the end. Pass some thousands of
    texts in a call, not more. The other arguments and the exceptions are the same as for ``find_similar``.
    """
    if isinstance(texts, str):
        raise TypeError("Pass a list of texts or posts, not one text.")
    context = build_search_context(
        None, model, visible=visible, limit=limit, author=author, scope=scope, using=using
    )
    batch_duplicates, results = BatchDuplicates(context.units), list[CheckResult]()
    items = map(context.build_query, texts)
    while queries := list(islice(items, BATCH_SIZE)):
        for portion in split_by_length(queries):
            results += _check_portion(portion, context, batch_duplicates, len(results))
    return results


def uniqueness(
    text_or_instance: str | Model,
    model: type[Model] | None = None,
    *,
    visible: Querysets | None = None,
    scope: Iterable[Any] = (),
    using: str | None = None,
) -> float:
    """Return how original a text is, in percent, 0..100.

    It is 100 * (1 - the score of the most similar visible post). Return 100 if no post is similar or if the
    text is too short to be compared.

    Show the figure only to staff and to the author, never to the public: it reveals posts with a similar
    text. The arguments and the exceptions are the same as for ``find_similar``.
    """
    context = build_search_context(
        text_or_instance, model, visible=visible, limit=1, author=None, scope=scope, using=using
    )
    posts, *_ = _judge_one(context.build_query(text_or_instance), context, 1)
    return 100 * (1 - max((post.judgement.score for post in posts.get(0, ())), default=0.0))


def _check_portion(
    queries: Sequence[SearchQuery],
    context: SearchContext,
    batch_duplicates: BatchDuplicates,
    first_position: int,
) -> Iterator[CheckResult]:
    """Yield the results of some queries.

    ``first_position`` is the position of the first query in the batch.
    """
    index = load_search_index(context.adapter, (query.source for query in queries), context.using)
    signing_index = index or build_unsaved_index(context.adapter.settings)
    signed_texts, too_long = _sign_queries(queries, signing_index) if signing_index else ({}, set())
    posts = _find_posts(queries, signed_texts, context, context.limit) if index else FoundPosts()
    deleted_matches = find_deleted_posts(signed_texts, queries, context) if index else {}
    for position, query in enumerate(queries):
        matches = merge_matches(
            _build_matches(query, posts.get(position, ()), context),
            deleted_matches.get(position, ()),
            context.limit,
        )
        signed_text, number = signed_texts.get(position), first_position + position
        repeats = batch_duplicates.find(number, signed_text, query) if signed_text else []
        is_too_long = position in too_long or exceeds_limit(query.source.text)
        is_partial = position in posts.partial or batch_duplicates.is_partial(number)
        yield CheckResult(Matches(matches, partial=is_partial, too_long=is_too_long), repeats)


def _judge_one(
    query: SearchQuery, context: SearchContext, limit: int
) -> tuple[FoundPosts, dict[int, SignedDocument], bool]:
    """Return the posts that were compared with a text, and the signed text, both by its position, 0.

    Also return whether the text is too long to be compared.
    """
    if exceeds_limit(query.source.text):
        return FoundPosts(), {}, True
    index = load_search_index(context.adapter, [query.source], context.using)
    if index is None or not index.spaces:
        return FoundPosts(), {}, False
    signed_texts, too_long = _sign_queries([query], index)
    return _find_posts([query], signed_texts, context, limit), signed_texts, bool(too_long)


def _sign_queries(
    queries: Sequence[SearchQuery], index: SearchIndex
) -> tuple[dict[int, SignedDocument], set[int]]:
    """Return the signed texts by position, without the texts that are not compared.

    Also return the positions of the texts that are too long to be compared.
    """
    # Stored documents have positive ids, so negative ones identify the texts of this call.
    documents = [
        ReadDocument(Document(pk=-1 - position), query.adapter, query.source)
        for position, query in enumerate(queries)
    ]
    signed = sign_texts(documents, index.scheme, index.find_space)
    return (
        {-1 - signed_text.document_id: signed_text for signed_text in signed},
        {-1 - document_id for document_id in signed.too_long},
    )


def _find_posts(
    queries: Sequence[SearchQuery],
    signed_texts: Mapping[int, SignedDocument],
    context: SearchContext,
    limit: int,
) -> FoundPosts:
    """Return the compared posts of each text by its position."""
    known_space_texts = [signed_text for signed_text in signed_texts.values() if signed_text.space_id > 0]
    if not known_space_texts:
        return FoundPosts()
    keys = {
        signed_text.document_id: queries[-1 - signed_text.document_id].key
        for signed_text in known_space_texts
    }
    scheme, settings = known_space_texts[0].scheme, context.adapter.settings
    work = WorkLimit(context.units)
    for signed_text in known_space_texts:
        work.charge(signed_text.document_id, context.own_units(queries[-1 - signed_text.document_id]))
    posts = VisiblePosts(settings, scheme, keys, context.visibility, context.using, work)
    posts.aligns_beside_copies = context.is_for_request
    judged_posts = judge_posts(known_space_texts, posts, limit)
    return FoundPosts(
        {-1 - document_id: judged for document_id, judged in judged_posts.items()},
        frozenset(-1 - document_id for document_id in posts.partial),
    )


def _build_matches(
    query: SearchQuery, judged_posts: Iterable[JudgedPost], context: SearchContext
) -> list[Match]:
    author = context.author or query.source.author
    similar_posts = (post for post in judged_posts if post.judgement.is_similar)
    return [
        build_match(post, author, query.source.text) for post in islice(similar_posts, context.match_limit)
    ]
