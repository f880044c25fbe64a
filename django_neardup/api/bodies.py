"""What a request holds, as a form or as JSON."""

from __future__ import annotations

import json
from typing import Any

from django.core.exceptions import BadRequest, RequestDataTooBig, SuspiciousOperation
from django.http import HttpRequest, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.utils.translation import gettext as _

FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


class Unreadable(Exception):
    """A body that cannot be read; ``status`` of the answer."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


def values_of(request: HttpRequest) -> dict[str, Any]:
    """The values by name, the last of each; ``Unreadable`` for what is none, or exceeds Django's limits."""
    try:
        return _from_json(request.body) if _is_json(request) else _from_form(request)
    except RequestDataTooBig:
        raise Unreadable(_("The request is too large."), 413)
    except (
        SuspiciousOperation,
        BadRequest,
        MultiPartParserError,
        UnreadablePostError,
        LookupError,
        ValueError,
        RecursionError,
    ):
        raise Unreadable(_("The request cannot be read."))


def _is_json(request: HttpRequest) -> bool:
    kind = request.content_type or ""
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


def _from_form(request: HttpRequest) -> dict[str, Any]:
    if request.content_type not in FORMS:
        raise ValueError("no form")
    return request.POST.dict()


def _from_json(body: bytes) -> dict[str, Any]:
    found = json.loads(body)
    if not isinstance(found, dict):
        raise ValueError("no object")
    return found
