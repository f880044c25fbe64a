"""The run's node of OpenSearch: on the disk, with a heap for a large index."""

from __future__ import annotations

from typing import cast

from benchmarks import site as sites
from benchmarks.million import disk
from tests.opensearch_service import HEAP, OpenSearch

NODE = "opensearch"
LARGE_HEAP = "1g"
FOR_TESTS = {"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"}
"""The tests start their nodes so: they come up sooner and take less memory. But they are slower, and a node with so
simple a collector refuses requests while its heap is full of garbage."""
COLLECTOR = ("-XX:+UseG1GC", "-XX:G1ReservePercent=25", "-XX:InitiatingHeapOccupancyPercent=30")
"""That of OpenSearch's own ``jvm.options``."""


class LargeOpenSearch(OpenSearch):
    """One node as a site runs it."""

    start_seconds = 600.0

    def place(self) -> str:
        return str(disk())

    def command(self) -> list[str]:
        java, *asked = (part for part in super().command() if part not in FOR_TESTS)
        sized = [part.replace(HEAP, LARGE_HEAP) if part.startswith("-Xm") else part for part in asked]
        return [java, *COLLECTOR, *sized]


sites.SERVERS[NODE] = LargeOpenSearch


def stored_bytes(index: str) -> int:
    """Bytes of an index on the disk, after what is in memory was written."""
    node = cast(LargeOpenSearch, sites.server(NODE))
    node.ask("POST", f"/{index}/_flush")
    return int(node.ask("GET", f"/{index}/_stats/store")["_all"]["primaries"]["store"]["size_in_bytes"])
