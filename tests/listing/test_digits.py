"""Keys that are UUIDs in columns of 32 digits where the database has a type for them: as before MariaDB 10.7."""

from __future__ import annotations

import pytest
from django.db import connection, models

from django_neardup import collapse
from django_neardup.admin.pending_by_post import in_cluster_condition
from django_neardup.sitemaps import NeardupSitemap
from tests.admin.tools import request_of
from tests.grouped_lists import rows
from tests.testapp.models import UuidPost

pytestmark = [pytest.mark.django_db, pytest.mark.engines("mariadb")]
COLUMN = "ALTER TABLE testapp_uuidpost MODIFY id {} NOT NULL"


class Char32UUIDField(models.UUIDField):
    """As the release notes of Django 5.0 have it."""

    def db_type(self, connection):
        return "char(32)"

    def get_db_prep_value(self, value, connection, prepared=False):
        value = super().get_db_prep_value(value, connection, prepared)
        return value.hex if value is not None else None


@pytest.fixture(scope="module")
def _column(django_db_setup, django_db_blocker):
    """Outside of the test's transaction, which a changed table would commit."""
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute(COLUMN.format("char(32)"))
        yield
        cursor.execute(COLUMN.format("uuid"))


@pytest.fixture
def posts(_column, db, monkeypatch):
    monkeypatch.setattr(UuidPost._meta.pk, "__class__", Char32UUIDField)
    made = [UuidPost.objects.create(text=text) for text in "aab"]
    rows.cluster(*made[:2])
    return made


def test_they_are_found_by_their_documents_and_back(posts, admin_user):
    listed = UuidPost.objects.order_by("text", "pk")
    first = min(posts[:2], key=lambda post: post.pk.hex)
    assert [*collapse(listed)] == [*collapse(listed)[:9]] == [first, posts[2]]
    assert collapse(listed).count() == 2
    assert {*NeardupSitemap(UuidPost)._items()} == {posts[0], posts[2]}
    in_cluster = in_cluster_condition(UuidPost, request_of(admin_user), "default")
    assert {*UuidPost.objects.filter(in_cluster)} == {*posts[:2]}
