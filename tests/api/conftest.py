import pytest
from django.core.cache import cache


@pytest.fixture(autouse=True)
def _nothing_counted():
    """Every test begins with a visitor who has asked nothing yet."""
    cache.clear()
    yield
    cache.clear()
