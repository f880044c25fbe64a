"""What is like a post: its cluster and its pairs, cut to what a visitor may see, and made into entries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import Model

from ..listing.group import find_cluster_neighbours
from ..visibility import ObjectKey, VisibilityFilter, object_key
from .entries import EntryBuilder, SimilarEntry
from .pair_query import SimilarPair, SimilarPairs


class EntryLists(NamedTuple):
    """Entries: the post's own, those of its cluster, and those that are alike."""

    own_entry: SimilarEntry
    members: list[SimilarEntry]
    outside: list[SimilarEntry]


class SimilarReader:
    """``members``: the others of the post's cluster that may be seen, in order; ``held``: whether itself may be seen.

    Pairs are read as they are stored: nothing is compared here.
    """

    def __init__(self, instance: Model, visible: VisibilityFilter) -> None:
        self.key = object_key(instance)
        self._instance, self._visible = instance, visible
        self._using = instance._state.db or "default"
        near = find_cluster_neighbours([self.key], self._visible, self._using)
        self.members = near.others(self.key)
        self.is_visible = self.key in near.visible_keys
        self._cluster_id = near.cluster_by_key.get(self.key)
        self._pairs_by_key: dict[ObjectKey, SimilarPair] = {}
        self._pairs = SimilarPairs(self.key, self._visible.registered_models, self._using)
        self._has_all_pairs = False

    def find_outside_pairs(self, limit: int) -> list[SimilarPair]:
        """Pairs with posts that stand outside the cluster and may be seen, the likest first, one of each cluster."""
        found: dict[object, SimilarPair] = {}
        for portion in self._pairs.portions():
            self._pairs_by_key |= {fact.key: fact for fact in portion}
            outside = [
                fact for fact in portion if fact.cluster_id is None or fact.cluster_id != self._cluster_id
            ]
            held = self._visible.visible_keys([fact.key for fact in outside], self._using) if outside else {}
            for fact in outside:
                if fact.key in held:
                    found.setdefault(fact.key if fact.cluster_id is None else fact.cluster_id, fact)
            if len(found) >= limit:
                return list(found.values())[:limit]
        self._has_all_pairs = True
        return list(found.values())

    def build_entries(self, members: Sequence[ObjectKey], outside_pairs: Sequence[SimilarPair]) -> EntryLists:
        """The entries of those that are still there. What is told of texts that have changed since is left out."""
        facts = self._pairs_with(members) | {fact.key: fact for fact in outside_pairs}
        objects = (
            self._visible.fetch_objects({*members, *facts}, self._using) if members or outside_pairs else {}
        )
        made = EntryBuilder(self.key, {**objects, self.key: self._instance}, self._using)
        current = {key: fact for key, fact in facts.items() if made.is_current(fact)}
        evidence = self._pairs.load_evidence([fact.pair_id for fact in current.values()])
        entries = {
            key: made.build_plain(key)
            if (fact := current.get(key)) is None
            else made.build_compared(key, fact, evidence.get(fact.pair_id))
            for key in objects
            if key in made
        }
        return EntryLists(
            made.build_plain(self.key),
            [entries[key] for key in members if key in entries],
            [entries[fact.key] for fact in outside_pairs if fact.key in entries and fact.key in current],
        )

    def _pairs_with(self, members: Sequence[ObjectKey]) -> dict[ObjectKey, SimilarPair]:
        """What is known of the post's pairs with members."""
        wanted = [key for key in members if key not in self._pairs_by_key]
        if wanted and not self._has_all_pairs:
            self._pairs_by_key |= {fact.key: fact for fact in self._pairs.with_keys(wanted)}
        return {key: self._pairs_by_key[key] for key in members if key in self._pairs_by_key}
