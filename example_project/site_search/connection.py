"""Clients of the cluster that ``SITE_SEARCH`` names."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from opensearchpy import OpenSearch

PAGE_SECONDS = 1.0
"""A visitor waits no longer for the index."""
BATCH_SECONDS = 30.0


@cache
def connect(seconds: float) -> OpenSearch:
    # Imported here: a board without an index need not have it installed.
    from opensearchpy import OpenSearch

    return OpenSearch([settings.SITE_SEARCH["HOST"]], timeout=seconds, max_retries=0)


def alias() -> str:
    """The name that pages search by. An index that is being built has ``building_alias()``."""
    return str(settings.SITE_SEARCH["NAME"])


def building_alias() -> str:
    return f"{alias()}-building"
