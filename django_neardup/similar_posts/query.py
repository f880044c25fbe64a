"""The posts similar to a post: the visible posts of its cluster and pairs, and the entries made from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import Model

from ..listing.group import find_cluster_neighbours
from ..visibility import ObjectKey, VisibilityFilter, object_key
from .entries import EntryBuilder, SimilarEntry
from .pair_query import SimilarPair, SimilarPairs


class EntryLists(NamedTuple):
    """Entries: the post's own entry, the members of its cluster, and similar posts outside the cluster."""

    own_entry: SimilarEntry
    members: list[SimilarEntry]
    outside: list[SimilarEntry]


class SimilarReader:
    """A reader of a post's cluster and pairs. Stored pairs are read. Nothing is compared here.

    ``members``: the other visible members of its cluster, in order. ``is_visible``: whether the post is
    visible.
    """

    def __init__(self, instance: Model, visible: VisibilityFilter) -> None:
        self.key = object_key(instance)
        self._instance, self._visible = instance, visible
        self._using = instance._state.db or "default"
        neighbours = find_cluster_neighbours([self.key], self._visible, self._using)
        self.members = neighbours.others(self.key)
        self.is_visible = self.key in neighbours.visible_keys
        self._cluster_id = neighbours.cluster_by_key.get(self.key)
        self._pairs_by_key: dict[ObjectKey, SimilarPair] = {}
        self._pairs = SimilarPairs(self.key, self._visible.registered_models, self._using)
        self._has_all_pairs = False

    def find_outside_pairs(self, limit: int) -> list[SimilarPair]:
        """Return pairs with visible posts outside the cluster, the most similar first.

        At most one pair is returned for each other cluster.
        """
        pair_by_group: dict[object, SimilarPair] = {}
        for portion in self._pairs.portions():
            self._pairs_by_key |= {pair.key: pair for pair in portion}
            outside = [
                pair for pair in portion if pair.cluster_id is None or pair.cluster_id != self._cluster_id
            ]
            # Hidden posts are dropped before the limit applies, so they cannot change the answer.
            visible_keys = (
                self._visible.visible_keys([pair.key for pair in outside], self._using) if outside else {}
            )
            for pair in outside:
                if pair.key in visible_keys:
                    pair_by_group.setdefault(pair.key if pair.cluster_id is None else pair.cluster_id, pair)
            if len(pair_by_group) >= limit:
                return list(pair_by_group.values())[:limit]
        self._has_all_pairs = True
        return list(pair_by_group.values())

    def build_entries(self, members: Sequence[ObjectKey], outside_pairs: Sequence[SimilarPair]) -> EntryLists:
        """Return the entries of the posts that still exist.

        If a text has changed since the comparison, the differences are left out. A pair outside the cluster
        is left out too.
        """
        pairs = self._pairs_with(members) | {pair.key: pair for pair in outside_pairs}
        objects = (
            self._visible.fetch_objects({*members, *pairs}, self._using) if members or outside_pairs else {}
        )
        builder = EntryBuilder(self.key, {**objects, self.key: self._instance}, self._using)
        current_pairs = {key: pair for key, pair in pairs.items() if builder.is_current(pair)}
        evidence = self._pairs.load_evidence([pair.pair_id for pair in current_pairs.values()])
        entries = {
            key: builder.build_plain(key)
            if (pair := current_pairs.get(key)) is None
            else builder.build_compared(key, pair, evidence.get(pair.pair_id))
            for key in objects
            if key in builder
        }
        return EntryLists(
            builder.build_plain(self.key),
            [entries[key] for key in members if key in entries],
            [
                entries[pair.key]
                for pair in outside_pairs
                if pair.key in entries and pair.key in current_pairs
            ],
        )

    def _pairs_with(self, members: Sequence[ObjectKey]) -> dict[ObjectKey, SimilarPair]:
        """Return the stored pairs of the post with members."""
        missing_keys = [key for key in members if key not in self._pairs_by_key]
        if missing_keys and not self._has_all_pairs:
            self._pairs_by_key |= {pair.key: pair for pair in self._pairs.with_keys(missing_keys)}
        return {key: self._pairs_by_key[key] for key in members if key in self._pairs_by_key}
