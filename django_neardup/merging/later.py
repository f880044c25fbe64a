"""Journals that came after: who moved on, or took along, what an undo looks for. They are amended with it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import zip_longest
from typing import Any

from django.db.models import Q, QuerySet

from ..models import MergeRecord
from ..pipeline import canonical_id
from ..pipeline.deed_keys import keeper_under, key_under
from ..portions import portions
from .book import Book, Trail
from .following import goes_apart, into_keeper, next_on_keeper, of_kin
from .relations import PORTION, ModelType
from .stored import Place, key_of, model_of, place_of, same


class Later:
    """The records, not undone, that took over what one record had moved: later merges of its keeper, one by one
    (``chain``), and besides them later merges into the same posts (``beside``)."""

    def __init__(self, record: MergeRecord, using: str, *, lock: bool) -> None:
        self.record, self.using, self.lock = record, using, lock
        self.books = {record.pk: Book(record)}
        self.chain = list(self._followers())

    @cached_property
    def beside(self) -> list[Book]:
        found: list[Book] = []
        last = [self.record, *(book.record for book in self.chain)]
        for record, end in zip_longest(last, last[1:]):
            merges = self._standing().filter(into_keeper(record, self.using), pk__gt=record.pk)
            if end is not None:
                merges = merges.filter(pk__lt=end.pk)
            found += [self._book(each) for each in merges.order_by("pk")]
        return found

    def trail(self, move: Mapping[str, Any]) -> Trail:
        """Follow a move of the record through the chain."""
        return self._trail(move, self.chain)

    def whole_trail(self, move: Mapping[str, Any]) -> Trail:
        """Follow a move of the record through all later merges."""
        return self._trail(move, self._every)

    @cached_property
    def _every(self) -> list[Book]:
        return sorted([*self.chain, *self.beside], key=lambda book: book.record.pk)

    def _trail(self, move: Mapping[str, Any], books: Iterable[Book]) -> Trail:
        name = move["field"]
        trail = Trail(self.books[self.record.pk].key_after(place_of(move)), move["to"])
        for book in books:
            if trail.place in book.rows:
                trail.book = book
                break
            step = book.moves.get((trail.place, name))
            if step is not None and _is_same(step, trail.value):
                if book not in self.chain:
                    trail.over = book
                    break
                trail.value = step["to"]
                trail.steps.append((book, trail.place))
            trail.place = book.key_after(trail.place)
        return trail

    def keeping(self, places: Collection[Place]) -> dict[Place, Book]:
        """The journals of posts that those rows belong to, where such a post was merged or deleted itself."""
        found: dict[Place, Book] = {}
        records = {
            record.pk: record for named in self._naming(places) for record in self._standing().filter(named)
        }
        for _pk, record in sorted(records.items()):
            book = self._book(record)
            found |= {place: book for place in book.own & set(places) if place in book.rows}
        return found

    def _naming(self, places: Collection[Place]) -> Iterator[Q]:
        """Where the records of posts with those rows may be, in portions."""
        ids: defaultdict[ModelType, set[str]] = defaultdict(set)
        for label, key in places:
            if (model := model_of(label)) is not None:
                ids[model].add(canonical_id(key_of(model, key)))
        for some in portions(sorted(set().union(*ids.values())), PORTION):
            yield Q(loser_id__in=some)
        for model in filter(goes_apart, ids):
            for some in portions(sorted(ids[model]), PORTION):
                yield of_kin(model, some, self.using)

    def heir(self, record: MergeRecord, model: ModelType) -> str:
        """The canonical id, as one of that model, of the post that the record's was merged into."""
        if not goes_apart(model):
            return str(record.keeper_id)
        following = next_on_keeper(record, self._standing(), self.using)
        return keeper_under(record, model, self.using) if following is None else key_under(following, model)

    def bringer(self, place: Place) -> Book | None:
        """The journal, of the same keeper or later, of the merge that has brought a row to where it is."""
        same = self._standing().filter(into_keeper(self.record, self.using))
        for book in [*(self._book(each) for each in same), *self.chain]:
            if any(book.key_after(row) == place for row, _name in book.moves if row[0] == place[0]):
                return book
        return None

    def save(self) -> None:
        """Write the amended journals."""
        for book in self.books.values():
            if book.changed and book.record.pk != self.record.pk:
                book.record.save(using=self.using, update_fields=["journal"])

    def _followers(self) -> Iterable[Book]:
        last: MergeRecord | None = self.record
        while last is not None and last.keeper_id and last.keeper_type_id:
            last = next_on_keeper(last, self._standing(), self.using)
            if last is not None:
                yield self._book(last)

    def _standing(self) -> QuerySet[MergeRecord]:
        rows = MergeRecord.objects.using(self.using).filter(undone=None).exclude(pk=self.record.pk)
        rows = rows.exclude(action=MergeRecord.Action.HIDE)
        return rows.select_for_update() if self.lock else rows

    def _book(self, record: MergeRecord) -> Book:
        return self.books.setdefault(record.pk, Book(record))


def _is_same(step: Mapping[str, Any], value: Any) -> bool:
    model = model_of(step["model"])
    return model is not None and same(model._meta.get_field(step["field"]), step["from"], value)
