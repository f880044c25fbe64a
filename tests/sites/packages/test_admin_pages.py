"""The ModelAdmin of each package with `NearDuplicatesMixin`: its pages, and a merge and its undo from them."""

from html.parser import HTMLParser

import pytest
from django.conf import settings
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.urls import reverse
from django.utils.translation import override

from django_neardup.models import MergeRecord
from django_neardup.pipeline import drain
from tests.sites.packages.app import kept_history, kinds, soft, tagged, translated
from tests.sites.tools import rows

pytestmark = pytest.mark.django_db(transaction=True)
TEXT = "продаю зимние шины почти новые размер 205 на 55 недорого самовывоз из гаража"


def make_translated():
    post = translated.TranslatedPost.objects.create()
    post.create_translation("ru", title=TEXT)
    return post


CASES = {
    "parler": make_translated,
    "modeltranslation": lambda: translated.ColumnPost.objects.create(title_ru=TEXT, title_en="tyres"),
    "simple_history": lambda: kept_history.HistoryPost.objects.create(title=TEXT),
    "polymorphic": lambda: kinds.Book.objects.create(title=TEXT, pages=1),
    "safedelete": lambda: soft.SoftPost.objects.create(title=TEXT),
    "taggit": lambda: tagged.TaggedPost.objects.create(title=TEXT),
}


@pytest.fixture(params=[name for name in CASES if name in settings.PACKAGES])
def make_post(request):
    return CASES[request.param]


@pytest.fixture
def moderator(client):
    client.force_login(get_user_model().objects.create_superuser("moderator"))
    return client


class Form(HTMLParser):
    """What a browser would send of a page: hidden and checked inputs. An undecided choice gets its first value."""

    def __init__(self, response):
        super().__init__()
        self.sent, self.first = {}, {}
        self.feed(response.content.decode())
        self.sent = {**self.first, **self.sent}

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        name, value = given.get("name", ""), given.get("value") or ""
        if tag == "input" and given.get("type") == "radio":
            self.first.setdefault(name, [value])
        if tag == "input" and (given.get("type") == "hidden" or "checked" in given):
            self.sent.setdefault(name, []).append(value)


def list_url(post):
    """The list of posts of all classes."""
    *_, model = (model for model in type(post).__mro__ if model in admin.site._registry)
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


@pytest.mark.parametrize("language", ["en", "ru"])
def test_from_the_list_to_the_undo(moderator, make_post, language):
    posts = [make_post() for _ in range(2)]
    drain()
    before = rows()
    moderator.cookies["django_language"] = language
    url = list_url(posts[0])

    with override(language):
        assert moderator.get(url).status_code == 200
        change = moderator.get(f"{url}{posts[0].pk}/change/", follow=True)
        assert change.status_code == 200
        assert "neardup" in change.content.decode()
        chosen = {"action": "neardup_merge", "_selected_action": [post.pk for post in posts]}
        plan = moderator.post(url, chosen, follow=True)
        assert plan.status_code == 200
        done = moderator.post(plan.request["PATH_INFO"], Form(plan).sent, follow=True)
    assert done.status_code == 200
    (record,) = MergeRecord.objects.all()
    page = moderator.get(reverse("admin:neardup_mergerecord_undo", args=[record.batch]))
    assert page.status_code == 200
    undone = moderator.post(page.request["PATH_INFO"], Form(page).sent, follow=True)

    assert undone.status_code == 200
    assert MergeRecord.objects.get().left == []
    assert site(rows()) == site(before)


def site(stored):
    """Without the history, which was added to, and the login of the moderator."""
    return {
        label: kept
        for label, kept in stored.items()
        if not label.startswith(("app.Historical", "auth.", "auditlog."))
    }
