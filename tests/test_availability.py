"""The site's pages while the tables of this app are not there, and while the app is switched off."""

from __future__ import annotations

import logging
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.sites.models import Site
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection, transaction
from django.http import HttpResponse
from django.template import Context, Template
from django.test import Client, RequestFactory
from django.urls import reverse

import django_neardup as neardup
from django_neardup import jinja2, registry
from django_neardup.adapters import adapter_for
from django_neardup.admin.mixins import NearDuplicatesMixin
from django_neardup.checks import database as database_checks
from django_neardup.listing.views import CollapsedPaginator
from django_neardup.middleware import MovedUrlMiddleware
from django_neardup.models import Document, Hold, OpenItem
from django_neardup.models.fields import DatabaseClock
from django_neardup.moderation import ActionContext, merge
from django_neardup.pipeline import availability, receivers
from django_neardup.prepublication import refuse
from django_neardup.prepublication.holds import hold_in_state
from django_neardup.queues.base import drain_all_databases
from django_neardup.sitemaps import NeardupSitemap
from django_neardup.validators import NotNearDuplicate
from tests import missing_tables
from tests.missing_tables import without_column, without_tables
from tests.pipeline.helpers import CAT, SOFA, document, post, work
from tests.prepublication.conftest import AdForm, BoardNeardup
from tests.queue_tools import LONG, host_form, queued, use_queue
from tests.testapp.models import Ad, Author, Unregistered

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "other"])

TAGS = (
    "{% load neardup %}{% neardup_group posts visible as groups %}{{ groups|length }},"
    "{% neardup_similar ad visible as similar %}{{ similar.count }},"
    "{% neardup_canonical ad visible %},{% neardup_uniqueness ad visible %},"
    "{% neardup_fates author visible as fates %}{{ fates|length }}"
)
RULES = [{"action": "hold", "verdict": "duplicate"}]


@pytest.fixture
def site(monkeypatch):
    """Two equal posts that were compared. The site holds duplicates for a moderator."""
    attributes = {"told": [], "publication": RULES, "visible": lambda self, request: self.live()}
    monkeypatch.setitem(registry._registry, Ad, type("SiteNeardup", (BoardNeardup,), attributes)(Ad))
    ann = Author.objects.create(name="Ann")
    first, second = post(SOFA, author=ann, title="Диван"), post(SOFA, title="Диван")
    work()
    return SimpleNamespace(first=first, second=second, ann=ann)


def live():
    return Ad.objects.filter(published=True).order_by("pk")


def form(site, instance=None, text=SOFA):
    request = RequestFactory().post("/", {"title": "Диван", "text": text})
    request.author, request.trust = site.ann, "member"
    return AdForm(request.POST, request=request, instance=instance or Ad(author=site.ann))


def saved(sent):
    """Whether the form was saved at once, and what it says became of the post."""
    return sent.is_valid() and (sent.save().published, sent.neardup.outcome, str(sent.neardup))


def redirected(path):
    middleware = MovedUrlMiddleware(lambda request: HttpResponse(status=404))
    middleware.databases = ["default"]
    return middleware(RequestFactory().get(path)).status_code


def checked(text):
    NotNearDuplicate(Ad, actions=("warn", "hold", "block"))(text)
    return "accepted"


def context(site):
    return {"posts": list(live()), "visible": live(), "ad": site.second, "author": site.ann}


def by_jinja(site):
    names = context(site)
    group, similar = jinja2.neardup_group(names["posts"], live()), jinja2.neardup_similar
    return len(group), similar({}, site.second, live()).count


def own_page(site):
    return f'<link rel="canonical" href="/ads/{site.second.pk}/">'


LISTS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "group": (lambda site: [entry.count for entry in neardup.group(live(), live())], [0, 0]),
    "collapse": (lambda site: len(neardup.collapse(live())), 2),
    "collapse with relations in its order": (
        lambda site: len(neardup.collapse(live().order_by("parent"))),
        2,
    ),
    "a page of collapse": (lambda site: len(neardup.collapse(live())[:10]), 2),
    "the count of collapse": (lambda site: neardup.collapse(live()).count(), 2),
    "collapse in another query": (
        lambda site: Ad.objects.filter(pk__in=neardup.collapse(live())).count(),
        2,
    ),
    "groups of collapse": (lambda site: [ad.neardup.count for ad in neardup.collapse(live())], [0, 0]),
    "paginator": (
        lambda site: [getattr(CollapsedPaginator(live(), 5), name) for name in ("count", "total", "hidden")],
        [2, 2, 0],
    ),
    "tags": (
        lambda site: Template(TAGS).render(Context(context(site))).replace(own_page(site), "own page"),
        "2,0,own page,100,0",
    ),
    "jinja2": (by_jinja, (2, 0)),
    "similar page": (
        lambda site: Client().get(reverse("neardup:similar", args=["testapp.ad", site.first.pk])).status_code,
        200,
    ),
    "similar posts as JSON": (
        lambda site: (
            Client().get(reverse("neardup:api-similar", args=["testapp.ad", site.first.pk])).json()["count"]
        ),
        1,
    ),
    "sitemap": (lambda site: len(NeardupSitemap(Ad).get_urls(site=Site(domain="board.ru"))), 2),
    "find_similar": (lambda site: neardup.find_similar(site.first), []),
    "uniqueness": (lambda site: neardup.uniqueness(SOFA, Ad), 100),
    "check_many": (lambda site: [check.matches for check in neardup.check_many([SOFA], Ad)], [[]]),
    "validator": (lambda site: checked(f"Диван\n{SOFA}"), "accepted"),
    "form of a new post": (lambda site: saved(form(site)), (True, "published", "")),
    "form of an old post": (
        lambda site: saved(form(site, site.second, f"{SOFA} Торг.")),
        (True, "published", ""),
    ),
}
"""What pages call, and its answer when no post is grouped and none is held."""

RECORDS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "page of a post that is gone": (
        lambda site: Client().get(reverse("neardup:similar", args=["testapp.ad", 10**6])).status_code,
        404,
    ),
    "old address": (lambda site: redirected("/old/"), 404),
    "fates": (lambda site: list(neardup.fates(site.ann, Ad)), []),
    "save": (lambda site: site.first.save(), None),
    "deletion": (lambda site: site.first.delete()[0] > 0, True),
}
"""What else reads or writes the tables."""


def answers(entries, site):
    """The answer of each entry as in a request of its own with ATOMIC_REQUESTS, or its error."""
    found = {}
    for name, (call, _) in entries.items():
        try:
            with transaction.atomic():
                found[name] = call(site)
                # PostgreSQL refuses this if a statement has failed before it.
                Ad.objects.count()
                transaction.set_rollback(True)
        except Exception as error:
            found[name] = repr(error)
    return found


def expected(entries):
    return {name: answer for name, (_, answer) in entries.items()}


@pytest.fixture
def failures():
    """Statements of the default database that failed."""
    failed = []

    def run(execute, sql, parameters, many, details):
        try:
            return execute(sql, parameters, many, details)
        except Exception as error:
            failed.append((sql, error))
            raise

    with connection.execute_wrapper(run):
        yield failed


def told(caplog):
    return [record.getMessage() for record in caplog.records if "migrate --database" in record.getMessage()]


def test_with_the_tables_the_posts_are_grouped(site):
    """Otherwise the tests below would show nothing."""
    found = answers(LISTS, site)
    same = {name for name, answer in expected(LISTS).items() if found[name] == answer}
    assert same == {"similar page"}


class TestWithoutTables:
    @pytest.mark.parametrize("absent", ["tables", "text_since"])
    def test_pages_show_every_post_for_itself_and_no_statement_fails(self, absent, site, failures, caplog):
        reads = {**LISTS, **RECORDS}
        writes = {
            name: reads.pop(name)
            for name in ("form of a new post", "form of an old post", "save", "deletion")
        }
        missing = without_tables() if absent == "tables" else without_column("neardup_document", absent)
        with missing:
            assert answers(reads, site) == expected(reads)
            assert failures == []
            assert answers(writes, site) == expected(writes)
        assert len(told(caplog)) == 1
        name = "neardup_document.text_since" if absent == "text_since" else "the table neardup_"
        assert name in told(caplog)[0] and "migrate --database default" in told(caplog)[0]
        assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == told(
            caplog
        )

    def test_a_request_with_atomic_requests(self, site, monkeypatch):
        monkeypatch.setitem(connection.settings_dict, "ATOMIC_REQUESTS", True)
        page = reverse("neardup:similar", args=["testapp.ad", site.first.pk])
        with without_tables():
            assert Client().get(page).status_code == 200

    def test_the_sites_own_admin_lists_its_posts(self, site, admin_user):
        class SiteAdmin(NearDuplicatesMixin, admin.ModelAdmin):
            list_display = ["text"]

        request = RequestFactory().get("/")
        request.user = admin_user
        model_admin = SiteAdmin(Ad, admin.site)
        assert model_admin.has_neardup_review_permission(request)
        with without_tables():
            assert SiteAdmin(Ad, admin.site).get_list_display(request) == ["text"]
            assert len(model_admin.get_changelist_instance(request).result_list) == 2

    def test_the_tables_are_found_without_a_restart(self, site, monkeypatch, caplog):
        def count():
            return len(neardup.group(live(), live()))

        monkeypatch.setattr(availability, "RECHECK_SECONDS", 0.0)
        collapsed = neardup.collapse(live())
        with without_tables():
            assert (count(), collapsed.count()) == (2, 2)
            # The end of the block brings the tables back, and tells nobody.
            monkeypatch.setattr(missing_tables, "forget_tables", lambda using: None)
        assert (count(), collapsed.count()) == (1, 1)
        # They were looked for more than once, and missed once.
        assert len(told(caplog)) == 1

    def test_the_answer_no_costs_no_statement_for_some_seconds(self, site, django_assert_num_queries):
        with without_tables():
            neardup.group(live(), live())
            with django_assert_num_queries(2):  # the list, and what may be seen of it
                neardup.group(list(live()), live())

    def test_the_answer_yes_costs_one_statement_in_a_process(self, site, django_assert_num_queries):
        availability.forget_tables("default")
        with django_assert_num_queries(1):
            assert all(availability.has_current_tables("default") for _ in range(3))

    def test_a_save_is_marked_while_another_table_is_old(self, site, caplog):
        with without_column(OpenItem._meta.db_table, "priority"):
            assert len(neardup.group(live(), live())) == 2
            new = post(CAT)
            assert Document.objects.filter(object_id=str(new.pk)).exists()
        assert len(told(caplog)) == 1

    def test_a_failure_with_the_tables_there_is_logged_for_each_save(self, site, monkeypatch, caplog):
        def locked(*arguments, **options):
            raise OperationalError("database is locked")

        monkeypatch.setattr(receivers, "mark_key", locked)
        for _ in range(2):
            site.first.save()
        assert caplog.text.count("was marked as pending at the second attempt") == 2 and not told(caplog)

    def test_posts_without_an_adapter_need_no_tables(self, caplog):
        Unregistered.objects.create(text=SOFA)
        with without_tables():
            rows = Unregistered.objects.all()
            assert len(neardup.group(rows, rows)) == 1
        assert not told(caplog)

    @pytest.mark.engines("sqlite")
    def test_a_database_that_does_not_answer_is_not_called_old(self, site, monkeypatch, caplog, tmp_path):
        availability.forget_tables("default")
        connection.close()
        with monkeypatch.context() as away:
            away.setitem(connection.settings_dict, "NAME", str(tmp_path / "absent" / "file"))
            assert availability.has_current_tables("default")
            with pytest.raises(OperationalError):
                neardup.group([site.first], live())
        connection.close()
        assert not told(caplog)

    def test_migrate_is_noticed_in_its_own_process(self, caplog):
        assert availability.has_current_tables("default")
        try:
            call_command("migrate", "neardup", "zero", verbosity=0)
            assert not availability.has_current_tables("default")
        finally:
            call_command("migrate", verbosity=0)
        assert availability.has_current_tables("default")
        assert len(told(caplog)) == 1


@pytest.fixture
def off(settings):
    def switch(**keys):
        settings.NEARDUP_ENABLED = False
        settings.NEARDUP = {"default": {"BACKEND": None, **keys}}

    return switch


def pending():
    return Document.objects.filter(pending_since__isnull=False).count()


class TestSwitchedOff:
    def test_lists_are_ungrouped_and_nothing_is_held(self, site, off, caplog):
        off()
        assert answers(LISTS, site) == expected(LISTS)
        assert not [record for record in caplog.records if record.levelno >= logging.WARNING]

    def test_it_is_read_at_each_use(self, site, settings):
        collapsed = neardup.collapse(live())
        counts = []
        for is_on in (True, False, True):
            settings.NEARDUP_ENABLED = is_on
            counts.append((len(neardup.group(live(), live())), collapsed.count(), len(collapsed.all())))
        assert counts == [(1, 1, 1), (2, 2, 2), (1, 1, 1)]

    def test_what_people_have_decided_stays_in_force(self, site, off):
        (record,) = merge(site.second, [site.first], ActionContext())
        off()
        assert redirected(f"/ads/{record.loser_id}/") == 301
        page = reverse("neardup:similar", args=["testapp.ad", record.loser_id])
        assert Client().get(page).status_code == 302

    def test_a_refused_post_stays_hidden_when_it_is_edited(self, site, off):
        hold_in_state(site.first, Hold.State.REVIEW)
        refuse(site.first)
        off()
        site.first.refresh_from_db()
        site.first.published = True
        assert saved(form(site, site.first, f"{SOFA} Торг."))[:2] == (False, "refused")

    def test_no_post_waits_for_a_check_that_no_worker_makes(self, site, settings, monkeypatch):
        monkeypatch.setattr(type(adapter_for(Ad)), "hold_until_checked", True)
        assert saved(form(site, text=CAT))[:2] == (False, "checking")
        settings.NEARDUP_ENABLED = False
        assert saved(form(site, text=f"{CAT} Звоните."))[:2] == (True, "published")

    def test_marks_are_written_and_nothing_is_processed(self, site, off, caplog):
        off(BACKEND="inline")
        new = post(CAT)
        site.first.delete()
        assert pending() == 2 and document(new).state == Document.State.PENDING
        # A drain would have said that it does nothing.
        assert not caplog.records

    @pytest.mark.redis
    @pytest.mark.engine_alike
    def test_no_job_is_sent(self, redis_server, settings):
        use_queue(settings, host_form(redis_server))
        jobs = []
        for is_on in (False, True):
            settings.NEARDUP_ENABLED = is_on
            post(CAT)
            jobs.append(queued())
        assert jobs == [0, 1]

    def test_marks_are_not_written_if_the_site_says_so(self, site, off):
        off(MARK=False)
        post(CAT)
        site.first.delete()
        assert pending() == 0 and Document.objects.count() == 2

    def test_mark_alone_stops_no_marks(self, site, settings):
        settings.NEARDUP = {"default": {"BACKEND": None, "MARK": False}}
        assert pending() == 0
        post(CAT)
        assert pending() == 1

    def test_a_drain_says_so_and_does_nothing(self, site, off, caplog):
        off()
        post(CAT)
        result = neardup.drain()
        assert (result.processed, result.has_pending, pending()) == (0, True, 1)
        assert "NEARDUP_ENABLED is False" in caplog.text

    def test_a_job_that_was_sent_before_says_so_and_ends(self, site, off, caplog):
        off()
        for using in ("default", "other"):
            Ad.objects.using(using).create(text=CAT)
        again = []
        drain_all_databases(lambda: again.append(1))
        assert (pending(), again) == (1, [])
        assert caplog.text.count("NEARDUP_ENABLED is False") == 1

    def test_once_says_so_and_ends(self, site, off, capsys):
        off()
        post(CAT)
        call_command("neardup_worker", "--once")
        assert pending() == 1
        assert capsys.readouterr().out == "NEARDUP_ENABLED is False: no post is compared. Nothing was done.\n"

    @pytest.mark.engine_alike
    def test_a_worker_says_so_and_waits(self, site, child_environment):
        post(CAT)
        script = (
            "import django; from django.conf import settings; django.setup(); settings.NEARDUP_ENABLED = False; "
            "from django.core.management import call_command; call_command('neardup_worker', '--poll', '0.05')"
        )
        # Services have a buffer: without it the line would be seen at once in any case.
        child_environment.pop("PYTHONUNBUFFERED", None)
        worker = subprocess.Popen(
            [sys.executable, "-c", script], env=child_environment, stdout=subprocess.PIPE, text=True
        )
        # A line that is never written would be waited for without end.
        overdue = threading.Timer(LONG, worker.kill)
        overdue.start()
        try:
            assert worker.stdout is not None
            assert worker.stdout.readline().startswith("NEARDUP_ENABLED is False: no post is compared.")
            with pytest.raises(subprocess.TimeoutExpired):
                worker.wait(1)
            worker.send_signal(signal.SIGTERM)
            assert worker.wait(30) == 0 and worker.stdout.read() == ""
        finally:
            overdue.cancel()
            worker.kill()
            worker.wait()
        assert pending() == 1

    def test_no_index_is_built(self, off):
        off()
        with pytest.raises(CommandError, match="NEARDUP_ENABLED is False"):
            call_command("neardup_index", verbosity=0)

    def test_the_work_is_done_when_it_is_on_again(self, site, settings, off):
        off()
        third = post(SOFA, title="Диван")
        settings.NEARDUP_ENABLED = True
        work()
        assert len(neardup.group(live(), live())) == 1 and document(third).done == 1

    def test_w105_names_the_switch(self, site, off):
        off()
        post(CAT)
        Document.objects.filter(pending_since__isnull=False).update(pending_since=DatabaseClock() - 700_000)
        (message,) = database_checks.check_pending_work(databases=["default"])
        assert "NEARDUP_ENABLED is False" in message.hint
