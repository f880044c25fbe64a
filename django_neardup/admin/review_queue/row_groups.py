"""One question once: open pairs that ask together are one item of the queue.

- The pairs of a family's leader and its members are one item, the *family*.
- Of the pairs between the same two groups one is shown.
- Several remaining pairs of one post are one item, its *shortlist*: which of these posts is it?
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from ..decision_groups import CLUSTER, FAMILY, ITEM_KINDS, SHORTLIST


class QueueItem(NamedTuple):
    """A position in the list: priority, waiting time, and what it is: the index of its kind in ``ITEM_KINDS``.

    ``pk`` is the id of the cluster or the pair. For a family it is the leader's document, for a shortlist the post's.
    """

    priority: int
    waiting_since: datetime
    kind: int
    pk: int

    @property
    def item_key(self) -> str:
        return f"{ITEM_KINDS[self.kind]}{self.pk}"

    @property
    def sort_key(self) -> tuple[int, datetime, int, int]:
        """Return the key that the list is sorted by, in ascending order."""
        return -self.priority, self.waiting_since, self.kind, self.pk

    @property
    def cursor(self) -> str:
        """Return the position as text for an address."""
        return f"{self.priority}_{self.waiting_since.isoformat()}_{self.kind}_{self.pk}"


class OpenRow(NamedTuple):
    """An open cluster or pair, its filter values, and what it may be joined by. For a cluster the rest is 0.

    - ``family``: the leader of the family that the pair belongs to, or 0.
    - ``a``, ``b``: the pair's documents, 0 if it always stands alone.
    - ``leader_a``, ``leader_b``: the leaders of their groups.
    """

    item: QueueItem
    values: tuple[str, ...]
    family: int
    a: int
    b: int
    leader_a: int
    leader_b: int


JoinPriorities = Callable[[Sequence[int]], int]
JOIN_PRIORITIES: Mapping[str, JoinPriorities] = {
    "first": sum,
    "score": max,
    "size": lambda sizes: len(sizes) + 1,
    "age": max,
}
"""The priority of several pairs in one item, by the sort order of the list."""


def join_rows(rows: Iterable[OpenRow], order: str, min_family_pairs: int) -> list[QueueItem]:
    """Return the items of open rows, sorted. ``rows`` must have the best first.

    ``min_family_pairs``: a family with fewer pairs is no item of its own.
    """
    join, items = JOIN_PRIORITIES[order], []
    by_family: defaultdict[int, list[OpenRow]] = defaultdict(list)
    pairs = []
    for row in rows:
        if row.item.kind == ITEM_KINDS.index(CLUSTER):
            items.append(row.item)
        elif row.family:
            by_family[row.family].append(row)
        else:
            pairs.append(row)
    for leader, family_rows in by_family.items():
        if len(family_rows) < min_family_pairs:
            pairs += family_rows
        else:
            items.append(_join(FAMILY, leader, family_rows, join))
    items += _join_shortlists(_one_pair_between_groups(pairs), join)
    return sorted(items, key=lambda item: item.sort_key)


def _join(kind: str, pk: int, rows: Sequence[OpenRow], join: JoinPriorities) -> QueueItem:
    since = min(row.item.waiting_since for row in rows)
    return QueueItem(join([row.item.priority for row in rows]), since, ITEM_KINDS.index(kind), pk)


def _one_pair_between_groups(rows: Iterable[OpenRow]) -> list[OpenRow]:
    by_groups: dict[tuple[int, int], OpenRow] = {}
    for row in rows:
        groups = (min(row.leader_a, row.leader_b), max(row.leader_a, row.leader_b))
        by_groups.setdefault(groups, row)
    return list(by_groups.values())


def _join_shortlists(rows: Iterable[OpenRow], join: JoinPriorities) -> list[QueueItem]:
    """Join the pairs of posts with several pairs, the post with most pairs first: a greedy cover by stars."""
    items, by_post = [], defaultdict[int, dict[int, OpenRow]](dict)
    for row in rows:
        if row.a:
            by_post[row.a][row.item.pk] = by_post[row.b][row.item.pk] = row
        else:
            items.append(row.item)
    # Of two posts with equally many pairs the newer one is the one that is asked about.
    heap = [(-len(post_rows), -post) for post, post_rows in by_post.items()]
    heapify(heap)
    while heap:
        count, post = (-value for value in heappop(heap))
        if count > len(by_post[post]):
            heappush(heap, (-len(by_post[post]), -post))
            continue
        joined = list(by_post.pop(post).values())
        for row in joined:
            other = row.b if row.a == post else row.a
            del by_post[other][row.item.pk]
        if len(joined) > 1:
            items.append(_join(SHORTLIST, post, joined, join))
        else:
            items += [row.item for row in joined]
    return items
