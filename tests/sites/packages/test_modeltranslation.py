"""django-modeltranslation: a column for each language, whichever language is active."""

import pytest
from django.conf import settings
from django.utils.translation import override

from django_neardup.adapters import adapter_for
from django_neardup.models import Document
from django_neardup.moderation import ActionContext, delete, merge, plan_merge
from django_neardup.moderation.undo.restore import undo
from django_neardup.pipeline import drain
from django_neardup.search import find_similar
from tests.sites.packages.app import translated
from tests.sites.tools import is_marked, rows

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(
        "modeltranslation" not in settings.PACKAGES, reason="django-modeltranslation is not in SITES"
    ),
]
RUSSIAN = "продаю зимние шины почти новые размер 205 недорого самовывоз"
ENGLISH = "winter tyres for sale nearly new size 205 cheap to be collected"
LANGUAGES = ["en", "ru", "de", None]


@pytest.fixture(params=LANGUAGES)
def active(request):
    with override(request.param):
        yield request.param


def make_post(english, russian=None, **values):
    return translated.ColumnPost.objects.create(title_en=english, title_ru=russian, **values)


def test_texts_are_read_in_the_language_of_the_adapter(active):
    post = make_post(ENGLISH, RUSSIAN)

    adapter = adapter_for(post)
    sources = [
        adapter.source(post, compared=True, live=True),
        adapter.sources([post.pk], "default")[post.pk],
    ]

    assert [source.text.strip() for source in sources] == [RUSSIAN] * 2


def test_a_moderator_with_another_interface_finds_the_same(active):
    posts = [make_post(f"{number} {ENGLISH}", RUSSIAN) for number in range(2)]
    drain()

    assert [match.object for match in find_similar(posts[0])] == [posts[1]]
    assert Document.objects.filter(state=Document.State.INDEXED).count() == 2


def test_each_language_is_a_value_to_choose(active):
    keeper, loser = make_post("keeper", "основное"), make_post("loser", "дубль")

    plan = plan_merge(keeper, [loser], "default")

    assert {
        column.field.name: [option.value for option in column.options] for column in plan.column_choices
    } == {"title_en": ["keeper", "loser"], "title_ru": ["основное", "дубль"]}


@pytest.mark.parametrize("undo_language", LANGUAGES)
def test_merge_and_undo(active, undo_language):
    keeper = make_post("keeper", slug_en="keeper")
    loser = make_post("loser", "дубль", slug_en="loser", slug_ru="dubl", text_de="Text")
    translated.ColumnComment.objects.create(post=loser, text_en="comment", text_ru="замечание")
    translated.Banner.objects.create(post_en=keeper, post_ru=loser)
    before = rows()

    (record,) = merge(keeper, [loser], ActionContext(), values={"title_en": loser.pk})
    stored = translated.ColumnPost.objects.raw_values("title_en", "title_ru", "text_de", "slug_en")
    assert list(stored.filter(pk=keeper.pk)) == [
        {"title_en": "loser", "title_ru": "дубль", "text_de": "Text", "slug_en": "keeper"}
    ]
    assert translated.Banner.objects.raw_values("post_en", "post_ru").get() == {
        "post_en": keeper.pk,
        "post_ru": keeper.pk,
    }
    with override(undo_language):
        record = undo(record, None, "default")

    assert rows() == before
    assert record.left == []


def test_a_deleted_post_comes_back(active):
    post = make_post("post", "запись", text_de="Text", slug_ru="zapis")
    translated.ColumnComment.objects.create(post=post, text_ru="замечание")
    before = rows()

    (record,) = delete([post], ActionContext())
    record = undo(record, None, "default")

    assert rows() == before
    assert record.left == []


@pytest.mark.parametrize("saved_in", ["en", "ru"])
def test_the_language_in_which_a_post_was_saved(active, saved_in):
    """The package writes the text of that language into the column without a language."""
    with override(saved_in):
        keeper, loser = make_post("keeper", "основное"), make_post("loser", "дубль")
    before = rows()

    (record,) = merge(keeper, [loser], ActionContext())
    undo(record, None, "default")
    (record,) = delete([loser], ActionContext())
    undo(record, None, "default")

    assert rows() == before


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_two_merges_are_undone_in_any_order(active, order):
    keeper, one, two = make_post("keeper"), make_post("one", "раз"), make_post("two", "два", text_de="zwei")
    before = rows()
    records = [record for loser in (one, two) for record in merge(keeper, [loser], ActionContext())]
    assert translated.ColumnPost.objects.raw_values("title_ru", "text_de").get() == {
        "title_ru": "раз",
        "text_de": "zwei",
    }

    for number in order:
        undo(records[number], None, "default")

    assert rows() == before


@pytest.mark.parametrize("saved", [["title_ru"], ["title"], None])
def test_a_saved_language_marks_the_post(saved):
    post = make_post(ENGLISH, RUSSIAN)
    drain()

    with override("ru"):
        post.title_ru = "дача у озера с большим садом и верандой на лето"
        post.save(update_fields=saved)

    assert is_marked(post)
