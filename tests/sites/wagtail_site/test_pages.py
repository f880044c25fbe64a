"""Pages of Wagtail: merged, deleted, and back with all that belongs to them."""

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group, Permission
from wagtail.contrib.redirects.models import Redirect
from wagtail.images import get_image_model
from wagtail.images.tests.utils import get_test_image_file
from wagtail.models import (
    Comment,
    GroupPagePermission,
    Locale,
    Page,
    PageSubscription,
    PageViewRestriction,
    ReferenceIndex,
    Site,
)
from wagtail.search.models import IndexEntry

from django_neardup.exceptions import MergeRefused
from django_neardup.moderation import ActionContext, delete, hide, merge, plan_merge
from django_neardup.moderation.undo.restore import undo
from tests.sites.tools import differences, open_pages, rows
from tests.sites.wagtail_site.models import Article, ArticleLink, Section, Topic
from tests.sites.wagtail_site.neardup import ArticleNeardup

pytestmark = pytest.mark.django_db

LOG = "wagtailcore.PageLogEntry"
"""Wagtail writes there what was deleted, moved and published: what an action adds stays."""

REDIRECT = "wagtailredirects.Redirect"
"""Wagtail redirects the old address of a page that moves. An undo leaves that redirect, which the page hides."""


@pytest.fixture
def section():
    return Page.objects.get(depth=2).add_child(instance=Section(title="Section"))


@pytest.fixture
def user():
    return get_user_model().objects.create_superuser("writer")


@pytest.fixture
def write(section, user):
    """Write an article with all that Wagtail keeps of one."""

    def write(title, parent=None):
        parent = Page.objects.get(pk=(parent or section).pk)
        image = get_image_model().objects.create(title=title, file=get_test_image_file())
        article = Article(
            title=title,
            owner=user,
            topic=Topic.objects.create(name=title),
            lead=f'<p>{title} <a linktype="page" id="{section.pk}">above</a></p>',
            body=[("heading", title), ("text", f"<p>{title}</p>"), ("page", section), ("image", image)],
        )
        parent.add_child(instance=article)
        article.tags.add("common", title)
        article.links.add(ArticleLink(page=section, label="above"))
        article.save()
        article.save_revision(user=user, log_action=True).publish(user=user)
        article = Article.objects.get(pk=article.pk)
        article.title = f"{title} in draft"
        article.save_revision(user=user, log_action=True)
        permission = Permission.objects.get(codename="change_page")
        group = Group.objects.create(name=title)
        GroupPagePermission.objects.create(group=group, page=article, permission=permission)
        PageSubscription.objects.create(user=user, page=article, comment_notifications=True)
        Redirect.objects.create(old_path=f"/old-{title}", redirect_page=article, site=Site.objects.get())
        Comment.objects.create(page=article, user=user, text="Good", contentpath="title")
        article.copy_for_translation(Locale.objects.get_or_create(language_code="ru")[0], copy_parents=True)
        return Article.objects.get(pk=article.pk)

    return write


@pytest.fixture
def pages(write):
    """Two articles, and a third that links to the second."""
    keeper, loser, other = write("keeper"), write("loser"), write("other")
    other.body.append(("page", loser))
    other.links.add(ArticleLink(page=loser, label="loser"))
    other.save()
    return keeper, loser, other


def fresh(page):
    return Article.objects.get(pk=page.pk)


def assert_whole():
    """The tree is whole, addresses follow it, and the search knows every page."""
    assert not any(Page.find_problems())
    for page in Page.objects.filter(depth__gt=2):
        assert page.url_path == f"{page.get_parent().url_path}{page.slug}/"
    indexed = set(IndexEntry.objects.values_list("object_id", flat=True))
    assert {str(page.pk) for page in Article.objects.all()} <= indexed


def assert_came_back(before, record, after=None):
    after = after or rows()
    changed = differences(before, after)
    for label in (LOG, REDIRECT):
        gone, come = changed.pop(label, ([], []))
        assert gone == []
        assert label == LOG or all(row["automatically_created"] for row in come)
    assert changed == {}
    assert record.left == []
    assert_whole()


def texts_found(word):
    return {page.pk for page in Article.objects.search(word)}


def references_to(thing):
    return {reference.object_id for reference in ReferenceIndex.get_references_to(thing)}


def test_a_merge_and_its_undo(pages):
    keeper, loser, other = pages
    before = rows()

    (record,) = merge(keeper, [loser], ActionContext())

    assert_whole()
    assert not Page.objects.filter(pk=loser.pk).exists()
    assert Redirect.objects.filter(redirect_page=keeper).count() == 2
    assert ArticleLink.objects.get(article=other, label="loser").page_id == keeper.pk
    assert str(other.pk) in references_to(keeper)
    assert {tag.name for tag in fresh(keeper).tags.all()} == {"common", "keeper", "loser"}
    assert loser.pk not in texts_found("loser")
    assert_came_back(before, undo(record, None, "default"))
    assert loser.pk in texts_found("loser")


def test_rights_and_history_are_not_inherited(pages):
    keeper, loser, _other = pages
    PageViewRestriction.objects.create(page=loser, restriction_type=PageViewRestriction.LOGIN)
    before = rows()

    plan = plan_merge(keeper, [loser], "default")
    assert plan.reasons == []
    moving = {line.model._meta.label for line in plan.lines()}
    assert moving == {
        "wagtail_site.ArticleLink",
        "wagtail_site.ArticleTag",
        "wagtailcore.PageSubscription",
        "wagtailredirects.Redirect",
    }
    assert not any(line.may_grant_rights for line in plan.lines())
    (record,) = merge(keeper, [loser], ActionContext())

    assert GroupPagePermission.objects.filter(page=keeper).count() == 1
    assert not PageViewRestriction.objects.exists()
    assert keeper.revisions.count() == 2
    assert_came_back(before, undo(record, None, "default"))


def test_places_and_addresses_are_not_asked_for(pages):
    keeper, loser, _other = pages

    plan = plan_merge(keeper, [loser], "default")

    assert [column.field.name for column in plan.column_choices] == ["title", "lead", "body", "topic"]


def test_values_that_were_taken_go_back(pages):
    keeper, loser, _other = pages
    before = rows()

    (record,) = merge(
        keeper, [loser], ActionContext(), values=dict.fromkeys(("title", "body", "topic"), loser.pk)
    )

    assert keeper.pk in texts_found("loser")
    assert fresh(keeper).body.get_prep_value() == loser.body.get_prep_value()
    assert str(keeper.pk) in references_to(loser.topic)
    assert_came_back(before, undo(record, None, "default"))
    assert keeper.pk not in texts_found("loser")


def test_a_deletion_and_its_undo(pages):
    _keeper, loser, _other = pages
    before = rows()

    (record,) = delete([loser], ActionContext())

    assert_whole()
    assert_came_back(before, undo(record, None, "default"))


def test_a_page_that_is_hidden_is_shown_again(pages):
    _keeper, loser, _other = pages
    before = rows()

    (record,) = hide([loser], ActionContext())
    assert not fresh(loser).live

    assert_came_back(before, undo(record, None, "default"))


def test_a_hiding_that_forgets_is_refused(pages, monkeypatch):
    """Wagtail's own ``unpublish()`` empties columns that an adapter's ``show()`` would have to set again."""
    _keeper, loser, _other = pages
    monkeypatch.setattr(ArticleNeardup, "hide", lambda self, article: article.unpublish())
    before = rows()

    with pytest.raises(MergeRefused, match="live revision"):
        hide([loser], ActionContext())

    assert rows() == before


def test_children_move_and_come_back(pages, write, section):
    keeper, loser, _other = pages
    child = write("child", loser)
    Page.objects.get(pk=child.pk).add_child(instance=Section(title="Below"))
    Page.objects.get(pk=loser.pk).add_child(instance=Section(title="Folder"))
    before = rows()

    (record,) = merge(keeper, [fresh(loser)], ActionContext())

    assert_whole()
    assert fresh(child).url_path == f"{fresh(keeper).url_path}child/"
    assert_came_back(before, undo(record, None, "default"))


def test_children_of_one_slug(pages, write):
    """Two pages below one may not share a slug: their addresses would be equal."""
    keeper, loser, _other = pages
    for parent in (keeper, loser):
        Page.objects.get(pk=parent.pk).add_child(instance=Section(title="Same", slug="same"))
    before = rows()

    with pytest.raises(MergeRefused, match="same"):
        merge(fresh(keeper), [fresh(loser)], ActionContext())

    assert rows() == before


def test_a_page_with_pages_below_it_is_not_deleted(pages, write):
    _keeper, loser, _other = pages
    write("child", loser)
    before = rows()

    with pytest.raises(MergeRefused, match="below"):
        delete([fresh(loser)], ActionContext())

    assert rows() == before


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_two_merges_undone_in_both_orders(pages, write, order):
    keeper, loser, other = pages
    write("child", loser)
    before = rows()
    records = [
        *merge(keeper, [fresh(loser)], ActionContext()),
        *merge(fresh(keeper), [fresh(other)], ActionContext()),
    ]

    for number in order:
        records[number] = undo(records[number], None, "default")
        assert_whole()

    assert_came_back(before, records[1])


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_two_merged_at_once_undone_in_both_orders(pages, write, order):
    keeper, *losers = pages
    for loser in losers:
        write(f"below {loser.title}", loser)
    before = rows()
    records = merge(fresh(keeper), [fresh(loser) for loser in losers], ActionContext())
    assert_whole()

    for number in order:
        records[number] = undo(records[number], None, "default")
        assert_whole()

    assert_came_back(before, records[order[1]])


def test_a_child_that_was_moved_since_stays_where_it_is(pages, write):
    keeper, loser, other = pages
    child = write("child", loser)
    (record,) = merge(fresh(keeper), [fresh(loser)], ActionContext())
    Page.objects.get(pk=child.pk).move(Page.objects.get(pk=other.pk), "last-child")

    record = undo(record, None, "default")

    assert any("path" in sentence for sentence in record.left)
    assert fresh(child).get_parent().pk == other.pk
    assert_whole()


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_chain_of_merges_undone_in_both_orders(pages, order):
    keeper, loser, other = pages
    before = rows()
    records = [
        *merge(loser, [other], ActionContext()),
        *merge(keeper, [fresh(loser)], ActionContext()),
    ]

    for number in order:
        records[number] = undo(records[number], None, "default")
        assert_whole()

    # Wagtail forgets a reference to a page that is away when the page that has it comes back first.
    fresh(other).save()
    assert str(other.pk) in references_to(fresh(loser))
    for snapshot in (before, after := rows()):
        snapshot["wagtailcore.ReferenceIndex"] = len(snapshot["wagtailcore.ReferenceIndex"])
    assert after["wagtailcore.ReferenceIndex"] == before["wagtailcore.ReferenceIndex"]
    assert_came_back(before, records[1], after)


def test_what_was_edited_since_stays(pages, user):
    keeper, loser, _other = pages
    (record,) = merge(keeper, [loser], ActionContext())
    page = fresh(keeper)
    page.title, page.body = "edited since", [("heading", "edited since")]
    page.save_revision(user=user, log_action=True).publish(user=user)

    undo(record, None, "default")

    assert fresh(keeper).title == "edited since"
    assert fresh(loser).title == "loser"
    assert_whole()


def test_a_new_sibling_does_not_stop_an_undo(pages, write):
    keeper, loser, other = pages
    (record,) = merge(keeper, [other], ActionContext())
    write("new")

    try:
        undo(record, None, "default")
    except MergeRefused as refused:
        assert refused.reasons
    assert_whole()


def test_the_pages_of_the_admin_open(pages):
    keeper, loser, _other = pages

    plan = open_pages(keeper, loser)

    assert 'name="choose-slug' not in plan.content.decode()


def test_pages_that_are_read_as_what_they_share(pages):
    """Articles as rows of ``Page``: a site may register that model for pages of all kinds."""
    keeper, loser, _other = (Page.objects.get(pk=page.pk) for page in pages)
    before = rows()

    (record,) = merge(keeper, [loser], ActionContext(), values={"title": loser.pk})

    assert_whole()
    assert not Article.objects.filter(pk=loser.pk).exists()
    assert_came_back(before, undo(record, None, "default"))


def test_pages_of_two_kinds_are_not_merged(pages, section):
    keeper, _loser, _other = (Page.objects.get(pk=page.pk) for page in pages)
    folder = section.add_child(instance=Section(title="Folder"))
    before = rows()

    with pytest.raises(MergeRefused, match="different kinds"):
        merge(keeper, [Page.objects.get(pk=folder.pk)], ActionContext())

    assert rows() == before


def test_a_translation_is_merged_into_another_page(pages):
    """A page is known as the translation of another by a key that is unique in each language."""
    keeper, loser, _other = pages
    translated, other = (page.get_translations().get() for page in (keeper, loser))
    before = rows()

    (record,) = merge(translated, [other], ActionContext())

    assert fresh(loser).get_translations().count() == 0
    assert_came_back(before, undo(record, None, "default"))


def test_a_snippet_is_merged(pages):
    """The index of references follows rows that move, and those that go back."""
    keeper, loser = (page.topic for page in pages[:2])
    before = rows()

    (record,) = merge(keeper, [loser], ActionContext())

    assert references_to(keeper) >= {str(pages[0].pk), str(pages[1].pk)}
    assert_came_back(before, undo(record, None, "default"))


@pytest.mark.parametrize("act", ["merge", "delete"])
def test_an_image_whose_file_goes_with_it_stays(pages, act):
    """Wagtail deletes the file of an image after the commit."""
    keeper, loser = get_image_model().objects.order_by("pk")[:2]
    loser.get_rendition("width-100")
    before = rows()

    with pytest.raises(MergeRefused, match="images/test"):
        merge(keeper, [loser], ActionContext()) if act == "merge" else delete([loser], ActionContext())

    assert rows() == before
