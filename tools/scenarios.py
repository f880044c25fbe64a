"""Traces of everyday actions: a save, a drained text, a page of the queue, a merge and an undo.

The example project runs on a throw-away SQLite database. All steps go through its models, a management
command and the admin's pages, so that they survive a change of the package's modules.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import django
from django.apps import apps
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import connections
from django.test import Client
from django.test.utils import setup_test_environment
from django.urls import reverse

from django_neardup.signals import cluster_changed, document_checked
from tools.html_forms import Page
from tools.sources import PACKAGE, ROOT
from tools.tracing import CallTrace

WARM_UP_TEXT = (
    "Отдам старое пианино «Красный Октябрь» в добрые руки, настройка держится, но две клавиши западают. "
    "Вывозить нужно самостоятельно, дом без лифта, второй этаж, грузчиков можно заказать рядом."
)
TRACED_TEXT = (
    "Продаю угловой диван в хорошем состоянии, обивка без пятен и зацепок, механизм работает исправно. "
    "Самовывоз с третьего этажа, лифт грузовой есть, помогу с погрузкой в машину."
)


def trace_scenarios() -> dict[str, CallTrace]:
    """Run all scenarios twice, the first time only to fill caches. Return the traces of the second time."""
    with TemporaryDirectory() as folder:
        _start_example(Path(folder) / "db.sqlite3")
        for signal in (document_checked, cluster_changed):
            signal.connect(_listener)
        user = get_user_model().objects.create_superuser("moderator")
        try:
            Scenarios(user, WARM_UP_TEXT).run()
            return Scenarios(user, TRACED_TEXT).run()
        finally:
            connections.close_all()


def _start_example(database: Path) -> None:
    sys.path.insert(0, str(ROOT / "example_project"))
    os.environ.pop("REDIS_URL", None)
    os.environ.update(DATABASE_URL=f"sqlite:///{database}", DJANGO_SETTINGS_MODULE="config.settings")
    django.setup()
    setup_test_environment()
    call_command("migrate", verbosity=0)


def _listener(**arguments: Any) -> None:
    """Receive the worker's signals as a site does. The worker skips a query if there is no receiver."""


class Scenarios:
    """One group of similar adverts: a fourth joins three, two are merged, and the merge is undone."""

    def __init__(self, user: Any, text: str) -> None:
        self.text, self.user = text, user
        self.client = Client()
        self.client.force_login(user)
        self.adverts = apps.get_model("board", "Ad").objects
        self.queue_url = reverse("admin:neardup_queue_changelist")

    def run(self) -> dict[str, CallTrace]:
        for ending in ("", " Торг.", " Звоните."):
            self.save_advert(ending)
        drain()
        traces = {
            "save": _trace(lambda: self.save_advert(" Звоните вечером.")),
            "drain": _trace(drain),
            "queue": _trace(lambda: self.open_page(self.queue_url)),
        }
        self.delete_adverts(keep=2)
        traces["merge"] = _trace(self.prepare_merge())
        traces["undo"] = _trace(self.prepare_undo())
        self.delete_adverts(keep=0)
        return traces

    def save_advert(self, ending: str) -> None:
        """Save one advert of the group; ``ending`` makes its text differ from the others."""
        self.adverts.create(
            title=self.text[:20],
            text=self.text + ending,
            city="Пермь",
            phone="+7 912 345-67-89",
            user=self.user,
        )

    def delete_adverts(self, keep: int) -> None:
        """Delete all adverts except the ``keep`` oldest."""
        for advert in self.adverts.order_by("pk")[keep:]:
            advert.delete()
        drain()

    def open_page(self, url: str) -> Page:
        response = self.client.get(url, follow=True)
        _expect(response.status_code == 200, f"{url} answers {response.status_code}")
        return Page(response.content.decode())

    def prepare_merge(self) -> Callable[[], None]:
        """Open the confirmation of a merge. Return the function that presses its button."""
        self._attach_rows()
        form = self.open_page(self.queue_url).form_with("/merge/")
        (merge_url,) = {url for url in form.buttons if "/merge/" in url}
        (group,) = form.boxes("id")
        confirmation = self.open_page(f"{merge_url}?id={group}").form_with("/merge/")
        return lambda: self._press(confirmation.action, confirmation.fields, expected=1)

    def prepare_undo(self) -> Callable[[], None]:
        """Open the page of the merge that was just made. Return the function that presses its undo button."""
        undo_url = self.open_page(self.queue_url).link_with("/undo/")
        form = self.open_page(undo_url).form_with("/undo/")
        return lambda: self._press(form.action, form.all_ticked(), expected=2)

    def _press(self, url: str, fields: dict[str, list[str]], expected: int) -> None:
        response = self.client.post(url, fields)
        _expect(response.status_code == 302, f"{url} answers {response.status_code}")
        _expect(self.adverts.count() == expected, f"{self.adverts.count()} adverts are left, not {expected}")

    def _attach_rows(self) -> None:
        """Give every advert a row of each related model, and a note by a generic relation."""
        for advert in self.adverts.all():
            advert.photos.create(caption="Фото")
            advert.favorites.create(user=self.user)
            advert.reports.create(user=self.user, reason="repeat")
            advert.notes.create(text="Проверить", author=self.user)


def drain() -> None:
    """Let the worker process everything that is pending."""
    call_command("neardup_worker", once=True, verbosity=0)


def _trace(step: Callable[[], Any]) -> CallTrace:
    with CallTrace(PACKAGE) as trace:
        step()
    return trace


def _expect(condition: bool, problem: str) -> None:
    if not condition:
        raise RuntimeError(f"A scenario does not work any more: {problem}.")
