"""Clusters of pairs that are kept in memory."""

from __future__ import annotations

from django_neardup.clustering import solve_from_scratch
from django_neardup.clustering.pair_graph import PairGraph


def test_members_are_duplicates_of_their_leader() -> None:
    graph = PairGraph()
    graph.add_pair(0, 1, "duplicate", 0.9)
    graph.add_pair(1, 2, "duplicate", 0.8)
    graph.add_pair(0, 3, "related", 0.99)
    graph.assign_leaders([3, 2, 1, 0])
    assert graph.leaders == {0: 0, 1: 0, 2: 2, 3: 3}


def test_a_variant_of_an_earlier_member_stays_out() -> None:
    graph = PairGraph()
    graph.add_pair(0, 1, "duplicate", 0.9)
    graph.add_pair(0, 2, "duplicate", 0.9)
    graph.add_pair(2, 1, "variant", 0.95)
    graph.assign_leaders(range(3))
    assert graph.leaders == {0: 0, 1: 0, 2: 2}


def test_the_leaders_are_those_of_a_solution_from_scratch() -> None:
    graph, other = PairGraph(), PairGraph()
    for target in (graph, other):
        for a, b, score in ((0, 4, 0.7), (2, 4, 0.8), (1, 3, 0.9), (3, 4, 1.0)):
            target.add_pair(b, a, "duplicate", score)
    graph.assign_leaders(range(5))
    assert graph.leaders == solve_from_scratch(other, range(5)) == {0: 0, 1: 1, 2: 2, 3: 1, 4: 2}
