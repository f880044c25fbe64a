"""People with permissions, and clusters to decide on."""

from __future__ import annotations

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.test import Client

from django_neardup.admin import pair_admin
from django_neardup.admin.review_queue import queue_admin
from django_neardup.pipeline.open_items import rebuild_open_items
from tests import builders
from tests.testapp.models import Ad

TEXT = "Продам сваи железобетонные {} длиной 14 м, цена 18 900 руб за штуку, звоните {}"


@pytest.fixture
def person(db):
    """A client signed in as somebody with those permissions ("app.codename"); ``staff`` opens the admin."""

    def make(*names: str, staff: bool = True, name: str = "irina", **options) -> Client:
        user = get_user_model().objects.create_user(name, password="x", is_staff=staff)
        for each in names:
            label, codename = each.split(".")
            user.user_permissions.add(
                Permission.objects.get(content_type__app_label=label, codename=codename)
            )
        client = Client(**options)
        client.force_login(user)
        client.user = user
        return client

    return make


@pytest.fixture
def root(db):
    """A client signed in as a superuser."""
    user = get_user_model().objects.create_superuser("root")
    client = Client()
    client.force_login(user)
    client.user = user
    return client


@pytest.fixture
def ads(db):
    """Adverts with a word of their own each."""

    def make(*words: str, **fields) -> list[Ad]:
        return [
            Ad.objects.create(title=f"Сваи {word}", text=TEXT.format("С140.35", word), **fields)
            for word in words
        ]

    return make


@pytest.fixture
def cluster(ads):
    """An open cluster of three adverts."""
    return builders.cluster(*ads("сегодня", "завтра", "вечером"))


@pytest.fixture(autouse=True)
def _rows_of_what_is_stored(request, monkeypatch):
    """Tests write pairs and clusters past the pipeline, which logs what changes: so each page forms all rows anew.

    With the mark ``logged_rows`` a test does without."""
    if request.node.get_closest_marker("logged_rows") is None:
        for page in (queue_admin, pair_admin):
            monkeypatch.setattr(
                page, "refresh_open_items", lambda using, newest_first: rebuild_open_items(using)
            )
