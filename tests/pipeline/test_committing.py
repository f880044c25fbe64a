"""What is done after a commit: whatever raises keeps nobody else from being called."""

from functools import partial

import pytest
from django.db import connection, transaction

from django_neardup.db.transactions import call_after_commit
from django_neardup.pipeline.receivers import _notification_callback

pytestmark = pytest.mark.django_db(transaction=True)


def broken(word):
    raise RuntimeError(word)


@pytest.mark.parametrize("function", [broken, partial(broken)], ids=["function", "partial"])
def test_one_that_raises_is_logged_and_the_others_are_called(function, caplog):
    called = []
    with transaction.atomic():
        call_after_commit("default", function, "a hook of the site")
        call_after_commit("default", called.append, "the next")
        assert called == []
    assert called == ["the next"]
    (record,) = caplog.records
    assert "failed after a commit" in record.getMessage() and "RuntimeError" in caplog.text
    assert "a hook of the site" not in caplog.text


def test_nothing_is_called_after_a_rollback():
    called = []
    with transaction.atomic():
        call_after_commit("default", called.append, "never")
        transaction.set_rollback(True)
    assert called == [] == connection.run_on_commit


def test_a_bell_has_the_name_that_django_logs():
    assert _notification_callback("default").__qualname__ == "notify_worker"
    assert _notification_callback("default") is _notification_callback("default")
