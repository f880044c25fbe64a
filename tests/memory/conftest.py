import pytest
from django.conf import settings as configured


@pytest.fixture
def memory(settings):
    """Deleted posts are remembered for 30 days; call it to say otherwise."""

    def set_days(days, **more):
        profile = {**configured.NEARDUP["default"], "MEMORY_DAYS": days, **more}
        settings.NEARDUP = {**configured.NEARDUP, "default": profile}

    set_days(30)
    return set_days
