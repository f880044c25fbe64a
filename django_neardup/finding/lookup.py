"""``find_similar``, ``check_many`` and ``uniqueness``: what a site calls before it publishes a text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from asgiref.sync import sync_to_async
from django.db.models import Model

from ..models import Document
from ..pipeline.reading import by_length
from ..pipeline.records import Read, Signed
from ..pipeline.signing import sign_texts
from ..visible import Querysets
from .asking import Asked, Asking, asking
from .index import Index, index_of, index_to_be
from .judging import Judged, judge_many
from .matches import Checked, Match, match_of
from .near import near_many
from .remembered import joined, remembered
from .repeats import Repeats

TOGETHER = 100
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
    ask = asking(
        text_or_instance, model, visible=visible, limit=limit, author=author, scope=scope, using=using
    )
    asked = ask.of(text_or_instance)
    if not limit:
        return []
    judged, signed = _judged(asked, ask, limit)
    return joined(_matches(asked, judged, ask), remembered(signed, [asked], ask).get(0, ()), limit)


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
) -> list[Checked]:
    """``find_similar`` of many texts or objects, for parsers and imports: canonised and looked up a hundred at a time.

    What each is like among the posts (``matches``), and which earlier texts of the batch it repeats (``repeats``), in
    the order given. Any iterable will do. Of all texts that repeat none before them the words are kept until the end:
    hand over some thousands at a time. The other arguments, and the errors, are those of ``find_similar``."""
    if isinstance(texts, str):
        raise TypeError("What is checked are several texts, not one: pass a list of them.")
    ask = asking(None, model, visible=visible, limit=limit, author=author, scope=scope, using=using)
    repeats, checked = Repeats(), list[Checked]()
    items = map(ask.of, texts)
    while some := list(islice(items, TOGETHER)):
        for portion in by_length(some):
            checked += _checked(portion, ask, repeats, len(checked))
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
    ask = asking(text_or_instance, model, visible=visible, limit=1, author=None, scope=scope, using=using)
    judged, _ = _judged(ask.of(text_or_instance), ask, 1)
    return 100 * (1 - max((each.judgement.score for each in judged), default=0.0))


def _checked(asked: Sequence[Asked], ask: Asking, repeats: Repeats, first: int) -> Iterator[Checked]:
    """Those of a portion, of which the first stands at that place of the batch."""
    index = index_of(ask.adapter, (each.source for each in asked), ask.using)
    signing = index or index_to_be(ask.adapter.settings)
    signed = _signed(asked, signing) if signing else {}
    found = _found(asked, signed, ask, ask.limit) if index else {}
    deleted = remembered(signed, asked, ask) if index else {}
    for place, each in enumerate(asked):
        matches = joined(_matches(each, found.get(place, ()), ask), deleted.get(place, ()), ask.limit)
        one = signed.get(place)
        yield Checked(matches, repeats.of(first + place, one, each) if one else [])


def _judged(asked: Asked, ask: Asking, limit: int) -> tuple[Sequence[Judged], dict[int, Signed]]:
    """One text's comparisons, the best first; and the text signed, by its place, 0."""
    index = index_of(ask.adapter, [asked.source], ask.using)
    if index is None or not index.spaces:
        return (), {}
    signed = _signed([asked], index)
    return _found([asked], signed, ask, limit).get(0, ()), signed


def _signed(asked: Sequence[Asked], index: Index) -> dict[int, Signed]:
    """Those that are compared, by place. They go by numbers below 0, which no document has."""
    reads = [Read(Document(pk=-1 - place), each.adapter, each.source) for place, each in enumerate(asked)]
    return {-1 - one.document: one for one in sign_texts(reads, index.scheme, index.place)}


def _found(
    asked: Sequence[Asked], signed: Mapping[int, Signed], ask: Asking, limit: int
) -> dict[int, list[Judged]]:
    """Comparisons of each, by place."""
    some = [one for one in signed.values() if one.space > 0]
    if not some:
        return {}
    keys = {one.document: asked[-1 - one.document].key for one in some}
    near = near_many(some, keys, ask.visible, ask.using)
    judged = judge_many(some, near, ask.visible, limit, ask.using)
    return {-1 - document: each for document, each in judged.items()}


def _matches(asked: Asked, judged: Iterable[Judged], ask: Asking) -> list[Match]:
    author = ask.author or asked.source.author
    offered = (each for each in judged if each.judgement.offered)
    return [match_of(each, author, asked.source.text) for each in islice(offered, ask.limit)]
