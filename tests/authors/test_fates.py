"""What became of an author's posts: told to him, and without a word of what he may not see."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.template import Context, Template, TemplateSyntaxError

from django_neardup import moderation, registry
from django_neardup.adapters import adapter_for
from django_neardup.authors import fates
from django_neardup.models import Document, MergeRecord
from django_neardup.moderation import ActionContext
from django_neardup.visibility import GroupingError
from tests.grouped_lists import rows
from tests.testapp.models import Ad, Article, Author, LongArticle
from tests.testapp.neardup import NoticeNeardup
from tests.testapp.zoo import Bulletin, Notice

pytestmark = pytest.mark.django_db
TAG = "{% load neardup %}{% neardup_fates author visible_ads %}"


@pytest.fixture
def anna(db):
    return Author.objects.create(name="Анна")


@pytest.fixture
def boris(db):
    return Author.objects.create(name="Борис")


@pytest.fixture
def appealed(monkeypatch):
    """The site takes objections."""
    monkeypatch.setattr(
        type(adapter_for(Ad)), "appeal_url", lambda adapter, ad: f"/appeal/{ad.pk}/{ad.author_id}/{ad.title}/"
    )


def ad(title, author=None, **values):
    """An advert that was compared."""
    made = Ad.objects.create(title=title, text="a", author=author, **values)
    document = rows.document(made)
    document.author, document.version = str(author.pk) if author else "", 1
    document.save(update_fields=["author", "version"])
    return made


def live():
    return Ad.objects.filter(published=True)


def merge(loser, keeper):
    (record,) = moderation.merge(keeper, [loser], ActionContext())
    return record


def undo(record):
    moderation.undo(MergeRecord.objects.get(pk=record.pk), None, "default")


def told(author, **options):
    found = fates(author, Ad, **options)
    return [(fate.title, fate.action, fate.keeper_title, fate.url) for fate in found]


def test_merged_hidden_and_deleted(anna, boris):
    kept = ad("Kept", boris)
    merged, hidden, deleted = ad("Merged", anna), ad("Hidden", anna), ad("Deleted", anna)
    merge(merged, kept)
    moderation.hide([hidden], ActionContext())
    moderation.delete([deleted], ActionContext())
    assert told(anna) == told(anna.pk) == [
        ("Deleted", "delete", "", ""),
        ("Hidden", "hide", "", ""),
        ("Merged", "merge", "Kept", f"/ads/{kept.pk}/"),
    ]  # fmt: skip
    assert told(boris) == []
    assert told(None) == []


def test_what_came_back_is_told_no_more(anna):
    one, two, three = ad("One", anna), ad("Two", anna), ad("Three", anna)
    merged = merge(one, ad("Kept"))
    (hidden,) = moderation.hide([two], ActionContext())
    moderation.hide([three], ActionContext())
    undo(merged), undo(hidden)
    assert told(anna) == [("Three", "hide", "", "")]
    Ad.objects.filter(pk=three.pk).update(published=True)
    assert told(anna) == []


def test_the_last_deed_counts(anna):
    one, kept = ad("One", anna), ad("Kept")
    moderation.hide([one], ActionContext())
    record = merge(one, kept)
    assert told(anna) == [("One", "merge", "Kept", f"/ads/{kept.pk}/")]
    undo(record)
    assert told(anna) == [("One", "hide", "", "")]


def test_a_chain_leads_to_the_post_that_lives(anna):
    a, b, c = ad("A", anna), ad("B"), ad("C")
    merge(a, b)
    second = merge(b, c)
    assert told(anna) == [("A", "merge", "C", f"/ads/{c.pk}/")]
    undo(second)
    assert told(anna) == [("A", "merge", "B", f"/ads/{b.pk}/")]
    moderation.delete([b], ActionContext())
    assert told(anna) == [("A", "merge", "", "")]


def test_a_post_that_was_never_compared_is_its_adapter_s_author_s(anna):
    post = Ad.objects.create(title="Quick", text="a", author=anna)
    moderation.hide([post], ActionContext())
    assert told(anna) == [("Quick", "hide", "", "")]


def test_nobody_is_no_author():
    moderation.delete([ad("Nobody's")], ActionContext())
    assert told(None) == told("") == []


def test_a_living_post_that_the_author_may_not_see_is_not_named(anna, boris):
    kept = ad("Kept secret", boris, published=False)
    merge(ad("Merged", anna), kept)
    (fate,) = fates(anna, Ad)
    assert (fate.keeper, fate.keeper_title, fate.url) == (None, "", "")
    html = Template(TAG).render(Context({"author": anna, "visible_ads": live()}))
    assert "Merged into another post" in html
    assert "secret" not in html and f"/ads/{kept.pk}/" not in html
    assert told(anna, visible=Ad.objects.all())[0][2] == "Kept secret"


def test_a_post_of_another_model_s_key_is_not_taken_for_one(anna):
    article = Article.objects.create(text="a")
    document = rows.document(article)
    Document.objects.filter(pk=document.pk).update(author=str(anna.pk), version=1)
    moderation.delete([article], ActionContext())
    assert told(anna) == []
    assert [fate.action for fate in fates(anna, Article)] == ["delete"]


def test_children_of_a_registered_parent(anna):
    article = LongArticle.objects.create(text="a")
    document = rows.document(Article.objects.get(pk=article.pk))
    Document.objects.filter(pk=document.pk).update(author=str(anna.pk), version=1)
    moderation.delete([article], ActionContext())
    assert [fate.action for fate in fates(anna, Article)] == ["delete"]


@pytest.mark.parametrize("deed", [moderation.delete, moderation.hide])
def test_what_was_done_to_a_post_by_two_names_is_one(deed, anna, monkeypatch):
    monkeypatch.setattr(type(adapter_for(Article)), "hide", lambda adapter, article: None)
    article = LongArticle.objects.create(text="a")
    document = rows.document(Article.objects.get(pk=article.pk))
    Document.objects.filter(pk=document.pk).update(author=str(anna.pk), version=1)
    monkeypatch.setattr(type(adapter_for(Article)), "live", lambda adapter: Article.objects.none())
    moderation.hide([Article.objects.get()], ActionContext())
    moderation.hide([article], ActionContext())
    deed([article], ActionContext())
    assert [fate.action for fate in fates(anna, Article)] == [MergeRecord.objects.latest("pk").action]


class TestChildrenWithKeysOfTheirOwn:
    @pytest.fixture(autouse=True)
    def notices(self, anna, monkeypatch):
        """Anna's posts are the children: the numbers of two are one another's keys as their parents' posts."""

        class AnnasNeardup(NoticeNeardup):
            def author(self, notice):
                return anna.pk if notice.text != "other" else None

        monkeypatch.setitem(registry._registry, Notice, AnnasNeardup(Notice))
        one, two = (Notice.objects.create(text=text) for text in ("one", "two"))
        for notice, number in ((one, two.pk), (two, one.pk)):
            Bulletin(number=number, notice=notice, text=notice.text).save()

    @staticmethod
    def child(text):
        return Bulletin.objects.get(text=text)

    def test_one_that_was_hidden(self, anna):
        moderation.hide([self.child("one")], ActionContext())
        assert [fate.action for fate in fates(anna, Notice)] == ["hide"]
        Notice.objects.filter(text="two").update(published=False)
        assert [fate.action for fate in fates(anna, Notice)] == ["hide"]
        Notice.objects.filter(text="one").update(published=True)
        assert not fates(anna, Notice)

    def test_one_that_was_hidden_as_its_parents_post_and_deleted_as_itself(self, anna):
        moderation.hide([self.child("one").notice], ActionContext())
        moderation.delete([self.child("one")], ActionContext())
        assert [fate.action for fate in fates(anna, Notice)] == ["delete"]

    def test_the_post_that_lives(self, anna):
        moderation.merge(self.child("one"), [self.child("two")], ActionContext())
        (fate,) = fates(anna, Notice)
        assert fate.keeper == Notice.objects.get(text="one")


def test_an_objection_is_about_the_post_as_it_was(anna, appealed):
    merged = ad("Merged", anna)
    pk = merged.pk
    merge(merged, ad("Kept"))
    (fate,) = fates(anna, Ad)
    assert fate.appeal_url == f"/appeal/{pk}/{anna.pk}/Merged/"


@pytest.mark.parametrize(
    "appeal_url",
    [
        lambda adapter, ad: None,
        lambda adapter, ad: f"/appeal/{ad.author.name}/",
        lambda adapter, ad: "data:,",
    ],
    ids=["nothing", "a relation that is gone", "not of the web"],
)
def test_an_objection_that_cannot_be_told_costs_no_page(anna, monkeypatch, appeal_url):
    monkeypatch.setattr(type(adapter_for(Ad)), "appeal_url", appeal_url)
    key = anna.pk
    merge(ad("Merged", anna), ad("Kept"))
    anna.delete()
    assert [(fate.title, fate.appeal_url) for fate in fates(key, Ad)] == [("Merged", "")]


def test_a_journal_that_cannot_be_read_costs_the_objection_alone(anna, appealed):
    merged = ad("Merged", anna)
    record = merge(merged, ad("Kept"))
    record.refresh_from_db()
    record.journal["rows"][0]["fields"]["hits"] = "many"
    record.save()
    assert [(fate.title, fate.appeal_url) for fate in fates(anna, Ad)] == [("Merged", "")]


def test_the_list_in_words(anna, appealed):
    kept = ad("<b>Kept</b>")
    merge(ad("<i>Merged</i>", anna), kept)
    moderation.hide([ad("Hidden", anna)], ActionContext())
    html = Template(TAG).render(Context({"author": anna, "visible_ads": live()}))
    assert f'Became part of “<a href="/ads/{kept.pk}/">&lt;b&gt;Kept&lt;/b&gt;</a>”' in html
    assert "Taken from publication" in html
    assert html.count("Is this a mistake? Write to us") == 2
    assert "&lt;i&gt;Merged&lt;/i&gt;" in html
    for word in ("duplicate", "score", "%"):
        assert word not in html.lower()


def test_nothing_prints_nothing(anna):
    html = Template(TAG + "|{{ fates|length }}").render(Context({"author": anna, "visible_ads": live()}))
    assert html.strip() == "|0"


def test_a_name_keeps_the_list(anna):
    merge(ad("Merged", anna), ad("Kept"))
    source = "{% load neardup %}{% neardup_fates author visible_ads limit=1 as fates %}"
    context = {"author": anna, "visible_ads": live()}
    listed = Template(source + "{% for each in fates %}{{ each.title }}{% endfor %}").render(Context(context))
    assert listed == "Merged"
    assert Template(source + "{{ fates }}").render(Context(context)) == Template(TAG).render(Context(context))


def test_a_site_may_replace_the_template(anna, settings, tmp_path):
    merge(ad("Merged", anna), ad("Kept"))
    (tmp_path / "neardup" / "testapp").mkdir(parents=True)
    (tmp_path / "neardup" / "testapp" / "fates.html").write_text("{{ fates.0.title }} of the app")
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": [tmp_path]}]
    assert str(fates(anna, Ad)) == "Merged of the app"


def test_queries_do_not_grow_with_the_list(anna, django_assert_num_queries):
    kept = ad("Kept")
    for number in range(10):
        merge(ad(str(number), anna), kept)
    fates(anna, Ad)
    for limit in (2, 10):
        with django_assert_num_queries(3):
            assert len(fates(anna, Ad, limit=limit)) == limit


@pytest.mark.parametrize("most", [1, 50])
def test_what_came_back_does_not_crowd_out_what_did_not(anna, monkeypatch, most):
    monkeypatch.setattr(import_module("django_neardup.authors.fates"), "FATES_LIMIT", most)
    merge(ad("Merged", anna), ad("Kept")), merge(ad("Earlier", anna), ad("Kept"))
    posts = [ad("Back", anna) for _ in range(5)]
    moderation.hide(posts, ActionContext())
    Ad.objects.filter(title="Back").update(published=True)
    assert [len(fates(anna, Ad, limit=limit)) for limit in range(4)] == [0, 1, 2, 2]


def test_any_limit(anna):
    merge(ad("Merged", anna), ad("Kept"))
    assert [len(fates(anna, Ad, limit=limit)) for limit in (0, 1, 10**30)] == [0, 1, 1]


def test_whose_posts_must_be_said(anna):
    with pytest.raises(GroupingError, match="Pass a model"):
        fates(anna)
    with pytest.raises(TemplateSyntaxError, match="neardup_fates author visible_ads"):
        Template("{% load neardup %}{% neardup_fates author %}")
    with pytest.raises(GroupingError, match="limit is 'all'"):
        fates(anna, Ad, limit="all")
