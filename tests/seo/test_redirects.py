"""Old addresses in ``django.contrib.redirects``: the same as our own table tells, and nobody else's touched."""

from __future__ import annotations

from itertools import permutations
from urllib.parse import quote

import pytest
from django.contrib.contenttypes.models import ContentType
from django.contrib.redirects.middleware import RedirectFallbackMiddleware
from django.contrib.redirects.models import Redirect
from django.db import DatabaseError
from django.http import HttpResponseNotFound
from django.test import RequestFactory, override_settings
from django.urls import set_script_prefix

from django_neardup import moderation
from django_neardup.adapters import adapter_for
from django_neardup.exceptions import MergeRefused
from django_neardup.models import MergeRecord, MovedUrl
from django_neardup.moderation import ActionContext
from django_neardup.pipeline.process_documents import hide_unsignable
from django_neardup.seo import redirect_rows, redirects
from django_neardup.signals import document_checked
from tests.grouped_lists import rows
from tests.pipeline.helpers import PIANO, SOFA, work
from tests.seo.profiles import with_seo
from tests.testapp.models import Ad

pytestmark = pytest.mark.django_db
ORDERS = list(permutations(range(3)))


@pytest.fixture(autouse=True)
def _addresses(monkeypatch):
    """The text of an advert is its address."""
    monkeypatch.setattr(Ad, "get_absolute_url", lambda ad: ad.text)


@pytest.fixture(autouse=True)
def _switched_on():
    with with_seo("redirects"):
        yield


def ad(url, **fields):
    return Ad.objects.create(text=url, **fields)


def merge(loser, keeper):
    (record,) = moderation.merge(keeper, [loser], ActionContext())
    return record


def delete(loser, keeper=None, **options):
    (record,) = moderation.delete([loser], ActionContext(), keeper, **options)
    return record


def delete_for(loser, keeper):
    return delete(loser, keeper)


def undo(record):
    moderation.undo(MergeRecord.objects.get(pk=record.pk), None, "default")


def table():
    return dict(Redirect.objects.values_list("old_path", "new_path"))


def told(path):
    """What the middleware of ``contrib.redirects`` makes of a 404."""
    response = RedirectFallbackMiddleware(lambda request: HttpResponseNotFound())(RequestFactory().get(path))
    return response.status_code, response.headers.get("Location")


def expected():
    """What our own table says."""
    found = {}
    for entry in MovedUrl.objects.all():
        keeper = Ad.objects.filter(pk=entry.object_id or 0).first()
        found[entry.path] = keeper.text if keeper is not None else ""
    return found


def test_a_chain_is_one_hop_long():
    a, b, c = ad("/a/"), ad("/b/"), ad("/c/")
    merge(a, b), merge(b, c)
    assert table() == {"/a/": "/c/", "/b/": "/c/"}
    assert told("/a/") == told("/b/") == (301, "/c/")


def test_what_was_deleted_is_gone():
    a, b = ad("/a/"), ad("/b/")
    merge(a, b), delete(b)
    assert told("/a/") == told("/b/") == (410, None)


def test_a_deleted_duplicate_leads_to_its_twin():
    a, b, c, d = (ad(f"/{name}/") for name in "abcd")
    merge(a, b), delete(b, c)
    assert told("/a/") == told("/b/") == (301, "/c/")
    merge(c, d)
    assert told("/a/") == told("/b/") == (301, "/d/")


def test_unless_the_moderator_says_that_it_is_gone():
    a, b = ad("/a/"), ad("/b/")
    delete(a, b, redirects=False)
    assert told("/a/") == (410, None)


@pytest.mark.parametrize("first", [merge, delete_for], ids=["merge", "deletion"])
@pytest.mark.parametrize("last", [merge, delete_for, delete], ids=["merged", "deleted for a twin", "deleted"])
@pytest.mark.parametrize("order", ORDERS)
def test_undone_in_any_order_it_follows_our_own_table(order, last, first):
    a, b, c, d = (ad(f"/{name}/") for name in "abcd")
    records = [first(a, b), first(b, c), delete(c) if last is delete else last(c, d)]
    assert table() == expected() and len(table()) == 3
    waiting = list(order)
    while waiting:
        number = next(each for each in waiting if not _refused(records[each]))
        waiting.remove(number)
        assert table() == expected()
    assert table() == {}


def _refused(record):
    try:
        undo(record)
    except MergeRefused:
        return True
    return False


def test_a_path_that_is_used_again():
    first = merge(ad("/old/"), ad("/one/"))
    second = merge(ad("/old/"), ad("/two/"))
    assert table() == {"/old/": "/two/"}
    undo(first)
    assert table() == {"/old/": "/two/"}
    Ad.objects.filter(text="/old/").delete()
    undo(second)
    assert table() == {}


def test_a_path_that_is_used_again_goes_back_to_the_older_merge():
    merge(ad("/old/"), ad("/one/"))
    undo(merge(ad("/old/"), ad("/two/")))
    assert table() == {"/old/": "/one/"}


@pytest.mark.parametrize("own", ["/elsewhere/", ""])
def test_a_site_s_own_redirect_stays(own):
    Redirect.objects.create(site_id=1, old_path="/a/", new_path=own)
    record = merge(ad("/a/"), ad("/b/"))
    assert table() == {"/a/": own}
    undo(record)
    assert table() == {"/a/": own}


def test_what_a_person_has_changed_is_his_own():
    b = ad("/b/")
    record = merge(ad("/a/"), b)
    Redirect.objects.update(new_path="/by-hand/")
    merge(b, ad("/c/"))
    assert table() == {"/a/": "/by-hand/", "/b/": "/c/"}
    undo(record)
    assert table()["/a/"] == "/by-hand/"


def test_a_hidden_keeper_is_told_to_nobody():
    keeper = ad("/b/", published=False)
    merge(ad("/a/"), keeper)
    assert table() == {}
    Ad.objects.filter(pk=keeper.pk).update(published=True)
    check(keeper)
    assert table() == {"/a/": "/b/"}
    Ad.objects.filter(pk=keeper.pk).update(published=False)
    check(keeper)
    assert table() == {}


@pytest.mark.parametrize("fails", [False, True])
def test_a_keeper_that_strangers_may_not_see_is_told_to_nobody(monkeypatch, fails):
    def visible(adapter, request):
        if fails:
            raise AttributeError("site")
        found = adapter.live()
        return found if request.user.is_authenticated else found.exclude(phone="closed")

    monkeypatch.setattr(type(adapter_for(Ad)), "visible", visible)
    merge(ad("/a/"), ad("/b/", phone="closed")), merge(ad("/c/"), ad("/d/"))
    assert table() == ({} if fails else {"/c/": "/d/"})


def test_a_keeper_that_moves_is_followed():
    keeper = ad("/b/")
    merge(ad("/a/"), keeper)
    Ad.objects.filter(pk=keeper.pk).update(text="/renamed/")
    check(keeper)
    assert table() == {"/a/": "/renamed/"}


def test_a_turn_that_finds_nothing_new_follows_the_address_and_who_may_see_it(monkeypatch):
    monkeypatch.setattr(Ad, "get_absolute_url", lambda ad: f"/{ad.hits}/")
    monkeypatch.setattr(type(adapter_for(Ad)), "visible", lambda self, request: self.live().exclude(hits=4))
    loser, keeper = ad(SOFA, hits=1), ad(PIANO, hits=2)
    merge(loser, keeper), work()
    for keeper.hits, led in ((3, {"/1/": "/3/"}), (4, {}), (2, {"/1/": "/2/"})):
        keeper.save(), work()
        assert table() == led


def test_a_keeper_that_is_hidden_while_statistics_are_lacking_is_told_to_nobody():
    keeper = ad("/b/")
    merge(ad("/a/"), keeper)
    Ad.objects.update(published=False)
    hide_unsignable(rows.document(keeper), adapter_for(Ad), "default")
    assert table() == {}


def test_what_an_undo_amends_in_a_journal_meanwhile_stays(monkeypatch):
    keeper, as_asked = ad("/b/"), redirect_rows._as_requested
    record = merge(ad("/a/"), keeper)

    def amending(path):
        MergeRecord.objects.filter(pk=record.pk).update(journal={**record.journal, "amended": 1})
        return as_asked(path)

    monkeypatch.setattr(redirect_rows, "_as_requested", amending)
    Ad.objects.filter(pk=keeper.pk).update(text="/renamed/")
    check(keeper)
    journal = MergeRecord.objects.get().journal
    assert (journal["redirects"], journal["amended"]) == ({"/a/": "/renamed/"}, 1)


def check(post):
    document_checked.send(Ad, document=rows.document(post), using="default")


@pytest.mark.parametrize(
    ("old", "keeper"),
    [
        ("/" + "a" * 200 + "/", "/b/"),
        ("/" + "я" * 40 + "/", "/b/"),
        ("/a/", "/" + "b" * 200 + "/"),
        ("/a/", "/a/?page=2"),
        ("/a/", "https://[/"),
        ("/a/", "https://other.example/b/"),
        ("/a/", ""),
    ],
)
@override_settings(ALLOWED_HOSTS=["*"])
def test_what_has_no_room_or_no_address_is_left_to_our_middleware(old, keeper):
    merge(ad(old), ad(keeper))
    assert MovedUrl.objects.count() == 1
    assert table() == {}


@override_settings(ALLOWED_HOSTS=["*"])
def test_the_site_s_own_host_is_known_where_every_one_is_allowed():
    merge(ad("/a/"), ad("https://example.com/b/"))
    assert table() == {"/a/": "https://example.com/b/"}


@pytest.mark.parametrize("path", ["/сваи/", "/a b/", "/100%/", "/a'b/"])
def test_paths_are_written_as_they_are_asked(path):
    merge(ad(quote(path)), ad("/b/"))
    assert told(quote(path)) == (301, "/b/")


def test_under_a_script_name():
    set_script_prefix("/forum/")
    try:
        merge(ad("/forum/a/"), ad("/forum/b/"))
        assert table() == {"/forum/a/": "/forum/b/"}
    finally:
        set_script_prefix("/")


def test_an_entry_deleted_by_hand_takes_its_redirect_along():
    merge(ad("/a/"), ad("/b/"))
    MovedUrl.objects.all().delete()
    assert table() == {}


@pytest.mark.parametrize("delete", [MergeRecord.delete, lambda record: ContentType.objects.all().delete()])
def test_a_record_that_is_deleted_takes_its_redirects_along(delete):
    b = ad("/b/")
    record = merge(ad("/a/"), b)
    last = merge(b, ad("/c/"))
    last.delete()
    assert set(table()) == {"/a/"}
    ContentType.objects.clear_cache()
    delete(record)
    assert table() == {} and not MergeRecord.objects.exists()


def test_switched_on_between_two_merges_of_one_path():
    with with_seo("canonical"):
        first = merge(ad("/old/"), ad("/one/"))
    undo(merge(ad("/old/"), ad("/two/")))
    assert table() == {"/old/": "/one/"}
    Ad.objects.filter(text="/old/").delete()
    undo(first)
    assert table() == {}


def test_switched_on_later():
    with with_seo("canonical"):
        a, b, c = ad("/a/"), ad("/b/"), ad("/c/")
        merge(a, b), merge(b, c)
        assert table() == {}
    redirects.sync_redirects()
    assert table() == {"/a/": "/c/", "/b/": "/c/"}


def test_a_refused_merge_leaves_nothing(monkeypatch):
    def refuse(*args, **kwargs):
        raise RuntimeError

    monkeypatch.setattr(moderation.actions, "_announce_merge", refuse)
    with pytest.raises(RuntimeError):
        merge(ad("/a/"), ad("/b/"))
    assert table() == {}


def test_a_table_that_cannot_be_written_breaks_no_merge(monkeypatch, caplog):
    def fail(*args, **kwargs):
        raise DatabaseError("no")

    monkeypatch.setattr(Redirect.objects, "create", fail)
    merge(ad("/a/"), ad("/b/"))
    assert MovedUrl.objects.count() == 1
    assert "cannot be written" in caplog.text


def test_both_middlewares_answer_in_one_hop(client, settings):
    a, b, c = ad("/a/"), ad("/b/"), ad("/c/")
    merge(a, b), merge(b, c)
    for name in (
        "django.contrib.redirects.middleware.RedirectFallbackMiddleware",
        "django_neardup.middleware.MovedUrlMiddleware",
    ):
        settings.MIDDLEWARE = [*settings.MIDDLEWARE, name]
        response = client.get("/a/")
        assert (response.status_code, response.headers["Location"]) == (301, "/c/")


@pytest.mark.django_db(databases=["default", "other"])
def test_at_a_commit_journals_are_read_again(django_capture_on_commit_callbacks):
    records = MergeRecord.objects.using("other")
    a, b, c = (Ad.objects.using("other").create(text=url) for url in ("/a/", "/b/", "/c/"))
    with django_capture_on_commit_callbacks(using="other", execute=True):
        (first,) = moderation.merge(b, [a], ActionContext(using="other"))
        records.update(journal={**first.journal, "amended": 1})
        moderation.merge(c, [b], ActionContext(using="other"))
    assert table() == {"/a/": "/c/", "/b/": "/c/"}
    assert records.get(pk=first.pk).journal["amended"] == 1


@pytest.mark.django_db(databases=["default", "other"])
def test_posts_of_another_database(django_capture_on_commit_callbacks):
    a, b = (Ad.objects.using("other").create(text=url) for url in ("/a/", "/b/"))
    with django_capture_on_commit_callbacks(using="other", execute=True):
        (record,) = moderation.merge(b, [a], ActionContext(using="other"))
        assert table() == {}
    assert table() == {"/a/": "/b/"}
    with django_capture_on_commit_callbacks(using="other", execute=True):
        moderation.undo(MergeRecord.objects.using("other").get(pk=record.pk), None, "other")
    assert table() == {}
