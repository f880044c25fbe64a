"""The pages of the example over HTTP."""

from __future__ import annotations

import re

import pytest

from tests.example.browser import Browser
from tests.example.conftest import Site

pytestmark = pytest.mark.xdist_group("example")

ADVERT = {
    "title": "Самовар угольный, тульский",
    "text": "Самовар на пять литров, с трубой и медалями, держали на полке. Кран не течёт, внутри вылужен.",
    "price": "7000",
    "city": "Екатеринбург",
    "phone": "+7 900 000-99-99",
}


def first_ad(browser: Browser) -> str:
    return next(link for link in browser.get("/").links("/ads/") if re.fullmatch(r"/ads/\d+/", link))


@pytest.mark.parametrize(
    "path",
    ["/", "/?page=3", "/?similar=all", "/category/cars/", "/category/transport/", "/search/", "/ads/new/", "/forum/",
     "/forum/stroika/", "/login/", "/admin/login/"],
)  # fmt: skip
def test_a_page_is_there(browser, path):
    assert browser.get(path).status == 200


def test_every_topic_is_there(browser):
    pages = [browser.get(f"/forum/{section}/") for section in ("stroika", "avto", "english")]
    topics = [topic for page in pages for topic in page.links("/forum/topics/")]
    assert len(topics) > 10
    assert {browser.get(topic).status for topic in topics} == {200}


def test_sections_and_topics_stand_in_their_order(site, browser):
    sections = browser.get("/forum/").links("/forum/")
    assert [link for link in sections if "topics" not in link] == [
        "/forum/", "/forum/stroika/", "/forum/avto/", "/forum/dom/", "/forum/komp/", "/forum/rabota/",
        "/forum/raznoe/", "/forum/english/",
    ]  # fmt: skip
    newest = """
        SELECT forum_topic.id FROM forum_topic JOIN forum_section ON section_id = forum_section.id
        WHERE slug = 'avto' ORDER BY created DESC
    """
    assert browser.get("/forum/avto/").links("/forum/topics/")[0] == f"/forum/topics/{site.value(newest)}/"


def test_an_advert_shows_its_facts(browser):
    page = browser.get(first_ad(browser))
    assert "Продавец" in page.text and "Телефон" in page.text


def test_what_is_not_there_is_not_found(browser):
    assert browser.get("/ads/999999/").status == 404
    assert browser.get("/category/nothing/").status == 404


def test_a_hidden_advert_is_seen_by_nobody_but_its_author_and_staff(site, browser):
    hidden = f"/ads/{site.value('SELECT id FROM board_ad WHERE published = 0 AND user_id IS NOT NULL')}/"
    assert browser.get(hidden).status == 404
    moderator = site.browser()
    moderator.log_in("moderator", "moderator")
    assert "не опубликовано" in moderator.get(hidden).text


@pytest.mark.parametrize("query", ["сваи", "СВАИ", "Сваи железобетонные", "железобетонные сваи"])
def test_search_disregards_case_and_order(browser, query):
    page = browser.get("/search/", q=query)
    assert "Нашлось" in page.text
    assert len(page.links("/ads/")) > 5


def test_search_takes_io_for_ie(browser):
    with_it, without = (browser.get("/search/", q=query) for query in ("ТРЁХКОМНАТНАЯ", "трехкомнатная"))
    assert with_it.links("/ads/") == without.links("/ads/")
    assert "<b>трёхкомнатная</b>" in without.html


def test_search_goes_through_the_forum(browser):
    page = browser.get("/search/", q="СВАИ", where="forum")
    assert page.links("/forum/topics/")


def test_wildcards_of_like_are_plain_letters(browser):
    assert "Нашлось 0" in browser.get("/search/", q="%_%").text


def test_a_search_is_shown_as_text(browser):
    assert "<b>x</b>" not in browser.get("/search/", q="<b>x</b>").html


def test_anybody_may_post_an_advert(site, browser):
    shelf = site.value("SELECT id FROM board_category WHERE slug = 'hobby'")
    page = browser.post("/ads/new/", **ADVERT, category=str(shelf))
    assert re.search(r"/ads/\d+/$", page.url)
    assert "Объявление опубликовано" in page.text
    assert "тульский" in browser.get("/search/", q="САМОВАР").text
    assert "тульский" in browser.get("/category/hobby/").text


def test_an_advert_without_an_address_is_not_taken(site, browser):
    shelf = site.value("SELECT id FROM board_category WHERE slug = 'hobby'")
    page = browser.post("/ads/new/", **{**ADVERT, "phone": ""}, category=str(shelf))
    assert "Укажите телефон" in page.text


def test_a_reply_quotes_and_is_shown_safely(site, browser):
    topic = f"/forum/topics/{site.value('SELECT min(id) FROM forum_topic')}/"
    page = browser.post(topic, text='[quote="demo"]было[/quote]\n[b]Стало[/b] <script>alert(1)</script>')
    assert "<blockquote><p><cite>demo</cite></p><p>было</p></blockquote>" in page.html
    assert "<b>Стало</b> &lt;script&gt;" in page.html


def test_the_language_follows_the_browser_and_the_switch(site, browser):
    assert "Свежие объявления" in browser.get("/").text
    assert "Latest adverts" in site.browser("en").get("/").text
    browser.post("/language/setlang/", language="en", next="/")
    assert "Latest adverts" in browser.get("/").text


@pytest.mark.parametrize("path", ["/", "/search/?q=сваи", "/forum/", "/ads/new/", "/login/"])
def test_nothing_stands_inline(browser, path):
    page = browser.get(path)
    assert page.headers["Content-Security-Policy"].startswith("default-src 'self';")
    assert "unsafe" not in page.headers["Content-Security-Policy"]
    assert not re.search(r"<script|<style|\sstyle=|\son\w+=", page.html)


ADMIN = ["", "board/ad/", "board/ad/?q=СВАИ", "board/category/", "board/photo/", "board/favorite/", "board/adreport/",
         "board/note/", "forum/section/", "forum/topic/", "forum/post/", "auth/user/"]  # fmt: skip


def test_staff_manage_everything(site):
    admin = site.browser()
    admin.log_in("admin", "admin")
    assert {path: admin.get(f"/admin/{path}").status for path in ADMIN} == dict.fromkeys(ADMIN, 200)


def test_a_moderator_sees_no_accounts(site):
    moderator = site.browser()
    moderator.log_in("moderator", "moderator")
    assert moderator.get("/admin/board/ad/").status == 200
    assert moderator.get("/admin/auth/user/").status == 403


def test_somebody_else_sees_no_admin(site: Site):
    demo = site.browser()
    assert "demo" in demo.log_in("demo", "demo").text
    assert "/admin/login/" in demo.get("/admin/board/ad/").url
