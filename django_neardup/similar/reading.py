"""What is like a post: its cluster and its pairs, cut to what a visitor may see, and made into entries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import Model

from ..grouping import neighbours
from ..visible import Key, Visible, key_of
from .entries import Entries, Entry
from .facts import Fact, Facts


class Listed(NamedTuple):
    """Entries: the post's own, those of its cluster, and those that are alike."""

    first: Entry
    members: list[Entry]
    alike: list[Entry]


class Reader:
    """``members``: the others of the post's cluster that may be seen, in order; ``held``: whether itself may be seen.

    Pairs are read as they are stored: nothing is compared here.
    """

    def __init__(self, instance: Model, visible: Visible) -> None:
        self.key = key_of(instance)
        self._instance, self._visible = instance, visible
        self._using = instance._state.db or "default"
        near = neighbours([self.key], self._visible, self._using)
        self.members = near.others(self.key)
        self.held = self.key in near.held
        self._cluster = near.cluster_of.get(self.key)
        self._known: dict[Key, Fact] = {}
        self._facts = Facts(self.key, self._visible.registered, self._using)
        self._all_known = False

    def alike(self, limit: int) -> list[Fact]:
        """Pairs with posts that stand outside the cluster and may be seen, the likest first, one of each cluster."""
        found: dict[object, Fact] = {}
        for portion in self._facts.portions():
            self._known |= {fact.key: fact for fact in portion}
            outside = [fact for fact in portion if fact.cluster is None or fact.cluster != self._cluster]
            held = self._visible.held([fact.key for fact in outside], self._using) if outside else {}
            for fact in outside:
                if fact.key in held:
                    found.setdefault(fact.key if fact.cluster is None else fact.cluster, fact)
            if len(found) >= limit:
                return list(found.values())[:limit]
        self._all_known = True
        return list(found.values())

    def listed(self, members: Sequence[Key], alike: Sequence[Fact]) -> Listed:
        """The entries of those that are still there. What is told of texts that have changed since is left out."""
        facts = self._facts_of(members) | {fact.key: fact for fact in alike}
        objects = self._visible.fetch({*members, *facts}, self._using) if members or alike else {}
        made = Entries(self.key, {**objects, self.key: self._instance}, self._using)
        current = {key: fact for key, fact in facts.items() if made.is_current(fact)}
        evidence = self._facts.evidence([fact.pair for fact in current.values()])
        entries = {
            key: made.plain(key)
            if (fact := current.get(key)) is None
            else made.compared(key, fact, evidence.get(fact.pair))
            for key in objects
            if key in made
        }
        return Listed(
            made.plain(self.key),
            [entries[key] for key in members if key in entries],
            [entries[fact.key] for fact in alike if fact.key in entries and fact.key in current],
        )

    def _facts_of(self, members: Sequence[Key]) -> dict[Key, Fact]:
        """What is known of the post's pairs with members."""
        wanted = [key for key in members if key not in self._known]
        if wanted and not self._all_known:
            self._known |= {fact.key: fact for fact in self._facts.with_(wanted)}
        return {key: self._known[key] for key in members if key in self._known}
