"""Decisions of many members, and decisions on documents that move to another space."""

import sys
from contextlib import contextmanager
from itertools import combinations
from types import SimpleNamespace

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from django_neardup.models import Cluster, Decision, Document, Membership, Pair
from django_neardup.pipeline import decide, drain, schemes, withdraw, work_queue
from django_neardup.pipeline.decision_lookup import (
    DecisionScope,
    decisions_for_pairs,
    documents_bound_to,
)
from django_neardup.pipeline.read import read_many
from django_neardup.pipeline.sign import sign_many
from django_neardup.pipeline.store import store_many
from tests import builders
from tests.admin import crowds
from tests.pipeline.helpers import CAT, PIANO, SOFA, SOFA_EDITED, cluster, document, pair, post, work
from tests.pipeline.test_faults import assert_as_rebuilt
from tests.testapp.models import Ad, ScopedPost

pytestmark = pytest.mark.django_db(transaction=True, databases=["default"])
FEW, MANY = 120, 600
OURS = (
    "pipeline/told.py",
    "pipeline/facts.py",
    "pipeline/graph.py",
    "pipeline/decisions.py",
    "clustering/leaders.py",
)


@contextmanager
def steps():
    """How many lines of what decides are run, each round of a loop anew."""
    count, before = SimpleNamespace(lines=0), sys.gettrace()

    def within(frame, event, argument):
        count.lines += event == "line"
        return within

    sys.settrace(lambda frame, *_: within if frame.f_code.co_filename.endswith(OURS) else None)
    try:
        yield count
    finally:
        sys.settrace(before)


def cost(size, act):
    """Steps and statements of an act on a cluster of that size and its documents."""
    made = crowds.cluster(size)
    found = list(Document.objects.filter(membership__cluster=made).order_by("pk"))
    with steps() as count, CaptureQueriesContext(connection) as statements:
        act(found)
    return count.lines, len(statements)


def leave(documents):
    one, *rest = documents[::-1]
    sides = {one.pk: 1} | {each.pk: 2 for each in rest}
    return decide("different", documents, None, "default", sides=sides)


def leave_and_return(documents):
    decision = leave(documents)
    assert [row.size for row in Cluster.objects.filter(memberships__document=documents[0])] == [
        len(documents) - 1
    ]
    assert not Membership.objects.filter(document=documents[-1]).exists()
    assert withdraw(decision, None, "default")
    assert Membership.objects.get(document=documents[-1]).cluster.size == len(documents)


@pytest.mark.slow
@pytest.mark.engine_alike
def test_one_against_the_rest_costs_in_proportion_to_their_number():
    few, many = (cost(size, leave_and_return) for size in (FEW, MANY))
    for before, now in zip(few, many):
        assert now < 1.3 * MANY / FEW * before


@pytest.mark.engine_alike
def test_a_decision_writes_only_the_pairs_it_is_about():
    made = crowds.cluster(FEW)
    found = list(Document.objects.filter(membership__cluster=made).order_by("pk"))
    decision = leave(found)
    assert {side for row in Pair.objects.filter(decision=decision) for side in (row.a_id, row.b_id)} == {
        found[0].pk, *(each.pk for each in found[-1 - crowds.NEIGHBOURS :])
    }  # fmt: skip
    with CaptureQueriesContext(connection) as statements:
        decide("same", found[1:3], None, "default")
    assert sum(each["sql"].startswith("UPDATE") and "neardup_pair" in each["sql"] for each in statements) == 1


@pytest.mark.engine_alike
@pytest.mark.parametrize(
    "sides", [[0, 0, 0], [1, 1, 2], [1, 2, 2, 0], [1, 1], [0, 1], [2], [1, 2, 3, 3, 0, 0]]
)
def test_the_pairs_that_a_decision_speaks_of(sides):
    documents = [builders.document(post(f"{SOFA} {number}")) for number in range(len(sides))]
    decision = Decision.objects.create(kind="same", space=documents[0].space)
    for one, side in zip(documents, sides):
        decision.members.create(document=one, side=side, digest="")
    told = dict(zip((each.pk for each in documents), sides))
    every = {
        key for key in combinations(sorted(told), 2) if 0 in (x := [*map(told.get, key)]) or x[0] != x[1]
    }

    assert sorted(DecisionScope.from_decision(decision).covered_pairs()) == sorted(every)
    assert documents_bound_to([*told], "default") == {side for key in every for side in key}
    assert decisions_for_pairs(combinations(sorted(told), 2), "default") == {key: [decision] for key in every}
    for size in range(len(told) + 1):
        for nodes in combinations(told, size):
            expected = {key for key in every if {*nodes} & {*key}}
            assert sorted(DecisionScope.from_decision(decision).covered_pairs({*nodes, 0})) == sorted(
                expected
            )


def move(instance, site):
    instance.site = site
    instance.save()
    settle()


def settle():
    """All turns; none is left waiting, and no cluster holds a document of another space."""
    assert not drain(limit=50).has_pending
    assert not Cluster.objects.filter(wanted__gt=F("done")).exists()
    assert not Membership.objects.exclude(document__space=F("cluster__space")).exists()


def scoped(text, site=1):
    made = ScopedPost.objects.create(site=site, text=text)
    settle()
    return made


@pytest.mark.parametrize("moving", [0, 1])
@pytest.mark.parametrize("site", [1, 2])
@pytest.mark.parametrize("texts", [(SOFA, PIANO), (SOFA, SOFA_EDITED)], ids=["unlike", "alike"])
def test_who_has_moved_is_bound_to_nobody_it_has_left(moving, site, texts):
    posts = [scoped(text) for text in texts]
    decide("same", [document(each) for each in posts], None, "default")
    assert cluster(posts[0]) == cluster(posts[1]) is not None
    move(posts[moving], 2)
    assert cluster(posts[0]) is cluster(posts[1]) is None
    near = posts[moving if site == 2 else 1 - moving]
    third = scoped(f"{near.text} Торг.", site)
    assert cluster(third) == cluster(near) is not None
    move(posts[moving], 1)
    assert cluster(posts[0]) == cluster(posts[1]) is not None


def test_who_has_moved_writes_nothing_where_it_was():
    posts = [scoped(text) for text in (SOFA, SOFA_EDITED, f"{SOFA_EDITED} Торг.")]
    decide("same", [document(each) for each in posts[:2]], None, "default")
    move(posts[0], 2)
    left = cluster(posts[1])
    assert left == cluster(posts[2]) is not None
    posts[0].text = PIANO
    with CaptureQueriesContext(connection) as queries:
        move(posts[0], 2)
    written = [
        each["sql"]
        for each in queries
        if each["sql"].startswith("UPDATE") and "neardup_cluster" in each["sql"]
    ]
    assert not [sql for sql in written if f" = {left.pk}" in sql]


def test_a_decision_is_followed_where_all_have_gone():
    posts = [scoped(text) for text in (SOFA, PIANO, CAT)]
    decision = decide("same", [document(each) for each in posts], None, "default")
    for each in posts[1:]:
        move(each, 2)
    assert cluster(posts[1]) == cluster(posts[2]) is not None
    assert cluster(posts[0]) is None
    withdraw(decision, None, "default")
    settle()
    assert not Cluster.objects.exists()


def test_who_was_told_apart_meets_elsewhere():
    posts = [scoped(text) for text in (SOFA, SOFA_EDITED)]
    decision = decide("different", [document(each) for each in posts], None, "default")
    for each in posts:
        move(each, 2)
    assert cluster(posts[0]) is None and pair(*posts).decision == decision
    withdraw(decision, None, "default")
    assert cluster(posts[0]) == cluster(posts[1]) is not None


def test_a_newer_decision_overrides_an_older_one_of_more_members():
    posts = [post(text) for text in (SOFA, SOFA_EDITED, f"{SOFA} Торг.")]
    work()
    documents = [document(each) for each in posts]
    decide("different", documents, None, "default")
    assert not Cluster.objects.exists() and Ad.objects.count() == 3
    decide("same", documents[:2], None, "default")
    assert cluster(posts[0]) == cluster(posts[1]) is not None and cluster(posts[2]) is None


def half_moved(instance, site):
    """A post that has moved, whose worker has died when it was signed; nobody takes its turn for a while."""
    instance.site = site
    instance.save()
    row = work_queue.lease_row(Document, document(instance).pk, "default", 60)
    reads = read_many([row], "default")
    signed, _ = sign_many(reads, schemes.active_scheme(reads[0].adapter.settings, "default"), "default")
    store_many(signed, "default")


def moved_after_another_turn(instance, near):
    half_moved(instance, 2)
    near.text += " Срочно."
    near.save()
    assert drain().has_pending
    Document.objects.update(leased_until=None)
    settle()


def deleted_while_it_moves(instance, near):
    half_moved(instance, 2)
    instance.delete()
    Document.objects.update(leased_until=None)
    settle()


@pytest.mark.engine_alike
@pytest.mark.parametrize("kind", ["same", "different"])
@pytest.mark.parametrize(
    "leave", [lambda one, near: move(one, 2), moved_after_another_turn, deleted_while_it_moves]
)
def test_whom_a_decision_moved_for_one_that_has_left_is_decided_on_anew(leave, kind):
    first, one, near = (scoped(text) for text in (SOFA, SOFA_EDITED, f"{SOFA} Торг."))
    other = scoped(PIANO if kind == "same" else f"{SOFA} Звоните.")
    decide(kind, [document(one), document(other)], None, "default")
    Pair.objects.filter(a=document(one), b=document(other)).delete()
    assert cluster(first) == cluster(one) == cluster(near)
    assert (cluster(other) == cluster(first)) == (kind == "same")
    leave(one, near)
    assert (cluster(other) == cluster(first)) == (kind == "different")
    assert_as_rebuilt()
