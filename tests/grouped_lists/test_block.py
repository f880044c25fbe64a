"""``{% neardup_similar %}``: the likest posts on a post's own page, and nothing that the visitor may not see."""

import re

import pytest
from django.template import Context, Template, TemplateSyntaxError

from django_neardup.adapters import adapter_for
from django_neardup.models import Decision, Scheme, Verdict
from django_neardup.similar_posts import SimilarBlock, SimilarPosts, pair_query
from django_neardup.visibility import GroupingError
from tests.grouped_lists import rows
from tests.testapp.models import Ad, Reply, Topic, Unregistered

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.grouped_lists.urls")]

AS = "{% load neardup %}{% neardup_similar ad visible_ads limit=5 as similar %}"
PRINTED = "{% load neardup %}{% neardup_similar ad visible_ads limit=limit %}"
TEXT = "Завод реализует сваи железобетонные {} длиной {} м, цена {} ₽."
KINDS = [Verdict.DUPLICATE, Verdict.VARIANT, Verdict.CONTAINED, Verdict.RELATED]


def ad(code="С140.35", length=14, price="18 900", **values):
    return Ad.objects.create(title=f"Сваи {code}", text=TEXT.format(code, length, price), **values)


def live():
    return Ad.objects.filter(published=True)


def block(post, visible=None, limit=5):
    return SimilarBlock(post, live() if visible is None else visible, limit)


def render(template=PRINTED, **context):
    return Template(template).render(Context({"visible_ads": live(), "limit": 5, **context}))


def told(post, other, kind, a, b):
    texts = [adapter_for(each).text(each) for each in (post, other)]
    return {"differences": [rows.difference(kind, (texts[0], a), (texts[1], b), True)]}


def shown(found):
    return [entry.object for entry in found.entries]


def test_members_come_first_then_what_is_alike():
    post, member, variant, related, part = ad(), ad(price="17 900"), ad("С90.30", 9), ad("С60.30"), ad("С60")
    rows.cluster(post, member)
    rows.pair(post, member, evidence=told(post, member, "price", "18 900 ₽", "17 900 ₽"))
    rows.pair(post, related, Verdict.RELATED, score=0.5)
    rows.pair(part, post, Verdict.CONTAINED, score=0.4)
    rows.pair(
        post, variant, Verdict.VARIANT, score=0.9, evidence=told(post, variant, "code", "С140.35", "С90.30")
    )
    found = block(post)
    assert shown(found) == [member, variant, related, part]
    assert (found.count, found.more_count, found.url) == (4, 0, f"/similar/testapp.ad/{post.pk}/")
    assert [each.is_other_item for each in found.entries] == [False, True, False, False]
    assert [(hint.before, hint.after) for each in found.entries for hint in each.hints] == [
        ("18 900 ₽", "17 900 ₽"),
        ("С140.35", "С90.30"),
    ]


@pytest.mark.parametrize(
    ("limit", "entries", "more"), [(0, 0, 4), (1, 1, 3), (3, 3, 1), (4, 4, 0), (50, 4, 0)]
)
def test_the_rest_is_behind_a_link(limit, entries, more):
    post, *others = (ad() for _ in range(3))
    rows.cluster(post, *others)
    for code in ("С90.30", "С60.30"):
        rows.pair(post, ad(code), Verdict.VARIANT)
    found = block(post, limit=limit)
    assert (len(found.entries), found.more_count, found.count) == (entries, more, 4)
    html = render(ad=post, limit=limit)
    assert html.count("<li ") == entries
    assert ("All 4 similar" in html) is bool(more and entries)


def test_the_page_lists_what_the_block_counts(client):
    post, member = ad(), ad()
    rows.cluster(post, member)
    for verdict in (Verdict.VARIANT, Verdict.CONTAINED, Verdict.RELATED):
        rows.pair(post, ad(verdict), verdict)
    page = SimilarPosts(post, live())
    assert block(post).count == len(page.entries) + len(page.variants) + len(page.related) == 4
    html = client.get(block(post).url).content.decode()
    assert html.index("<h2>Similar</h2>") < html.index("Partly similar")


@pytest.mark.parametrize("portion", [2, 500])
@pytest.mark.parametrize("verdict", KINDS)
def test_bytes_are_the_same_with_and_without_private_twins(client, monkeypatch, verdict, portion):
    monkeypatch.setattr(pair_query, "PORTION", portion)
    post, member, other = ad(), ad(), ad("С90.30", 9)
    hidden = [ad(published=False) for _ in range(5)]
    rows.cluster(post, member, *(hidden if verdict == Verdict.DUPLICATE else ()))
    rows.pair(post, member)
    rows.pair(post, other, Verdict.VARIANT, score=0.3)
    for each in hidden:
        rows.pair(post, each, verdict, score=0.99)
    address = block(post).url

    def answers():
        return render(ad=post), render(ad=post, limit=1), client.get(address).content

    with_twins = answers()
    for each in hidden:
        rows.document(each).delete()
        each.delete()
    assert answers() == with_twins
    assert "С90.30" in with_twins[0]


def test_one_of_each_group_stands_for_it():
    post, first, second, alone = ad(), ad("С90.30"), ad("С90.30"), ad("С60.30")
    rows.cluster(first, second)
    rows.pair(post, first, Verdict.VARIANT, score=0.8)
    rows.pair(post, second, Verdict.VARIANT, score=0.9)
    rows.pair(post, alone, Verdict.VARIANT, score=0.7)
    assert shown(block(post)) == [second, alone]
    assert shown(block(post, live().exclude(pk=second.pk))) == [first, alone]


def test_what_a_person_told_apart_is_another_item():
    post, other = ad(), ad()
    pair = rows.pair(post, other)
    assert not block(post).entries[0].is_other_item
    pair.decision = Decision.objects.create(kind=Decision.Kind.DIFFERENT, space=rows.space())
    pair.save()
    assert block(post).entries[0].is_other_item
    assert "another item" not in render(ad=post)


def test_a_post_that_the_visitor_may_not_see_has_no_page():
    post, other = ad(published=False), ad()
    rows.cluster(post, other)
    found = block(post)
    assert (shown(found), found.count, found.url) == ([other], 1, "")


@pytest.mark.urls("tests.grouped_lists.no_urls")
def test_without_urls_there_is_no_link():
    post = ad()
    rows.cluster(post, ad(), ad())
    assert "<a href" in render(ad=post)
    assert "/similar/" not in render(ad=post, limit=1)


@pytest.mark.parametrize(
    "post", [lambda: ad(), lambda: Ad(text="a"), lambda: Unregistered.objects.create(text="a")]
)
def test_alone_unsaved_or_unregistered_prints_nothing(post):
    found = block(post())
    assert (found.entries, found.count, found.url) == ([], 0, "")
    assert str(found).strip() == ""


def test_partners_of_another_model():
    topic, reply = Topic.objects.create(text="Тема о сваях"), Reply.objects.create(text="Ответ о сваях")
    rows.cluster(topic, reply)
    assert shown(block(topic, [Topic.objects.all(), Reply.objects.all()])) == [reply]
    assert shown(block(topic, Topic.objects.all())) == []


def test_words_that_were_edited_away_are_shown_no_more():
    post, member, other = ad(), ad(price="17 900"), ad("С90.30", 9)
    rows.cluster(post, member)
    rows.pair(post, member, evidence=told(post, member, "price", "18 900 ₽", "17 900 ₽"))
    rows.pair(post, other, Verdict.VARIANT, evidence=told(post, other, "code", "С140.35", "С90.30"))
    Ad.objects.filter(pk=post.pk).update(text="Секрет больше не здесь")
    found = block(post)
    assert shown(found) == [member]
    assert not found.entries[0].hints


@pytest.mark.parametrize(("limit", "count"), [(5, 1), (1, 1), (0, 2)])
def test_what_was_edited_is_not_counted_among_those_that_are_shown(limit, count):
    post, edited, other = (ad(f"Сваи {number}") for number in range(3))
    rows.pair(post, edited, Verdict.VARIANT, score=0.9), rows.pair(post, other, Verdict.VARIANT, score=0.8)
    Ad.objects.filter(pk=edited.pk).update(text="Отдам кота")
    found = SimilarBlock(post, live(), limit)
    assert (found.count, found.more_count) == (count, count - len(found.entries))


def test_pairs_of_a_retired_scheme_say_nothing():
    post = ad()
    rows.pair(post, ad("С90.30"), Verdict.VARIANT, scheme=rows.scheme(state=Scheme.State.RETIRED))
    assert block(post).count == 0


def test_no_score_and_no_verdict_in_public():
    post, member = ad(), ad(price="17 900")
    rows.cluster(post, member)
    rows.pair(post, member)
    rows.pair(post, ad("С90.30", 9), Verdict.VARIANT)
    html = render(ad=post).lower()
    for word in ("duplicate", "дубл", "variant", "score", "8317", "0.83", "%"):
        assert word not in html


def test_hostile_words_stay_words():
    post, other = (
        ad(),
        Ad.objects.create(title="<script>alert(1)</script>", text="</li><svg onload=alert(1)>"),
    )
    rows.cluster(post, other)
    html = render(ad=post)
    assert "<script" not in html and "<svg" not in html
    assert "&lt;script&gt;" in html


def test_queries_are_few_and_do_not_grow(django_assert_num_queries):
    post, lonely = ad(), ad()
    members = [ad(price=str(number)) for number in range(10)]
    rows.cluster(post, *members)
    others = [ad(f"С{number}.30") for number in range(10)]
    for each in members:
        rows.pair(post, each)
    for each in others:
        rows.pair(post, each, Verdict.VARIANT)
    render(ad=post)
    for limit in (2, 20):
        with django_assert_num_queries(9):
            render(ad=post, limit=limit)
    with django_assert_num_queries(4):
        render(ad=lonely)


def test_a_name_keeps_it_and_prints_nothing():
    post, other = ad(), ad()
    rows.cluster(post, other)
    html = render(
        AS + "[{{ similar.count }}]{% for each in similar.entries %}{{ each.title }}{% endfor %}", ad=post
    )
    assert html == f"[1]{other}"
    assert render(AS + "{{ similar }}", ad=post) == render(ad=post)


def test_a_site_may_replace_the_template(settings, tmp_path):
    post = ad()
    rows.cluster(post, ad())
    folder = tmp_path / "neardup" / "testapp" / "ad"
    folder.mkdir(parents=True)
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": [tmp_path]}]
    (folder.parent / "block.html").write_text("of the app {{ similar.count }}")
    assert render(ad=post) == "of the app 1"
    (folder / "block.html").write_text("of the model {{ similar.entries.0.title }}")
    settings.TEMPLATES = [{**settings.TEMPLATES[0]}]
    assert render(ad=post) == f"of the model {post}"


def test_each_entry_has_the_template_of_its_model(settings, tmp_path, client):
    topic, reply = Topic.objects.create(text="Тема о сваях"), Reply.objects.create(text="Ответ о сваях")
    rows.cluster(topic, reply)
    (tmp_path / "neardup" / "testapp" / "reply").mkdir(parents=True)
    (tmp_path / "neardup" / "testapp" / "reply" / "entry.html").write_text(
        '{% extends "neardup/entry.html" %}{% block below %}by {{ entry.object.text }}{% endblock %}'
    )
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": [tmp_path]}]
    found = block(topic, [Topic.objects.all(), Reply.objects.all()])
    for html in (str(found), client.get(found.url).content.decode()):
        assert "by Ответ о сваях" in html and "by Тема" not in html


@pytest.mark.parametrize(
    "tag",
    [
        "neardup_similar",
        "neardup_similar ad",
        "neardup_similar ad visible_ads most=5",
        "neardup_similar ad visible=visible_ads",
        "neardup_similar ad visible_ads 5",
        "neardup_similar ad visible_ads as",
        "neardup_similar as similar",
    ],
)
def test_misuse_is_told_when_the_template_is_read(tag):
    with pytest.raises(TemplateSyntaxError, match="neardup_similar ad visible_ads limit=5 as similar"):
        Template("{% load neardup %}{% " + tag + " %}")


@pytest.mark.parametrize(
    ("context", "says"),
    [
        ({}, "the variable ad is not in the context"),
        ({"ad": "text"}, "model instances, not"),
        ({"ad": Ad(), "visible_ads": None}, "not nothing"),
        ({"ad": Ad(), "limit": "many"}, "limit is 'many'"),
        ({"ad": Ad(), "limit": -1}, "limit is -1"),
    ],
)
def test_wrong_arguments_say_what_to_do(context, says):
    with pytest.raises(TemplateSyntaxError, match=says):
        render(**context)


def test_in_python_the_error_is_ours():
    with pytest.raises(GroupingError):
        SimilarBlock(ad(), Ad.objects.all()[:5])


def test_entries_stand_in_a_section():
    post = ad()
    rows.cluster(post, ad())
    html = render(ad=post)
    assert re.match(r'<section class="neardup-block">\s*<h2>Similar</h2>', html)
