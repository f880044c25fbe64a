"""The run's node of OpenSearch: on the disk, with a heap for a large index."""

from __future__ import annotations

from typing import cast

from benchmarks import site as sites
from benchmarks.million import disk
from tests.opensearch_service import HEAP, OpenSearch

NODE = "opensearch"
LARGE_HEAP = "1g"
FIRST_COMPILER_ONLY = "-XX:TieredStopAtLevel=1"
"""The tests start their nodes so: they come up sooner, and are slower."""


class LargeOpenSearch(OpenSearch):
    """One node as a site runs it."""

    start_seconds = 600.0

    def place(self) -> str:
        return str(disk())

    def command(self) -> list[str]:
        asked = [part for part in super().command() if part != FIRST_COMPILER_ONLY]
        return [part.replace(HEAP, LARGE_HEAP) if part.startswith("-Xm") else part for part in asked]


sites.SERVERS[NODE] = LargeOpenSearch


def stored_bytes(index: str) -> int:
    """Bytes of an index on the disk, after what is in memory was written."""
    node = cast(LargeOpenSearch, sites.server(NODE))
    node.ask("POST", f"/{index}/_flush")
    return int(node.ask("GET", f"/{index}/_stats/store")["_all"]["primaries"]["store"]["size_in_bytes"])
