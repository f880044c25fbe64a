"""The policy matrix: what the rules of ours say of every kind of match, and how a site's own are read."""

from __future__ import annotations

from datetime import datetime, timezone
from types import SimpleNamespace

import pytest
from django.test import override_settings

from django_neardup.models import Verdict
from django_neardup.prepublication import ACTIONS, Rule, apply_rules
from django_neardup.prepublication.rules import is_exempt, scope_values
from tests.testapp.models import Ad, Comment

YESTERDAY = datetime(2026, 3, 12, tzinfo=timezone.utc)
MATRIX = """
                        member   guest    staff
    duplicate           warn     warn     ignore
    duplicate+exact     warn     warn     ignore
    duplicate+own       hold     hold     ignore
    duplicate+own+exact block    block    ignore
    variant             ignore   ignore   ignore
    variant+own         ignore   ignore   ignore
    contained           ignore   ignore   ignore
    contained+own       ignore   ignore   ignore
    related             ignore   ignore   ignore
    related+own         ignore   ignore   ignore
    duplicate+deleted+exact      ignore  ignore  ignore
    duplicate+deleted+exact+own  hold    hold    ignore
    related+deleted+own          ignore  ignore  ignore
"""


def match(words):
    verdict, *flags = words.split("+")
    return SimpleNamespace(
        verdict=verdict,
        exact="exact" in flags,
        own="own" in flags,
        deleted=YESTERDAY if "deleted" in flags else None,
        doubtful="doubtful" in flags,
    )


def cells():
    head, *lines = (line.split() for line in MATRIX.strip().splitlines())
    return [(kind, trust, action) for kind, *row in lines for trust, action in zip(head, row, strict=True)]


@pytest.mark.parametrize(("kind", "trust", "action"), cells())
def test_the_rules_of_ours(kind, trust, action, board):
    found = match(kind)
    decision = apply_rules([found], board, trust=trust)
    assert decision.action == action
    assert list(decision.causes) == ([] if action == "ignore" else [found])


def test_nothing_found_is_let_through(board):
    assert apply_rules([], board) == apply_rules([match("variant")], board)
    assert apply_rules([], board).action == "ignore"


def test_the_strongest_action_stands_with_its_causes(board):
    kinds = ["duplicate", "duplicate+own+exact", "variant", "duplicate+own", "duplicate+own+exact"]
    found = [match(kind) for kind in kinds]
    decision = apply_rules(found, board, trust="member")
    assert decision.action == "block"
    assert list(decision.causes) == [found[1], found[4]]


RULES = [
    ({"verdict": "variant"}, "variant+own", True),
    ({"verdict": "variant"}, "duplicate", False),
    ({"verdict": ["variant", "related"]}, "related", True),
    ({"verdict": Verdict.VARIANT}, "variant", True),
    ({"exact": True}, "duplicate", False),
    ({"exact": False}, "duplicate", True),
    ({"own": False}, "duplicate+own", False),
    ({"deleted": True}, "duplicate+deleted", True),
    ({"deleted": False}, "duplicate+deleted", False),
    ({"trust": "new"}, "duplicate", True),
    ({"trust": ["old", "new"]}, "duplicate", True),
    ({"trust": "old"}, "duplicate", False),
    ({"trust": []}, "duplicate", False),
    ({"scope": 7}, "duplicate", True),
    ({"scope": [1, 7]}, "duplicate", True),
    ({"scope": "8"}, "duplicate", False),
    ({}, "related+deleted+own+exact", True),
]


@pytest.mark.parametrize(("conditions", "kind", "holds"), RULES)
def test_what_is_absent_matches_anything(conditions, kind, holds, adapt):
    adapter = adapt(publication=[{"action": "hold", **conditions}])
    decision = apply_rules([match(kind)], adapter, trust="new", scope=[7])
    assert decision.action == ("hold" if holds else "ignore")


@pytest.mark.parametrize("first", ACTIONS)
@pytest.mark.parametrize("second", ACTIONS)
def test_the_first_rule_that_holds_decides_a_match(first, second, adapt):
    adapter = adapt(publication=[{"action": first, "own": True}, {"action": second}])
    assert apply_rules([match("related+own+exact")], adapter).action == first
    strongest = max(first, second, key=ACTIONS.index)
    assert apply_rules([match("related+own+exact"), match("related+exact")], adapter).action == strongest


@pytest.mark.parametrize("asked", ACTIONS)
def test_only_exact_copies_are_refused_and_a_doubt_at_most_warns(asked, adapt):
    adapter = adapt(publication=[{"action": asked}])
    mildest = {"hold": "warn", "block": "warn"}
    assert apply_rules([match("duplicate+exact")], adapter).action == asked
    assert apply_rules([match("duplicate")], adapter).action == {"block": "hold"}.get(asked, asked)
    assert apply_rules([match("variant+doubtful")], adapter).action == mildest.get(asked, asked)


def test_the_adapters_table_goes_before_the_settings(adapt):
    with override_settings(NEARDUP={"default": {"PUBLICATION": [{"action": "block"}]}}):
        assert apply_rules([match("related+exact")], adapt()).action == "block"
        assert apply_rules([match("related")], adapt(publication=[{"action": "warn"}])).action == "warn"
        assert apply_rules([match("duplicate")], adapt(publication=[])).action == "ignore"


@pytest.mark.parametrize(
    ("table", "trust", "exempt"),
    [
        (None, "staff", True),
        (None, "member", False),
        ([], "guest", True),
        ([{"action": "ignore", "own": True}, {"action": "ignore"}, {"action": "block"}], "guest", True),
        ([{"action": "ignore", "own": True}, {"action": "block"}], "guest", False),
        ([{"action": "hold", "trust": "guest"}], "guest", False),
        ([{"action": "hold", "trust": "guest"}], "member", True),
        ([{"action": "hold", "scope": "8"}], "member", True),
    ],
)
def test_who_is_let_through_whatever_it_is_like(table, trust, exempt, adapt):
    assert is_exempt(adapt(publication=table), trust=trust, scope=["7"]) is exempt


@pytest.mark.parametrize(
    "written",
    [{}, {"action": "stop"}, {"action": "warn", "verdict": "same"}, {"action": "warn", "why": 1}, "warn"],
)
def test_a_rule_that_cannot_be_read_says_what_to_write(written):
    with pytest.raises(ValueError, match=r"\. (It is|Known|Write)"):
        Rule.from_mapping(written)


def test_a_scope_that_a_new_post_was_not_given_is_empty():
    by_ad = SimpleNamespace(scope=["ad"])
    assert scope_values(by_ad, Comment()) == ("",)
    assert scope_values(by_ad, Comment(ad=Ad(title="Сваи"))) == ("Сваи",)
