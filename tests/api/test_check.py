"""What a text is like: what is told of it, and what is not."""

import re

import pytest
from django.test import Client
from django.urls import reverse

import django_neardup as neardup
from django_neardup.adapters import adapter_for
from django_neardup.prepublication.text_facts import FACT_TEXTS
from django_neardup.search import find_for_request
from tests.api.asking import CODE, HTML, OTHER, TEXT, address, ask, ask_json, indexed, post, texts, told
from tests.moderation.tools import snapshot
from tests.testapp.models import Ad, Author, LongArticle, Reply, ScopedPost, SlugPost, Topic, UuidPost
from tests.text.hostile import random_words

pytestmark = pytest.mark.django_db


@pytest.fixture
def posts():
    return indexed(post(), post(OTHER, "9 450"), post(published=False, title="Секретное"))


@pytest.fixture
def visitor(client, django_user_model):
    """A client that is signed in, and an author of the same key."""
    user = django_user_model.objects.create_user("anna")
    client.force_login(user)
    client.author = Author.objects.create(pk=user.pk, name="Анна")
    return client


def test_what_is_told(client, posts):
    answer = ask(client, **texts(price="17 900")).json()
    assert answer == {
        "count": 2,
        "too_long": False,
        "partial": False,
        "message": "Similar posts on the site: 2",
        "similar": [
            {
                "title": f"Сваи железобетонные {CODE}",
                "url": f"/ads/{posts[0].pk}/",
                "own": False,
                "same": False,
                "other_item": False,
                "differs": [{"what": "price", "before": "17 900 ₽", "after": "18 900 ₽"}],
            },
            {
                "title": f"Сваи железобетонные {OTHER}",
                "url": f"/ads/{posts[1].pk}/",
                "own": False,
                "same": False,
                "other_item": True,
                "differs": [
                    {"what": "model", "before": CODE, "after": OTHER},
                    {"what": "price", "before": "17 900 ₽", "after": "9 450 ₽"},
                ],
            },
        ],
    }


def test_a_fragment_for_the_page(client, posts):
    response = ask(client, html=True, **texts(price="17 900"))
    html = response.content.decode()
    assert response.headers["Content-Type"].startswith("text/html")
    assert "Similar posts on the site: 2" in html
    assert f'href="/ads/{posts[0].pk}/"' in html
    assert '<mark class="neardup-price">18 900 ₽</mark>' in html
    assert "another item" not in html
    assert "Секретное" not in html
    assert "<html" not in html


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("", "application/json"), ("*/*", "application/json"), ("application/json", "application/json"),
        ("text/html", "text/html"), ("text/html, application/json;q=0.5", "text/html"),
        ("application/json, text/html;q=0.9", "application/json"), ("image/png", "application/json"),
    ],
)  # fmt: skip
def test_the_client_says_what_it_reads(client, posts, accept, kind):
    response = client.post(address(), texts(), headers={"Accept": accept})
    assert response.headers["Content-Type"].startswith(kind)


def test_the_same_text_and_ones_own(visitor):
    mine, other = indexed(post(author=visitor.author), post())
    found = {each["url"]: (each["own"], each["same"], each["differs"]) for each in told(visitor, **texts())}
    assert found == {f"/ads/{mine.pk}/": (True, True, []), f"/ads/{other.pk}/": (False, True, [])}
    html = ask(visitor, html=True, **texts()).content.decode()
    assert html.count("The same text") == 2
    assert html.count("yours") == 2  # the flag, and the sentence above the list


def test_a_few_words(client):
    indexed(post())
    html = ask(client, html=True, **{**texts(), "text": texts()["text"] + " Звоните."}).content.decode()
    assert "Differs in a few words" in html


@pytest.mark.parametrize(
    "values", [{}, {"text": ""}, {"text": "сваи"}, {"text": "Отдам котят в добрые руки, очень милые"}]
)
def test_nothing_like_it(client, posts, values):
    assert ask(client, **values).json() == {
        "count": 0,
        "too_long": False,
        "partial": False,
        "similar": [],
        "message": "No similar posts yet.",
    }
    assert ask(client, html=True, **values).content.strip() == b""


def long_texts(count, words=1_500):
    """Make near copies of one long text of invented words: each has another word in the middle."""
    common = random_words(words)
    for number in range(count):
        common[words // 2] = f"слово{number}"
        yield " ".join(common)


def test_more_to_align_than_a_request_may_cost(client):
    text, *others = long_texts(8)
    indexed(*(post(title="", text=other) for other in others))
    answer = ask(client, text=text).json()
    assert answer["partial"] is True and answer["count"] == 5
    html = ask(client, html=True, text=text).content.decode()
    assert str(FACT_TEXTS["partial"]) in html


def test_the_typing_limit_is_below_that_of_a_form(client):
    text, *others = long_texts(4)
    indexed(*(post(title="", text=other) for other in others))
    assert ask(client, text=text).json()["partial"] is True
    assert not find_for_request(text, Ad).partial and not neardup.find_similar(text, Ad).partial


def test_a_text_that_is_too_long_to_compare(client, posts, monkeypatch):
    kind = type(adapter_for(Ad))
    monkeypatch.setattr(kind, "text", lambda self, ad: f"{ad.text} " * 12_000, raising=False)
    answer = ask(client, text=TEXT).json()
    assert answer["too_long"] is True and answer["partial"] is False and answer["similar"] == []
    assert answer["message"] == str(FACT_TEXTS["too_long"])
    assert str(FACT_TEXTS["too_long"]) in ask(client, html=True, text=TEXT).content.decode()


def test_no_more_than_five(client):
    indexed(*(post() for _ in range(8)))
    assert len(told(client, **texts())) == 5


def test_as_json(client, posts):
    assert ask_json(client, texts()).json() == ask(client, **texts()).json()


def test_no_score_and_no_verdict(client, posts):
    for html in (False, True):
        said = ask(client, html=html, **texts(price="17 900")).content.decode().lower()
        for word in ("score", "verdict", "duplicate", "дубл", "variant", "related", "contained", "%", "0.9"):
            assert word not in said
        assert not re.search(r"\b\d+\.\d+\b", re.sub(r"с\d+\.\d+", "", said))


@pytest.mark.parametrize("html", [False, True])
@pytest.mark.parametrize("code", [CODE, OTHER])
def test_bytes_are_the_same_with_and_without_a_hidden_twin(client, html, code):
    indexed(post(), post(price="17 500"))
    without = ask(client, html=html, **texts(price="17 900"))
    twin = indexed(post(code, "17 900", published=False))[0]
    with_twin = ask(client, html=html, **texts(price="17 900"))
    assert twin.title not in with_twin.content.decode() or code == CODE
    assert (with_twin.content, with_twin.headers) == (without.content, without.headers)


def test_many_hidden_twins_push_nothing_out(client):
    (shown,) = indexed(post())
    indexed(*(post(published=False) for _ in range(40)))
    assert [each["url"] for each in told(client, **texts())] == [f"/ads/{shown.pk}/"]


def test_whoever_may_see_it_is_told(client, posts, monkeypatch):
    from tests.testapp.neardup import AdNeardup

    monkeypatch.setattr(AdNeardup, "visible", lambda self, request: Ad.objects.all())
    assert "Секретное" in [each["title"] for each in told(client, **texts())]


# What is edited -------------------------------------------------------------------------------------------


def test_a_post_never_meets_itself(client, posts):
    assert f"/ads/{posts[0].pk}/" not in [each["url"] for each in told(client, pk=posts[0].pk, **texts())]
    assert told(client, pk=posts[0].pk) == told(client, pk=posts[0].pk, **texts())


@pytest.mark.parametrize("model", [UuidPost, SlugPost, Topic])
def test_keys_and_partners_of_any_kind(client, model):
    keys = [{"slug": slug} for slug in ("a/b", "сваи")] if model is SlugPost else [{}, {}]
    one, two = (model.objects.create(text=texts()["text"], **key) for key in keys)
    reply = [Reply.objects.create(text=texts()["text"])] if model is Topic else []
    indexed()
    label = model._meta.label_lower
    assert len(told(client, label=label, text=texts()["text"])) == 2 + len(reply)
    assert len(told(client, label=label, pk=one.pk, text=texts()["text"])) == 1 + len(reply)


def test_ones_own_draft_never_meets_itself(visitor, monkeypatch):
    from tests.testapp.neardup import AdNeardup

    (draft,) = indexed(post(published=False, author=visitor.author))
    monkeypatch.setattr(AdNeardup, "visible", lambda self, request: Ad.objects.all())
    assert told(visitor, pk=draft.pk, **texts()) == []
    monkeypatch.undo()
    assert told(visitor, pk=draft.pk) == []


def test_of_a_hidden_post_of_another_nothing_is_used(visitor, posts):
    other = indexed(post(published=False, author=Author.objects.create(pk=visitor.author.pk + 1)))[0]
    absent = other.pk + 1000
    assert told(visitor, pk=other.pk) == told(visitor, pk=absent) == []
    assert ask(visitor, pk=other.pk, **texts()).content == ask(visitor, pk=absent, **texts()).content
    assert ask(visitor, pk=other.pk, **texts()).content == ask(visitor, **texts()).content


def test_nobodys_posts_are_told_by_asking_for_another(client, visitor):
    """Who wrote two posts that all may see is not for strangers to learn."""
    author = Author.objects.create(pk=visitor.author.pk + 1, name="Пётр")
    one, _ = indexed(post(author=author), post(author=author))
    for asks in (Client(), visitor):
        assert [each["own"] for each in told(asks, pk=one.pk)] == [False]


def test_deleted_posts_leave_the_number_of_the_others(client, visitor, settings):
    settings.NEARDUP = {"default": {**settings.NEARDUP["default"], "MEMORY_DAYS": 30}}
    indexed(*(post(f"С{number}0.30") for number in range(5, 12)))
    mine, shown = indexed(post(author=visitor.author), post("С70.35", author=visitor.author))
    mine.delete()
    indexed()
    assert len(told(visitor, **texts())) == len(told(Client(), pk=shown.pk, **texts())) == 5


@pytest.fixture
def child():
    """An adapter of a child alone, whose key is a relation."""
    neardup.register(LongArticle)(type("LongArticleNeardup", (neardup.Adapter,), {"fields": ["text"]}))
    yield "testapp.longarticle"
    neardup.unregister(LongArticle)


def test_keys_beyond_any_number_of_a_child(client, child):
    one, two = (LongArticle.objects.create(text=texts()["text"]) for _ in range(2))
    indexed()
    for pk in (2**31, 2**63, -(2**70), "9" * 400):
        assert len(told(client, label=child, pk=pk, text=texts()["text"])) == 2
        assert client.get(reverse("neardup:api-similar", args=[child, pk])).status_code == 404
    assert len(told(client, label=child, pk=one.pk)) == 1
    assert client.get(reverse("neardup:api-similar", args=[child, two.pk])).json()["count"] == 2


@pytest.mark.parametrize("pk", ["", "abc", "-1", "9" * 400, "1.5", "null", "[]"])
def test_a_key_that_is_none(client, posts, pk):
    assert told(client, pk=pk, **texts()) == told(client, **texts())


def test_nothing_is_written(client, posts, django_assert_num_queries):
    before = snapshot()
    told(client, pk=posts[0].pk, title="Другое", text="Совсем другой текст этого объявления", published="")
    assert snapshot() == before


# What is heeded -------------------------------------------------------------------------------------------


def test_unknown_names_and_bad_values_are_left_out(client, posts):
    more = {
        "id": posts[1].pk,
        "published": "0",
        "hits": "x",
        "author": "9",
        "__class__": "x",
        "nonsense": "x",
    }
    assert told(client, **more, **texts()) == told(client, **texts())


def test_scope(client):
    one, other = (ScopedPost.objects.create(site=site, text=texts()["text"]) for site in (1, 2))
    indexed()
    assert len(told(client, label="testapp.scopedpost", site="1", text=texts()["text"])) == 1
    assert told(client, label="testapp.scopedpost", site="3", text=texts()["text"]) == []
    assert told(client, label="testapp.scopedpost", site="x", text=texts()["text"]) == []


def test_identity(client):
    (one,) = indexed(post(sku="A-1"))
    assert [each["other_item"] for each in told(client, sku="A-1", **texts())] == [False]
    assert [each["other_item"] for each in told(client, sku="B-2", **texts())] == [True]


# Who is answered ------------------------------------------------------------------------------------------


def test_answers_are_kept_by_nobody(client, posts):
    response = ask(client, **texts())
    assert response.headers["X-Robots-Tag"] == "noindex"
    assert {"no-store", "private"} <= {each.strip() for each in response.headers["Cache-Control"].split(",")}
    assert "Accept" in response.headers["Vary"]


@pytest.mark.parametrize("method", ["get", "head", "put", "patch", "delete"])
def test_only_post(client, method):
    response = getattr(client, method)(address())
    assert response.status_code == 405
    assert response.headers["Allow"] == "POST"
    assert "no-store" in response.headers["Cache-Control"]


def test_every_model_that_is_not_ours_gets_one_answer(client):
    labels = ["testapp.unregistered", "auth.user", "no.model", "x", "TESTAPP.AD", "testapp.ad.x", "%00"]
    answers = [client.post(f"/similar/api/check/{label}/", texts()) for label in labels]
    assert {(answer.status_code, answer.content) for answer in answers} == {
        (404, b'{"error": "Page not found."}')
    }


def test_a_site_may_replace_the_template(client, posts, settings, tmp_path):
    folder = tmp_path / "neardup" / "testapp" / "ad"
    folder.mkdir(parents=True)
    (folder / "typing.html").write_text("of the model {{ count }}")
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": [tmp_path]}]
    assert client.post(address(), texts(), headers=HTML).content == b"of the model 2"


def test_in_the_language_of_the_visitor(client, posts):
    response = client.post(address(), texts(price="17 900"), headers={"Accept-Language": "ru"})
    assert [hint["what"] for hint in response.json()["similar"][0]["differs"]] == ["цена"]
