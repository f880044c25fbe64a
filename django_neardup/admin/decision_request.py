"""What a request for an outcome asks: on which groups, which posts, with what chosen, and what was seen."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import NamedTuple

from django.http import Http404, HttpRequest, QueryDict
from django.urls import NoReverseMatch, reverse
from django.utils.http import urlencode

from ..db.timezones import to_database
from ..pipeline import canonical_id
from .decision_groups import MODELS_BY_PREFIX, ReviewItem, build_stored_token
from .outcomes import ActionOptions

FILTERS_PARAM, LIST_PARAM = "_changelist_filters", "_list"
LIST_URL_NAMES = {
    "queue": "neardup_queue_changelist",
    "author": "neardup_queue_author",
    "contact": "neardup_queue_contact",
    "cluster": "neardup_cluster_changelist",
    "pair": "neardup_pair_changelist",
}
"""Lists that a decision returns to, and the names of their addresses."""
LISTS_WITH_VALUE = ("author", "contact")
"""Lists of one author's or one contact's posts: their addresses end with the value."""

SEEN_PREFIX, VALUE_PREFIX, CHOICE_PREFIX = "seen.", "value.", "choice."
MAX_SEEN_DOCUMENTS = 200


class SeenState(NamedTuple):
    """What a person saw, and when: a digest, and documents by which a later decision is found."""

    digest: str
    seen_at: datetime
    document_ids: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.digest}.{int(self.seen_at.timestamp() * 1000)}.{'-'.join(map(str, self.document_ids))}"


def parse_seen_state(text: str) -> SeenState | None:
    """What a form's field says was seen; None where it says nothing that can be read."""
    digest, _dot, rest = text.partition(".")
    at, _dot, documents = rest.partition(".")
    keys = documents.split("-")[:MAX_SEEN_DOCUMENTS] if documents else []
    if not digest or not all(_is_number(each) for each in (at, *keys)) or len(at) > 14:
        return None
    return SeenState(digest, _to_stored_datetime(int(at) / 1000), tuple(map(int, keys)))


def build_page_state(digest: str, items: Sequence[ReviewItem]) -> SeenState:
    """What a page shows now."""
    documents = [
        document.pk for group in items for document in (group.keeper_document, *group.selected_documents)
    ]
    return SeenState(digest, _to_stored_datetime(time.time()), tuple(documents[:MAX_SEEN_DOCUMENTS]))


def build_row_state(item: ReviewItem) -> SeenState:
    """What a row of a list shows: the ledger's state, which costs no reading of texts."""
    documents = (item.leader.pk, *(each.pk for each in item.other_documents[:1]))
    return SeenState(build_stored_token(item), _to_stored_datetime(time.time()), documents)


def _to_stored_datetime(seconds: float) -> datetime:
    """That time such as the tables hold it."""
    return to_database(datetime.fromtimestamp(seconds, tz=timezone.utc))


@dataclass(frozen=True)
class DecisionRequest:
    """One request.

    ``ticked`` are the documents that take part, None for all; ``token`` is what the confirmation showed,
    ``seen``, by key, what rows of a list did.
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
        """Whether it speaks of whole rows of a list, for which no confirmation was shown."""
        return bool(self.row_states) and self.selected_document_ids is None

    @property
    def return_params(self) -> dict[str, str]:
        """What an address says of the list that the person came from."""
        return {LIST_PARAM: self.list_name, **({FILTERS_PARAM: self.list_query} if self.list_query else {})}

    def list_url(self, site: str) -> str:
        """The list that the person came from, with its filters as they were."""
        return list_url(site, self.list_name, self.list_query)

    def origin_url(self, site: str) -> str:
        """The page that the person came from."""
        if len(self.item_keys) != 1 or self.is_from_list:
            return self.list_url(site)
        model = MODELS_BY_PREFIX[self.item_keys[0][0]]._meta.model_name
        url = reverse(f"{site}:neardup_{model}_change", args=[self.item_keys[0][1:]])
        return f"{url}?{urlencode(self.return_params)}"


def list_url(site: str, list_name: str, list_query: str = "") -> str:
    """The address of a list of ``LIST_URL_NAMES``; an author's or a contact's with its value, "author:kadry"."""
    kind, _colon, value = list_name.partition(":")
    url = reverse(f"{site}:{LIST_URL_NAMES[kind]}", args=[value] if value else [])
    return f"{url}?{list_query}" if list_query else url


def parse_return_url(request: HttpRequest, site: str) -> str:
    """The list that a page's address says the person came from; empty where it names none."""
    try:
        return list_url(site, request.GET.get(LIST_PARAM, ""), request.GET.get(FILTERS_PARAM, ""))
    except (KeyError, NoReverseMatch):
        return ""


def decide_url(site: str, action_name: str) -> str:
    """The address of an outcome's confirmation."""
    return reverse(f"{site}:neardup_queue_decide", args=[action_name])


def parse_decision_request(request: HttpRequest) -> DecisionRequest:
    """What that request asks; 404 for keys that are none."""
    data = request.POST if request.method == "POST" else request.GET
    keys = _parse_item_keys(data.getlist("only") or data.getlist("id"))
    keeper = _parse_pks(data.getlist("keeper"))[-1:]
    return DecisionRequest(
        item_keys=keys,
        selected_document_ids=frozenset(_parse_pks(data.getlist("member"))) if "ticked" in data else None,
        options=ActionOptions(
            keeper_id=keeper[0] if keeper else None,
            field_values=_fields_with_prefix(data, VALUE_PREFIX),
            clash_choices=_fields_with_prefix(data, CHOICE_PREFIX),
            remember_unselected="rest" in data,
        ),
        list_query=data.get(FILTERS_PARAM, ""),
        list_name=_parse_list_name(data.get(LIST_PARAM, ""), keys),
        page_state=parse_seen_state(data.get("token", "")),
        row_states={
            key: parse_seen_state(text) for key, text in _fields_with_prefix(data, SEEN_PREFIX).items()
        },
    )


def normalize_options(
    options: ActionOptions, items: Sequence[ReviewItem], proposes_keeper: bool
) -> ActionOptions:
    """The options with the values' primary keys as their models have them; without values for several groups."""
    if len(items) > 1:
        return replace(options, field_values={}, clash_choices={})
    keys = {canonical_id(each.pk): each.pk for each in items[0].objects_by_document.values()}
    values = {name: keys[key] for name, key in options.field_values.items() if key in keys}
    return replace(
        options, field_values=values, keeper_id=items[0].keeper_document.pk if proposes_keeper else None
    )


def _parse_item_keys(values: Sequence[str]) -> list[str]:
    """Keys of groups as they came, each once."""
    if not all(value[:1] in MODELS_BY_PREFIX for value in values):
        raise Http404
    _parse_pks([value[1:] for value in values])
    return list(dict.fromkeys(values))


def _parse_list_name(name: str, item_keys: Sequence[str]) -> str:
    """The list to return to: the one that was named, else that of the keys."""
    letters = {key[0] for key in item_keys}
    kind, _colon, value = name.partition(":")
    has_address = is_contact_hash(value) if kind == "contact" else "\n" not in value
    if kind in LIST_URL_NAMES and bool(value) is (kind in LISTS_WITH_VALUE) and has_address:
        return name
    return str(MODELS_BY_PREFIX[letters.pop()]._meta.model_name) if len(letters) == 1 else "queue"


def is_contact_hash(value: str) -> bool:
    """Whether that may be the hash of a contact."""
    digits = value.removeprefix("-")
    return digits.isascii() and digits.isdecimal() and len(digits) < 20 and int(digits) < 2**63


def _fields_with_prefix(data: QueryDict, prefix: str) -> dict[str, str]:
    return {name.removeprefix(prefix): str(data[name]) for name in data if name.startswith(prefix)}


def _parse_pks(values: Sequence[str]) -> list[int]:
    """Primary keys as they came; 404 for what is none."""
    if not all(_is_number(value) for value in values):
        raise Http404
    return list(dict.fromkeys(map(int, values)))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 19
