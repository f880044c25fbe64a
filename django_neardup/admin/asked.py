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

from ..moments import as_held
from ..pipeline import canonical_id
from .groups import KINDS, Group, ledger_token
from .outcomes import Options

FILTERS, LIST = "_changelist_filters", "_list"
LISTS = {
    "queue": "neardup_queue_changelist",
    "author": "neardup_queue_author",
    "contact": "neardup_queue_contact",
    "cluster": "neardup_cluster_changelist",
    "pair": "neardup_pair_changelist",
}
"""Lists that a decision returns to, and the names of their addresses."""
OF_ONE = ("author", "contact")
"""Lists of one author's or one contact's posts: their addresses end with the value."""

SEEN, VALUE, CHOICE = "seen.", "value.", "choice."
DOCUMENTS = 200


class Sight(NamedTuple):
    """What a person saw, and when: a digest, and documents by which a later decision is found."""

    digest: str
    at: datetime
    documents: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.digest}.{int(self.at.timestamp() * 1000)}.{'-'.join(map(str, self.documents))}"


def sight(text: str) -> Sight | None:
    """What a form's field says was seen; None where it says nothing that can be read."""
    digest, _dot, rest = text.partition(".")
    at, _dot, documents = rest.partition(".")
    keys = documents.split("-")[:DOCUMENTS] if documents else []
    if not digest or not all(_is_number(each) for each in (at, *keys)) or len(at) > 14:
        return None
    return Sight(digest, _moment(int(at) / 1000), tuple(map(int, keys)))


def sight_of(digest: str, groups: Sequence[Group]) -> Sight:
    """What a page shows now."""
    documents = [document.pk for group in groups for document in (group.stays, *group.chosen)]
    return Sight(digest, _moment(time.time()), tuple(documents[:DOCUMENTS]))


def sight_in_list(group: Group) -> Sight:
    """What a row of a list shows: the ledger's state, which costs no reading of texts."""
    documents = (group.representative.pk, *(each.pk for each in group.others[:1]))
    return Sight(ledger_token(group), _moment(time.time()), documents)


def _moment(seconds: float) -> datetime:
    """That time such as the tables hold it."""
    return as_held(datetime.fromtimestamp(seconds, tz=timezone.utc))


@dataclass(frozen=True)
class Asked:
    """One request.

    ``ticked`` are the documents that take part, None for all; ``token`` is what the confirmation showed,
    ``seen``, by key, what rows of a list did.
    """

    keys: Sequence[str]
    ticked: frozenset[int] | None
    options: Options
    filters: str
    list: str
    token: Sight | None
    seen: dict[str, Sight | None]

    @property
    def from_list(self) -> bool:
        """Whether it speaks of whole rows of a list, for which no confirmation was shown."""
        return bool(self.seen) and self.ticked is None

    @property
    def came_from(self) -> dict[str, str]:
        """What an address says of the list that the person came from."""
        return {LIST: self.list, **({FILTERS: self.filters} if self.filters else {})}

    def list_url(self, site: str) -> str:
        """The list that the person came from, with its filters as they were."""
        return list_url(site, self.list, self.filters)

    def source_url(self, site: str) -> str:
        """The page that the person came from."""
        if len(self.keys) != 1 or self.from_list:
            return self.list_url(site)
        model = KINDS[self.keys[0][0]]._meta.model_name
        url = reverse(f"{site}:neardup_{model}_change", args=[self.keys[0][1:]])
        return f"{url}?{urlencode(self.came_from)}"


def list_url(site: str, name: str, filters: str = "") -> str:
    """The address of a list: of those in ``LISTS``, an author's or a contact's with its value, "author:kadry"."""
    kind, _colon, value = name.partition(":")
    url = reverse(f"{site}:{LISTS[kind]}", args=[value] if value else [])
    return f"{url}?{filters}" if filters else url


def list_before(request: HttpRequest, site: str) -> str:
    """The list that a page's address says the person came from; empty where it names none."""
    try:
        return list_url(site, request.GET.get(LIST, ""), request.GET.get(FILTERS, ""))
    except (KeyError, NoReverseMatch):
        return ""


def decide_url(site: str, outcome: str) -> str:
    """The address of an outcome's confirmation."""
    return reverse(f"{site}:neardup_queue_decide", args=[outcome])


def asked(request: HttpRequest) -> Asked:
    """What that request asks; 404 for keys that are none."""
    data = request.POST if request.method == "POST" else request.GET
    keys = _keys(data.getlist("only") or data.getlist("id"))
    keeper = _whole_numbers(data.getlist("keeper"))[-1:]
    return Asked(
        keys=keys,
        ticked=frozenset(_whole_numbers(data.getlist("member"))) if "ticked" in data else None,
        options=Options(
            keeper=keeper[0] if keeper else None,
            values=_fields(data, VALUE),
            choices=_fields(data, CHOICE),
            rest="rest" in data,
        ),
        filters=data.get(FILTERS, ""),
        list=_list(data.get(LIST, ""), keys),
        token=sight(data.get("token", "")),
        seen={key: sight(text) for key, text in _fields(data, SEEN).items()},
    )


def settled(options: Options, groups: Sequence[Group], proposes: bool) -> Options:
    """The options with the values' primary keys as their models have them; without values for several groups."""
    if len(groups) > 1:
        return replace(options, values={}, choices={})
    keys = {canonical_id(each.pk): each.pk for each in groups[0].objects.values()}
    values = {name: keys[key] for name, key in options.values.items() if key in keys}
    return replace(options, values=values, keeper=groups[0].stays.pk if proposes else None)


def _keys(values: Sequence[str]) -> list[str]:
    """Keys of groups as they came, each once."""
    if not all(value[:1] in KINDS for value in values):
        raise Http404
    _whole_numbers([value[1:] for value in values])
    return list(dict.fromkeys(values))


def _list(name: str, keys: Sequence[str]) -> str:
    """The list to return to: the one that was named, else that of the keys."""
    letters = {key[0] for key in keys}
    kind, _colon, value = name.partition(":")
    has_address = is_hash(value) if kind == "contact" else "\n" not in value
    if kind in LISTS and bool(value) is (kind in OF_ONE) and has_address:
        return name
    return str(KINDS[letters.pop()]._meta.model_name) if len(letters) == 1 else "queue"


def is_hash(value: str) -> bool:
    """Whether that may be the hash of a contact."""
    digits = value.removeprefix("-")
    return digits.isascii() and digits.isdecimal() and len(digits) < 20 and int(digits) < 2**63


def _fields(data: QueryDict, prefix: str) -> dict[str, str]:
    return {name.removeprefix(prefix): str(data[name]) for name in data if name.startswith(prefix)}


def _whole_numbers(values: Sequence[str]) -> list[int]:
    """Primary keys as they came; 404 for what is none."""
    if not all(_is_number(value) for value in values):
        raise Http404
    return list(dict.fromkeys(map(int, values)))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 19
