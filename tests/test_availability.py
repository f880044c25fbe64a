"""The site's pages while the tables of this app are not there."""

from __future__ import annotations

import logging
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.sites.models import Site
from django.core.management import call_command
from django.db import OperationalError, connection, transaction
from django.http import HttpResponse
from django.template import Context, Template
from django.test import Client, RequestFactory
from django.urls import reverse

import django_neardup as neardup
from django_neardup import jinja2, registry
from django_neardup.admin.mixins import NearDuplicatesMixin
from django_neardup.listing.views import CollapsedPaginator
from django_neardup.middleware import MovedUrlMiddleware
from django_neardup.models import Document, OpenItem
from django_neardup.pipeline import availability, receivers
from django_neardup.sitemaps import NeardupSitemap
from django_neardup.validators import NotNearDuplicate
from tests import missing_tables
from tests.missing_tables import without_column, without_tables
from tests.pipeline.helpers import CAT, SOFA, post, work
from tests.prepublication.conftest import AdForm, BoardNeardup
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
        assert caplog.text.count("saved but not marked") == 2 and not told(caplog)

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
