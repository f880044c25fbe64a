"""What an operator is told on a site with USE_TZ = False."""

import io

import pytest
from django.core.management import call_command

from django_neardup.models import TermStatistics

pytestmark = [pytest.mark.django_db, pytest.mark.engines("sqlite")]


def test_when_statistics_were_gathered(settings):
    settings.USE_TZ = False
    gathered = TermStatistics.objects.create(profile="default", number=1, documents=2, words=3)
    out = io.StringIO()
    call_command("neardup_statistics", list=True, stdout=out)
    assert out.getvalue().startswith(f"default 1: {gathered.created:%Y-%m-%d}")
