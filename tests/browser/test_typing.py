"""While somebody types: the list comes and goes by itself, and never gets in the way."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from typing import NamedTuple

import pytest

from tests.browser import rules
from tests.browser.chromium import Window

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

MINUTE = 60
PAGE = """
    document.querySelector("main").innerHTML = `
        <h1>Новое объявление</h1>
        <form data-neardup-check="/similar/api/check/board.ad/" ${arguments[0]}>
            ${document.querySelector("[name=csrfmiddlewaretoken]").outerHTML}
            <p><label>Заголовок <input name="${arguments[1]}title"></label></p>
            <p><label>Текст <textarea name="${arguments[1]}text"></textarea></label></p>
            <section data-neardup-similar role="region" aria-live="polite" aria-label="Похожие"></section>
            <p><label>Пароль <input type="password" name="secret" autocomplete="off"></label></p>
            <p><label>Город <input name="city"></label></p>
        </form>`;
    window.asked = [];
    window.late = [];
    const fetched = window.fetch;
    window.fetch = (address, { signal, ...options }) => {
        window.asked.push(String(options.body));
        const answer = fetched(address, window.slow ? options : { signal, ...options });
        return window.slow ? new Promise((come) => window.late.push(() => come(answer))) : answer;
    };
    const names = Object.getOwnPropertyNames(window);
    const script = document.createElement("script");
    script.src = "/static/neardup/similar.js";
    script.onload = () => {
        window.ready = Object.getOwnPropertyNames(window).filter((name) => !names.includes(name));
    };
    document.head.append(script);
"""
"""A form on a page of the example's, under its content security policy; what is asked is written down, and while
``slow`` is set the answers wait for their turn, even those that are wanted no more."""

LIST = "[data-neardup-similar] .neardup-live"
SAID = "return document.querySelector('[data-neardup-similar] > p').textContent"
PAUSE = 1.0
"""Seconds in which a script that asks would have asked."""


class Advert(NamedTuple):
    number: int
    title: str
    text: str


@pytest.fixture
def adverts(site) -> list[Advert]:
    """Of two groups of the example, one each."""
    query = """
        SELECT ad.id, ad.title, ad.text FROM board_ad ad
        JOIN neardup_document d ON d.object_id = CAST(ad.id AS TEXT)
        JOIN neardup_cluster c ON c.leader_id = d.id
        JOIN django_content_type t ON t.id = d.content_type_id AND t.app_label = 'board'
        WHERE ad.published AND c.size > 1 AND length(ad.text) BETWEEN 100 AND 400 ORDER BY ad.id
    """
    with closing(sqlite3.connect(site.database)) as connection:
        return [Advert(*row) for row in connection.execute(query)]


def open_form(window: Window, attributes: str = 'data-neardup-fields="title text"', prefix: str = "") -> None:
    window.open("/login/?next=/")
    window.run(PAGE, attributes, prefix)
    window.wait(lambda: window.run("return window.ready"), "script")


def write(window: Window, text: str, field: str = "text") -> None:
    """Have the field hold that text, typed."""
    area = window.find(f"[name={field}]")
    area.clear()
    area.send_keys(text)


def asked(window: Window, times: int) -> list[str]:
    """What was asked, when it has been so often."""
    window.wait(lambda: window.run("return window.asked.length") >= times, f"{times} questions")
    return list(window.run("return window.asked"))


def links(window: Window) -> list[str]:
    return list(window.run(f"return [...document.querySelectorAll('{LIST} a')].map((each) => each.href)"))


def listed(window: Window, advert: Advert) -> None:
    """Wait until that advert stands in the list."""
    window.wait(lambda: f"{window.address}/ads/{advert.number}/" in links(window), f"advert {advert.number}")


def idle(window: Window) -> None:
    """Let the time pass in which a script that wanted to ask would ask."""
    window.driver.execute_async_script("setTimeout(arguments[1], arguments[0] * 1000)", PAUSE)


def test_the_list_comes_while_one_types(window, adverts):
    open_form(window)
    write(window, adverts[0].text)
    listed(window, adverts[0])
    state = "const at = document.activeElement; return [at.name, at.value, at.selectionStart]"
    assert window.run(state) == ["text", adverts[0].text, len(adverts[0].text)]
    assert len(asked(window, 1)) == 1
    heading = window.find(f"{LIST} h2").text
    assert heading == window.run(SAID)
    assert heading.endswith(str(len(links(window))))
    assert window.find(LIST).find_element("xpath", "..").get_attribute("aria-live") == "off"


def test_no_name_of_the_scripts_is_seen_by_others(window):
    open_form(window)
    assert {*window.run("return window.ready")} <= {"ret_nodes"}  # the driver's own


def test_an_older_answer_never_wins(window, adverts):
    one, two = adverts[0], adverts[-1]
    open_form(window)
    window.run("window.slow = true")
    write(window, one.text)
    asked(window, 1)
    write(window, two.text)
    asked(window, 2)
    window.run("window.late[1]()")
    listed(window, two)
    window.run("window.late[0]()")
    idle(window)
    listed(window, two)
    assert f"{window.address}/ads/{one.number}/" not in links(window)


def test_a_short_text_is_not_asked_about(window, adverts):
    open_form(window)
    write(window, "Продаю печь")
    idle(window)
    assert asked(window, 0) == []
    write(window, adverts[0].text)
    listed(window, adverts[0])
    write(window, "Продаю печь")
    window.wait(lambda: not window.all(LIST), "end of the list")
    assert window.run(SAID) == ""
    assert len(asked(window, 1)) == 1


def test_the_same_text_is_asked_about_once(window, adverts):
    open_form(window)
    write(window, adverts[0].text)
    listed(window, adverts[0])
    window.find("[name=text]").send_keys("!", "\ue003")
    idle(window)
    assert len(asked(window, 1)) == 1


@pytest.mark.parametrize(
    ("attributes", "prefix", "sent"),
    [
        ('data-neardup-fields="title text" data-neardup-pk="7"', "", {"title", "text", "pk"}),
        ("", "", {"title", "text", "city"}),
        ('data-neardup-fields="title text" data-neardup-prefix="ad-"', "ad-", {"title", "text"}),
        ('data-neardup-fields="text secret"', "", {"text"}),
    ],
)
def test_what_is_sent(window, attributes, prefix, sent):
    open_form(window, attributes, prefix)
    write(window, "never", "secret")
    write(window, "Пермь", "city")
    write(window, "Продаю банную печь из чугуна", f"{prefix}text")
    (body,) = asked(window, 1)
    assert {pair.partition("=")[0] for pair in body.split("&")} == {*sent, "csrfmiddlewaretoken"}
    assert "never" not in body


def test_whoever_reads_the_list_is_not_disturbed(window, adverts):
    open_form(window)
    write(window, adverts[0].text)
    listed(window, adverts[0])
    window.run("window.slow = true")
    write(window, adverts[-1].text)
    asked(window, 2)
    window.run(f"document.querySelector('{LIST} a').focus()")
    window.run("window.late[0]()")
    idle(window)
    assert window.run("return document.activeElement.href") == links(window)[0]
    listed(window, adverts[0])
    window.run("window.slow = false")
    window.find("[name=text]").click()
    listed(window, adverts[-1])


def test_a_link_leaves_the_text_where_it_is(window, adverts):
    open_form(window)
    write(window, adverts[0].text)
    listed(window, adverts[0])
    here = window.driver.current_window_handle
    window.find(f"{LIST} a").click()
    window.wait(lambda: len(window.driver.window_handles) == 2, "second window")
    (other,) = {*window.driver.window_handles} - {here}
    window.driver.switch_to.window(other)
    window.wait(lambda: window.path.startswith("/ads/"), "advert")
    window.driver.close()
    window.driver.switch_to.window(here)
    assert window.find("[name=text]").get_attribute("value") == adverts[0].text


def test_a_refusal_is_heeded_in_silence(colleague, adverts):
    open_form(colleague)
    if (
        left := MINUTE - time.time() % MINUTE
    ) < MINUTE / 2:  # a minute's number is not spread over two of them
        time.sleep(left)
    flood = """
        const [path, done] = arguments;
        const token = document.querySelector("[name=csrfmiddlewaretoken]").value;
        const body = new URLSearchParams({ csrfmiddlewaretoken: token, text: "" });
        const more = async () => ((await fetch(path, { method: "POST", body })).status === 429 ? done(true) : more());
        more();
    """
    assert colleague.driver.execute_async_script(flood, "/similar/api/check/board.ad/")
    before = len(asked(colleague, 1))
    write(colleague, adverts[0].text)
    asked(colleague, before + 1)
    write(colleague, adverts[-1].text)
    idle(colleague)
    assert len(asked(colleague, 1)) == before + 1
    assert not colleague.all(LIST)
    assert {"429" in each for each in colleague.complaints()} == {True}


def test_an_error_is_kept_from_whoever_writes(window, adverts):
    open_form(window)
    window.run("document.querySelector('form').dataset.neardupCheck = '/similar/api/check/no.model/'")
    write(window, adverts[0].text)
    asked(window, 1)
    idle(window)
    assert not window.all(LIST)
    assert ["404" in each for each in window.complaints()] == [True]


def unfit(window: Window, scheme: str) -> list[str]:
    """What a check of WCAG finds, on the page as it stands."""
    window.scheme(scheme)
    options = {"runOnly": {"type": "tag", "values": rules.STANDARD}, "resultTypes": ["violations"]}
    found = rules.axe().run(window.driver, [["main"]], options)["violations"]
    return [f"{scheme}: {each['id']}: {node['html'][:160]}" for each in found for node in each["nodes"]]


@pytest.mark.parametrize("page", [open_form, lambda window: window.open("/ads/new/")], ids=["bare", "board"])
def test_the_list_is_fit_for_everybody(window, adverts, page):
    page(window)
    write(window, adverts[0].title, "title")
    write(window, adverts[0].text)
    listed(window, adverts[0])
    assert [each for scheme in rules.SCHEMES for each in unfit(window, scheme)] == []
    window.scheme("light")
    assert rules.beside(window) == []


def test_without_the_script_nothing_is_there(window):
    with window.without_script():
        window.open("/ads/new/")
        assert window.find("[data-neardup-similar]").text == ""
        assert window.find("[data-neardup-check] noscript button").is_displayed()
