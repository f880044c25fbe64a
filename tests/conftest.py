"""Fixtures and marks of the suite.

Marks: ``postgresql``, ``mariadb``, ``redis``, ``opensearch`` (the test needs a private server of that kind: it
is skipped with the reason where the program is missing, and fails under REQUIRE_SERVICES=1); ``engines("postgresql",
...)`` (the test is about the suite's own databases and is left out on other engines). ``database`` is set
here on every test that uses Django's databases: NEARDUP_TEST_DATABASE=postgresql pytest -m database.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests import services
from tests.databases import engine
from tests.flushing import remember_databases, use_short_flush
from tests.fuzzing import examples
from tests.opensearch_service import OpenSearch, processes_of

# How long something takes, the benchmarks say.
settings.register_profile("suite", examples(100), deadline=None)
settings.load_profile("suite")

MARKS = {
    "postgresql": "postgresql", "mariadb": "mariadb", "redis": "redis_server", "opensearch": "opensearch",
}  # fmt: skip
ENGINE_ALIKE = (
    "admin/test_children.py", "admin/test_deciding.py", "admin/test_offered_posts.py", "admin/test_pages.py",
    "admin/test_phrases.py",
    "admin/test_queue.py::test_texts_of_strangers", "admin/test_site_admin.py", "admin/test_undo_outlook.py",
    "admin/test_whole_way.py", "api/", "authors/", "grouped_lists/", "index/test_opensearch", "leaks/",
    "memory/test_memory.py",
    "moderation/test_choices.py", "moderation/test_keeper.py", "pipeline/test_rejudgement.py",
    "search/test_find_similar.py", "test_reading_language.py",
    "pipeline/test_algorithms.py", "pipeline/test_boilerplate.py", "pipeline/test_phrases.py",
    "pipeline/test_statistics.py", "pipeline/test_synonyms.py", "pipeline/test_worked_examples.py", "prepublication/",
    "preview/", "reports/", "search/test_privacy.py", "seo/", "test_commands.py", "test_index_command.py",
    "test_moved_urls.py", "test_statistics_command.py",
)  # fmt: skip
"""Tests of pages, commands and verdicts: the statements below them are tried on every engine by other tests.

On the servers `make test-long` runs them. Races are tried on every engine.
"""
IN_DEPTH = (
    "browser/test_keyboard.py", "browser/test_public_pages.py", "browser/test_questions.py",
    "browser/test_tours.py",
    "browser/test_two_people.py", "browser/test_typing.py::test_a_refusal_is_heeded_in_silence",
    "browser/test_pages.py::test_a_page_is_fit_for_everybody", "browser/test_without_script.py",
    "example/test_content.py::test_every_load_gives_the_same_texts",
    "example/test_content.py::test_tables_of_another_version_are_built_anew",
    "index/test_opensearch_access.py", "index/test_opensearch_replacement.py",
)  # fmt: skip
"""What a browser is led through at length, and OpenSearch is asked while it is silent or rebuilt. `make test` leads a
browser along the whole way of a post; `make test-browser` and `make test-long` do all."""
SAMPLED = {
    "admin/test_deciding.py::test_what_has_changed_since_is_not_decided": 3,
    "admin/test_evidence_xss.py": 2,
    "admin/test_matrix.py::test_every_deed": 3,
    "admin/test_permissions.py::test_matrix": 3,
    "admin/test_queue.py::test_texts_of_strangers_make_no_tags": 3,
    "admin/test_queue_deciding.py::test_what_has_changed_since_is_not_decided": 3,
    "admin/test_whole_way.py::test_any_post_there_and_back": 3,
    "example/test_demo_verdicts.py": 3,
    "index/test_opensearch_contract.py": 3,
    "index/test_opensearch_loading.py": 2,
    "listing/test_totals.py::test_what_is_shown_is_what_python_finds": 3,
    "moderation/test_crash.py::test_posts_with_adapters": 2,
    "moderation/test_undo_later.py::test_both_orders_lead_back": 2,
    "pipeline/test_algorithms.py::test_a_profile_indexes_finds_and_groups": 3,
    "reports/test_pieces.py::test_crafted_texts_give_reports_of_linear_size": 4,
    "search/test_privacy.py::test_answers_are_the_same_without_the_hidden": 2,
    "seo/test_redirects.py::test_undone_in_any_order_it_follows_our_own_table": 4,
    "test_documented_steps.py::test_the_adapter_of_a_situation": 3,
    "text/test_hostile.py::test_a_crafted_megabyte": 4,
}
"""Tests with many parameters: `make test` runs every second, third or fourth case, `make test-long` all."""
DATABASE_FIXTURES = {
    "db", "transactional_db", "django_db_reset_sequences", "django_db_serialized_rollback", "live_server",
    "admin_user", "admin_client", "django_user_model",
}  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    use_short_flush()
    config.addinivalue_line("markers", "engines(*names): runs on these engines of the suite's databases only")
    config.addinivalue_line("markers", "database: uses Django's databases (set by itself)")
    config.addinivalue_line(
        "markers", "logged_rows: the queue's rows are formed of what was logged, as on a site"
    )
    config.addinivalue_line(
        "markers",
        "engine_alike: uses them, but hardly depends on the engine: `make test-long` has the servers",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    positions = dict.fromkeys(SAMPLED, 0)
    for item in items:
        if _uses_databases(item):
            item.add_marker("database")
        if (
            item.get_closest_marker("database")
            and _is_of(item, ENGINE_ALIKE)
            and "races" not in item.path.name
        ):
            item.add_marker("engine_alike")
        if item.get_closest_marker("opensearch"):
            # One process of the run has the node.
            item.add_marker(pytest.mark.xdist_group("opensearch"))
        if _is_of(item, IN_DEPTH):
            item.add_marker("long")
        for beginning, step in SAMPLED.items():
            if _is_of(item, (beginning,)):
                if positions[beginning] % step:
                    item.add_marker("long")
                positions[beginning] += 1
    left_out = [item for item in items if not _fits_engine(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if _fits_engine(item)]


def _is_of(item: pytest.Item, beginnings: tuple[str, ...]) -> bool:
    """Return whether the test's path and name, below this folder, have one of the beginnings."""
    path = item.path.relative_to(Path(__file__).parent).as_posix()
    return f"{path}::{item.name}".startswith(beginnings)


def _uses_databases(item: pytest.Item) -> bool:
    from django.test import TransactionTestCase

    fixtures = set(getattr(item, "fixturenames", ()))
    of_django = issubclass(getattr(item, "cls", None) or object, TransactionTestCase)
    return of_django or bool(fixtures & DATABASE_FIXTURES) or item.get_closest_marker("django_db") is not None


def _fits_engine(item: pytest.Item) -> bool:
    mark = item.get_closest_marker("engines")
    return mark is None or engine() in mark.args


@pytest.fixture(autouse=True)
def _marked_services(request: pytest.FixtureRequest) -> None:
    for mark, fixture in MARKS.items():
        if request.node.get_closest_marker(mark):
            request.getfixturevalue(fixture)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_blocker) -> None:
    """A process looks for the tables once: tests that count queries begin after that."""
    from django.db import connections

    from django_neardup.pipeline.availability import has_current_tables

    with django_db_blocker.unblock():
        remember_databases([alias for alias in connections if _is_made(alias) and has_current_tables(alias)])


def _is_made(alias: str) -> bool:
    """Return whether a database is there. The runner makes those that the chosen tests name."""
    from django.db import OperationalError, connections

    try:
        connections[alias].ensure_connection()
    except OperationalError:
        return False
    return True


@pytest.fixture(autouse=True)
def _nothing_remembered(request: pytest.FixtureRequest) -> None:
    """A process remembers schemes and spaces; those of the test before were rolled back. It counts requests, too."""
    if request.node.get_closest_marker("database"):
        from django.conf import settings
        from django.core.cache import cache

        cache.clear()
        from django_neardup.pipeline.scheme_cache import clear_cache

        for alias in settings.DATABASES:
            clear_cache(alias)


@pytest.fixture(autouse=True)
def _own_language() -> None:
    """A request leaves its language to the thread: the next test begins with the one of the settings."""
    from django.utils import translation

    translation.deactivate()


def _private(name: str) -> services.Service:
    try:
        return services.private(name)
    except services.MissingServiceError as missing:
        if os.environ.get("REQUIRE_SERVICES") == "1":
            pytest.fail(str(missing))
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def postgresql() -> services.Service:
    """A private PostgreSQL: ``.parameters`` (host, port, user, password, socket), ``.halt()``."""
    return _private("postgresql")


@pytest.fixture(scope="session")
def mariadb() -> services.Service:
    """A private MariaDB, as ``postgresql``."""
    return _private("mariadb")


@pytest.fixture
def redis_server() -> Iterator[services.Service]:
    """A private, empty Redis; whatever the test does to it (pause, halt, settings) is undone."""
    server = _private("redis")
    server.halt()
    server.launch()
    yield server
    server.resume()


@pytest.fixture(scope="session")
def opensearch() -> Iterator[OpenSearch]:
    """A private node of OpenSearch: ``.host``, ``.ask()``, ``.halt()``. At the end no process of it is left."""
    node = _private("opensearch")
    assert isinstance(node, OpenSearch)
    yield node
    node.stop()
    assert processes_of([node.directory]) == []


@pytest.fixture
def child_environment(db: None) -> dict[str, str]:
    """Environment for a Django process (``python -m django ...``) on the test databases of this process."""
    from django.db import connections

    names = {alias: str(connections[alias].settings_dict["NAME"]) for alias in connections}
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "NEARDUP_TEST_DATABASE": engine(),
        "NEARDUP_TEST_NAMES": json.dumps(names),
        "PYTHONPATH": os.pathsep.join([os.fspath(services.ROOT), os.environ.get("PYTHONPATH", "")]),
    }


@pytest.fixture
def listen():
    """Connects receivers of signals for one test."""
    connected = []

    def connect(signal, receiver, sender=None):
        signal.connect(receiver, sender=sender, weak=False)
        connected.append((signal, receiver, sender))

    yield connect
    for signal, receiver, sender in connected:
        signal.disconnect(receiver, sender=sender)
