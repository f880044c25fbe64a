import pytest

from django_neardup.models import Key


@pytest.fixture
def stored(db):
    """Return a function that lists the stored pairs, sorted."""
    return lambda: sorted(Key.objects.values_list("key", "document"))
