"""django-reversion: the versions of a duplicate do not become history of the post that stays."""

import pytest
from django.conf import settings

from django_neardup.moderation import ActionContext, merge
from django_neardup.moderation.undo.restore import undo
from tests.sites.packages.app.models import Post
from tests.sites.tools import rows

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif("reversion" not in settings.PACKAGES, reason="django-reversion is not in SITES"),
]


def test_versions_stay_with_their_post():
    import reversion
    from reversion.models import Version

    with reversion.create_revision():
        keeper, loser = Post.objects.create(title="keeper"), Post.objects.create(title="loser")
    before = rows()

    (record,) = merge(keeper, [loser], ActionContext())
    assert Version.objects.get_for_object(keeper).count() == 1
    record = undo(record, None, "default")

    assert Version.objects.get_for_object(Post.objects.get(pk=loser.pk)).count() == 1
    assert rows() == before
    assert record.left == []
