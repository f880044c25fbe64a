"""The letter after a merge: what it says, in which language, and what it keeps to itself."""

from __future__ import annotations

import pytest
from django.contrib.sites.models import Site
from django.core import mail
from django.utils.translation import override

from django_neardup import moderation
from django_neardup.adapters import Adapter, adapter_for
from django_neardup.authors import mail_merged, merged_message
from django_neardup.moderation import ActionContext
from tests.testapp.models import Ad

pytestmark = pytest.mark.django_db
TITLE, KEPT = "Lada Vesta 2019\n1.6 <МТ>", "Лада & Веста"


@pytest.fixture(autouse=True)
def appealed(monkeypatch):
    monkeypatch.setattr(type(adapter_for(Ad)), "appeal_url", lambda adapter, ad: f"/appeal/{ad.pk}/")


def merged(**kept):
    """Two adverts that were merged: the one that is gone, with its former key, the one that is kept, the record."""
    loser, keeper = Ad.objects.create(title=TITLE, text="a"), Ad.objects.create(title=KEPT, text="a", **kept)
    old = Ad.objects.get(pk=loser.pk)
    (record,) = moderation.merge(keeper, [loser], ActionContext())
    return old, keeper, record


def test_it_says_where_the_post_went():
    old, keeper, record = merged()
    subject, text, html = merged_message(old, keeper, record, base="https://board.ru")
    assert subject == "Your post “Lada Vesta 2019 1.6 <МТ>” became part of another"
    assert f"“Lada Vesta 2019 1.6 <МТ>” became part of “{KEPT}”" in text
    assert f"\nhttps://board.ru/ads/{keeper.pk}/\n" in text
    assert f"https://board.ru/appeal/{old.pk}/\n" in text
    assert f'“<a href="https://board.ru/ads/{keeper.pk}/">Лада &amp; Веста</a>”' in html
    assert f'<a href="https://board.ru/appeal/{old.pk}/">' in html
    assert "&lt;МТ&gt;" in html and "&lt;" not in text


def test_no_score_and_no_verdict():
    message = " ".join(merged_message(*merged())).lower()
    for word in ("duplicate", "дубл", "score", "%"):
        assert word not in message


def test_a_keeper_that_nobody_may_see_is_not_named():
    old, keeper, record = merged(published=False)
    for part in merged_message(old, keeper, record):
        assert "Веста" not in part and f"/ads/{keeper.pk}/" not in part
    assert "another one about the same" in merged_message(old, keeper, record).text
    assert KEPT in merged_message(old, keeper, record, visible=Ad.objects.all()).text


@pytest.mark.parametrize(
    ("base", "installed", "address"),
    [
        (None, True, "https://example.com/ads/"),
        (None, False, "\n/ads/"),
        ("", True, "\n/ads/"),
        ("https://board.ru", True, "https://board.ru/ads/"),
    ],
)
def test_addresses(settings, base, installed, address):
    found = merged()
    if installed:
        Site.objects.clear_cache()
    else:
        settings.INSTALLED_APPS = [each for each in settings.INSTALLED_APPS if each != "django.contrib.sites"]
    assert address in merged_message(*found, base=base).text


@pytest.mark.parametrize("name", ["url", "appeal_url"])
def test_an_address_that_cannot_be_told_costs_no_letter(monkeypatch, caplog, name):
    monkeypatch.setattr(type(adapter_for(Ad)), name, lambda adapter, ad: ad.author.name)
    subject, text, html = merged_message(*merged())
    assert subject and ("/ads/" in text, "/appeal/" in text) == (name != "url", name != "appeal_url")
    assert "AttributeError" in caplog.text


def test_without_its_site_addresses_stay_paths(settings):
    settings.SITE_ID = 77
    assert "\n/ads/" in merged_message(*merged()).text


def test_addresses_are_of_the_web(monkeypatch):
    monkeypatch.setattr(Ad, "get_absolute_url", lambda ad: "javascript:alert(1)")
    assert not [part for part in merged_message(*merged(), base="https://board.ru") if "javascript" in part]


def test_the_language_is_the_author_s_not_the_moderator_s(settings, tmp_path):
    found = merged()
    folder = tmp_path / "neardup"
    folder.mkdir()
    source = "{% load i18n %}{% get_current_language as code %}{{ code }}"
    (folder / "merged_subject.txt").write_text(source)
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": [tmp_path]}]
    with override("ru"):
        assert merged_message(*found).subject == "en"
        assert merged_message(*found, language="ru").subject == "ru"


def test_a_site_may_replace_each_template(settings, tmp_path):
    found = merged()
    folder = tmp_path / "neardup" / "testapp" / "ad"
    folder.mkdir(parents=True)
    for name in ("merged_subject.txt", "merged.txt", "merged.html"):
        (folder / name).write_text(name + " of {{ title }}")
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": [tmp_path]}]
    message = merged_message(*found)
    assert [part.partition(" of ")[0] for part in message] == [
        "merged_subject.txt",
        "merged.txt",
        "merged.html",
    ]


@pytest.mark.parametrize(
    ("to", "sent"), [("a@b.ru", 1), (["a@b.ru", "c@d.ru"], 1), ("", 0), ([], 0), (["", None], 0)]
)
def test_it_is_mailed(to, sent):
    assert mail_merged(*merged(), to, sender="board@board.ru", base="https://board.ru") == sent
    assert len(mail.outbox) == sent
    for letter in mail.outbox:
        assert letter.from_email == "board@board.ru"
        assert letter.to == ([to] if isinstance(to, str) else to)
        assert letter.subject.startswith("Your post “Lada")
        assert [kind for _, kind in letter.alternatives] == ["text/html"]


def test_from_the_hook_of_an_adapter(monkeypatch, django_capture_on_commit_callbacks):
    def told(adapter, loser, keeper, record):
        mail_merged(loser, keeper, record, "anna@board.ru")

    monkeypatch.setattr(type(adapter_for(Ad)), "merged", told)
    assert type(adapter_for(Ad)).merged is not Adapter.merged
    with django_capture_on_commit_callbacks(execute=True):
        merged()
    assert [letter.to for letter in mail.outbox] == [["anna@board.ru"]]
    assert "/appeal/None/" not in mail.outbox[0].body
