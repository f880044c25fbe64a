"""Datetimes with and without time zones. USE_TZ decides which kind the tables hold."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.utils import timezone


def to_local(moment: datetime) -> datetime:
    """Convert a datetime of the tables to the site's local time."""
    return timezone.localtime(moment) if timezone.is_aware(moment) else moment


def to_database(moment: datetime) -> datetime:
    """Convert an aware datetime to the kind that the tables hold."""
    return moment if settings.USE_TZ else timezone.make_naive(moment, timezone.get_default_timezone())
