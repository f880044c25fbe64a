"""The keyboard language: Latin letters as the layout has them, else by place; everything else is left alone."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from tests.browser.chromium import Window
from tests.browser.scenes import CONFIRM, QUEUE, waiting

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

CURRENT = """
    const rows = [...document.querySelectorAll('[data-neardup-row]')];
    return rows.findIndex(row => row.matches('.neardup-current'));
"""
TICKED = "return document.querySelectorAll('[data-neardup-row] [type=checkbox]:checked').length"
HELP = "dialog[data-neardup-help][open]"
SEARCH = "[role=search] [name=q]"


def current(window: Window) -> int:
    """The number of the row in focus; -1 without one."""
    return int(window.run(CURRENT))


def path_of(address: str) -> str:
    return urlsplit(address).path


@pytest.mark.parametrize("russian", [False, True], ids=["latin", "russian"])
def test_a_bulk_decision_and_back(russian, window):
    window.open(QUEUE)
    before = waiting(window)
    for letter, place in (("j", 0), ("j", 1), ("j", 2), ("k", 1)):
        window.press(letter, russian)
        assert current(window) == place
    window.press("x", russian)
    window.press("j", russian)
    window.press("x", russian)
    assert window.run(TICKED) == int(window.find("[data-neardup-count]").text) == 2

    window.leave(lambda: window.press("a", russian))
    assert waiting(window) <= before - 2
    window.leave(lambda: window.press("u", russian))
    window.click(CONFIRM)
    window.open(QUEUE)
    assert waiting(window) == before


@pytest.mark.parametrize("letter", ["n", "h", "a"])
def test_a_row_is_decided_at_once(letter, window):
    # Exact copies: to part others may raise questions about them and posts outside the group.
    window.open(f"{QUEUE}?exact=yes")
    before = waiting(window)
    window.press("j")

    window.leave(lambda: window.press(letter))

    assert waiting(window) < before
    assert window.all(".messagelist .success [data-neardup-key=u]")


def test_enter_in_a_checkbox_decides_nothing(window):
    window.open(QUEUE)
    before = waiting(window)
    window.run("document.querySelectorAll('[data-neardup-row] [type=checkbox]')[1].focus()")
    window.type("Enter", "Enter")
    window.open(QUEUE)
    assert waiting(window) == before


@pytest.mark.parametrize("letter", ["m", "d"])
def test_what_cannot_be_done_at_once_is_shown_first(letter, window):
    window.open(QUEUE)
    before = waiting(window)
    window.press("j")

    window.leave(lambda: window.press(letter))

    assert window.all(CONFIRM) or window.all(".neardup-bar .neardup-danger")
    window.open(QUEUE)
    assert waiting(window) == before


def test_a_row_is_opened_and_the_next_one_from_there(window):
    window.open(QUEUE)
    addresses = [each.get_attribute("href") for each in window.all("[data-neardup-open]")]
    window.press("j")

    window.leave(lambda: window.type("Enter", "Enter"))
    assert window.driver.current_url == addresses[0]
    for letter, place in (("j", 1), ("j", 2), ("k", 1)):
        window.leave(lambda letter=letter: window.press(letter))
        assert path_of(window.driver.current_url) == path_of(addresses[place])


def test_members_are_chosen(window):
    window.open(QUEUE)
    window.leave(window.find("[data-neardup-open]").click)
    members = [each.get_attribute("value") for each in window.all("[data-neardup-row] [type=checkbox]")]
    for _step in range(2):
        window.type("ArrowDown", "ArrowDown")
    window.press("x")
    assert window.run(TICKED) == int(window.find("[data-neardup-count]").text) == len(members) - 1
    window.type("ArrowDown", "ArrowDown")
    window.press("g")

    window.leave(lambda: window.press("m"))
    assert window.find("form [name=keeper]").get_attribute("value") == members[2]
    sent = {each.get_attribute("value") for each in window.all("form [name=member]")}
    assert members[1] not in sent and set(members) - sent <= {members[1], members[2]}


def test_letters_are_those_of_the_layout(window):
    """Of Dvorak's D, which is where H is, and of the comma of AZERTY, which is where M is."""
    window.open(QUEUE)
    window.press("j")
    window.type("KeyM", ",")
    window.leave(lambda: window.type("KeyH", "d"))
    assert "/decide/delete/" in window.path


def test_the_bar_hides_no_row_and_the_last_one_lets_the_page_scroll(window):
    window.size(1280, 500)
    window.open(QUEUE)
    window.run("document.addEventListener('keydown', (event) => (window.heeded = event.defaultPrevented))")
    free = "return document.querySelector('.neardup-current').getBoundingClientRect().bottom"
    bar = "return document.querySelector('.neardup-bar').getBoundingClientRect().top"
    while True:
        before = current(window)
        window.type("ArrowDown", "ArrowDown")
        if current(window) == before:
            break
        assert window.run(free) <= window.run(bar)
        assert window.run("return window.heeded")
    assert before == len(window.all("[data-neardup-row]")) - 1
    assert not window.run("return window.heeded")


def test_a_second_click_is_not_sent(window):
    window.open(QUEUE)
    clicks = """
        let sent = 0;
        document.addEventListener("submit", (event) => (sent += !event.defaultPrevented));
        const button = document.querySelector("[data-neardup-row] button[data-neardup-key~=n]");
        button.click();
        button.click();
        return sent;
    """
    assert window.run(clicks) == 1
    window.find(".messagelist .success")
    window.leave(window.find("[data-neardup-row] button[data-neardup-key~=a]").click)


def test_help_by_either_question_mark(window):
    window.open(QUEUE)
    for code, key in (("Slash", "?"), ("Digit7", "?")):
        window.type(code, key, shift=True)
        window.find(HELP)
        window.type("Escape", "Escape")
        window.wait(lambda: not window.all(HELP), "end of the help")


def test_letters_belong_to_fields_and_to_the_browser(window):
    window.open(QUEUE)
    window.press("j", ctrl=True)
    assert current(window) == -1
    window.find(SEARCH).click()
    window.press("j")
    assert current(window) == -1
    assert window.find(SEARCH).get_attribute("value") == "j"


def test_the_keys_can_be_switched_off(window):
    window.open(QUEUE)
    window.find("[data-neardup-ask]").click()
    window.find("[data-neardup-switch]").click()
    window.find(f"{HELP} button").click()
    for _look in ("now", "and on the next page"):
        window.press("j")
        assert current(window) == -1
        window.open(QUEUE)
    window.find("[data-neardup-ask]").click()
    window.find("[data-neardup-switch]").click()
    window.find(f"{HELP} button").click()
    window.press("j")
    assert current(window) == 0
