"""Parsed decision requests: the items, the selected documents, the options, and the state that was shown."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import NamedTuple

from django.http import Http404, HttpRequest, QueryDict
from django.urls import NoReverseMatch, reverse
from django.utils.http import urlencode

from ..db.timezones import to_database
from ..pipeline import canonical_id
from .decision_groups import (
    CLUSTER,
    COPIES,
    FAMILY,
    ITEM_KINDS,
    PAIR,
    SHORTLIST,
    ReviewItem,
    build_stored_token,
)
from .outcomes import ActionOptions

FILTERS_PARAM, LIST_PARAM = "_changelist_filters", "_list"
LIST_URL_NAMES = {
    "queue": "neardup_queue_changelist",
    "author": "neardup_queue_author",
    "contact": "neardup_queue_contact",
    "cluster": "neardup_cluster_changelist",
    "pair": "neardup_pair_changelist",
    "family": "neardup_queue_family",
    "shortlist": "neardup_queue_shortlist",
}
"""The lists that a decision can return to, with the names of their URLs."""

LISTS_WITH_VALUE = ("author", "contact", "family", "shortlist")
"""Lists of the posts of one author, one contact, or beside one post. Their URLs end with that value."""

ITEM_URL_NAMES = {
    CLUSTER: "neardup_cluster_change",
    PAIR: "neardup_pair_change",
    FAMILY: "neardup_queue_family",
    SHORTLIST: "neardup_queue_shortlist",
    COPIES: "neardup_queue_copies",
}
"""The URL names of the pages of items."""

SEEN_PREFIX, VALUE_PREFIX, CHOICE_PREFIX = "seen.", "value.", "choice."
MAX_SEEN_DOCUMENTS = 200


class SeenState(NamedTuple):
    """The state that a page showed: its digest, the time, and documents to find later decisions by."""

    digest: str
    seen_at: datetime
    document_ids: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.digest}.{int(self.seen_at.timestamp() * 1000)}.{'-'.join(map(str, self.document_ids))}"


def parse_seen_state(text: str) -> SeenState | None:
    """Return the state from a form field, in the format of ``str(SeenState)``.

    Return None if the text cannot be parsed.
    """
    digest, _dot, rest = text.partition(".")
    milliseconds, _dot, ids_text = rest.partition(".")
    document_ids = ids_text.split("-")[:MAX_SEEN_DOCUMENTS] if ids_text else []
    # Times with more than 14 digits can lie beyond the year 9999, and ``datetime`` refuses them.
    if (
        not digest
        or not all(_is_number(number) for number in (milliseconds, *document_ids))
        or len(milliseconds) > 14
    ):
        return None
    return SeenState(digest, _to_stored_datetime(int(milliseconds) / 1000), tuple(map(int, document_ids)))


def build_page_state(digest: str, items: Sequence[ReviewItem]) -> SeenState:
    """Return the state that a page shows now: the keepers and the selected documents of the items."""
    document_ids = [
        document.pk for item in items for document in (item.keeper_document, *item.selected_documents)
    ]
    return SeenState(digest, _to_stored_datetime(time.time()), tuple(document_ids[:MAX_SEEN_DOCUMENTS]))


def build_row_state(item: ReviewItem) -> SeenState:
    """Return the state that a row of a list shows."""
    document_ids = (item.leader.pk, *(document.pk for document in item.other_documents[:1]))
    # The token covers the stored state only, so that a list does not read the texts of its posts.
    return SeenState(build_stored_token(item), _to_stored_datetime(time.time()), document_ids)


def _to_stored_datetime(seconds: float) -> datetime:
    """Convert a Unix time in seconds to the kind of datetime that the tables hold."""
    return to_database(datetime.fromtimestamp(seconds, tz=timezone.utc))


@dataclass(frozen=True)
class DecisionRequest:
    """A request to decide on items.

    - ``selected_document_ids``: the documents that take part, None for all.
    - ``list_name``, ``list_query``: the list that the user came from, and its query string.
    - ``page_state``: the state that the confirmation page showed.
    - ``row_states``: the states that rows of a list showed, by item key.
    """

    item_keys: Sequence[str]
    selected_document_ids: frozenset[int] | None
    options: ActionOptions
    list_query: str
    list_name: str
    page_state: SeenState | None
    row_states: dict[str, SeenState | None]

    @property
    def is_from_list(self) -> bool:
        """Return whether the request is about whole rows of a list, without a confirmation page."""
        return bool(self.row_states) and self.selected_document_ids is None

    @property
    def return_params(self) -> dict[str, str]:
        """Return the query parameters that name the list that the user came from."""
        return {LIST_PARAM: self.list_name, **({FILTERS_PARAM: self.list_query} if self.list_query else {})}

    def list_url(self, site: str) -> str:
        """Return the URL of the list that the user came from, with its filters."""
        return list_url(site, self.list_name, self.list_query)

    def origin_url(self, site: str) -> str:
        """Return the URL of the page that the user came from: the page of the only item, or the list."""
        if len(self.item_keys) != 1 or self.is_from_list:
            return self.list_url(site)
        return item_url(self.item_keys[0], site, self.return_params)


def list_url(site: str, list_name: str, list_query: str = "") -> str:
    """Return the URL of a list.

    ``list_name`` is a key of ``LIST_URL_NAMES``. For an author or a contact, a colon and the value follow:
    "author:kadry".
    """
    kind, _colon, value = list_name.partition(":")
    url = reverse(f"{site}:{LIST_URL_NAMES[kind]}", args=[value] if value else [])
    return f"{url}?{list_query}" if list_query else url


def item_url(item_key: str, site: str, return_params: Mapping[str, str]) -> str:
    """Return the URL of an item's page, with the list to return to."""
    url = reverse(f"{site}:{ITEM_URL_NAMES[item_key[0]]}", args=[item_key[1:]])
    return f"{url}?{urlencode(return_params)}"


def parse_return_url(request: HttpRequest, site: str) -> str:
    """Return the URL of the list that the query string names. Return an empty string if it names none."""
    try:
        return list_url(site, request.GET.get(LIST_PARAM, ""), request.GET.get(FILTERS_PARAM, ""))
    except (KeyError, NoReverseMatch):
        return ""


def decide_url(site: str, action_name: str) -> str:
    """Return the URL of the action's confirmation page."""
    return reverse(f"{site}:neardup_queue_decide", args=[action_name])


def parse_decision_request(request: HttpRequest) -> DecisionRequest:
    """Return the parsed request. Raise Http404 if an item key or a primary key is not valid."""
    data = request.POST if request.method == "POST" else request.GET
    item_keys = _parse_item_keys(data.getlist("only") or data.getlist("id"))
    keeper_ids = _parse_pks(data.getlist("keeper"))[-1:]
    return DecisionRequest(
        item_keys=item_keys,
        selected_document_ids=frozenset(_parse_pks(data.getlist("member"))) if "ticked" in data else None,
        options=ActionOptions(
            keeper_id=keeper_ids[0] if keeper_ids else None,
            field_values=_fields_with_prefix(data, VALUE_PREFIX),
            clash_choices=_fields_with_prefix(data, CHOICE_PREFIX),
            remember_unselected="rest" in data,
            accepts_loss="loss" in data,
            leaves_nothing="gone" in data,
        ),
        list_query=data.get(FILTERS_PARAM, ""),
        list_name=_parse_list_name(data.get(LIST_PARAM, ""), item_keys),
        page_state=parse_seen_state(data.get("token", "")),
        row_states={
            item_key: parse_seen_state(text)
            for item_key, text in _fields_with_prefix(data, SEEN_PREFIX).items()
        },
    )


def normalize_options(
    options: ActionOptions, items: Sequence[ReviewItem], proposes_keeper: bool
) -> ActionOptions:
    """Return the options with the chosen posts' primary keys in the type of their models.

    If there are several items, the options have no chosen values. If there is one, its keeper is set if the
    action proposes a keeper. Otherwise the keeper is None.
    """
    if len(items) > 1:
        return replace(options, field_values={}, clash_choices={})
    pks_by_text = {canonical_id(post.pk): post.pk for post in items[0].objects_by_document.values()}
    field_values = {
        name: pks_by_text[pk_text] for name, pk_text in options.field_values.items() if pk_text in pks_by_text
    }
    return replace(
        options, field_values=field_values, keeper_id=items[0].keeper_document.pk if proposes_keeper else None
    )


def _parse_item_keys(values: Sequence[str]) -> list[str]:
    """Return the item keys in their order, each once. Raise Http404 if one is not valid."""
    if not {value[:1] for value in values} <= {*ITEM_KINDS}:
        raise Http404
    _parse_pks([value[1:] for value in values])
    return list(dict.fromkeys(values))


def _parse_list_name(name: str, item_keys: Sequence[str]) -> str:
    """Return the name of the list to return to: the given list if it is valid, otherwise the items' list."""
    letters = {item_key[0] for item_key in item_keys}
    kind, _colon, value = name.partition(":")
    # "<path:author>" does not match a line break, so such an author has no URL.
    has_url = {"author": "\n" not in value, "contact": is_contact_hash(value)}.get(
        kind, not value or _is_number(value)
    )
    if kind in LIST_URL_NAMES and bool(value) is (kind in LISTS_WITH_VALUE) and has_url:
        return name
    return {CLUSTER: "cluster", PAIR: "pair"}.get("".join(letters), "queue")


def is_contact_hash(value: str) -> bool:
    """Return whether a text can be the hash of a contact: a signed 64-bit integer."""
    digits = value.removeprefix("-")
    return digits.isascii() and digits.isdecimal() and len(digits) < 20 and int(digits) < 2**63


def _fields_with_prefix(data: QueryDict, prefix: str) -> dict[str, str]:
    return {name.removeprefix(prefix): str(data[name]) for name in data if name.startswith(prefix)}


def _parse_pks(values: Sequence[str]) -> list[int]:
    """Return the primary keys in their order, each once. Raise Http404 if one is not a number."""
    if not all(_is_number(value) for value in values):
        raise Http404
    return list(dict.fromkeys(map(int, values)))


def _is_number(text: str) -> bool:
    # All numbers of 18 digits fit into a signed 64-bit column.
    return text.isascii() and text.isdecimal() and len(text) < 19
