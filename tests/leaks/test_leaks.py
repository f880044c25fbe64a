"""Byte for byte: with hidden posts or without, every visitor is answered the same at every address."""

from __future__ import annotations

import json

import pytest

from tests.databases import engine
from tests.leaks.addresses import (
    ADVERTS,
    CHECK,
    EXEMPT,
    JSON,
    PUBLISH,
    READ,
    SEEN,
    STEM,
    UNSEEN,
    WITHOUT_IO,
    WRITTEN,
    Sent,
)

pytestmark = [pytest.mark.database, pytest.mark.slow, pytest.mark.xdist_group("leaks")]

ASKED = [*READ, *map(str, WRITTEN)]
STATES = ("older", "newer")
VISITORS = ("", "boris")


@pytest.mark.parametrize("visitor", VISITORS, ids=["anonymous", "author"])
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("address", ASKED)
def test_hidden_posts_change_no_byte(address, state, visitor, seen):
    assert seen(state)["looks"][visitor][address] == seen("alone")["looks"][visitor][address]


@pytest.mark.parametrize("state", STATES)
def test_hidden_posts_stand_in_the_groups_of_those_that_are_shown(state, seen):
    assert seen(state)["grouped"] >= seen("alone")["grouped"] + 5


def test_every_public_route_is_looked_at(seen):
    looks = seen("alone")["looks"]
    visited = {told["route"] for look in looks.values() for told in look.values()}
    assert [
        each for each in seen("alone")["routes"] if each not in visited and not each.startswith(EXEMPT)
    ] == []


@pytest.mark.parametrize("visitor", VISITORS, ids=["anonymous", "author"])
def test_the_pages_would_tell(visitor, seen):
    """What is shown does tell of look-alikes, so that equal answers mean something."""
    look = seen("alone")["looks"][visitor]
    assert {look[address]["status"] for address in SEEN} == {200}
    assert {look[address]["status"] for address in UNSEEN} == {404}
    assert "/similar/board.ad/100" in look["/search/?q=сваи"]["body"]
    sent = {text: look[str(Sent(PUBLISH, text))] for text in ("group", "hidden only")}
    assert sent["group"]["status"] == 200 and "neardup-policy" in sent["group"]["body"]
    found = {text: json.loads(look[str(Sent(CHECK, text, JSON))]["body"])["count"] for text in ADVERTS}
    assert found["group"] > 1 and found["hidden only"] == 0
    assert look[str(Sent(PUBLISH, "group", again=True))]["status"] == 302


def test_search_knows_forms_of_words_where_the_database_does(seen):
    look = seen("alone")["looks"][""]
    assert ("/ads/1001/" in look[STEM]["body"]) == (engine() == "postgresql")
    assert "/ads/1006/" in look[WITHOUT_IO]["body"]
