"""What is logged of an error: its class and a key, and never the text of a post."""

from __future__ import annotations

import ast
import contextlib
import logging
import traceback
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import DatabaseError, OperationalError, connection, transaction

import django_neardup
from django_neardup.adapters import adapter_for
from django_neardup.exceptions import error_name, without_message
from django_neardup.pipeline import drain, mark_queryset
from django_neardup.queues import drain as job
from django_neardup.signals import cluster_changed, document_checked
from tests.pipeline.helpers import SOFA, document, post
from tests.testapp.models import Ad

database = pytest.mark.django_db(transaction=True, databases=["default"])

PACKAGE = Path(django_neardup.__file__).parent
LOGGING_MODULES = [path for path in PACKAGE.rglob("*.py") if "getLogger(" in path.read_text()]
TOLD_BY_QUEUES = {"base.py", "receivers.py", "boilerplate_store.py"}
"""Modules that log the message of an error which quotes no post: of a queue, or one that the package raised."""
SECRET = "секретный"


def log_calls(path):
    """The calls of a module's logger."""
    for node in ast.walk(ast.parse(path.read_text())):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "logger"
        ):
            yield node


@pytest.mark.parametrize("path", LOGGING_MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_module_logs_a_traceback_with_the_message_of_its_error(path):
    for call in log_calls(path):
        assert call.func.attr != "exception", f"line {call.lineno}: exc_info=without_message(error)"
        for keyword in call.keywords:
            shown = ast.unparse(keyword.value)
            assert keyword.arg != "exc_info" or shown.startswith("without_message("), f"line {call.lineno}"


@pytest.mark.parametrize("path", LOGGING_MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_module_logs_the_message_of_an_error(path):
    named = {"error", "exc", "exception", "fault"}
    for call in log_calls(path):
        bare = {argument.id for argument in call.args if isinstance(argument, ast.Name)}
        assert not bare & named or path.name in TOLD_BY_QUEUES, f"line {call.lineno}: error_name(error)"


def raised(error):
    try:
        raise error
    except BaseException as caught:
        return caught


def test_a_traceback_keeps_classes_and_causes_and_loses_messages():
    try:
        try:
            raise KeyError(SECRET)
        except KeyError as error:
            raise ValueError(SECRET) from error
    except ValueError as error:
        text = "".join(traceback.format_exception(without_message(error)))
    assert SECRET not in text
    assert "KeyError" in text and "ValueError" in text and "direct cause" in text
    assert "test_log_texts.py" in text


def test_an_error_of_the_settings_says_what_is_wrong():
    try:
        try:
            raise KeyError(SECRET)
        except KeyError as error:
            raise ImproperlyConfigured("the action 'stop' is unknown") from error
    except ImproperlyConfigured as error:
        text = "".join(traceback.format_exception(without_message(error)))
    assert "ImproperlyConfigured: the action 'stop' is unknown" in text and "KeyError" in text
    assert SECRET not in text


def test_an_error_without_a_driver_is_named_by_its_class():
    assert error_name(raised(OperationalError(SECRET))) == "OperationalError"
    assert error_name(raised(KeyError(SECRET))) == "KeyError"


@database
def test_an_error_of_a_database_is_named_with_what_its_driver_calls_it():
    with pytest.raises(DatabaseError) as caught, connection.cursor() as cursor:
        cursor.execute("SELECT nothing FROM neardup_nowhere")
    expected = {
        "sqlite": "OperationalError, SQLITE_ERROR",
        "postgresql": "ProgrammingError, UndefinedTable",
        "mysql": "ProgrammingError, 1146",
    }
    assert error_name(caught.value) == expected[connection.vendor]


@database
def test_a_post_that_quotes_itself_in_an_error_is_logged_without_its_text(monkeypatch, caplog):
    def text(self, ad):
        raise ValueError(f"cannot read {ad.text}")

    monkeypatch.setattr(type(adapter_for(Ad)), "text", text, raising=False)
    ad = post(f"{SOFA} {SECRET}")
    with caplog.at_level(logging.DEBUG, "django_neardup"):
        drain()
    assert f"Document {document(ad).pk} failed (ValueError)" in caplog.text
    assert "Traceback" in caplog.text and "in text" in caplog.text
    assert SECRET not in caplog.text


@database
@pytest.mark.parametrize("signal", [document_checked, cluster_changed])
def test_a_listener_that_quotes_the_post_is_logged_without_its_text(signal, caplog):
    def listener(document, **kwargs):
        raise ValueError(Ad.objects.get(pk=document.object_id).text)

    signal.connect(listener)
    try:
        post(f"{SOFA} {SECRET}"), post(f"{SOFA} {SECRET}")
        with caplog.at_level(logging.DEBUG):
            drain()
    finally:
        signal.disconnect(listener)
    assert "listener failed" in caplog.text and "ValueError" in caplog.text and SECRET not in caplog.text


@database
@pytest.mark.parametrize(
    "work", [lambda: call_command("neardup_worker", once=True, databases=["default"]), job]
)
def test_what_a_worker_raises_does_not_quote_the_post(work, monkeypatch, caplog):
    def text(self, ad):
        raise OperationalError(f"cannot read {ad.text}")

    monkeypatch.setattr(type(adapter_for(Ad)), "text", text, raising=False)
    post(f"{SOFA} {SECRET}")
    with caplog.at_level(logging.DEBUG, "django_neardup"), pytest.raises(Exception) as caught:
        work()
    shown = "".join(traceback.format_exception(caught.value))
    assert "Some posts are still pending: database 'default' (OperationalError)" in shown
    assert SECRET not in shown and SECRET not in caplog.text


@database
@pytest.mark.engines("postgresql")
def test_a_row_that_the_database_refuses_is_not_printed(caplog):
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE neardup_fingerprint ADD CONSTRAINT refuse CHECK (codes = '') NOT VALID")
    try:
        ad = post(f"{SOFA} С140.35")
        with caplog.at_level(logging.DEBUG, "django_neardup"):
            drain()
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE neardup_fingerprint DROP CONSTRAINT refuse")
    assert f"Document {document(ad).pk} failed (IntegrityError, CheckViolation)" in caplog.text
    assert "Failing row" not in caplog.text and "140" not in caplog.text.replace(str(document(ad).pk), "")


@database
@pytest.mark.engines("postgresql")
@pytest.mark.parametrize("loss", ["cursors", "connection"])
@pytest.mark.parametrize("is_atomic", [False, True])
def test_marking_a_queryset_raises_errors_of_django(loss, is_atomic):
    """A pooler loses cursors, a restart of the database connections, in the middle of the rows."""
    Ad.objects.bulk_create(Ad(text="a") for _ in range(2001))
    lost = []

    def lose(execute, sql, params, many, context):
        if sql.startswith("INSERT") and not lost:
            lost.append(sql)
            raw = connection.connection
            if loss == "cursors":
                raw.execute("CLOSE ALL")
            else:
                with contextlib.closing(connection.copy()) as other, other.cursor() as cursor:
                    cursor.execute("SELECT pg_terminate_backend(%s, 10000)", [raw.info.backend_pid])
        return execute(sql, params, many, context)

    try:
        with pytest.raises(DatabaseError), connection.execute_wrapper(lose):
            if is_atomic:
                with transaction.atomic():
                    mark_queryset(Ad.objects.all())
            else:
                mark_queryset(Ad.objects.all())
    finally:
        connection.close()
    assert lost
