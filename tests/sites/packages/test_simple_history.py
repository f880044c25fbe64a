"""django-simple-history: what is recorded of a duplicate does not become history of the post that stays."""

import pytest
from django.conf import settings
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.test import RequestFactory

from django_neardup.moderation import ActionContext, delete, merge, plan_merge
from django_neardup.moderation.permissions import missing_permissions, permissions_for_merge
from django_neardup.moderation.undo.permission_check import missing_undo_permissions
from django_neardup.moderation.undo.restore import undo
from django_neardup.moderation.undo.undo_plan import plan_undo
from tests.sites.packages.app import kept_history
from tests.sites.tools import rows

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(
        "simple_history" not in settings.PACKAGES, reason="django-simple-history is not in SITES"
    ),
]


def make_post(title, *tags):
    post = kept_history.HistoryPost.objects.create(title=title)
    post.text = f"text of {title}"
    post.save()
    post.tags.set([kept_history.HistoryTag.objects.get_or_create(name=tag)[0] for tag in tags])
    kept_history.HistoryComment.objects.create(post=post, text=f"comment on {title}")
    return post


def site_and_history():
    """The rows of the site, and those of its histories by key: an action adds rows, and changes none."""
    site, history = {}, {}
    for label, stored in rows().items():
        if "Historical" in label or "Change" in label:
            history |= {(label, row.get("m2m_history_id", row["history_id"])): row for row in stored}
        else:
            site[label] = stored
    return site, history


@pytest.mark.parametrize("act", ["merge", "delete"])
def test_history_is_only_added_to(act):
    keeper, loser = make_post("keeper", "a", "b"), make_post("loser", "b", "c")
    site, history = site_and_history()
    keeper_history = list(keeper.history.values_list("history_id", flat=True))

    (record,) = (
        merge(keeper, [loser], ActionContext()) if act == "merge" else delete([loser], ActionContext())
    )
    assert set(keeper_history) <= set(keeper.history.values_list("history_id", flat=True))
    assert not keeper.history.filter(title="loser").exists()
    record = undo(record, None, "default")

    site_after, history_after = site_and_history()
    assert site_after == site
    assert {key: row for key, row in history_after.items() if key in history} == history
    assert record.left == []


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_two_merges_are_undone_in_any_order(order):
    keeper, one, two = make_post("keeper", "a"), make_post("one", "a", "b"), make_post("two", "b", "c")
    site, history = site_and_history()
    records = [record for loser in (one, two) for record in merge(keeper, [loser], ActionContext())]

    for number in order:
        undo(records[number], None, "default")

    site_after, history_after = site_and_history()
    assert site_after == site
    assert {key: row for key, row in history_after.items() if key in history} == history


def test_a_moderator_needs_no_rights_on_history():
    keeper, loser = make_post("keeper", "a"), make_post("loser", "b")
    moderator = get_user_model().objects.create(username="moderator", is_staff=True)
    names = [
        "merge_cluster",
        *(f"{verb}_history{kind}" for verb in ("change", "delete") for kind in ("post", "comment")),
    ]
    moderator.user_permissions.set(Permission.objects.filter(codename__in=names))
    request = RequestFactory().get("/")
    request.user = get_user_model().objects.get(pk=moderator.pk)

    plan = plan_merge(keeper, [loser], "default")
    assert missing_permissions(permissions_for_merge(plan), request, admin.site, "default") == []
    (record,) = merge(keeper, [loser], ActionContext())
    undo_plan = plan_undo(record, "default", lock_rows=False)

    assert missing_undo_permissions(undo_plan, request, admin.site) == []
