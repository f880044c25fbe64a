"""The invariants of verified leader clusters, as properties over random graphs."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from django_neardup.clustering import solve_from_scratch, update_leaders
from django_neardup.clustering.leaders import neighbours
from tests.clustering.memory import MemoryGraph

NODES = range(9)
PAIRS = list(itertools.combinations(NODES, 2))
scores = st.dictionaries(st.sampled_from(PAIRS), st.sampled_from([0.6, 0.7, 0.8, 0.9, 1.0]), max_size=20)
links = st.sets(st.sampled_from(PAIRS), max_size=6)


@st.composite
def graphs(draw):
    """Random facts; a pair is of one kind only, and a person's word is one of two."""
    different = draw(links)
    same = draw(links) - different
    variants = draw(links)
    duplicates = {pair: score for pair, score in draw(scores).items() if pair not in variants}
    return MemoryGraph(
        duplicates, variants, different, same, hidden=draw(st.sets(st.sampled_from(NODES), max_size=2))
    )


def arrive(graph, node):
    """A node comes: its relations become known, it and its neighbours are decided anew."""
    graph.nodes.add(node)
    graph.leaders |= update_leaders(graph, {node, *neighbours(graph, node)})


def leave(graph, node):
    """A node goes: those that knew it are decided anew."""
    near = neighbours(graph, node)
    graph.nodes.discard(node)
    graph.leaders.pop(node, None)
    graph.leaders |= update_leaders(graph, near)


def rebuilt(graph):
    return solve_from_scratch(graph, graph.nodes)


def state(graph):
    return {node: graph.current_leader(node) for node in graph.nodes}


@given(graphs(), st.permutations(list(NODES)))
def test_i6_any_order_of_arrival_comes_to_what_a_rebuild_gives(graph, arrivals):
    for node in arrivals:
        arrive(graph, node)
        assert state(graph) == rebuilt(graph)


@given(graphs(), st.permutations(list(NODES)), st.sets(st.sampled_from(NODES)))
def test_i7_after_departures_too_and_nobody_is_orphaned(graph, arrivals, departures):
    for node in arrivals:
        arrive(graph, node)
    for node in departures:
        leave(graph, node)
        assert state(graph) == rebuilt(graph)
        assert all(leader is None or leader in graph.nodes for leader in state(graph).values())


@given(graphs(), st.permutations(list(NODES)), st.data())
def test_i6_edits_too(graph, arrivals, data):
    for node in arrivals:
        arrive(graph, node)
    for _ in range(3):
        pair = data.draw(st.sampled_from(PAIRS))
        score = data.draw(st.sampled_from([None, 0.65, 0.95]))
        graph.scores.pop(pair, None)
        graph.relations["variants"].discard(pair)
        if score is not None:
            graph.scores[pair] = score
        graph.leaders |= update_leaders(graph, pair)
        assert state(graph) == rebuilt(graph)


@given(graphs(), st.permutations(list(NODES)))
def test_i1_i2_every_member_is_in_one_cluster_and_verified_with_its_leader(graph, arrivals):
    for node in arrivals:
        arrive(graph, node)
    clusters = graph.clusters()
    members = [node for cluster in clusters.values() for node in cluster]
    assert len(members) == len(set(members))
    for leader, cluster in clusters.items():
        assert graph.current_leader(leader) == leader and graph.can_lead(leader)
        for node in cluster - {leader}:
            assert leader in graph.duplicates(node) or any(
                graph.current_leader(other) == leader for other in graph.confirmed_same(node)
            )


@given(graphs(), st.permutations(list(NODES)))
def test_i4_no_cannot_link_inside(graph, arrivals):
    for node in arrivals:
        arrive(graph, node)
    bound = {node for node in graph.nodes if graph.confirmed_same(node)}
    for cluster in graph.clusters().values():
        for a, b in itertools.combinations(sorted(cluster), 2):
            assert (a, b) not in graph.relations["different"]
            assert (a, b) not in graph.relations["variants"] or {a, b} & bound


@given(graphs(), st.permutations(list(NODES)))
def test_i5_two_leaders_that_are_duplicates_are_kept_apart_by_something(graph, arrivals):
    for node in arrivals:
        arrive(graph, node)
    clusters = graph.clusters()
    for one, two in itertools.combinations(sorted(clusters, key=graph.sort_key), 2):
        if two in graph.duplicates(one):
            apart = graph.confirmed_different(two) | graph.variants(two)
            assert apart & clusters[one]


def test_a_chain_of_fifty_steps_stays_apart():
    chain = MemoryGraph({(n, n + 1): 0.9 for n in range(50)})
    for node in range(51):
        arrive(chain, node)
    assert max(map(len, chain.clusters().values())) <= 2


def test_best_score_first_then_the_older_leader():
    graph = MemoryGraph({(0, 2): 0.7, (1, 2): 0.9, (0, 3): 0.8, (1, 3): 0.8})
    for node in range(4):
        arrive(graph, node)
    assert graph.current_leader(2) == 1 and graph.current_leader(3) == 0


def test_a_hidden_post_joins_but_never_leads():
    graph = MemoryGraph({(0, 1): 0.9, (0, 2): 0.9, (1, 2): 0.9}, hidden={0})
    for node in range(3):
        arrive(graph, node)
    assert graph.clusters() == {1: {0, 1, 2}}


def test_frozen_nodes_keep_their_leader():
    graph = MemoryGraph({(0, 1): 0.9})
    arrive(graph, 0)
    arrive(graph, 1)
    graph.scores.clear()
    assert update_leaders(graph, {0, 1}, frozen_nodes={1}) == {}
    assert update_leaders(graph, {0, 1}) == {1: 1}


def test_a_person_binds_to_the_others_cluster():
    graph = MemoryGraph({(0, 1): 0.9}, same={(1, 2)})
    for node in range(3):
        arrive(graph, node)
    assert graph.clusters() == {0: {0, 1, 2}}
