"""What authors meet: similar posts before publication, renewal, a hold, a refusal, and what became of merged posts."""

from __future__ import annotations

import pytest
from selenium.webdriver.common.by import By

from tests.browser.chromium import Window
from tests.browser.scenes import (
    ANYWAY,
    CONFIRM,
    FORM,
    LOOK,
    MINE,
    POLICY,
    RENEW,
    TEXT,
    TITLE,
    TYPED,
    answer,
    look_up,
    of,
    open_row,
    post,
    publish,
    rows,
    turn,
    write,
)
from tests.example.conftest import Site

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

ADVERTS = "SELECT count(*) FROM board_ad"
APPEALS = "SELECT count(*) FROM board_adreport WHERE reason = 'appeal'"
MARK = "Дизель-молот"
SELLER = "grom_74"


def followed(window: Window, selector: str) -> str:
    """The address of a link's page, which is looked at; the form is in the window again afterwards."""
    link, form = window.find(selector), window.driver.current_window_handle
    if link.get_attribute("target") != "_blank":
        window.leave(link.click)
        path = window.path
        window.leave(window.driver.back)
        return path
    link.click()
    window.wait(lambda: len(window.driver.window_handles) > 1, "new tab")
    window.driver.switch_to.window(window.driver.window_handles[-1])
    window.find("main h1")
    path = window.path
    window.driver.close()
    window.driver.switch_to.window(form)
    return path


def test_another_s_text_is_shown_while_it_is_typed(site, author, window):
    write(author, **of(site, SELLER, MARK))
    assert MARK in author.find(TYPED).text
    assert followed(author, f"{TYPED} a").startswith("/ads/")
    published_anyway(site, author, window)


def test_another_s_text_is_shown_without_a_script(site, author, window):
    with author.without_script():
        write(author, **of(site, SELLER, MARK))
        publish(author, LOOK)
        assert followed(author, f"{POLICY} a").startswith("/ads/")
        assert MARK in author.find(POLICY).text
        published_anyway(site, author, window)


def published_anyway(site: Site, author: Window, moderator: Window) -> None:
    before = site.value(ADVERTS)
    publish(author)
    assert MARK in author.find(POLICY).text and site.value(ADVERTS) == before
    assert followed(author, f"{POLICY} a").startswith("/ads/")
    publish(author, ANYWAY)
    number = author.path.strip("/").rpartition("/")[2]
    assert site.value(ADVERTS) == before + 1 and answer(site, f"/ads/{number}/")[0] == 200
    turn(site)
    look_up(moderator, MARK)
    open_row(moderator, MARK)
    assert f"№ {number}" in moderator.text


def test_one_s_own_is_renewed_instead(site, writer):
    before, own = site.value(ADVERTS), of(site, "demo")
    write(writer, title=own["title"], text=f"{own['text']} Звоните.", price="21000")
    publish(writer)
    assert writer.find(POLICY).find_elements(By.CSS_SELECTOR, ".neardup-flag")
    publish(writer, RENEW)
    assert site.value(ADVERTS) == before
    assert "Звоните." in writer.text and "21 000" in writer.text.replace("\u00a0", " ")
    assert "Стройматериалы" in writer.find("main").text


def test_one_s_own_waits_for_a_moderator_who_lets_it_through(site, writer, window):
    own = of(site, "demo")
    write(writer, title=own["title"], text=f"{own['text']} Звоните.", price="21000")
    publish(writer)
    publish(writer, ANYWAY)
    assert writer.path == MINE and "у модератора" in writer.find(".site-entry").text
    number = site.value("SELECT max(id) FROM board_ad")
    assert answer(site, f"/ads/{number}/")[0] == 404
    turn(site)
    look_up(window, own["title"])
    open_row(window, own["title"])
    window.click("button[data-neardup-key~=n]")
    if window.all(CONFIRM):
        window.click(CONFIRM)
    assert answer(site, f"/ads/{number}/")[0] == 200


def test_the_very_same_is_refused_and_may_be_disputed(site, writer):
    before, own, appeals = site.value(ADVERTS), of(site, "demo"), site.value(APPEALS)
    write(writer, **own)
    publish(writer)
    assert writer.all(f"{POLICY}.neardup-stop {RENEW}") and not writer.all(ANYWAY)
    assert writer.find(f"{FORM} [name=text]").get_attribute("value") == own["text"]
    writer.click(f"{POLICY} a[href$='/appeal/']")
    writer.find("[name=ad] option:last-child").click()
    writer.find("[name=text]").send_keys("Это второй такой же, рама другая.")
    writer.click(f"{FORM} button")
    assert (site.value(ADVERTS), site.value(APPEALS)) == (before, appeals + 1)


def test_a_draft_is_seen_by_its_author_alone_and_published_later(site, writer):
    write(writer, title=TITLE, text=TEXT.format("18"))
    publish(writer, "button[value=draft]")
    number = site.value("SELECT max(id) FROM board_ad")
    assert writer.path == MINE and "черновик" in writer.find(".site-entry").text
    assert answer(site, f"/ads/{number}/")[0] == 404
    writer.click(f"a[href='/ads/{number}/edit/']")
    publish(writer)
    assert answer(site, f"/ads/{number}/")[0] == 200


def test_a_merged_advert_leads_to_the_living_one_in_one_hop(site, author, window):
    other = post(site)
    write(author, title=TITLE, text=TEXT.format("18"))
    publish(author)
    own = int(author.path.strip("/").rpartition("/")[2])
    turn(site)
    look_up(window)
    open_row(window)
    window.leave(lambda: window.press("m"))
    window.click(CONFIRM)
    assert answer(site, f"/ads/{own}/") == (301, f"/ads/{other}/")
    assert answer(site, f"/ads/{other}/") == (200, "")
    author.open(f"/ads/{own}/")
    assert author.path == f"/ads/{other}/"

    author.open(MINE)
    link = author.find(f".neardup-flag ~ * a[href='/ads/{other}/']")
    assert "вошло в другое" in author.text
    assert TITLE in link.text
    author.click(f"a[href='/ads/{own}/appeal/']")
    author.find("[name=text]").send_keys("Это другая печь.")
    author.click(f"{FORM} button")
    assert site.value(f"{APPEALS} AND ad_id = ?", other) == 1
    assert rows(window) == []
