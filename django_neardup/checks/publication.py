"""Checks of the rules of publication, and of adapters whose posts are to be held by them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.core.checks import CheckMessage

from ..adapters import Adapter, registered
from ..publishing.rules import faults_of
from .adapters import name_of
from .profiles import profiles
from .table import problem

SHAPE = 'Write a list of rules such as {"action": "warn", "verdict": "duplicate"}, or leave it out for those of ours.'
HIDE = (
    "Write hide(self, instance) and show(self, instance), which take a post from publication and put it back."
)
LIVE = "Write live(self), which leaves hidden posts out, and name what it asks in watch."
COMPARED = "Write compared(self), which holds hidden posts too: self.model._default_manager.all(), say."


def check_rules(**kwargs: Any) -> list[CheckMessage]:
    tables: list[tuple[str, Any, Any]] = [
        (f"NEARDUP[{alias!r}]: PUBLICATION", values["PUBLICATION"], None) for alias, values in profiles()
    ]
    tables += [
        (f"{name_of(each)}.publication", each.publication, model) for model, each in registered().items()
    ]
    return [
        problem("E016", f"{name}: {why}.", hint, model)
        for name, table, model in tables
        if table is not None
        for why, hint in _faults(table)
    ]


def check_holding(**kwargs: Any) -> list[CheckMessage]:
    return [
        problem("E018", f"{name_of(adapter)}: {why}.", hint, model)
        for model, adapter in registered().items()
        if adapter.hold_until_checked or _holds(adapter)
        for why, hint in _lacking(adapter)
    ]


def _faults(table: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(table, list | tuple):
        yield f"{table!r} is no list of rules", SHAPE
        return
    for rule in table:
        yield from faults_of(rule)


def _holds(adapter: Adapter) -> bool:
    """Whether a table that the site wrote says so; by the rules of ours such a post is warned of instead."""
    table = adapter.publication
    if table is None:
        table = dict(profiles()).get(adapter.profile, {}).get("PUBLICATION")
    rules = table if isinstance(table, list | tuple) else ()
    return any(isinstance(rule, dict) and rule.get("action") == "hold" for rule in rules)


def _lacking(adapter: Adapter) -> Iterator[tuple[str, str]]:
    kind = type(adapter)
    if not adapter.can_hide or kind.show is Adapter.show:
        yield "posts are to be held, and it does not say how to hide and to show one", HIDE
    if kind.live is Adapter.live:
        yield "posts are to be held, and live() holds hidden ones too", LIVE
    elif adapter.hold_until_checked and kind.compared is Adapter.compared:
        yield "posts are to be held until they are checked, and compared() leaves hidden ones out", COMPARED
