"""OpenSearch that wants TLS and a password, that is silent, or that is not there: what people and pages get."""

from __future__ import annotations

import re
import threading
import time

import pytest
from django.core.checks import run_checks
from django.core.management import call_command

import django_neardup as neardup
from django_neardup.exceptions import IndexUnavailable
from django_neardup.index.index_class import get_index
from django_neardup.index.opensearch import key_documents
from django_neardup.management.commands.neardup_worker import _WorkerDatabase
from django_neardup.models import Document, Hold, KeyChange
from django_neardup.pipeline import drain
from tests import services
from tests.index.contract import replace_keys
from tests.index.opensearch_helpers import delete_indexes, index_setting, ship_all
from tests.index.test_opensearch import found, rows_left
from tests.opensearch_service import PROXY_PASSWORD, PROXY_USER, SecureProxy, processes_of
from tests.pipeline.helpers import PIANO, SOFA, SOFA_EDITED, cluster, post, work
from tests.testapp.models import Ad

pytestmark = [pytest.mark.opensearch, pytest.mark.django_db(transaction=True)]


IMPATIENT = {"TIMEOUT": 3, "RETRIES": 0}
"""Options of INDEX while a node is silent. A node that answers may need longer on a busy machine."""


@pytest.fixture
def site(settings, opensearch):
    """Sets INDEX with other options, of the same index."""
    defaults = index_setting(opensearch, TIMEOUT=60)

    def use(**options):
        settings.NEARDUP = {"default": {"BACKEND": None, "INDEX": {**defaults, **options}}}
        return get_index("default")

    yield use
    delete_indexes(opensearch)


@pytest.fixture
def proxy(opensearch):
    proxy = SecureProxy(opensearch)
    proxy.start()
    yield proxy
    proxy.stop()
    assert processes_of([proxy.directory]) == []


@pytest.fixture
def silent(opensearch):
    """The node keeps its connections and does not answer."""
    paused = []

    def pause():
        opensearch.pause()
        paused.append(True)

    yield pause
    if paused:
        opensearch.resume()


def answer_in_time(text):
    """Return the answer of a page. A busy machine may take longer for the first ones than a page waits."""
    deadline = time.monotonic() + 60
    while True:
        matches = neardup.find_similar(text, Ad)
        if not matches.partial:
            return matches
        assert time.monotonic() < deadline
        get_index("default")._pages_paused_until = 0.0


class TestTLS:
    def test_a_user_with_a_password(self, site, proxy):
        index = site(HOSTS=[proxy.host], CA_CERTS=proxy.certificate, USER=PROXY_USER, PASSWORD=PROXY_PASSWORD)
        replace_keys("default", 7, (), [5])
        ship_all()
        assert found(5) == [7] and rows_left() == (0, 0, 0) and index.problem() == ""

    def test_certificates_that_are_not_checked(self, site, proxy):
        site(HOSTS=[proxy.host], VERIFY_CERTS=False, USER=PROXY_USER, PASSWORD=PROXY_PASSWORD)
        replace_keys("default", 7, (), [5])
        ship_all()
        assert found(5) == [7] and rows_left() == (0, 0, 0)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"PASSWORD": "wrong"}, "it refuses the user and the password of INDEX."),
            ({"USER": None}, "it refuses the user and the password of INDEX."),
            ({"CA_CERTS": None}, "its certificate cannot be checked: see CA_CERTS in INDEX."),
        ],
    )
    def test_a_refusal_is_a_sentence_without_the_password(self, site, proxy, options, message):
        known = {"CA_CERTS": proxy.certificate, "USER": PROXY_USER, "PASSWORD": PROXY_PASSWORD}
        site(HOSTS=[proxy.host], RETRIES=0, **known | options)
        replace_keys("default", 7, (), [5])
        with pytest.raises(IndexUnavailable, match=re.escape(message)) as raised:
            get_index("default").ship(is_forced=True)
        assert "wrong" not in str(raised.value) and PROXY_PASSWORD not in str(raised.value)
        assert found(5) == [7]


class TestSilence:
    def test_no_attempt_is_counted_and_no_post_is_set_aside(self, site, silent, opensearch, caplog):
        site()
        one = post(SOFA)
        work()
        ship_all()
        silent()
        index = site(**IMPATIENT)
        copy = post(SOFA_EDITED)
        for _ in range(2):
            with pytest.raises(IndexUnavailable, match="no answer within 3 seconds"):
                drain("default")
        waiting = Document.objects.get(pending_since__isnull=False)
        assert (waiting.attempts, waiting.leased_until) == (0, None)
        assert KeyChange.objects.count() == 1
        assert "no answer" in index.problem()
        # The log of a worker has one line, with the reason.
        caplog.clear()
        database = _WorkerDatabase("default")
        assert database.may_have_tables()
        for _ in range(3):
            assert database.process_slice(0.0) == 0
        (line,) = [record.getMessage() for record in caplog.records if record.name.endswith("neardup_worker")]
        assert "the key index of the database 'default' is not available. OpenSearch" in line
        opensearch.resume()
        site()
        call_command("neardup_worker", once=True, databases=["default"], verbosity=0)
        assert cluster(one) == cluster(copy) is not None and rows_left() == (0, 0, 0)
        assert not Document.objects.filter(state=Document.State.QUARANTINED).exists()

    def test_a_page_has_an_answer(self, site, silent, opensearch):
        """It finds what is in the database, and says that more may be missing."""
        site()
        shipped = post(SOFA)
        work()
        ship_all()
        assert [match.object for match in answer_in_time(SOFA)] == [shipped]
        recent = post(SOFA_EDITED)
        work()
        silent()
        for _ in range(2):
            started = time.monotonic()
            matches = neardup.find_similar(SOFA, Ad)
            assert time.monotonic() - started < 5  # far above the second that it waits at most
            assert [match.object for match in matches] == [recent] and matches.partial
        opensearch.resume()
        assert {match.object for match in answer_in_time(SOFA)} == {shipped, recent}

    def test_a_form_holds_a_post_until_the_cluster_answers(self, site, silent, opensearch, adapt, submit):
        site()
        adapt(publication=[{"action": "hold", "partial": True, "trust": "guest"}, {"action": "hold"}])
        post(SOFA)
        work()
        ship_all()
        silent()
        site(**IMPATIENT)
        posts = []
        for text in (SOFA_EDITED, PIANO):
            form = submit(None, text=text, trust="guest")
            assert not form.is_valid() and form.neardup.is_checked_first
            token = ("neardup_token", form.neardup.token)
            form = submit(None, ("neardup_confirm", "1"), token, text=text, trust="guest")
            posts.append(form.save())
            assert form.neardup.outcome == "checking"
        with pytest.raises(IndexUnavailable):
            drain("default")
        assert set(Hold.objects.values_list("state", flat=True)) == {"checking"}
        opensearch.resume()
        site()
        work()
        # The copy is left to a moderator, by the other rule. The other post is published.
        assert [Ad.objects.get(pk=one.pk).published for one in posts] == [False, True]
        assert Hold.objects.get().state == "review"

    def test_a_repeated_request_creates_no_second_index(self, site, opensearch, monkeypatch):
        index = site(TIMEOUT=2, RETRIES=30)
        body = key_documents.index_body

        def be_silent_for_a_while(*arguments):
            opensearch.pause()
            threading.Timer(3, opensearch.resume).start()
            return body(*arguments)

        monkeypatch.setattr(key_documents, "index_body", be_silent_for_a_while)
        replace_keys("default", 7, (), [5])
        ship_all()
        assert [*opensearch.ask("GET", f"/{index.name}-*")] == [f"{index.name}-1"]
        assert KeyChange.objects.count() == 0

    def test_work_stops_when_too_much_waits(self, site, silent):
        site()
        replace_keys("default", 1, (), [2])
        ship_all()
        silent()
        index = site(**IMPATIENT, MAX_WAITING=3)
        for number in range(2):
            replace_keys("default", 10 + number, (), [3])
        KeyChange.objects.update(since=1)
        assert index.ship() == 0  # it is logged, and posts are compared
        index._paused_until = 0.0
        replace_keys("default", 12, (), [3])
        with pytest.raises(IndexUnavailable, match="no answer"):
            drain("default")

    def test_pages_and_the_status_ask_the_next_node(self, site, opensearch, caplog):
        gone = [f"http://127.0.0.1:{services.free_port()}" for _ in range(3)]
        site()
        replace_keys("default", 7, (), [5])
        ship_all()
        for timeout in range(60, 65):  # each with connections of its own
            index = site(HOSTS=[*gone, opensearch.host], TIMEOUT=timeout)
            index.read_buckets_for_page([5], 0, 9)
            assert "no connection" not in index.problem()
        # A busy machine may take longer than a page waits.
        assert "IndexUnavailable, ConnectionError" not in caplog.text

    @pytest.mark.parametrize("block", ["read_only_allow_delete", "write", "read_only"])
    def test_a_block_of_writes_is_named(self, site, opensearch, block):
        """OpenSearch sets the first of them when a disk is full."""
        index = site()
        one = post(SOFA)
        work()
        ship_all()
        assert index.problem() == ""
        url = f"/{index.name}-1/_settings"
        assert opensearch.ask("PUT", url, {f"index.blocks.{block}": True})["acknowledged"]
        try:
            copy = post(SOFA_EDITED)
            work()
            assert cluster(one) == cluster(copy) is not None
            with pytest.raises(IndexUnavailable):
                index.ship(is_forced=True)
            (message,) = [each for each in run_checks(databases=["default"]) if each.id == "neardup.W120"]
            assert f"index.blocks.{block} is set" in message.msg
        finally:
            opensearch.ask("PUT", url, {f"index.blocks.{block}": None})
        ship_all()
        assert index.problem() == "" and rows_left() == (0, 0, 0)

    def test_a_node_that_is_not_there(self, site):
        index = site(HOSTS=[f"http://127.0.0.1:{services.free_port()}"], RETRIES=0)
        replace_keys("default", 7, (), [5])
        assert found(5) == [7]
        with pytest.raises(IndexUnavailable, match=r"OpenSearch \(127.0.0.1:\d+\): no connection."):
            index.ship(is_forced=True)
