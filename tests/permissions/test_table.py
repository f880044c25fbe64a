"""Who may see and do what, of two tenants whose ModelAdmin withholds posts: ``make permissions`` prints the table."""

import logging
import os

import pytest

from django_neardup import registry
from django_neardup.admin import document_admin, moved_url_admin, visible_objects, visible_spaces
from django_neardup.moderation import permissions
from tests.permissions.people import A_FEW, EVERYBODY, Person
from tests.permissions.population import populate
from tests.permissions.site import STANDINGS, TENANTS, TenantNeardup
from tests.permissions.table import Run, known_addresses, own_addresses
from tests.testapp.models import Ad

URLCONF = "tests.permissions.site"
PRINTS = os.environ.get("PERMISSIONS") == "print"

pytestmark = [
    pytest.mark.django_db(databases=["default", "other"]), pytest.mark.engine_alike, pytest.mark.urls(URLCONF),
]  # fmt: skip


@pytest.fixture(autouse=True)
def _tenants(monkeypatch, settings, caplog):
    # A line with a traceback for each refusal takes as long as the refusal.
    caplog.set_level(logging.CRITICAL, logger="django.request")
    settings.NEARDUP = {"default": {**settings.NEARDUP["default"], "THROTTLE": None}}
    monkeypatch.setitem(registry._registry, Ad, TenantNeardup(Ad))


def test_no_address_is_left_out():
    assert own_addresses(URLCONF) == known_addresses()
    assert own_addresses("tests.urls") == known_addresses()


@pytest.mark.parametrize(
    ("people", "standings"),
    [
        pytest.param(A_FEW, {"1": ["commented", "withheld-public", "barred"], "2": ["plain"]}, id="short"),
        pytest.param(EVERYBODY, dict.fromkeys(TENANTS, STANDINGS), id="all", marks=pytest.mark.long),
    ],
)
def test_no_cell_is_wrong(people, standings, capsys):
    table = Run(populate(TENANTS, standings), people).go()
    if PRINTS:
        with capsys.disabled():
            print("", *table.lines(people), "", *table.faults, sep="\n")
            print(f"{table.count} cells, {len(table.faults)} wrong")
    assert not table.faults


CONTROLS = {
    "spaces": (visible_spaces, "visible_spaces", lambda request: None, "cluster_change"),
    "posts": (visible_objects, "visible_pks", lambda model, pks, *rest: set(pks), "pair_change"),
    "addresses": (
        moved_url_admin, "find_readable_losers", lambda records, *rest: {row.pk for row in records},
        "movedurl_change",
    ),
    "objects": (permissions, "_unlisted_objects", lambda *rest: set(), "hide cluster"),
    "an act": (
        document_admin.DocumentAdmin, "has_recheck_permission", lambda admin, request: True, "try again",
    ),
}  # fmt: skip
"""Checks of the app, what takes their place, and the row of the table in which that is seen."""


@pytest.mark.parametrize(
    "check",
    [pytest.param(check, marks=[] if check == "posts" else pytest.mark.long) for check in CONTROLS],
)
def test_control_a_check_that_is_missing_is_seen(check, monkeypatch):
    owner, name, instead, row = CONTROLS[check]
    world = populate(TENANTS, {"1": ["withheld"], "2": ["plain"]})
    monkeypatch.setattr(owner, name, instead)
    table = Run(world, [Person("delete", "1"), Person("review", "1")]).go()
    assert any(fault.startswith(f"{row}, ") for fault in table.faults)
