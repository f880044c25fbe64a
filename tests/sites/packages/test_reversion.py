"""django-reversion: the versions of a duplicate do not become history of the post that stays."""

import pytest
from django.conf import settings
from django.core.checks import run_checks
from django.test import RequestFactory, override_settings

from django_neardup.exceptions import MergeRefused
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


@pytest.mark.django_db(transaction=True)
def test_the_middleware_that_opens_a_transaction():
    """It wraps each request in one, and a merge needs its own: it is refused in words, and a check says so."""
    from reversion.middleware import RevisionMiddleware

    keeper, loser = Post.objects.create(title="keeper"), Post.objects.create(title="loser")
    before = rows()

    with pytest.raises(MergeRefused, match="its own transaction"):
        RevisionMiddleware(lambda request: merge(keeper, [loser], ActionContext()))(
            RequestFactory().post("/")
        )

    assert rows() == before
    with override_settings(MIDDLEWARE=["reversion.middleware.RevisionMiddleware"]):
        assert "neardup.W112" in [message.id for message in run_checks()]


@pytest.mark.django_db(transaction=True)
def test_the_middleware_without_a_transaction():
    import reversion
    from reversion.middleware import RevisionMiddleware
    from reversion.models import Version

    class Middleware(RevisionMiddleware):
        atomic = False

    with reversion.create_revision():
        keeper, loser = Post.objects.create(title="keeper"), Post.objects.create(title="loser")
    versions = list(Version.objects.order_by("pk").values())
    posts = list(Post.objects.order_by("pk").values())

    def merge_and_undo(request):
        (record,) = merge(keeper, [loser], ActionContext())
        return undo(record, None, "default")

    record = Middleware(merge_and_undo)(RequestFactory().post("/"))

    assert record.left == []
    assert list(Post.objects.order_by("pk").values()) == posts
    assert list(Version.objects.order_by("pk").values())[: len(versions)] == versions
