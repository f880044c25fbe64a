"""Every page of ours in the browser: nothing blocked, nothing unnamed, nothing beside the screen."""

from __future__ import annotations

import pytest

from tests.browser.rules import flaws
from tests.browser.scenes import CONFIRM, QUEUE, look_up, open_row, post, turn

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

ADMIN = "/admin/neardup"
CLUSTER = "SELECT id FROM neardup_cluster WHERE size = (SELECT max(size) FROM neardup_cluster)"
PAIR = "SELECT id FROM neardup_pair WHERE classes LIKE '%code%' AND verdict = 'variant' ORDER BY score DESC"
FAMILY = "SELECT leader_id FROM neardup_familymember GROUP BY leader_id ORDER BY count(*) DESC"

AUTHOR = "SELECT author FROM neardup_document WHERE author != '' GROUP BY author ORDER BY count(*) DESC"
CONTACT = "SELECT hash FROM neardup_contact GROUP BY hash ORDER BY count(*) DESC"

PAGES = {
    "queue": QUEUE,
    "filtered": f"{QUEUE}?verdict=variant&order=score",
    "families": f"{QUEUE}?show=families",
    "family": f"{QUEUE}family/{{family}}/",
    "nothing found": f"{QUEUE}?q=такого+слова+нет",
    "nothing decided": f"{QUEUE}?tab=decided",
    "author": f"{QUEUE}author/{{author}}/",
    "contact": f"{QUEUE}contact/{{contact}}/",
    "group": f"{ADMIN}/cluster/{{cluster}}/change/",
    "pair": f"{ADMIN}/pair/{{pair}}/change/",
    "leave": f"{QUEUE}decide/leave/?id=c{{cluster}}",
    "hide": f"{QUEUE}decide/hide/?id=c{{cluster}}&id=p{{pair}}",
    "merge": f"{QUEUE}decide/merge/?id=c{{cluster}}",
    "delete": f"{QUEUE}decide/delete/?id=p{{pair}}",
    "groups": f"{ADMIN}/cluster/",
    "pairs": f"{ADMIN}/pair/",
    "decisions": f"{ADMIN}/decision/",
    "records": f"{ADMIN}/mergerecord/",
    "addresses": f"{ADMIN}/movedurl/",
    "phrases": f"{ADMIN}/keyphrase/",
    "adverts": "/admin/board/ad/",
}

HIGHER = """
    return [...document.querySelectorAll('p.neardup-text')]
        .map(each => [each, each.previousElementSibling])
        .filter(([note, text]) => note.getBoundingClientRect().top < text.getBoundingClientRect().bottom - 1)
        .map(([note]) => note.outerHTML);
"""
"""Notes that do not stand below the text before them."""


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_fit_for_everybody(name, site, window):
    numbers = {"cluster": CLUSTER, "pair": PAIR, "family": FAMILY, "author": AUTHOR, "contact": CONTACT}
    window.open(PAGES[name].format(**{key: site.value(query) for key, query in numbers.items()}))

    assert flaws(window) == []


def test_the_policy_that_nothing_may_break_is_strict(site):
    policy = site.browser().get("/admin/login/").headers["Content-Security-Policy"]

    assert policy.startswith("default-src 'self';") and "unsafe" not in policy


def test_what_follows_a_decision_is_fit_for_everybody(window):
    window.open(QUEUE)
    window.press("j")
    window.leave(lambda: window.press("h"))
    undo = window.find("[data-neardup-key=u]").get_attribute("href")
    for address in (undo, f"{window.address}{QUEUE}?tab=decided", f"{window.address}{ADMIN}/mergerecord/"):
        window.driver.get(address)
        assert flaws(window) == []
    window.click("#result_list th a")
    assert flaws(window) == []
    window.driver.get(undo)
    window.click(CONFIRM)
    assert flaws(window) == []


def test_the_note_on_a_long_text_stands_below_it(site, window):
    text = " ".join(f"деталь {number} печи" for number in range(2_000))
    for city in ("Сысерть", "Пермь"):
        post(site, text=text, city=city)
    turn(site)
    look_up(window)
    open_row(window)

    assert len(window.all("p.neardup-text")) == 2
    assert window.run(HIGHER) == []
    assert flaws(window) == []
