"""django-parler: the translations of two posts, their language, and their pages in the admin."""

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.urls import reverse
from django.utils.translation import override

from django_neardup.adapters import adapter_for
from django_neardup.exceptions import MergeRefused
from django_neardup.models import Document, Fingerprint
from django_neardup.moderation import ActionContext, delete, merge, plan_merge
from django_neardup.moderation.undo.restore import undo
from django_neardup.pipeline import drain
from django_neardup.search import find_similar
from tests.sites.packages.app import translated
from tests.sites.tools import is_marked, rows

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif("parler" not in settings.PACKAGES, reason="django-parler is not in SITES"),
]

RUSSIAN = "продаю зимние шины почти новые размер 205 недорого самовывоз"
ENGLISH = "winter tyres for sale nearly new size 205 cheap to be collected"
LABEL = "app.translatedposttranslation"


@pytest.fixture(autouse=True)
def _no_cached_translations():
    from django.core.cache import cache

    cache.clear()


def make_post(**titles):
    post = translated.TranslatedPost.objects.create()
    for language, title in titles.items():
        post.create_translation(language, title=title)
    return post


def title(post, language):
    """The title as a new request reads it."""
    return translated.TranslatedPost.objects.language(language).get(pk=post.pk).title


@pytest.mark.parametrize("active", ["en", "ru", "de", None])
def test_texts_are_read_in_the_language_of_the_adapter(active):
    post = make_post(en=ENGLISH, ru=RUSSIAN)

    with override(active):
        read_post = translated.TranslatedPost.objects.get(pk=post.pk)
        adapter = adapter_for(post)
        sources = [
            adapter.source(read_post, compared=True, live=True),
            adapter.sources([post.pk], "default")[post.pk],
        ]

    assert [source.text.strip() for source in sources] == [RUSSIAN] * 2


def test_a_moderator_with_another_interface_finds_the_same():
    with override("en"):
        posts = [make_post(en=f"{number} {ENGLISH}", ru=RUSSIAN) for number in range(2)]
        drain()
        found = find_similar(translated.TranslatedPost.objects.get(pk=posts[0].pk))

    assert [match.object for match in found] == [posts[1]]
    assert Document.objects.filter(state=Document.State.INDEXED).count() == 2


def test_two_translations_in_one_language_want_a_decision():
    keeper, loser = make_post(en="keeper", ru="основное"), make_post(en="loser", de="Verlierer")

    with pytest.raises(MergeRefused) as refused:
        merge(keeper, [loser], ActionContext())

    assert len(plan_merge(keeper, [loser], "default").conflicts) == 1
    assert any("choice" in reason for reason in refused.value.reasons)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("choice", "english"), [("keeper", "keeper"), ("loser", "loser")])
def test_translations_unite_and_come_back(choice, english):
    keeper, loser = make_post(en="keeper", ru="основное"), make_post(en="loser", de="Verlierer")
    translated.TranslatedComment.objects.create(post=loser, text="c")
    before = rows()
    assert title(keeper, "de") == "keeper", "it falls back"

    (record,) = merge(keeper, [loser], ActionContext(), choices={LABEL: choice})
    assert {language: title(keeper, language) for language in ("en", "ru", "de")} == {
        "en": english,
        "ru": "основное",
        "de": "Verlierer",
    }
    record = undo(record, None, "default")

    assert rows() == before
    assert record.left == []
    assert [title(keeper, language) for language in ("en", "ru", "de")] == ["keeper", "основное", "keeper"]
    assert [title(loser, language) for language in ("en", "ru", "de")] == ["loser", "loser", "Verlierer"]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("choice", ["keeper", "loser"])
def test_two_merges_are_undone_in_any_order(order, choice):
    keeper, one, two = make_post(en="keeper"), make_post(en="one", de="eins"), make_post(en="two", de="zwei")
    before = rows()
    records = [
        record
        for loser in (one, two)
        for record in merge(keeper, [loser], ActionContext(), choices={LABEL: choice})
    ]

    for number in order:
        undo(records[number], None, "default")

    assert rows() == before


def test_a_deleted_post_comes_back_with_its_translations():
    post = make_post(en="post", ru="запись")
    before = rows()

    (record,) = delete([post], ActionContext())
    undo(record, None, "default")

    assert rows() == before
    assert title(post, "ru") == "запись"


@pytest.mark.parametrize("language", ["en", "ru"])
def test_pages_of_the_admin(client, language):
    posts = [make_post(en=ENGLISH, ru=RUSSIAN) for _ in range(2)]
    drain()
    client.force_login(get_user_model().objects.create_superuser("moderator"))
    name = "admin:app_translatedpost"

    with override(language):
        pages = [
            client.get(reverse(f"{name}_changelist")),
            client.get(reverse(f"{name}_change", args=[posts[0].pk])),
            client.get(reverse(f"{name}_change", args=[posts[0].pk]), {"language": "ru"}),
        ]

    assert [page.status_code for page in pages] == [200] * 3
    assert all("neardup" in page.content.decode() for page in pages)


def test_a_saved_translation_marks_its_post():
    post = make_post(en=ENGLISH, ru=RUSSIAN)
    drain()

    translation = post.get_translation("ru")
    translation.title = "дача у озера с большим садом и верандой на лето"
    translation.save()
    assert is_marked(post)
    drain()
    post.delete_translation("ru")

    assert is_marked(post)


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_runs_between_the_save_of_a_post_and_of_its_translation(settings):
    """The package saves the translation last. Without a transaction, the worker may read the old one."""
    settings.NEARDUP = {"default": {"BACKEND": "inline"}}
    post = make_post(ru=RUSSIAN)
    (before,) = Fingerprint.objects.values_list("source_digest", flat=True)

    post.set_current_language("ru")
    post.title = "дача у озера с большим садом и верандой на лето"
    post.save()

    assert Fingerprint.objects.get().source_digest != before


def test_the_post_that_stays_is_compared_with_its_new_translation():
    keeper, loser = make_post(en="keeper"), make_post(ru=RUSSIAN)
    drain()

    merge(keeper, [loser], ActionContext())

    assert is_marked(keeper)


@pytest.mark.parametrize("titles", [{}, {"de": "Winterreifen fast neu und billig zu verkaufen"}])
def test_a_post_without_a_translation_has_no_text(titles):
    """It is skipped until it has one, and not set aside as one that cannot be read."""
    post = make_post(**titles)
    drain()
    assert Document.objects.get().state == Document.State.SKIPPED

    post.create_translation("ru", title=RUSSIAN)
    drain()

    assert Document.objects.get().state == Document.State.INDEXED
