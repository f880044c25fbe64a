"""Two moderators at once: the first decides, the second is told who did, and nothing is decided twice."""

from __future__ import annotations

import pytest

from tests.browser.chromium import Window
from tests.browser.scenes import CONFIRM, QUEUE

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

DEEDS = "SELECT (SELECT count(*) FROM neardup_mergerecord) + (SELECT count(*) FROM neardup_decision)"


def from_the_list(window: Window) -> None:
    window.press("j")
    window.leave(lambda: window.press("n"))


def from_a_confirmation(window: Window) -> None:
    window.click(CONFIRM)


@pytest.mark.parametrize("act", [from_the_list, from_a_confirmation])
def test_the_second_is_told_who_was_first(act, site, window, colleague):
    window.open(QUEUE)
    if act is from_a_confirmation:
        window.leave(window.find("[data-neardup-open]").click)
        window.leave(lambda: window.press("h"))
    colleague.open(QUEUE)
    from_the_list(colleague)
    deeds = site.value(DEEDS)

    act(window)

    (complaint,) = window.complaints()
    assert "409" in complaint and site.value(DEEDS) == deeds
    assert "moderator" in window.find("[role=alert]").text
    window.click(".neardup a.neardup-first")
    assert not window.all("[role=alert]")
