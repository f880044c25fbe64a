"""What `load_example` puts on the site."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from tests.example.conftest import Site, manage

pytestmark = pytest.mark.xdist_group("example")

COUNTED = (
    "auth_user",
    "board_ad",
    "board_photo",
    "board_favorite",
    "board_adreport",
    "board_note",
    "forum_post",
    "news_article",
)

TEXTS = {"board_ad": "text", "forum_post": "text", "news_article": "body"}


def counts(site: Site) -> dict[str, int]:
    return {table: site.value(f"SELECT count(*) FROM {table}") for table in COUNTED}


def test_the_project_passes_its_checks(site):
    assert "no issues" in site.manage("check")


def test_migrations_are_complete(site):
    assert "No changes" in site.manage("makemigrations", "--check", "--dry-run", "board", "forum", "news")


def test_there_are_hundreds_of_posts(site):
    assert site.value("SELECT count(*) FROM board_ad") + site.value("SELECT count(*) FROM forum_post") >= 400


def test_every_relation_that_a_merge_moves_is_there(site):
    assert all(counts(site).values())


def test_most_adverts_stand_alone_and_some_are_repeated(site):
    texts = site.value("SELECT count(DISTINCT text) FROM board_ad")
    titles = site.value("SELECT count(DISTINCT lower(title)) FROM board_ad")
    assert site.value("SELECT count(*) FROM board_ad") - texts >= 20
    assert titles >= 220


def test_a_second_load_changes_nothing(site):
    before = counts(site)
    assert "nothing to load" in site.manage("load_example")
    assert counts(site) == before


@pytest.mark.slow
def test_every_load_gives_the_same_texts(site, tmp_path):
    again = Site(tmp_path / "again.sqlite3", "")
    manage(again.database, "migrate", "--verbosity", "0")
    said = manage(again.database, "load_example")
    for table in TEXTS:
        assert str(again.value(f"SELECT count(*) FROM {table}")) in said
        loaded = again.value(f"SELECT count(*) FROM {table}")
        assert texts(again, table, loaded) == texts(site, table, loaded)


def texts(site: Site, table: str, number: int) -> list[str]:
    """The texts of the first rows, which were loaded, sorted; other tests add some behind them."""
    with closing(sqlite3.connect(site.database)) as connection:
        rows = connection.execute(f"SELECT {TEXTS[table]} FROM {table} ORDER BY id LIMIT {number}").fetchall()
    return sorted(text for (text,) in rows)


def test_nobody_but_the_three_accounts_can_log_in(site):
    assert site.value("SELECT count(*) FROM auth_user WHERE password NOT LIKE '!%'") == 3


def test_a_moderator_may_not_delete(site):
    granted = """
        SELECT count(*) FROM auth_group_permissions JOIN auth_permission ON permission_id = auth_permission.id
        WHERE codename LIKE ?
    """
    assert site.value(granted, "change_ad") == 1
    assert site.value(granted, "delete_%") == 0


@pytest.mark.slow
def test_tables_of_another_version_are_built_anew(site, tmp_path):
    old = Site(tmp_path / "old.sqlite3", "")
    manage(old.database, "migrate", "--verbosity", "0")
    with closing(sqlite3.connect(old.database)) as connection:
        connection.execute("DROP TABLE neardup_keyphrase")
        connection.execute("ALTER TABLE neardup_contact DROP COLUMN kind")
    assert "built anew" in old.manage("load_example")
    assert old.value("SELECT count(*) FROM neardup_keyphrase") == 0
    assert old.value("SELECT count(kind) FROM neardup_contact") == 0
    assert "built anew" not in old.manage("load_example")
