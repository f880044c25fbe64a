"""The pages of the example over HTTP."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from html import unescape
from xml.etree import ElementTree

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
    ["/", "/?page=3", "/?similar=all", "/category/cars/", "/category/cars/?similar=all", "/category/cars/print/",
     "/category/transport/", "/search/", "/ads/new/", "/ads/mine/", "/feed/rss/", "/feed/atom/", "/sitemap.xml",
     "/forum/", "/forum/latest/", "/forum/latest/?page=2", "/forum/stroika/", "/forum/stroika/new/", "/news/",
     "/news/?similar=all", "/news/iset-inform/", "/news/1/", "/login/", "/admin/login/"],
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
        "/forum/", "/forum/latest/", "/forum/stroika/", "/forum/avto/", "/forum/dom/", "/forum/komp/", "/forum/rabota/",
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


def test_search_goes_through_the_news(browser):
    assert browser.get("/search/", q="МОСТ", where="news").links("/news/")


def test_wildcards_of_like_are_plain_letters(browser):
    assert "Нашлось 0" in browser.get("/search/", q="%_%").text


def test_a_search_is_shown_as_text(browser):
    assert "<b>x</b>" not in browser.get("/search/", q="<b>x</b>").html


def test_a_nul_in_a_search_is_left_out(browser):
    assert browser.get("/search/?q=сва%00и").links("/ads/") == browser.get("/search/", q="сваи").links(
        "/ads/"
    )


def test_characters_that_xml_has_not_leave_the_feeds_whole(site, browser):
    shelf = site.value("SELECT id FROM board_category WHERE slug = 'hobby'")
    odd = {"title": "Балалайка\x01\ufffe", "text": "Прима, три струны,\x1f лак цел.", "phone": "89010000000"}
    assert "Балалайка" in browser.post("/ads/new/", **{**ADVERT, **odd}, category=str(shelf)).text
    for path in ("/feed/rss/", "/feed/atom/"):
        assert "Балалайка, " in "".join(ElementTree.fromstring(browser.get(path).html).itertext())


def test_anybody_may_post_an_advert(site, browser):
    shelf = site.value("SELECT id FROM board_category WHERE slug = 'hobby'")
    page = browser.post("/ads/new/", **ADVERT, category=str(shelf))
    assert re.search(r"/ads/\d+/$", page.url)
    assert "Объявление опубликовано" in page.text
    assert "тульский" in browser.get("/search/", q="САМОВАР").text
    assert "тульский" in browser.get("/category/hobby/").text


@pytest.mark.slow
def test_what_waits_for_a_moderator_is_not_saved_twice(site, browser):
    browser.log_in("demo", "demo")
    shelf, count = (
        site.value("SELECT id FROM board_category WHERE slug = 'hobby'"),
        "SELECT count(*) FROM board_ad",
    )
    advert = {**ADVERT, "title": "Патефон", "text": ADVERT["text"].replace("Самовар", "Патефон")}
    browser.post("/ads/new/", **advert, category=str(shelf))
    site.manage("neardup_index")
    site.manage("neardup_worker", "--once")
    edited, before = (
        {**advert, "text": advert["text"] + " Звоните.", "category": str(shelf)},
        site.value(count),
    )
    page = browser.post("/ads/new/", **edited)
    token = re.search(r'name="neardup_token" value="([^"]+)"', page.html)[1]
    confirmed = {**edited, "neardup_confirm": "1", "neardup_token": token}
    assert "у модератора" in browser.post("/ads/new/", **confirmed).text
    assert "Вы это уже отправили" in browser.post("/ads/new/", **confirmed).text
    assert site.value(count) == before + 1


def test_an_advert_without_an_address_is_not_taken(site, browser):
    shelf = site.value("SELECT id FROM board_category WHERE slug = 'hobby'")
    page = browser.post("/ads/new/", **{**ADVERT, "phone": ""}, category=str(shelf))
    assert "Укажите телефон" in page.text


def test_a_reply_quotes_and_is_shown_safely(site, browser):
    browser.log_in("demo", "demo")
    topic = f"/forum/topics/{site.value('SELECT min(id) FROM forum_topic')}/"
    page = browser.post(topic, text='[quote="demo"]было[/quote]\n[b]Стало[/b] <script>alert(1)</script>')
    assert "<blockquote><p><cite>demo</cite></p><p>было</p></blockquote>" in page.html
    assert "<b>Стало</b> &lt;script&gt;" in page.html


def test_a_guest_s_reply_is_shown_when_it_has_been_compared(site, browser):
    topic = f"/forum/topics/{site.value('SELECT min(id) FROM forum_topic')}/"
    page = browser.post(
        topic, text="Сваи ставил соседу зимой: копёр прошёл по насту, а летом увяз бы по ось."
    )
    assert "Сохранено." in page.text
    assert "по насту" not in browser.get(topic).text
    site.manage("neardup_index")
    site.manage("neardup_worker", "--once")
    assert "по насту" in browser.get(topic).text


def test_a_topic_with_nothing_to_read_is_seen_by_staff_alone(site, browser):
    topic = site.value("SELECT max(id) FROM forum_topic")
    assert browser.get(f"/forum/topics/{topic}/").status == 200
    with closing(sqlite3.connect(site.database)) as connection, connection:
        connection.execute("UPDATE forum_post SET published = 0 WHERE topic_id = ?", [topic])
    assert browser.get(f"/forum/topics/{topic}/").status == 404
    sizes = map(int, re.findall(r"(\d+)</span></h2>", browser.get("/forum/").html))
    assert sum(sizes) == site.value("SELECT count(DISTINCT topic_id) FROM forum_post WHERE published")
    browser.log_in("moderator", "moderator")
    assert browser.get(f"/forum/topics/{topic}/").status == 200


DELETE = """
from board.models import Ad
from django.contrib.auth.models import User
from django_neardup.moderation import ActionContext, delete
from django_neardup.models import MergeRecord
demo = User.objects.get(username="demo")
record, = delete([Ad.objects.create(title="Прялка", text="Прялка с росписью", user=demo)], ActionContext(user=None))
MergeRecord.objects.filter(pk=record.pk).update(author=demo.pk)
"""


def test_every_objection_that_is_offered_can_be_made(site, browser):
    site.manage("shell", "-c", DELETE)
    browser.log_in("demo", "demo")
    page = browser.get("/ads/mine/")
    offered = [link for link in page.links("/ads/") if link.endswith("/appeal/")]
    assert "Прялка" in page.text and offered
    assert {browser.get(link).status for link in offered} == {200}


def test_an_advert_of_one_s_own_is_edited_by_nobody_else(site, browser):
    own = site.value(
        "SELECT min(board_ad.id) FROM board_ad JOIN auth_user u ON u.id = user_id WHERE username = 'demo'"
    )
    assert browser.get(f"/ads/{own}/edit/").status == 404
    browser.log_in("demo", "demo")
    assert browser.get(f"/ads/{own}/edit/").status == 200
    assert f"/ads/{own}/edit/" in browser.get("/ads/mine/").html


def test_how_unique_a_text_is_nobody_reads_but_staff(site, browser):
    address = first_ad(browser)
    assert "Уникальность" not in browser.get(address).text
    browser.log_in("moderator", "moderator")
    assert re.search(r"Уникальность текста \d+\s%", browser.get(address).text)


TELL = """
from board.models import Ad
from django_neardup.adapters import adapter_for
advert, other = Ad.objects.filter(user__username="demo", published=True)[:2]
adapter = adapter_for(advert)
adapter.published(advert)
adapter.refused(advert)
adapter.merged(advert, other, None)
"""


def test_authors_are_written_what_became_of_their_adverts(site):
    letters = site.manage("shell", "-c", TELL)
    assert letters.count("To: demo@example.org") == 3
    assert "прошло проверку" in letters and "не опубликовано" in letters
    assert len(re.findall(r"http://127.0.0.1:8000/ads/\d+/", letters)) >= 3
    assert len(re.findall(r"http://127.0.0.1:8000/ads/\d+/appeal/", letters)) >= 2


def test_the_page_for_printing_gathers_what_is_alike(site, browser):
    site.manage("neardup_index")
    page = browser.get("/category/cars/print/")
    gathered = re.search(r"получилось (\d+)", browser.get("/category/cars/").text)
    assert gathered and page.html.count("<li>") == int(gathered[1])
    assert re.search(r"\+ \d похоже", page.text)


def test_a_report_is_one_entry_and_its_prints_name_the_first(site, browser):
    site.manage("neardup_index")
    report = site.value("SELECT id FROM news_article WHERE headline LIKE 'Мост%' ORDER BY created")
    reprint = site.value("SELECT id FROM news_article WHERE headline LIKE 'Трещины в опорах%'")
    shown = int(re.search(r"новостей в них: (\d+)", browser.get("/news/").text)[1])
    assert shown <= site.value("SELECT count(*) FROM news_article") - 10
    page = browser.get(f"/news/{reprint}/")
    assert f'rel="canonical" href="{site.address}/news/{report}/"' in page.html
    assert (
        "первая публикация" in page.text and "первая публикация" not in browser.get(f"/news/{report}/").text
    )
    assert f"/news/{reprint}/" not in browser.get("/sitemap.xml").html

    browser.log_in("demo", "demo")
    form = browser.get(f"/news/new/?like={report}").html
    headline = re.search(r'name="headline" value="([^"]+)"', form)[1]
    body = unescape(re.search(r"<textarea[^>]*>\s*(.*?)</textarea>", form, re.DOTALL)[1])
    sent = {"headline": headline, "body": f"{body} Прислал читатель."}
    asked = browser.post("/news/new/", **sent)
    token = re.search(r'name="neardup_token" value="([^"]+)"', asked.html)[1]
    held = browser.post("/news/new/", **sent, neardup_confirm="1", neardup_token=token)
    assert "не опубликована" in held.text
    path = held.url.removeprefix(site.address)
    assert site.browser().get(path).status == 404


def test_a_topic_is_begun_with_its_first_message(site, browser):
    browser.log_in("demo", "demo")
    text = "Посоветуйте, чем оттереть смолу с кирпича печи: скребок царапает, сода только размазывает."
    page = browser.post("/forum/dom/new/", title="Смола на печи", text=text)
    assert "Смола на печи" in page.html and text in page.text
    assert f'rel="canonical" href="{page.url}"' in page.html


def test_the_language_follows_the_browser_and_the_switch(site, browser):
    assert "Свежие объявления" in browser.get("/").text
    assert "Latest adverts" in site.browser("en").get("/").text
    browser.post("/language/setlang/", language="en", next="/")
    assert "Latest adverts" in browser.get("/").text


@pytest.mark.parametrize(
    "path",
    ["/", "/search/?q=сваи", "/category/cars/print/", "/forum/", "/forum/topics/1/", "/ads/new/", "/ads/mine/",
     "/login/"],
)  # fmt: skip
def test_nothing_stands_inline(browser, path):
    page = browser.get(path)
    assert page.headers["Content-Security-Policy"].startswith("default-src 'self';")
    assert "unsafe" not in page.headers["Content-Security-Policy"]
    assert not re.search(
        r"<script(?! src=\"/static/[^\"]+\" defer></script>)|<style|\sstyle=|\son\w+=", page.html
    )


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
