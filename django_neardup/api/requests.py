"""Parsing of request bodies, as a form or as JSON."""

from __future__ import annotations

import json
from typing import Any

from django.core.exceptions import BadRequest, RequestDataTooBig, SuspiciousOperation
from django.http import HttpRequest, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.utils.translation import gettext as _

FORM_CONTENT_TYPES = ("application/x-www-form-urlencoded", "multipart/form-data")


class UnreadableBody(Exception):
    """A body that cannot be read. ``status`` is the HTTP status of the response."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


def read_values(request: HttpRequest) -> dict[str, Any]:
    """Return the values of the body by name.

    If a name is repeated, the last value counts. Raise ``UnreadableBody`` if the body cannot be parsed or
    exceeds Django's limits.
    """
    try:
        return _from_json(request.body) if _is_json(request) else _from_form(request)
    except RequestDataTooBig:
        raise UnreadableBody(_("The request is too large."), 413)
    except (
        SuspiciousOperation,
        BadRequest,
        MultiPartParserError,
        UnreadablePostError,
        LookupError,
        ValueError,
        RecursionError,
    ):
        raise UnreadableBody(_("The request cannot be read."))


def _is_json(request: HttpRequest) -> bool:
    content_type = request.content_type or ""
    return content_type == "application/json" or (
        content_type.startswith("application/") and content_type.endswith("+json")
    )


def _from_form(request: HttpRequest) -> dict[str, Any]:
    if request.content_type not in FORM_CONTENT_TYPES:
        raise ValueError("no form")
    return request.POST.dict()


def _from_json(body: bytes) -> dict[str, Any]:
    values = json.loads(body)
    if not isinstance(values, dict):
        raise ValueError("no object")
    return values
