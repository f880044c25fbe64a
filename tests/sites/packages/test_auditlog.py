"""django-auditlog: the log says what was done, and its entries stay with the post that they are about."""

import pytest
from django.conf import settings

from django_neardup.moderation import ActionContext, delete, merge, plan_merge
from django_neardup.moderation.undo.restore import undo
from tests.sites.packages.app import audited
from tests.sites.tools import rows

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif("auditlog" not in settings.PACKAGES, reason="django-auditlog is not in SITES"),
]
LOG = "auditlog.LogEntry"


def make_post(title, *tags):
    post = audited.AuditPost.objects.create(title=title)
    post.tags.set([audited.AuditTag.objects.get_or_create(name=tag)[0] for tag in tags])
    audited.AuditComment.objects.create(post=post, text=f"on {title}")
    return post


def site_and_log():
    """The rows of the site, and those of the log by key."""
    site = rows()
    return site, {entry["id"]: entry for entry in site.pop(LOG)}


@pytest.mark.parametrize("act", ["merge", "delete"])
def test_the_log_is_only_added_to(act):
    keeper, loser = make_post("keeper", "a"), make_post("loser", "b")
    site, log = site_and_log()
    assert not any(
        move.reference.model._meta.label == LOG for move in plan_merge(keeper, [loser], "default").moves
    )

    (record,) = (
        merge(keeper, [loser], ActionContext()) if act == "merge" else delete([loser], ActionContext())
    )
    record = undo(record, None, "default")

    site_after, log_after = site_and_log()
    assert site_after == site
    assert {key: entry for key, entry in log_after.items() if key in log} == log
    assert record.left == []


def test_the_log_says_where_a_comment_went():
    keeper, loser = make_post("keeper"), make_post("loser")
    (comment,) = audited.AuditComment.objects.filter(post=loser)
    _site, log = site_and_log()

    (record,) = merge(keeper, [loser], ActionContext())
    undo(record, None, "default")

    _site, log_after = site_and_log()
    added = [log_after[key] for key in sorted(log_after) if key not in log]
    changes = [
        (entry["action"], entry["changes"].get("post"))
        for entry in added
        if "comment" in str(entry["object_repr"]).lower() and entry["object_id"] == comment.pk
    ]
    assert changes == [(1, [str(loser.pk), str(keeper.pk)]), (1, [str(keeper.pk), str(loser.pk)])]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_two_merges_are_undone_in_any_order(order):
    keeper, one, two = make_post("keeper", "a"), make_post("one", "a", "b"), make_post("two", "b", "c")
    site, log = site_and_log()
    records = [record for loser in (one, two) for record in merge(keeper, [loser], ActionContext())]

    for number in order:
        undo(records[number], None, "default")

    site_after, log_after = site_and_log()
    assert site_after == site
    assert {key: entry for key, entry in log_after.items() if key in log} == log


@pytest.mark.parametrize("act", ["merge", "delete"])
def test_a_log_that_is_deleted_with_its_post_comes_back(act):
    keeper, loser = (audited.AuditNote.objects.create(title=title) for title in ("keeper", "loser"))
    site, log = site_and_log()

    (record,) = (
        merge(keeper, [loser], ActionContext()) if act == "merge" else delete([loser], ActionContext())
    )
    assert keeper.history.count() == 1
    record = undo(record, None, "default")

    site_after, log_after = site_and_log()
    assert site_after == site
    assert {key: entry for key, entry in log_after.items() if key in log} == log
    assert record.left == []
