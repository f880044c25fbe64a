"""What a plan says of its undo: what acts besides, what came of the last try, and the tick for a loss."""

from __future__ import annotations

import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.request import Request, urlopen

import pytest
from django.core.files.base import ContentFile
from django.db import connection, models
from django.db.models.signals import post_delete, post_save
from django.test.utils import CaptureQueriesContext, override_settings

from django_neardup.adapters import Adapter, register, unregister
from django_neardup.models import MergeRecord, UndoProof
from tests import builders
from tests.admin.test_plan import Form
from tests.admin.tools import confirm, fields, look, url_of
from tests.moderation.tools import snapshot
from tests.testapp.models import Ad, Author
from tests.testapp.neardup import AdNeardup
from tests.testapp.offers import Offer
from tests.testapp.zoo import Piece

pytestmark = pytest.mark.django_db(transaction=True)

ACTIONS = ("hide", "merge", "delete")


def words_of(response: Any) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def forget_author(sender: Any, raw: bool, **kwargs: Any) -> None:
    """A receiver that an undo sets off, so that the undo is not exact."""
    if raw:
        Author.objects.update(name="forgotten")


class TestFindings:
    def test_of_a_plain_model(self, root, cluster):
        page = words_of(look(root, "merge", cluster))

        assert "The undo is tried first: if a row would not be restored, nothing is done" in page
        assert "Other effects" not in page
        assert "Last tried" not in page

    @pytest.mark.parametrize("action", ["merge", "delete"])
    def test_of_a_delete_of_its_own_and_receivers(self, root, cluster, monkeypatch, listen, action):
        monkeypatch.setattr(Ad, "delete", lambda self, *args, **kwargs: models.Model.delete(self))
        listen(post_delete, forget_author, Ad)

        page = words_of(look(root, action, cluster))

        assert "“Ads” has its own delete() (tests.admin.test_undo_outlook)." in page
        assert "These receivers run immediately: tests.admin.test_undo_outlook.forget_author." in page

    def test_of_the_database(self, root):
        register(Piece)(type("PieceNeardup", (Adapter,), {"fields": ["code"]}))
        try:
            cluster = builders.cluster(*(Piece.objects.create(code=code) for code in ("keeper", "loser")))
            page = words_of(look(root, "delete", cluster))
        finally:
            unregister(Piece)

        (tables,) = re.findall(
            r"The database itself deletes or changes rows that refer to it: ([^.]+)\.", page
        )
        assert {"Echos", "Shadows"} <= set(tables.split(", "))

    @pytest.mark.parametrize("setting", [{"PROVE_UNDO": False}, {"PROVE_ROWS": 1}])
    def test_a_proof_that_will_be_left_out(self, root, cluster, setting):
        with override_settings(NEARDUP={"default": {"BACKEND": None, **setting}}):
            page = words_of(look(root, "merge", cluster))

        assert "The undo is not tried first:" in page

    def test_a_plan_takes_no_lock_and_writes_nothing(self, root, cluster):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            look(root, "merge", cluster)

        assert not [
            query["sql"]
            for query in queries
            if re.match(r"INSERT|UPDATE|DELETE", query["sql"]) or "FOR UPDATE" in query["sql"]
        ]


class TestLastProof:
    @pytest.mark.parametrize("action", ACTIONS)
    def test_of_an_action_that_was_done(self, root, ads, action):
        confirm(root, action, builders.cluster(*ads("сегодня", "завтра")))

        page = words_of(look(root, "merge", builders.cluster(*ads("утром", "вечером"))))

        assert re.search(r"Last tried: [^,]+, \d{4}, [^,]+, everything was restored", page)

    @pytest.mark.parametrize("action", ["merge", "delete"])
    def test_of_an_action_that_was_refused(self, root, ads, listen, action):
        Author.objects.create(name="x")
        listen(post_save, forget_author, Ad)
        cluster = builders.cluster(*ads("сегодня", "завтра"))
        before = snapshot()

        answer = root.post(url_of(cluster, action), fields(look(root, action, cluster)))

        assert answer.status_code == 422
        assert "This is not possible." in words_of(answer)
        after = snapshot()
        assert after.pop("neardup.UndoProof") != before.pop("neardup.UndoProof")
        assert after == before
        page = words_of(look(root, action, cluster))
        assert "refused" in page[page.index("Last tried:") :]
        assert re.search(r"name № \d+: would have another value\.", page[page.index("Last tried:") :])


class TestAcceptedLoss:
    @pytest.fixture
    def losing(self, ads, monkeypatch, listen):
        Author.objects.create(name="x")
        listen(post_save, forget_author, Ad)
        monkeypatch.setattr(AdNeardup, "accepts_loss", ["testapp.author"])
        return builders.cluster(*ads("сегодня", "завтра"))

    @pytest.mark.parametrize("action", ["merge", "delete"])
    def test_it_is_done_with_a_tick_alone(self, root, losing, action):
        seen = look(root, action, losing)
        assert "Continue even if an undo would not restore: Authors" in words_of(seen)

        answer = root.post(url_of(losing, action), Form(seen).sent)
        page = words_of(answer)
        assert answer.status_code == 422
        assert "Nothing was changed: an undo would not restore everything." in page
        assert "would have another value." in page
        assert not MergeRecord.objects.exists()

        assert root.post(url_of(losing, action), {**Form(answer).sent, "loss": "1"}).status_code == 302
        record = MergeRecord.objects.get()
        assert UndoProof.objects.get().outcome == "accepted"
        page = words_of(root.get(f"/admin/neardup/mergerecord/{record.pk}/change/"))
        assert "Undo tried a loss was accepted" in page
        assert "would have another value." in page

    def test_without_an_accepted_model_there_is_no_box(self, root, cluster):
        assert 'name="loss"' not in look(root, "merge", cluster).content.decode()


class TestEffectsOutside:
    """A site whose receiver of ``post_delete`` deletes the file of a post and tells a search server."""

    @pytest.fixture
    def search_server(self):
        calls: list[str] = []

        class Handler(BaseHTTPRequestHandler):
            def do_DELETE(self) -> None:
                calls.append(self.path)
                self.send_response(204)
                self.end_headers()

            def log_message(self, *args: Any) -> None:
                pass

        with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            yield f"http://127.0.0.1:{server.server_port}", calls
            server.shutdown()

    @pytest.fixture
    def offers(self, tmp_path, settings, search_server, listen):
        settings.MEDIA_ROOT = tmp_path
        address, calls = search_server

        def clean(sender: Any, instance: Any, **kwargs: Any) -> None:
            instance.scan.delete(save=False)
            urlopen(Request(f"{address}/{instance.title}", method="DELETE"), timeout=10)

        listen(post_delete, clean, Offer)
        register(Offer)(type("OfferNeardup", (Adapter,), {"fields": ["title", "text"]}))

        def make(*titles: str) -> Any:
            found = [Offer.objects.create(title=title) for title in titles]
            for offer in found:
                offer.scan.save(f"{offer.title}.txt", ContentFile(b"x"))
            return builders.cluster(*found)

        yield make, calls, lambda: sorted(path.name for path in tmp_path.rglob("*.txt"))
        unregister(Offer)

    @pytest.mark.parametrize("action", ["merge", "delete"])
    def test_happen_once_and_never_by_a_plan(self, root, offers, action):
        make, calls, files = offers
        cluster = make("keeper", "loser")

        for _ in range(10):
            assert look(root, action, cluster).status_code == 200
        assert calls == []
        assert files() == ["keeper.txt", "loser.txt"]

        assert confirm(root, action, cluster).status_code == 302
        proved = list(calls)
        cluster = make("other", "loser")
        with override_settings(NEARDUP={"default": {"BACKEND": None, "PROVE_UNDO": False}}):
            assert confirm(root, action, cluster).status_code == 302
        assert proved == ["/loser"]
        assert calls == ["/loser", "/loser"]
        assert files() == ["keeper.txt", "other.txt"]

    def test_of_a_refused_action_stay(self, root, offers, listen):
        """As the guide says: what signals did outside the database stays."""
        make, calls, files = offers
        Author.objects.create(name="x")
        listen(post_save, forget_author, Offer)
        cluster = make("keeper", "loser")

        answer = root.post(url_of(cluster, "merge"), fields(look(root, "merge", cluster)))

        assert answer.status_code == 422
        assert Offer.objects.count() == 2
        assert calls == ["/loser"]
        assert files() == ["keeper.txt"]
