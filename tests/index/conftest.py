"""Every test of a table runs over each way of storing that the engine has."""

import pytest

from django_neardup.models import Key, KeyArray
from tests.databases import engine

WAYS = ("rows", "array") if engine() == "postgresql" else ("rows",)


@pytest.fixture(params=WAYS)
def stored(request, db, settings):
    """Stores keys that way; call it for the pairs that are there, sorted."""
    settings.NEARDUP = {"default": {"BACKEND": None, "STORAGE": request.param}}

    def pairs():
        rows = set(Key.objects.values_list("key", "document"))
        arrays = {(key, row.document) for row in KeyArray.objects.all() for key in row.keys}
        assert not (rows and arrays)
        return sorted(rows | arrays)

    pairs.way = request.param
    return pairs
