"""The options of the OpenSearch index in the setting INDEX."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from ...conf import InstanceOf, ValueType, number, row, whole_number

INDEX_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,99}")


@dataclass(frozen=True)
class HostList(ValueType):
    """Addresses of nodes, without a user and a password: they would stand in logs."""

    def accepts(self, value: Any) -> bool:
        return (
            isinstance(value, Sequence)
            and not isinstance(value, str)
            and bool(value)
            and all(isinstance(host, str) and _is_address(host) for host in value)
        )


@dataclass(frozen=True)
class IndexName(ValueType):
    """Names that OpenSearch accepts with an alias of a database and a number behind them."""

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str) and INDEX_NAME.fullmatch(value) is not None


@dataclass(frozen=True)
class OpenSearchOptions:
    """The options, in capitals, next to BACKEND."""

    hosts: Sequence[str] = row(
        ("http://localhost:9200",),
        HostList('a list of addresses such as "https://search.example.org:9200"'),
        "nodes of the cluster, one or several",
    )
    name: str = row(
        "neardup",
        IndexName("small letters, digits, - and _, at most 100"),
        "beginning of the names of indexes; sites and copies of a site need their own",
    )
    user: str | None = row(
        None, InstanceOf("a text or None", (str, type(None))), "user of basic authentication"
    )
    password: str | None = row(None, InstanceOf("a text or None", (str, type(None))), "its password")
    ca_certs: str | None = row(
        None,
        InstanceOf("the path of a file, or None", (str, type(None))),
        "file of the certificate authority of the nodes; None: the authorities that Python trusts",
    )
    verify_certs: bool = row(
        True, InstanceOf("True or False", (bool,)), "whether the certificates of the nodes are checked"
    )
    timeout: float = row(10, number(0.1), "seconds until a request to a node is given up")
    retries: int = row(
        2, whole_number(0), "how often a request is tried again, on another node if there is one"
    )
    shards: int = row(1, whole_number(1), "shards of an index that is created")
    replicas: int = row(1, whole_number(0), "further copies of each shard")
    refresh_interval: str = row(
        "30s", InstanceOf("a time of OpenSearch", (str,)), "`refresh_interval` of an index that is created"
    )
    max_waiting: int = row(
        200_000,
        whole_number(1),
        "changes that may wait in the database before work stops until they are sent",
    )


def _is_address(host: str) -> bool:
    parts = urlsplit(host)
    return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None
