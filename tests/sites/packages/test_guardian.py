"""django-guardian: whoever may edit a duplicate may not edit the post that stays."""

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model

from django_neardup.moderation import ActionContext, delete, merge
from django_neardup.moderation.undo.restore import undo
from tests.sites.packages.app.models import Post
from tests.sites.tools import rows

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif("guardian" not in settings.PACKAGES, reason="django-guardian is not in SITES"),
]


@pytest.mark.parametrize("act", ["merge", "delete"])
def test_permissions_are_not_inherited_and_come_back(act):
    from guardian.shortcuts import assign_perm

    keeper, loser = Post.objects.create(title="keeper"), Post.objects.create(title="loser")
    user = get_user_model().objects.create(username="u")
    assign_perm("app.change_post", user, loser)
    before = rows()

    (record,) = (
        merge(keeper, [loser], ActionContext()) if act == "merge" else delete([loser], ActionContext())
    )
    assert not get_user_model().objects.get(pk=user.pk).has_perm("app.change_post", keeper)
    record = undo(record, None, "default")

    assert get_user_model().objects.get(pk=user.pk).has_perm("app.change_post", Post.objects.get(pk=loser.pk))
    assert rows() == before
    assert record.left == []
