"""Erasure of deleted posts and their authors: afterwards no table of ours holds a word of them.

The controls show that the words are there without the erasure.
"""

import io
import json
from datetime import timedelta
from urllib.parse import unquote

import pytest
from django.apps import apps
from django.contrib.admin.models import CHANGE, DELETION, LogEntry
from django.contrib.auth import get_user_model
from django.contrib.contenttypes.models import ContentType
from django.contrib.redirects.models import Redirect
from django.core.management import CommandError, call_command
from django.db import OperationalError, models
from django.urls import reverse
from django.utils import timezone

from django_neardup.models import (
    Decision,
    DecisionMember,
    Document,
    Hold,
    MergeRecord,
    MovedUrl,
    OpenItem,
    Pair,
    UndoProof,
)
from django_neardup.moderation import ActionContext, delete, hide, merge
from django_neardup.moderation.admin_log import MARK
from django_neardup.moderation.erasure import erase as erasure
from django_neardup.moderation.erasure.erase import erase
from django_neardup.moderation.erasure.journal_cleaning import JournalCleaning
from django_neardup.moderation.erasure.post_rows import PostRows
from django_neardup.moderation.undo.restore import undo
from django_neardup.pipeline import decide, text_cache
from django_neardup.pipeline.emptied_journals import empty_old_journals
from django_neardup.pipeline.open_items import rebuild_open_items
from django_neardup.pipeline.periodic_searches import run_due_searches
from django_neardup.text.canonical_text import CanonicalText as Text
from tests.admin.tools import look
from tests.moderation.tools import site
from tests.pipeline.helpers import SOFA, cluster, document, work
from tests.seo.profiles import with_seo
from tests.testapp.models import Ad, Article, Author, Comment, Favourite, LongArticle, Note

pytestmark = [pytest.mark.django_db(transaction=True, databases=["default", "other"])]

TEXT = f"{SOFA} Звоните после работы, спросите {{}}, код {{}}."
WORDS = ("Заголовкович", "Текстович", "KOD777X", "79990001122", "Артикул555", "заголовкович-адрес")
"""One word for each column of the erased post, and one in its address."""


def run(*args):
    out = io.StringIO()
    call_command("neardup_cleanup", "--no-progress", *args, stdout=out)
    return out.getvalue()


def ad(title, word, code, **fields):
    return Ad.objects.create(title=title, text=TEXT.format(word, code), **fields)


def victim(**fields):
    title, word, code, phone, sku, _address = WORDS
    return ad(title, word, code, phone=phone, sku=sku, **fields)


def another(number, **fields):
    return ad(
        f"Диван {number}", f"Соседа{number}", f"ZZ{number}0Q", phone=f"+7 911 000-00-0{number}", **fields
    )


def our_values():
    """Every value of our tables, and of the lines of the admin's log with our mark, as one text."""
    models = [*apps.get_app_config("neardup").get_models(include_auto_created=True)]
    rows = [row for model in models if not model._meta.proxy for row in model._base_manager.values()]
    rows += LogEntry.objects.filter(change_message__endswith=MARK).values()
    return json.dumps(
        [{name: readable(value) for name, value in row.items()} for row in rows], ensure_ascii=False
    )


def readable(value):
    """A value as text. JSON is readable, and bytes are compared as they are."""
    if isinstance(value, (bytes, memoryview)):
        return bytes(value).decode("utf-8", "replace")
    return value if isinstance(value, (dict, list)) else str(value)


def words_kept(words=WORDS):
    values = our_values()
    return [word for word in words if word in values]


def name_of(post):
    return f"testapp.Ad:{post}"


@pytest.fixture
def moderator():
    return get_user_model().objects.create_superuser("irina", "irina@example.org", "x")


@pytest.fixture
def case(moderator):
    return lambda **more: ActionContext(user=moderator, **more)


@pytest.fixture
def addresses(monkeypatch):
    """The addresses of posts quote their titles."""
    from tests.testapp.neardup import AdNeardup

    monkeypatch.setattr(
        AdNeardup,
        "addresses",
        lambda self, post: [f"/ads/{post.pk}-{post.title.lower()}-адрес/"],
        raising=False,
    )


def merged_with_everything(case, moderator):
    """A post that took part in whatever leaves words behind. Return its key, and the keeper at the end."""
    owner = Author.objects.create(name="Авторович")
    post, first, keeper, last = victim(author=owner), another(1), another(2), another(3)
    Comment.objects.create(ad=post, text="Комментарий")
    Note.objects.create(target=post, text="Заметка")
    work()
    assert Pair.objects.exists()
    key = post.pk
    decision = decide("different", [document(post), document(first)], moderator, "default")
    Decision.objects.filter(pk=decision.pk).update(note="Заголовкович звонил")
    Hold.objects.create(document=document(post), trust="Заголовкович")
    (record,) = hide([post], case())
    undo(record, moderator, "default")
    # A merge and its undo, then one into the post, with its own title taken from another one.
    (record,) = merge(keeper, [post], case(), values={"title": post.pk, "text": post.pk})
    undo(record, moderator, "default")
    post, keeper = Ad.objects.get(pk=key), Ad.objects.get(pk=keeper.pk)
    merge(post, [first], case(), values={"sku": first.pk, "phone": first.pk})
    post = Ad.objects.get(pk=key)
    # The keeper takes values of the post, and passes them on to the last one.
    merge(keeper, [post], case(), values={"title": key, "text": key})
    keeper = Ad.objects.get(pk=keeper.pk)
    merge(last, [keeper], case(), values={"title": keeper.pk})
    UndoProof.objects.update(reasons=["“Заголовкович” cannot come back."])
    work()
    # The site itself forgets it, too: these rows are not ours.
    Ad.objects.update(title="x", text="x", phone="", sku="")
    return key, last


def test_the_control_keeps_every_word(case, moderator, addresses):
    merged_with_everything(case, moderator)
    assert words_kept() == [*WORDS]


def test_nothing_is_left_of_a_merged_post(case, moderator, addresses):
    key, _last = merged_with_everything(case, moderator)
    LogEntry.objects.log_actions(moderator.pk, Ad.objects.all(), CHANGE, "Заголовкович")

    said = run("--erase", name_of(key), "--yes")

    assert said.endswith(f"testapp.Ad {key}: erased.\n")
    assert words_kept() == []
    assert run("--erase", name_of(key), "--yes") == f"testapp.Ad {key}: no data is stored.\n"
    # The site's own line in the log is not ours.
    assert LogEntry.objects.filter(change_message="Заголовкович").count() == 1


@pytest.mark.parametrize(
    ("owner", "name", "replacement"),
    [
        (JournalCleaning, "_empty", lambda cleaning, record: False),
        (JournalCleaning, "_is_copy", lambda cleaning, cell, value: False),
        (JournalCleaning, "without_copied_words", lambda cleaning, name: name),
        (PostRows, "is_keeper_of", lambda rows, record: False),
        (PostRows, "rows_in", lambda rows, stored, kept: set()),
        (erasure, "_addresses_with_words", lambda cleaning: []),
        (erasure, "own_addresses", lambda rows: []),
        (erasure, "erase_names", lambda lines: None),
        (erasure, "_erase_derived_rows", lambda documents, using: None),
        (erasure, "_forget_proofs", lambda rows: None),
        (erasure, "PORTION", 300),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_control_without_one_step_keeps_words(
    case, moderator, addresses, monkeypatch, owner, name, replacement
):
    key, last = merged_with_everything(case, moderator)
    # As a cascade would store it: a note about the post in the journal of another one.
    (record,) = delete([last], case())
    note = {"object_id": key, "content_type": ContentType.objects.get_for_model(Ad).pk, "text": WORDS[0]}
    record.journal["rows"].append({"model": "testapp.note", "pk": 900, "fields": note})
    record.save()
    UndoProof.objects.update(reasons=[f"“{WORDS[0]}” cannot come back."])
    monkeypatch.setattr(owner, name, replacement)
    erase(Ad, key)
    # The last row of the table removes nothing.
    assert (words_kept() == []) is (name == "PORTION")


def test_redirects_of_the_site_are_deleted_too(case, addresses):
    with with_seo("redirects"):
        first, post, keeper = another(1), victim(), another(2)
        key = post.pk
        merge(post, [first], case())
        merge(keeper, [Ad.objects.get(pk=key)], case())
        assert len(redirects()) == 2 and WORDS[-1] in str(redirects())
        assert erase(Ad, key) == []
        assert redirects() == {MovedUrl.objects.get().path: f"/ads/{keeper.pk}/"}


def redirects():
    return {unquote(row.old_path): row.new_path for row in Redirect.objects.all()}


def test_a_child_is_erased_by_the_key_of_its_parent(case):
    keeper = Article.objects.create(text=TEXT.format("Соседа", "ZZ0Q"))
    child = LongArticle.objects.create(text=TEXT.format(WORDS[1], WORDS[2]), source=WORDS[0])
    other = LongArticle.objects.create(text=TEXT.format("Другого", "ZZ9Q"), source="there")
    merge(other, [child], case(), values={"source": child.pk})
    assert words_kept(WORDS[:3]) == [*WORDS[:3]]
    key = MergeRecord.objects.get().loser_id
    assert run("--erase", f"testapp.Article:{key}", "--yes").endswith(": erased.\n")
    assert words_kept(WORDS[:3]) == [] and keeper.pk


def test_texts_in_memory_are_dropped():
    post = victim()
    work()
    text_cache._text_cache.put(("secret", "ru", "digest"), Text(post.text))
    assert text_cache._text_cache.words
    key = post.pk
    post.delete()
    erase(Ad, key)
    assert not text_cache._text_cache.texts and not text_cache._text_cache.words


def test_who_when_and_which_act_stay(case, moderator, addresses):
    key, _last = merged_with_everything(case, moderator)
    before = list(LogEntry.objects.order_by("pk").values_list("pk", "user", "action_time", "change_message"))
    run("--erase", name_of(key), "--yes")
    lines = LogEntry.objects.order_by("pk")
    assert list(lines.values_list("pk", "user", "action_time", "change_message")) == before
    about_it = lines.filter(object_id=str(key))
    assert {line.object_repr for line in about_it} == {f"№\xa0{key}"}
    assert about_it.filter(action_flag=DELETION).exists()
    records = MergeRecord.objects.filter(loser_id=str(key))
    assert set(records.values_list("by_name", "author", "loser_text")) == {("irina", "", "")}


@pytest.mark.parametrize("address", [True, False])
def test_nothing_is_left_of_a_deleted_post(case, addresses, address):
    post, keeper = victim(), another(1)
    Comment.objects.create(ad=post, text="Текстович")
    work()
    key = post.pk
    delete([post], case(), keeper=keeper if address else None)
    assert words_kept() == [*WORDS]
    assert MovedUrl.objects.count() == 1
    run("--erase", name_of(key), "--yes")
    assert words_kept() == [] and not MovedUrl.objects.exists()


def test_a_post_that_the_site_deleted_leaves_no_evidence():
    post = victim()
    another(1)
    work()
    rebuild_open_items("default")
    key = post.pk
    post.delete()
    # No worker has seen the deletion yet: the pair still quotes the words that differ.
    assert Pair.objects.exists() and OpenItem.objects.exists() and words_kept()
    assert run("--erase", name_of(key)) == f"testapp.Ad {key}: erased.\n"
    assert words_kept() == [] and not Pair.objects.exists() and not OpenItem.objects.exists()
    assert not cluster(Ad.objects.get())


def test_a_post_that_went_with_another_one_is_taken_out_of_its_journal(case):
    post = victim()
    parent = another(1)
    (record,) = delete([parent], case())
    # As a cascade would store it.
    row = {"model": "testapp.ad", "pk": 900, "fields": {"title": WORDS[0], "parent": parent.pk}}
    note = {"object_id": 900, "content_type": ContentType.objects.get_for_model(Ad).pk, "text": WORDS[1]}
    rows = [
        row,
        {"model": "testapp.comment", "pk": 1, "fields": {"ad": 900, "text": WORDS[1]}},
        {"model": "testapp.note", "pk": 1, "fields": note},
        {"model": "testapp.comment", "pk": 2, "fields": {"ad": int(record.loser_id), "text": "stays"}},
    ]
    record.journal["rows"] += rows
    record.save()
    post.delete()
    assert erase(Ad, 900) == []
    record.refresh_from_db()
    assert record.emptied is None and [row["pk"] for row in record.journal["rows"]] == [
        int(record.loser_id),
        2,
    ]
    undo(record, None, "default")
    assert Comment.objects.get().text == "stays"


# The undo of other posts


def test_what_moved_through_an_erased_post_still_comes_back(case):
    first, post, last = another(1), victim(), another(2)
    comment = Comment.objects.create(ad=first, text="c")
    favourite = Favourite.objects.create(ad=first, author=Author.objects.create(name="a"))
    before, key = site()["testapp.Comment"], post.pk
    (record,) = merge(post, [first], case())
    merge(last, [Ad.objects.get(pk=key)], case())
    assert Comment.objects.get(pk=comment.pk).ad_id == last.pk

    assert erase(Ad, key) == []

    record = undo(MergeRecord.objects.get(pk=record.pk), None, "default")
    assert site()["testapp.Comment"] == before and record.left == []
    assert Favourite.objects.get(pk=favourite.pk).ad_id == int(record.loser_id)
    assert Ad.objects.get(pk=record.loser_id).title == "Диван 1"


def test_a_later_post_comes_back_with_its_own_values(case):
    """The keeper took the title of the erased post, and was merged itself: it comes back with its own title."""
    post, keeper, last = victim(), another(1), another(2)
    key = post.pk
    merge(keeper, [post], case(), values={"title": key})
    keeper = Ad.objects.get(pk=keeper.pk)
    assert keeper.title == WORDS[0]
    (record,) = merge(last, [keeper], case(), values={"title": keeper.pk, "phone": keeper.pk})

    said = run("--erase", name_of(key), "--yes")

    assert f"  record {record.pk}: testapp.ad {last.pk}, title\n" in said
    assert erase(Ad, key) == []
    undo(MergeRecord.objects.get(pk=record.pk), None, "default")
    assert Ad.objects.get(pk=keeper.pk).title == "Диван 1"
    # The title of the last keeper is the site's, and stays. Its telephone goes back.
    last = Ad.objects.get(pk=last.pk)
    assert (last.title, last.phone) == (WORDS[0], "+7 911 000-00-02")


def test_what_a_save_derives_of_a_taken_value_goes_too(case, monkeypatch):
    """It stands with the first value of the confirmation, which may be another post's."""
    monkeypatch.setattr(Ad, "save", _save_with_slug)
    other, post, keeper = another(1), victim(), another(2)
    key = post.pk
    record, _own = merge(keeper, [other, post], case(), values={"phone": other.pk, "title": key})
    assert f"slug-{WORDS[0]}" in json.dumps(record.journal, ensure_ascii=False)
    assert erase(Ad, key) == []
    record.refresh_from_db()
    assert words_kept() == [] and undo(record, None, "default")
    assert Ad.objects.get(pk=keeper.pk).phone == "+7 911 000-00-02"


def _save_with_slug(self, *args, **options):
    self.sku = f"slug-{self.title}"[:50]
    if options.get("update_fields") is not None:
        options["update_fields"] = {*options["update_fields"], "sku"}
    models.Model.save(self, *args, **options)


# The question, the pages, the exit status


def test_the_question_lists_what_cannot_be_undone(case, monkeypatch):
    post, keeper = victim(), another(1)
    key = post.pk
    (record,) = merge(keeper, [post], case())
    with pytest.raises(CommandError, match="confirm with --yes") as error:
        run("--erase", name_of(key))
    assert error.value.returncode == 3 and MergeRecord.objects.get().emptied is None

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda question: "n")
    with pytest.raises(CommandError, match="Nothing was erased") as error:
        run("--erase", name_of(key))
    assert error.value.returncode == 3 and MergeRecord.objects.get().emptied is None

    monkeypatch.setattr("builtins.input", lambda question: "y")
    said = run("--erase", name_of(key))
    line = f"record {record.pk}: testapp.ad {key}, merged into {keeper.pk}, {record.created:%Y-%m-%d}, irina"
    assert said == f"These actions can no longer be undone:\n  {line}\ntestapp.Ad {key}: erased.\n"


def test_a_dry_run_says_the_same_and_changes_nothing(case):
    post, keeper = victim(), another(1)
    key = post.pk
    merge(keeper, [post], case())
    said = run("--erase", name_of(key), "--dry-run")
    assert said.startswith("These actions can no longer be undone:\n") and said.endswith(
        ": would be erased.\n"
    )
    assert MergeRecord.objects.get().emptied is None and WORDS[0] in our_values()


def test_the_undo_page_says_that_the_data_was_erased(case, client, moderator):
    post, keeper = victim(), another(1)
    key = post.pk
    (record,) = merge(keeper, [post], case())
    assert erase(Ad, key) == []
    client.force_login(moderator)
    day = timezone.localtime().strftime("%Y")
    for url in (
        reverse("admin:neardup_mergerecord_undo", args=[record.batch]),
        reverse("admin:neardup_mergerecord_change", args=[record.pk]),
    ):
        page = client.get(url).content.decode()
        assert "Its data was erased on" in page and day in page
        assert 'type="checkbox"' not in page and WORDS[0] not in page
    answer = client.post(
        reverse("admin:neardup_mergerecord_undo", args=[record.batch]), {"record": record.pk}
    )
    assert answer.status_code == 302 and not Ad.objects.filter(pk=key).exists()
    assert "no title" in client.get(reverse("admin:neardup_mergerecord_changelist")).content.decode()


def test_history_in_the_admin_stays_readable(case, client, moderator):
    post, keeper = victim(), another(1)
    key = post.pk
    merge(keeper, [post], case())
    client.force_login(moderator)
    url = reverse("admin:testapp_ad_history", args=[keeper.pk])
    words = f"Merged with near-duplicates: Ad №\xa0{key}."
    assert words in client.get(url).content.decode()
    assert erase(Ad, key) == []
    assert words in client.get(url).content.decode()


def test_a_post_that_exists_is_left_and_the_others_are_erased(case):
    there, post = another(1), victim()
    work()
    key = post.pk
    post.delete()
    with pytest.raises(CommandError, match=f"Ad {there.pk} is not deleted: delete it first") as error:
        run("--erase", name_of(key), "--erase", name_of(there.pk))
    assert error.value.returncode == 3
    assert words_kept() == [] and document(there).state == Document.State.INDEXED
    with pytest.raises(ValueError, match="delete it first"):
        erase(Ad, there.pk)


def test_a_document_that_a_worker_holds_is_named():
    post = victim()
    another(1)
    work()
    key, pk = post.pk, document(post).pk
    post.delete()
    work_until = int(timezone.now().timestamp() * 1000) + 60_000
    Document.objects.filter(pk=pk).update(leased_until=work_until)
    with pytest.raises(CommandError, match=r"pairs, .* remain in the database 'default'") as error:
        run("--erase", name_of(key))
    assert error.value.returncode == 3
    Document.objects.filter(pk=pk).update(leased_until=None)
    assert run("--erase", name_of(key)) == f"testapp.Ad {key}: erased.\n"


def test_a_database_that_cannot_be_read_is_named(monkeypatch):
    from django_neardup.management import erasure_run

    post = victim()
    work()
    key = post.pk
    post.delete()
    has_tables = erasure_run.has_tables

    def unreachable(using):
        if using == "other":
            raise OperationalError("connection refused")
        return has_tables(using)

    monkeypatch.setattr(erasure_run, "has_tables", unreachable)
    with pytest.raises(CommandError, match="'other' cannot be read: connection refused") as error:
        run("--erase", name_of(key))
    assert error.value.returncode == 3 and words_kept() == []


# Authors


@pytest.fixture
def author():
    return Author.objects.create(pk=90210, name="Авторович")


def test_all_deleted_posts_of_an_author_are_erased(case, author, addresses):
    post, keeper, own, strangers = victim(author=author), another(1), another(2, author=author), another(3)
    Ad.objects.filter(pk=keeper.pk).update(author=Author.objects.create(name="b"))
    work()
    merge(keeper, [post], case())
    delete([own], case())
    delete([strangers], case())
    work()
    assert words_kept((*WORDS, "90210", "Диван 2")) == [*WORDS, "90210", "Диван 2"]
    assert run("--erase-author", "90210", "--yes").endswith("author 90210: erased.\n")
    assert words_kept((*WORDS, "90210", "Диван 2", "Соседа2")) == []
    assert MergeRecord.objects.filter(emptied=None).count() == 1
    assert run("--erase-author", "90210") == "author 90210: no data is stored.\n"
    assert json.loads(run("--show-author", "90210"))["databases"]["default"] == {kind: [] for kind in KINDS}


def test_posts_of_the_author_that_exist_are_named(author):
    post, there = victim(author=author), another(1, author=author)
    work()
    key = post.pk
    post.delete()
    with pytest.raises(CommandError, match=f"testapp.Ad {there.pk} is not deleted: delete it first") as error:
        run("--erase-author", "90210")
    assert error.value.returncode == 3 and "1 documents remain" in str(error.value)
    assert words_kept() == [] and not Document.objects.filter(object_id=str(key)).exclude(author="").exists()
    assert document(there).author == "90210"


KINDS = ["documents", "pairs", "decisions", "holds", "merge_records", "old_addresses", "admin_log"]


def test_what_is_kept_of_an_author_is_printed(case, moderator, author, addresses):
    post, other, keeper = victim(author=author), another(1), another(2)
    work()
    decide("different", [document(post), document(other)], moderator, "default")
    Hold.objects.create(document=document(post))
    data = json.loads(run("--show-author", "90210"))
    assert data["author"] == "90210" and [*data["databases"]] == ["default", "other"]
    kept = data["databases"]["default"]
    assert [*kept] == KINDS
    assert kept["documents"][0]["post"] == f"testapp.ad {post.pk}"
    assert kept["decisions"][0]["by_name"] == "irina" and kept["holds"] and kept["pairs"]
    key = post.pk
    merge(keeper, [post], case())
    kept = json.loads(run("--show-author", "90210"))["databases"]["default"]
    assert kept["merge_records"][0]["loser_text"] == WORDS[0] and kept["merge_records"][0]["journal"]["rows"]
    assert WORDS[-1] in kept["old_addresses"][0]["path"]
    assert kept["admin_log"][0]["object_repr"] == WORDS[0] and str(key) in kept["merge_records"][0]["post"]


@pytest.mark.parametrize("account", ["deleted", "kept"])
def test_rows_of_a_deleted_account_leave_the_journals_of_others(case, author, account):
    """A favourite went with a stranger's post. Without the account, no undo could restore it."""
    post, other = another(1), Author.objects.create(name="b")
    for each in (author, other):
        Favourite.objects.create(ad=post, author=each)
    (record,) = delete([post], case())
    if account == "deleted":
        author.delete()
    outcome = "erased" if account == "deleted" else "no data is stored"
    assert run("--erase-author", "90210") == f"author 90210: {outcome}.\n"
    record.refresh_from_db()
    assert ("90210" in our_values()) is (account == "kept") and record.emptied is None
    undo(record, None, "default")
    assert Favourite.objects.count() == (1 if account == "deleted" else 2)


def test_an_unknown_author_is_no_error():
    assert run("--erase-author", "1") == "author 1: no data is stored.\n"


# The days for which an undo is possible


@pytest.fixture
def journal_days(settings):
    settings.NEARDUP = {**settings.NEARDUP, "default": {**settings.NEARDUP["default"], "JOURNAL_DAYS": 30}}


def aged(record, days):
    MergeRecord.objects.filter(pk=record.pk).update(created=timezone.now() - timedelta(days=days))


def test_old_journals_are_emptied(case, journal_days, addresses):
    post, other, keeper = victim(), another(1), another(2)
    (old,), (young,) = merge(keeper, [post], case()), merge(keeper, [other], case())
    aged(old, 31), aged(young, 29)
    assert "default, would be removed: 1 old journal." in run("--dry-run", "--database", "default")
    assert run("--database", "default") == "default, removed: 1 old journal.\n"
    assert run("--database", "default") == "default, removed: nothing.\n"
    old.refresh_from_db(), young.refresh_from_db()
    assert old.emptied and "Текстович" not in json.dumps(old.journal, ensure_ascii=False)
    # The title and the old address stay: only the journal is limited.
    assert old.loser_text == WORDS[0] and MovedUrl.objects.count() == 2
    assert young.emptied is None and undo(young, None, "default")


def test_workers_empty_old_journals(case, journal_days):
    (old,) = merge(another(1), [victim()], case())
    aged(old, 31)
    run_due_searches("default")
    old.refresh_from_db()
    assert old.emptied is not None


def test_without_the_setting_journals_stay(case):
    (old,) = merge(another(1), [victim()], case())
    aged(old, 5000)
    assert empty_old_journals("default") == 0 and MergeRecord.objects.get().emptied is None


def test_the_pages_name_the_last_day(case, journal_days, client, moderator):
    post, keeper = victim(), another(1)
    work()
    client.force_login(moderator)
    last_day = timezone.localtime(timezone.now() + timedelta(days=30))
    words = f"{last_day.day}, {last_day.year}"
    assert words in look(client, "merge", Pair.objects.get()).content.decode()
    (record,) = merge(keeper, [post], case())
    for url in (
        reverse("admin:neardup_mergerecord_undo", args=[record.batch]),
        reverse("admin:neardup_mergerecord_change", args=[record.pk]),
    ):
        assert words in client.get(url).content.decode()


def test_digests_in_decisions_go_too(moderator):
    post, other = victim(), another(1)
    work()
    decide("different", [document(post), document(other)], moderator, "default")
    pk, key = document(post).pk, post.pk
    post.delete()
    assert erase(Ad, key) == []
    assert DecisionMember.objects.get(document=pk).digest == "" and Decision.objects.get().known == {}
    assert DecisionMember.objects.exclude(document=pk).get().digest
