"""Whether OpenSearch can be used: what a status says to the operator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...exceptions import IndexUnavailable
from .opensearch_client import OpenSearchClient
from .shipping import MISSING

if TYPE_CHECKING:
    from opensearchpy import OpenSearch

STATUS_SECONDS = 3
"""Seconds that a status waits for an answer of a node."""
MANAGER_TIMEOUT = "1s"
"""How long a node waits for a cluster manager before it answers that there is none."""
WRITE_BLOCKS = ("index.blocks.read_only", "index.blocks.read_only_allow_delete", "index.blocks.write")

SHARDS_MISSING = (
    "OpenSearch: shards of {index!r} are missing, and their keys with them. Bring back the nodes that have them. If "
    "they are lost: python manage.py neardup_index --rebuild-index --database {using}"
)
WRITES_BLOCKED = (
    "OpenSearch refuses writes to {index!r}: {blocks} is set. It sets a block itself when a disk is full. Posts are "
    "compared, and changed keys wait in the database. Make room on the disk. If the block stays, remove it."
)


def problem_of(client: OpenSearchClient, target: str, using: str) -> str:
    """Return what is wrong with an index and what to do, and an empty string if nothing is.

    ``target``: its name. Without a name only the cluster is asked.
    """
    try:
        with client.connect() as api:
            # The health of an index that does not exist has no answer.
            if target and not api.indices.exists(index=target, params={"local": "true"}):
                return MISSING.format(index=target, using=using)
            health = api.cluster.health(
                index=target or None, params={"cluster_manager_timeout": MANAGER_TIMEOUT}
            )
            if not target:
                return ""
            if health["status"] == "red":
                return SHARDS_MISSING.format(index=target, using=using)
            blocks = _write_blocks(api, target)
    except IndexUnavailable as error:
        return str(error)
    return WRITES_BLOCKED.format(index=target, blocks=", ".join(blocks)) if blocks else ""


def _write_blocks(api: OpenSearch, target: str) -> list[str]:
    """Return the settings of an index that forbid to write it."""
    params = {"flat_settings": "true", "local": "true"}
    answer = api.indices.get_settings(index=target, name="index.blocks.*", params=params)
    # Without such a setting the answer does not name the index.
    blocks = answer[target]["settings"] if answer else {}
    return [name for name in WRITE_BLOCKS if blocks.get(name) == "true"]
