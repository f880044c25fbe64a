"""Errors of which no post and no cluster is guilty: they end what is under way, as the death of its process would."""

from __future__ import annotations

from django.db import InterfaceError, OperationalError

INTERRUPTS: list[type[Exception]] = []
"""What a queue ends a job with that takes too long; each queue adds its own."""


def nobodys() -> tuple[type[Exception], ...]:
    """All such errors."""
    return (OperationalError, InterfaceError, *INTERRUPTS)
