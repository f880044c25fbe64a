"""Posts that were read from a replica are held, released and renewed where they are written."""

from __future__ import annotations

import pytest

from django_neardup import hold, release
from django_neardup.models import Document, Hold
from django_neardup.prepublication.check import Visitor
from django_neardup.prepublication.save import renew_post
from tests.pipeline.helpers import SOFA, SOFA_EDITED
from tests.testapp.models import Ad, Author

pytestmark = [pytest.mark.django_db(databases=["default", "other"]), pytest.mark.engine_alike]


@pytest.fixture
def read(board, people, settings):
    """A post as the replica gives it."""
    ad = Ad.objects.create(text=SOFA, author=people.ann)
    for model in (Author, Ad):
        model.objects.using("other").bulk_create(model.objects.all())
    settings.DATABASE_ROUTERS = ["tests.admin.test_replica.Replica"]
    found = Ad.objects.get(pk=ad.pk)
    assert found._state.db == "other"
    return found


def shown():
    return [ad.published for alias in ("default", "other") for ad in Ad.objects.using(alias)]


def test_held_and_released_in_the_primary(read):
    hold(read)
    stale = Ad.objects.get()
    assert Hold.objects.using("default").get().state == "review"
    assert shown() == [False, True]
    assert stale._state.db == "other" and release(stale)
    assert not Hold.objects.using("default").exists()
    assert shown() == [True, True]
    assert not Document.objects.using("other").exists()


def test_renewed_in_the_primary(read, board, people):
    Ad.objects.using("default").update(hits=5)
    fresh = renew_post(read, Ad(text=SOFA_EDITED), board, Visitor(people.ann.pk))
    assert fresh._state.db == "default"
    ad = Ad.objects.using("default").get()
    assert (ad.text, ad.hits) == (SOFA_EDITED, 6)
