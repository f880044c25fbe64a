"""Topics and posts of django-machina: merged, deleted, and back, with counters that are right all the time."""

from itertools import permutations

import pytest
from django.contrib.auth import get_user_model
from django.core.files.base import ContentFile
from machina.apps.forum.models import Forum
from machina.apps.forum_conversation.forum_attachments.models import Attachment
from machina.apps.forum_conversation.forum_polls.models import TopicPoll, TopicPollOption, TopicPollVote
from machina.apps.forum_conversation.models import Post, Topic
from machina.apps.forum_member.models import ForumProfile
from machina.apps.forum_permission.models import ForumPermission, UserForumPermission
from machina.apps.forum_tracking.models import ForumReadTrack, TopicReadTrack

from django_neardup.exceptions import MergeRefused
from django_neardup.moderation import ActionContext, delete, hide, merge, plan_merge
from django_neardup.moderation.undo.restore import undo, undo_records
from tests.sites.tools import differences, open_pages, rows

pytestmark = pytest.mark.django_db


@pytest.fixture
def forum():
    category = Forum.objects.create(name="Category", type=Forum.FORUM_CAT)
    return Forum.objects.create(name="Forum", type=Forum.FORUM_POST, parent=category)


@pytest.fixture
def users():
    make = get_user_model().objects.create_user
    return [make(name, f"{name}@example.com") for name in ("ann", "bob", "eve")]


@pytest.fixture
def write(forum, users):
    """Write a topic with posts, a poll, subscribers, tracks and attachments."""

    def write(subject, count=2, poll=False, where=None):
        topic = Topic.objects.create(
            forum=where or forum,
            poster=users[0],
            subject=subject,
            type=Topic.TOPIC_POST,
            status=Topic.TOPIC_UNLOCKED,
            views_count=3,
        )
        for number in range(count):
            post = Post.objects.create(
                topic=topic,
                poster=users[number % 3],
                subject=subject if not number else f"Re: {subject}",
                content=f"**{subject}** {number}",
            )
            Attachment.objects.create(post=post, file=ContentFile(b"x", name=f"{subject}.txt"), comment="x")
        topic.subscribers.add(users[0], users[count % 3])
        for user in users[:2]:
            TopicReadTrack.objects.create(user=user, topic=topic)
        ForumReadTrack.objects.get_or_create(user=users[1], forum=topic.forum)
        if poll:
            option = TopicPollOption.objects.create(
                poll=TopicPoll.objects.create(topic=topic, question=subject), text="Yes"
            )
            TopicPollVote.objects.create(poll_option=option, voter=users[0])
        return Topic.objects.get(pk=topic.pk)

    return write


def assert_counted():
    """Every counter of the forum is what its own method would set."""
    for topic in Topic.objects.all():
        approved = topic.posts.filter(approved=True)
        assert topic.posts_count == approved.count(), topic
        assert topic.first_post == topic.posts.order_by("created").first()
        assert topic.last_post == approved.order_by("-created").first()
        assert topic.last_post_on == getattr(topic.last_post, "created", None)
    for forum in Forum.objects.all():
        topics = forum.topics.filter(approved=True)
        assert forum.direct_topics_count == topics.count()
        assert forum.direct_posts_count == sum(topic.posts_count for topic in topics)
        last = topics.order_by("-last_post_on").first()
        assert forum.last_post == getattr(last, "last_post", None)
        assert forum.rght - forum.lft == 2 * forum.get_descendants().count() + 1
    for profile in ForumProfile.objects.all():
        assert profile.posts_count == Post.objects.filter(poster=profile.user, approved=True).count()


def assert_came_back(before, *records):
    assert differences(before, rows()) == {}
    assert [record.left for record in records] == [[] for _record in records]
    assert_counted()


def back(record):
    return undo(record, None, "default")


def test_a_merge_of_topics(write):
    keeper, loser = write("keeper"), write("loser", 3, poll=True)
    before = rows()

    plan = plan_merge(keeper, [loser], "default")
    assert plan.reasons == []
    assert [column.field.name for column in plan.column_choices] == ["subject"]
    assert not any(line.may_grant_rights for line in plan.lines())
    (record,) = merge(keeper, [loser], ActionContext())

    assert_counted()
    topic = Topic.objects.get()
    assert (topic.posts_count, topic.views_count) == (5, 6)
    assert topic.poll.question == "loser"
    assert topic.subscribers.count() == 2
    assert topic.tracks.count() == 2
    assert_came_back(before, back(record))


def test_a_merge_of_topics_in_two_forums(write, forum):
    other = Forum.objects.create(name="Other", type=Forum.FORUM_POST, parent=forum)
    keeper, loser = write("keeper"), write("loser", where=other)
    before = rows()

    (record,) = merge(keeper, [loser], ActionContext(), values={"subject": loser.pk})

    assert_counted()
    assert Topic.objects.get().slug == "loser"
    assert_came_back(before, back(record))


@pytest.mark.parametrize("choice", ["keeper", "loser"])
def test_a_merge_of_topics_with_a_poll_each(write, choice):
    keeper, loser = write("keeper", poll=True), write("loser", poll=True)
    before = rows()
    plan = plan_merge(keeper, [loser], "default")
    (conflict,) = plan.conflicts

    (record,) = merge(keeper, [loser], ActionContext(), choices={conflict.choice_key: choice})

    assert TopicPoll.objects.get().question == choice
    assert_counted()
    assert_came_back(before, back(record))


def test_a_deletion_of_a_topic(write):
    keeper, loser = write("keeper"), write("loser", 3, poll=True)
    before = rows()

    (record,) = delete([loser], ActionContext())

    assert_counted()
    assert Topic.objects.get() == keeper
    assert_came_back(before, back(record))


@pytest.mark.parametrize("number", [0, 1])
def test_a_merge_of_posts(write, number):
    """The first and the last post of a topic are named in its row."""
    keeper, loser = write("keeper"), write("loser", 3)
    keeper, loser = keeper.posts.all()[number], loser.posts.all()[number * 2]
    before = rows()

    plan = plan_merge(keeper, [loser], "default")
    assert plan.reasons == []
    (record,) = merge(keeper, [loser], ActionContext())

    assert_counted()
    assert keeper.attachments.count() == 2
    assert_came_back(before, back(record))


@pytest.mark.parametrize(("kept", "merged"), [(1, 0), (0, 2), (2, 0)])
def test_a_merge_of_posts_of_one_topic(write, kept, merged):
    posts = write("topic", 3).posts.all()
    before = rows()

    (record,) = merge(posts[kept], [posts[merged]], ActionContext())

    assert_counted()
    assert Topic.objects.get().posts_count == 2
    assert_came_back(before, back(record))


def test_a_value_that_is_rendered_when_it_is_saved(write):
    keeper, loser = write("keeper").posts.first(), write("loser").posts.first()
    before = rows()

    (record,) = merge(keeper, [loser], ActionContext(), values={"content": loser.pk})

    post = Post.objects.get(pk=keeper.pk)
    assert post.content.raw == "**loser** 0"
    assert "loser" in post.content.rendered
    assert_came_back(before, back(record))


@pytest.mark.parametrize("act", ["merge", "delete"])
def test_the_last_post_of_a_topic_takes_the_topic_along(write, act):
    keeper, loser = write("keeper").posts.first(), write("loser", 1, poll=True).posts.get()
    before = rows()

    (record,) = (
        merge(keeper, [loser], ActionContext()) if act == "merge" else delete([loser], ActionContext())
    )

    assert not Topic.objects.filter(subject="loser").exists()
    assert not TopicPoll.objects.exists()
    assert_counted()
    assert_came_back(before, back(record))


def test_a_deletion_of_all_posts_of_a_topic(write):
    write("keeper")
    posts = list(write("loser", 3, poll=True).posts.all())
    before = rows()

    records = delete(posts, ActionContext())
    assert_counted()

    # The topic went with its last post, and comes back with it.
    with pytest.raises(MergeRefused, match="Topic"):
        back(records[0])
    results = undo_records(records, None, "default")
    assert differences(before, rows()) == {}
    assert all(result.is_done for result in results)
    assert_counted()


def test_a_post_that_is_hidden_is_shown_again(write):
    topic = write("keeper", 3)

    (record,) = hide([topic.posts.last()], ActionContext())
    assert_counted()
    assert Topic.objects.get().posts_count == 2
    back(record)

    assert_counted()
    assert Topic.objects.get().posts_count == 3


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("kind", ["topics", "posts"])
def test_two_at_once_undone_in_both_orders(write, kind, order):
    topics = write("keeper"), write("one", 1), write("two", 3, poll=True)
    keeper, *losers = topics if kind == "topics" else [topic.posts.last() for topic in topics]
    before = rows()
    records = merge(keeper, losers, ActionContext())
    assert_counted()

    for number in order:
        records[number] = back(records[number])
        assert_counted()

    # In another order dates are said to come back with the next undo.
    assert differences(before, rows()) == {}


@pytest.mark.parametrize("order", permutations(range(3)))
def test_posts_of_one_topic_deleted_at_once_and_brought_back_one_by_one(write, order):
    posts = list(write("topic", 4).posts.all())[:3]
    before = rows()
    records = delete(posts, ActionContext())
    assert_counted()

    for number in order:
        records[number] = back(records[number])
        assert_counted()

    # In another order dates are said to come back with the next undo.
    assert differences(before, rows()) == {}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("kind", ["side by side", "chain"])
def test_two_merges_undone_in_both_orders(write, kind, order):
    keeper, one, two = write("keeper"), write("one", 3), write("two", 2, poll=True)
    before = rows()
    pairs = [(keeper, one), (keeper, two)] if kind == "side by side" else [(one, two), (keeper, one)]
    records = []
    for target, source in pairs:
        records += merge(Topic.objects.get(pk=target.pk), [Topic.objects.get(pk=source.pk)], ActionContext())
        assert_counted()

    for number in order:
        records[number] = back(records[number])
        assert_counted()

    assert differences(before, rows()) == {}


def test_what_was_written_since_stays(write, users):
    keeper, loser = write("keeper"), write("loser", 3)
    (record,) = merge(keeper, [loser], ActionContext())
    Post.objects.create(topic=Topic.objects.get(), poster=users[2], subject="new", content="new")
    Topic.objects.get().posts.filter(subject="Re: loser").first().delete()

    record = back(record)

    assert_counted()
    assert sorted(Topic.objects.values_list("subject", "posts_count")) == [("keeper", 3), ("loser", 2)]


def test_a_forum_merged_with_its_topics_and_rights(write, forum, users):
    """A forum is a node of django-mptt. Its rights are not inherited."""
    other = Forum.objects.create(name="Other", type=Forum.FORUM_POST, parent=forum.parent)
    write("keeper")
    write("loser", where=other)
    permission = ForumPermission.objects.first()
    UserForumPermission.objects.create(permission=permission, user=users[0], forum=other, has_perm=True)
    Forum.objects.create(name="Below", type=Forum.FORUM_POST, parent=Forum.objects.get(pk=other.pk))
    before = rows()

    plan = plan_merge(Forum.objects.get(pk=forum.pk), [Forum.objects.get(pk=other.pk)], "default")
    assert not any(line.model is UserForumPermission for line in plan.lines())
    (record,) = merge(plan.keeper, plan.losers, ActionContext())
    assert not UserForumPermission.objects.exists()
    back(record)

    assert differences(before, rows()) == {}


def test_the_pages_of_the_admin_open(write):
    open_pages(write("keeper", poll=True), write("loser", poll=True))
