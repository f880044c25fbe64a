"""Where no script runs, everything that the keys do is done by buttons and links."""

from __future__ import annotations

import pytest

from tests.browser.chromium import Window
from tests.browser.scenes import CONFIRM, QUEUE, waiting

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


@pytest.fixture
def plain(window: Window):
    with window.without_script():
        window.open(QUEUE)
        yield window


def test_a_row_by_its_button_and_back(plain):
    before = waiting(plain)
    plain.click("[data-neardup-row] button[data-neardup-key~=a]")
    assert waiting(plain) < before
    plain.click(".messagelist a")
    plain.click(CONFIRM)
    plain.open(QUEUE)
    assert waiting(plain) == before


def test_several_rows_by_the_bar(plain):
    before = waiting(plain)
    for box in plain.all("[data-neardup-row] [type=checkbox]")[1:3]:
        box.click()
    plain.click("[data-neardup-bar] button[data-neardup-key=n]")
    assert waiting(plain) <= before - 2


def test_a_merge_from_the_evidence(plain):
    before = waiting(plain)
    plain.click("[data-neardup-row] a")
    plain.click("button[data-neardup-key~=m]")
    plain.click(CONFIRM)
    plain.open(QUEUE)
    assert waiting(plain) < before


def test_nothing_is_offered_that_needs_a_script(plain):
    assert not any(
        each.is_displayed()
        for each in plain.all("[data-neardup-ask], [data-neardup-all], [data-neardup-script]")
    )
