"""Wait and try again while OpenSearch has too much to do, instead of breaking off a long command."""

from __future__ import annotations

import logging
import time
from typing import Any

from opensearchpy import Transport
from opensearchpy.exceptions import TransportError

logger = logging.getLogger(__name__)

PAUSES = (1.0, 2.0, 4.0, 8.0)
"""Seconds before each further try. Their sum is far below the length of a claim and of a lease."""
TOO_MANY_REQUESTS = 429
BLOCKED = "cluster_block_exception"
"""A full disk has the same status. It does not pass within seconds."""


class WaitingTransport(Transport):
    """Sends requests, and sends a request again that a node refused because its memory or a queue was full.

    The pauses let the node finish what it has begun, and collect its garbage.
    """

    def perform_request(self, *args: Any, **options: Any) -> Any:
        for pause in PAUSES:
            try:
                return super().perform_request(*args, **options)
            except TransportError as error:
                if error.status_code != TOO_MANY_REQUESTS or error.error == BLOCKED:
                    raise
                logger.info("neardup: OpenSearch has too much to do, the next try is in %g seconds", pause)
            time.sleep(pause)
        return super().perform_request(*args, **options)
