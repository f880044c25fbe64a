"""What a person was shown is what is done, even where it changes after the click."""

import pytest

from django_neardup import moderation
from django_neardup.models import MergeRecord
from tests import builders
from tests.admin.tools import fields, look, url_of
from tests.testapp.models import Ad

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("changed", ["keeper", "loser"])
def test_a_value_that_changes_between_the_click_and_the_lock_is_noticed(changed, admin_client, monkeypatch):
    ads = {name: Ad.objects.create(text=f"Продам сваи {name}") for name in ("keeper", "loser")}
    cluster = builders.cluster(*ads.values())
    merge = moderation.merge

    def late(*args):
        Ad.objects.filter(pk=ads[changed].pk).update(hits=7)
        return merge(*args)

    seen = fields(look(admin_client, "merge", cluster))
    monkeypatch.setattr("django_neardup.moderation.merge", late)

    assert admin_client.post(url_of(cluster, "merge"), seen).status_code == 409
    assert Ad.objects.count() == 2
    assert not MergeRecord.objects.exists()
