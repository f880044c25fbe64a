"""Posts with more rows around them than a statement takes parameters."""

import sqlite3
import sys

import pytest
from django.contrib import admin
from django.db import connection

from django_neardup.admin.pending_by_post import load_pending_decisions
from django_neardup.models import Contact, MergeRecord, MovedUrl
from django_neardup.moderation import ActionContext, merge
from django_neardup.moderation.dependencies import existing_values
from django_neardup.moderation.undo.restore import undo
from django_neardup.moderation.url_paths import path_digest
from django_neardup.pipeline.hash_secrets import secret_of
from django_neardup.pipeline.source_properties import contact_hash
from django_neardup.seo import redirect_rows
from django_neardup.text.tokens.contacts import canonical_contact
from tests import builders
from tests.admin import crowds
from tests.admin.tools import fields, look, page_of, request_of, url_of
from tests.moderation.tools import pieces, run, site, undone
from tests.testapp.models import Ad, Comment
from tests.testapp.zoo import Person, Piece, Rating

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.engines("sqlite"),
    pytest.mark.skipif(sys.version_info < (3, 11), reason="sqlite3 sets no limits before Python 3.11"),
]

MOST = 999
"""Parameters that old releases of SQLite take."""


@pytest.fixture(autouse=True)
def _few_parameters():
    connection.ensure_connection()
    before = connection.connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, MOST)
    yield
    connection.connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, before)


@pytest.fixture
def root(client, django_user_model):
    client.user = django_user_model.objects.create_superuser("root")
    client.force_login(client.user)
    return client


def test_a_post_goes_with_many_comments(root):
    keeper, loser = (Ad.objects.create(text="Продам сваи С140.35 длиной 14 м") for _ in range(2))
    Comment.objects.bulk_create([Comment(ad=loser, text="c") for _ in range(MOST + 1)])
    cluster = builders.cluster(keeper, loser)

    seen = look(root, "delete", cluster)
    root.post(url_of(cluster, "delete"), fields(seen))

    assert seen.status_code == 200 and not Comment.objects.exists()
    undone(MergeRecord.objects.get())
    assert loser.comments.count() == MOST + 1


def test_many_rows_are_spare():
    keeper, loser = pieces("keeper", "loser")
    people = Person.objects.bulk_create([Person(name="p") for _ in range(MOST + 1)])
    for piece in (keeper, loser):
        Rating.objects.bulk_create([Rating(piece=piece, person=person) for person in people])
    before = site()

    (record,) = run(keeper, loser)
    assert Rating.objects.filter(piece=keeper).count() == len(people) == Rating.objects.count()
    undone(record)

    assert site() == before


def test_references_by_another_column_than_the_key_are_looked_up():
    codes = {piece.code for piece in Piece.objects.bulk_create([Piece(code=n) for n in range(MOST + 1)])}

    assert existing_values(Piece, "code", {*map(str, codes), "gone"}, "default") == {*map(str, codes)}


def test_many_addresses_lead_on_and_back(monkeypatch):
    monkeypatch.setattr(Ad, "get_absolute_url", lambda ad: ad.text)
    old, kept, last = (Ad.objects.create(text=f"/{name}/") for name in ("old", "kept", "last"))
    (record,) = merge(kept, [old], ActionContext())
    lead_there(record)

    (second,) = merge(last, [kept], ActionContext())
    assert {each.object_id for each in MovedUrl.objects.all()} == {str(last.pk)}
    undo(MergeRecord.objects.get(pk=second.pk), None, "default")

    assert {each.object_id for each in MovedUrl.objects.all()} == {str(kept.pk)}


def test_many_redirects_are_brought_up_to_date(monkeypatch):
    monkeypatch.setattr(Ad, "get_absolute_url", lambda ad: ad.text)
    old, kept = (Ad.objects.create(text=f"/{name}/") for name in ("old", "kept"))
    (record,) = merge(kept, [old], ActionContext())
    found = {}
    monkeypatch.setattr(
        redirect_rows, "_update_redirect", lambda path, target, *args: found.update({path: target})
    )

    redirect_rows.write_redirects(lead_there(record), record, "default")

    assert len(found) == MOST + 1 and {*found.values()} == {"/kept/"}


def lead_there(record):
    """Many addresses of a post that was merged."""
    paths = [f"/{number}/" for number in range(MOST + 1)]
    end = {"content_type_id": record.keeper_type_id, "object_id": record.keeper_id}
    MovedUrl.objects.bulk_create(
        MovedUrl(path=path, digest=path_digest(path), record=record, **end) for path in paths
    )
    return paths


def test_a_long_list_of_the_site_says_what_waits(root, django_user_model):
    crowds.documents(MOST + 1)
    first, second, *others = Ad.objects.order_by("pk")
    builders.cluster(first, second)
    builders.pair(*others[-2:], "variant")

    request = request_of(django_user_model.objects.get())
    waiting = load_pending_decisions(Ad.objects.all(), request, admin.site, "default")
    assert {*waiting} == {first, second, *others[-2:]}


def test_many_telephones_in_two_texts_are_evidence(root):
    numbers = " ".join(f"8 912 {number:03} 45 67," for number in range(MOST + 1))
    one, two, other = (
        Ad.objects.create(text=f"Телефоны {word}: {numbers}") for word in ("почты", "банка", "школ")
    )
    known = canonical_contact("8 912 000 45 67"), secret_of(builders.scheme())
    value = contact_hash(Contact.Kind.CONTACT, *known)
    Contact.objects.create(document=builders.document(other), hash=value)

    seen = root.get(page_of(builders.pair(one, two, "variant")))

    rows = seen.context["evidence"].rows
    assert [each.link_text for each in rows if each.link_text] == ["in 1 more post"]
