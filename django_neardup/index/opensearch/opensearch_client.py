"""Requests to OpenSearch. Every error is an ``IndexUnavailable`` with a sentence for the operator."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ...exceptions import IndexUnavailable
from .opensearch_options import OpenSearchOptions

if TYPE_CHECKING:
    from opensearchpy import OpenSearch

RETRIED_STATUSES = (429, 502, 503, 504)


class OpenSearchClient:
    """A client of one process. After a fork the child opens new connections.

    ``retries``: how often a request is tried again, and after pauses while a node has too much to do. None: once on
    each other node, unless a node has been silent for ``timeout`` seconds, and without pauses.
    """

    def __init__(self, options: OpenSearchOptions, timeout: float, retries: int | None = None) -> None:
        self._options, self._timeout, self._retries = options, timeout, retries
        self._client: OpenSearch | None = None
        self._process = 0

    @contextmanager
    def connect(self) -> Iterator[OpenSearch]:
        """Yield the client. Raise ``IndexUnavailable`` if a request of the block fails."""
        from opensearchpy import exceptions

        try:
            yield self._own_client()
        except exceptions.AuthenticationException as error:
            raise self._error("it refuses the user and the password of INDEX") from error
        except exceptions.AuthorizationException as error:
            raise self._error(f"it does not allow the user of INDEX this: {_reason(error)}") from error
        except exceptions.SSLError as error:
            raise self._error("its certificate cannot be checked: see CA_CERTS in INDEX") from error
        except exceptions.ConnectionTimeout as error:
            raise self._error(f"no answer within {self._timeout:g} seconds") from error
        except exceptions.ConnectionError as error:
            raise self._error("no connection") from error
        except exceptions.TransportError as error:
            raise self._error(f"it answers {error.status_code}: {_reason(error)}") from error
        except exceptions.SerializationError as error:
            raise self._error("its answer is no JSON") from error

    def _own_client(self) -> OpenSearch:
        from opensearchpy import OpenSearch, Transport

        from .overload import WaitingTransport

        if self._client is None or self._process != os.getpid():
            options = self._options
            self._client = OpenSearch(
                list(options.hosts),
                http_auth=(options.user, options.password or "") if options.user is not None else None,
                ca_certs=options.ca_certs,
                verify_certs=options.verify_certs,
                ssl_show_warn=False,
                timeout=self._timeout,
                max_retries=len(options.hosts) - 1 if self._retries is None else self._retries,
                retry_on_timeout=self._retries is not None,
                retry_on_status=RETRIED_STATUSES,
                transport_class=Transport if self._retries is None else WaitingTransport,
            )
            self._process = os.getpid()
        return self._client

    def _error(self, reason: str) -> IndexUnavailable:
        addresses = ", ".join(str(urlsplit(host).netloc) for host in self._options.hosts)
        return IndexUnavailable(f"OpenSearch ({addresses}): {reason}.")


def _reason(error: Any) -> str:
    """Return the reason that OpenSearch gives, shortened."""
    info = error.info if isinstance(error.info, dict) else {}
    cause = info.get("error", info)
    reason = cause.get("reason") if isinstance(cause, dict) else cause
    return str(reason or error.error)[:300].rstrip(".")
