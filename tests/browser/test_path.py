"""The whole path of a moderator: from the queue to a decision that lasts, to a merge and back."""

from __future__ import annotations

import pytest

from tests.browser.chromium import Window
from tests.browser.scenes import CONFIRM, QUEUE, TEXT, answer, edit, look_up, open_row, post, rows, turn
from tests.example.conftest import Site

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def twins(site: Site, window: Window) -> tuple[int, int]:
    """Two adverts that differ in their towns alone; the window shows their group."""
    found = post(site), post(site, city="Екатеринбург")
    turn(site)
    look_up(window)
    open_row(window)
    return found


def test_a_decision_lasts_until_a_text_changes_what_was_decided(site, window):
    numbers = twins(site, window)
    shown = [each.text for each in window.all(".neardup-post header a[href*='/change/']")]
    assert shown == [f"№ {number}" for number in numbers]

    window.leave(lambda: window.press("n"))
    window.click(CONFIRM)
    assert window.all(".messagelist .success") and rows(window) == []
    site.manage("neardup_index")
    look_up(window)
    assert rows(window) == []

    edit(window, numbers[1], TEXT.format("24"))
    turn(site)
    look_up(window)
    assert rows(window) == []  # now they are surely two items, as was decided
    look_up(window, part="families")
    (row,) = rows(window)
    assert "пб-18 → пб-24" in row.text.casefold() and window.all(".neardup-again")
    open_row(window)
    window.click("[data-neardup-open]")
    assert "ПБ-18 → ПБ-24" in window.text and window.all(".neardup-again")
    assert f"№ {numbers[1]}" in window.find(".neardup-history").text


def test_a_merge_and_back(site, window):
    first, second = twins(site, window)
    old, living = f"/ads/{second}/", f"/ads/{first}/"

    window.leave(lambda: window.press("m"))
    window.find(f"[name='value.city'][value='{second}']").click()
    window.click(CONFIRM)
    assert rows(window) == []
    assert answer(site, old) == (301, living)
    window.open(old)
    assert window.path == living and "Екатеринбург" in window.find("main").text

    window.open(f"{QUEUE}?tab=decided")
    window.click("[data-neardup-row] a.neardup-button")
    window.click(CONFIRM)
    window.forget()
    assert answer(site, old) == (200, "")
    for path, town in ((old, "Екатеринбург"), (living, "Сысерть")):
        window.open(path)
        assert window.path == path and town in window.find("main").text
    look_up(window)
    assert len(rows(window)) == 1
