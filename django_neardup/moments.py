"""Moments of sites with time zones and without: USE_TZ says what their tables hold."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.utils import timezone


def by_clock(moment: datetime) -> datetime:
    """A moment such as tables hold it, as a clock on the site's wall shows it."""
    return timezone.localtime(moment) if timezone.is_aware(moment) else moment


def as_held(moment: datetime) -> datetime:
    """A moment with its time zone, such as tables hold it."""
    return moment if settings.USE_TZ else timezone.make_naive(moment, timezone.get_default_timezone())
