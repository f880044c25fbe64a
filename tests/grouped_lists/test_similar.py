"""The page of an object's cluster: what a visitor may see of it, and no word more."""

import re
import uuid

import pytest
from django.urls import reverse

from django_neardup.adapters import adapter_for
from django_neardup.models import Document, Scheme, Verdict
from django_neardup.similar_posts import safe_url
from tests.grouped_lists import rows
from tests.testapp.models import Ad, Reply, SlugPost, Topic, Unregistered, UuidPost

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.grouped_lists.urls")]

TEXT = "Завод реализует сваи железобетонные {} длиной {} м, цена {} ₽."


def ad(code="С140.35", length=14, price="18 900", **values):
    return Ad.objects.create(title=f"Сваи {code}", text=TEXT.format(code, length, price), **values)


def compared(post):
    return adapter_for(post).text(post)


def evidence(one, two, *pairs):
    return {
        "differences": [
            rows.difference(kind, (compared(one), a), (compared(two), b), decides)
            for kind, a, b, decides in pairs
        ]
    }


def address(post, **query):
    label = adapter_for(post).model._meta.label_lower
    return reverse("neardup:similar", args=[label, str(post.pk)], query=query or None)


def page(client, post, **query):
    response = client.get(address(post, **query))
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.parametrize(
    ("title", "shown"), [("\u200b \u00ad", "without a title"), ("Сваи \u202e53.041С", "Сваи 53.041С")]
)
def test_titles_that_nobody_sees_or_that_turn_round_what_follows(title, shown, client):
    posts = ad(), ad()
    Ad.objects.update(title=title)
    rows.cluster(*posts)

    html = page(client, posts[0])

    assert f"2 posts about one thing: {shown}<" in html
    assert html.count(f">{shown}</a>") == 2


def test_members_and_what_differs(client):
    one, two, three = ad(), ad(price="17 900"), ad()
    rows.cluster(one, two, three)
    rows.pair(one, two, evidence=evidence(one, two, ("price", "18 900 ₽", "17 900 ₽", False)))
    rows.pair(one, three, exact=True, score=1.0)
    html = page(client, one)
    assert "3 posts about one thing: Сваи С140.35" in html
    assert 'price <mark class="neardup-price">18 900 ₽ → 17 900 ₽</mark>' in html
    assert "The same text" in html
    assert f'href="/ads/{two.pk}/"' in html
    assert "another item" not in html


def test_seen_from_a_later_member(client):
    one, two = ad(), ad(price="17 900")
    rows.cluster(one, two)
    rows.pair(one, two, evidence=evidence(one, two, ("price", "18 900 ₽", "17 900 ₽", False)))
    assert "17 900 ₽ → 18 900 ₽" in page(client, two)


def test_variants_stand_apart(client):
    one, other = ad(), ad("С90.30", 9, "9 450")
    told = evidence(one, other, ("code", "С140.35", "С90.30", True), ("measure", "14 м", "9 м", True))
    rows.pair(one, other, Verdict.VARIANT, evidence=told, classes="code,measure")
    html = page(client, one)
    assert "There are no other posts about this" in html
    assert "another item" not in html
    apart = html[html.index("<h2>Similar</h2>") :]
    assert 'model <mark class="neardup-code">С140.35 → С90.30</mark>, size' in apart


def test_no_score_and_no_verdict_in_public(client):
    one, two, other = ad(), ad(price="17 900"), ad("С90.30", 9)
    rows.cluster(one, two)
    rows.pair(one, two)
    rows.pair(one, other, Verdict.VARIANT)
    html = page(client, one).lower()
    for word in ("duplicate", "дубл", "variant", "score", "8317", "0.83", "%"):
        assert word not in html


@pytest.mark.parametrize("verdict", [Verdict.DUPLICATE, Verdict.VARIANT])
def test_bytes_are_the_same_with_and_without_a_private_twin(client, verdict):
    one, two, hidden = ad(), ad(), ad(published=False)
    if verdict == Verdict.DUPLICATE:
        rows.cluster(one, two, hidden)
    else:
        rows.cluster(one, two)
    rows.pair(one, two)
    rows.pair(one, hidden, verdict)
    with_twin = client.get(address(one))
    Document.objects.filter(pk=rows.document(hidden).pk).delete()
    hidden.delete()
    without = client.get(address(one))
    assert with_twin.content == without.content
    assert with_twin.headers == without.headers


def test_absent_hidden_and_unregistered_get_one_answer(client):
    hidden, strange = ad(published=False), Unregistered.objects.create(text="a")
    rows.cluster(hidden, ad())
    answers = {
        client.get(path).content
        for path in (
            address(hidden),
            f"/similar/testapp.ad/{hidden.pk + 10}/",
            f"/similar/testapp.unregistered/{strange.pk}/",
            "/similar/testapp.ad/abc/",
            "/similar/testapp.ad/%00/",
            "/similar/nothing.at/1/",
            "/similar/x/1/",
            "/similar/testapp.ad/" + "9" * 400 + "/",
            "/similar/testapp.ad/" + "9" * 5000 + "/",
            "/similar/testapp.ad/-1/",
            f"/similar/testapp.ad/0{hidden.pk}/",
            "/similar/testapp.uuidpost/1/",
            "/similar/testapp.slugpost/%00/",
            "/similar/auth.user/1/",
        )
    }
    assert len(answers) == 1
    assert client.get(address(hidden)).status_code == 404


def test_an_integer_has_one_address(client):
    post = ad()
    assert client.get(f"/similar/testapp.ad/{post.pk}/").status_code == 200
    assert client.get(f"/similar/testapp.ad/0{post.pk}/").status_code == 404


@pytest.mark.parametrize(
    "slug", ["a/b", "сваи", "with space", "100%", "?a=b#c", "a//b/", "'quote\"", "&amp;<b>"]
)
def test_text_keys(client, slug):
    one, two = (
        SlugPost.objects.create(slug=slug, text="a b"),
        SlugPost.objects.create(slug=slug + "2", text="a b"),
    )
    rows.cluster(one, two)
    assert "2 posts" in page(client, one)


def test_uuid_keys(client):
    one, two = (UuidPost.objects.create(id=uuid.UUID(int=2**127 + number), text="a") for number in range(2))
    rows.cluster(one, two)
    assert "2 posts" in page(client, one)
    assert client.get(f"/similar/testapp.uuidpost/{one.pk.hex}/").status_code == 404


def test_partners_of_another_model(client):
    topic, reply = Topic.objects.create(text="Тема о сваях"), Reply.objects.create(text="Ответ о сваях")
    rows.cluster(topic, reply)
    html = page(client, topic)
    assert "2 posts" in html
    assert "Ответ о сваях" in html


def test_not_for_search_engines_nor_for_shared_caches(client):
    response = client.get(address(ad()))
    assert response.headers["X-Robots-Tag"] == "noindex"
    assert "private" in response.headers["Cache-Control"]
    assert '<meta name="robots" content="noindex' in response.content.decode()


def test_only_reading(client):
    post = ad()
    assert client.post(address(post)).status_code == 405
    assert client.head(address(post)).status_code == 200


def test_pages(client):
    posts = [ad() for _ in range(45)]
    other = ad("С90.30", 9)
    rows.cluster(*posts)
    rows.pair(posts[0], other, Verdict.VARIANT)
    first, last = page(client, posts[0]), page(client, posts[0], page=3)
    assert first.count("<li ") == 1 + 20 + 1
    assert "Page 1 of 3" in first
    assert last.count("<li ") == 1 + 4
    assert "45 posts" in last
    assert page(client, posts[0], page="nonsense") == page(client, posts[0], page="1")


def test_queries_do_not_grow_with_the_page(client, django_assert_max_num_queries):
    posts = [ad() for _ in range(20)]
    rows.cluster(*posts)
    for post in posts[1:]:
        rows.pair(posts[0], post)
    page(client, posts[0])
    with django_assert_max_num_queries(12):
        page(client, posts[0])


def test_words_that_were_edited_away_are_shown_no_more(client):
    one, two = ad(), ad("С140.35", 14, "17 900")
    other = ad("С90.30", 9)
    rows.cluster(one, two)
    rows.pair(one, two, evidence=evidence(one, two, ("price", "18 900 ₽", "17 900 ₽", False)))
    rows.pair(one, other, Verdict.VARIANT, evidence=evidence(one, other, ("code", "С140.35", "С90.30", True)))
    Ad.objects.filter(pk=one.pk).update(text="Секрет больше не здесь")
    html = page(client, one)
    assert "18 900" not in html
    assert "<mark" not in html
    assert "another item" not in html
    assert "2 posts" in html


def test_pairs_of_a_retired_scheme_say_nothing(client):
    one, other = ad(), ad("С90.30", 9)
    rows.pair(one, other, Verdict.VARIANT, scheme=rows.scheme(state=Scheme.State.RETIRED))
    assert "another item" not in page(client, one)


HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</li></ol><svg onload=alert(1)>",
    "{% debug %}{{ settings }}",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "<!--",
    "'\" onmouseover=alert(1) x='",
]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_words_stay_words(client, hostile):
    def hurt(payload):
        posts = [Ad.objects.create(title=payload, text=f"{payload} С{number} слово") for number in range(3)]
        rows.cluster(*posts[:2])
        one, two, three = posts
        told = [evidence(one, each, ("code", compared(one), compared(each), True)) for each in (two, three)]
        rows.pair(one, two, evidence=told[0])
        rows.pair(one, three, Verdict.VARIANT, evidence=told[1])
        return re.findall(r"<(/?[a-z]+)((?: [a-z-]+=\"(?:neardup[^\"]*)?\")*)", page(client, one))

    assert [name for name, _ in hurt(hostile)] == [name for name, _ in hurt("Сваи")]


def test_addresses_are_of_the_web(client, monkeypatch):
    for bad in (
        "javascript:alert(1)",
        " JavaScript:alert(1)",
        "java\nscript:alert(1)",
        "data:text/html,x",
        "\x01vbscript:x",
    ):
        assert safe_url(bad) == ""
        monkeypatch.setattr(Ad, "get_absolute_url", lambda self, bad=bad: bad)
        assert "href=" not in page(client, ad()).replace('href="/static/neardup/public.css"', "")
    for good in ("/ads/1/", "https://example.org/ads/1/", "ads?id=1", ""):
        assert safe_url(good) == good


def test_a_site_may_replace_the_template(client, settings, tmp_path):
    post = ad()
    folder = tmp_path / "neardup" / "testapp" / "ad"
    folder.mkdir(parents=True)
    (folder.parent / "similar.html").write_text("of the app {{ similar.count }}")
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": [tmp_path]}]
    assert page(client, post) == "of the app 1"
    (folder / "similar.html").write_text("of the model {{ similar.own_entry.title }}")
    settings.TEMPLATES = [{**settings.TEMPLATES[0]}]
    assert page(client, post) == f"of the model {post}"


def test_a_long_post_is_not_scanned_for_its_excerpt(client):
    post = Ad.objects.create(title="Длинное", text="<b>сваи</b> " * 100_000)
    html = page(client, post)
    assert len(html) < 5_000
    assert "сваи сваи" in html
