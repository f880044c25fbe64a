"""One question once, in the browser: families, doubts, pairs between groups, held posts."""

from __future__ import annotations

import pytest

from tests.browser.rules import flaws
from tests.browser.scenes import (
    CONFIRM,
    QUEUE,
    TEXT,
    TITLE,
    look_up,
    open_row,
    post,
    publish,
    rows,
    turn,
    write,
)

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

DOUBTS = ("со стеклом", "с окном"), ("целые", "новые"), ("дымоход", "колосник")
HELD = "SELECT count(*) FROM neardup_hold WHERE state = 'review'"


def doubtful(number: int) -> str:
    """The text with a word that may make another item of it."""
    return TEXT.format("18").replace(*DOUBTS[number])


def test_a_family_is_decided_and_a_new_member_joins_silently(site, window):
    for model in ("18", "24", "30"):
        post(site, model)
    turn(site)
    look_up(window)
    assert rows(window) == []
    look_up(window, part="families")
    open_row(window)
    assert len(window.all("[data-neardup-row]")) == 3 and "ПБ-18 → ПБ-24" in window.text

    window.leave(lambda: window.press("n"))
    window.click(CONFIRM)
    post(site, "36")
    turn(site)
    for part in ("", "families"):
        look_up(window, part=part)
        assert rows(window) == []


def test_doubts_about_one_template_are_one_row_that_can_be_undone(site, window):
    post(site)
    for number in range(len(DOUBTS)):
        post(site, text=doubtful(number))
    turn(site)
    look_up(window)
    (row,) = rows(window)
    assert "возможно" in row.text
    open_row(window)
    assert len(window.all("[data-neardup-row]")) == 4

    window.leave(lambda: window.press("h"))
    window.click(CONFIRM)
    assert rows(window) == []
    window.leave(lambda: window.press("u"))
    window.click(CONFIRM)
    turn(site)
    look_up(window)
    assert len(rows(window)) == 1


def test_a_doubt_is_looked_at_and_decided_by_keyboard(site, window):
    post(site)
    post(site, text=doubtful(0))
    turn(site)
    look_up(window)
    window.press("j")
    window.leave(lambda: window.press("a"))  # what is suggested: look
    assert "/pair/" in window.path
    window.leave(lambda: window.press("n"))
    assert rows(window) == []
    window.leave(lambda: window.press("u"))
    window.click(CONFIRM)
    look_up(window)
    assert len(rows(window)) == 1


def test_pairs_between_two_groups_are_decided_once(site, window):
    for text in (TEXT.format("18"), doubtful(0)):
        for city in ("Сысерть", "Пермь"):
            post(site, text=text, city=city)
    turn(site)
    look_up(window)
    groups_and_pair = rows(window)
    assert len(groups_and_pair) == 3
    doubt = next(row for row in groups_and_pair if "возможно" in row.text)
    window.leave(doubt.find_element("css selector", "[data-neardup-open]").click)
    window.leave(lambda: window.press("n"))
    write(window, title=TITLE, text=f"{doubtful(0)} Звоните.")
    publish(window)
    turn(site)
    look_up(window)
    assert len(rows(window)) == 2


def test_a_held_post_is_published_from_the_queue(site, window):
    window.open(QUEUE)
    before = site.value(HELD)
    assert before
    title = window.find(".neardup-held li a").text
    window.click(".neardup-held a.neardup-button")
    assert title in window.text and window.find(".neardup-panel .neardup-text").text
    assert flaws(window) == []
    window.click(CONFIRM)
    assert site.value(HELD) == before - 1
    window.open(QUEUE)
    assert len(window.all(".neardup-held li")) == before - 1


def test_a_family_is_fit_for_everybody(site, window):
    for model in ("18", "24", "30"):
        post(site, model)
    turn(site)
    look_up(window, part="families")
    assert flaws(window) == []
    open_row(window)
    assert flaws(window) == []
    window.leave(lambda: window.press("n"))
    assert flaws(window) == []
