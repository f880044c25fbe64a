"""Checks of the publication rules, and of adapters that must be able to hold posts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.core.checks import CheckMessage

from ..adapters import Adapter, registered_adapters
from ..prepublication.rules import rule_errors
from .adapters import adapter_name
from .messages import check_message
from .profiles import configured_profiles

RULES_HINT = (
    'Write a list of rules such as {"action": "warn", "verdict": "duplicate"}, '
    "or leave it out for those of ours."
)
HIDE_HINT = (
    "Write hide(self, instance) and show(self, instance), which take a post from publication and put it back."
)
LIVE_HINT = "Write live(self), which leaves hidden posts out, and name what it asks in watch."
COMPARED_HINT = "Write compared(self), which holds hidden posts too: self.model._default_manager.all(), say."


def check_rules(**kwargs: Any) -> list[CheckMessage]:
    tables: list[tuple[str, Any, Any]] = [
        (f"NEARDUP[{alias!r}]: PUBLICATION", values["PUBLICATION"], None)
        for alias, values in configured_profiles()
    ]
    tables += [
        (f"{adapter_name(adapter)}.publication", adapter.publication, model)
        for model, adapter in registered_adapters().items()
    ]
    return [
        check_message("E016", f"{name}: {problem}.", hint, model)
        for name, table, model in tables
        if table is not None
        for problem, hint in _rule_problems(table)
    ]


def check_hold_support(**kwargs: Any) -> list[CheckMessage]:
    return [
        check_message("E018", f"{adapter_name(adapter)}: {why}.", hint, model)
        for model, adapter in registered_adapters().items()
        if adapter.hold_until_checked or _has_hold_rule(adapter)
        for why, hint in _hold_support_problems(adapter)
    ]


def _rule_problems(rules: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(rules, list | tuple):
        yield f"{rules!r} is no list of rules", RULES_HINT
        return
    for rule in rules:
        yield from rule_errors(rule)


def _has_hold_rule(adapter: Adapter) -> bool:
    """Return whether rules that the site wrote hold posts.

    The default rules do not count: if a post cannot be held, they warn about it instead.
    """
    table = adapter.publication
    if table is None:
        table = dict(configured_profiles()).get(adapter.profile, {}).get("PUBLICATION")
    rules = table if isinstance(table, list | tuple) else ()
    return any(isinstance(rule, dict) and rule.get("action") == "hold" for rule in rules)


def _hold_support_problems(adapter: Adapter) -> Iterator[tuple[str, str]]:
    adapter_class = type(adapter)
    if not adapter.can_hide or adapter_class.show is Adapter.show:
        yield "posts are to be held, and it does not say how to hide and to show one", HIDE_HINT
    if adapter_class.live is Adapter.live:
        yield "posts are to be held, and live() holds hidden ones too", LIVE_HINT
    elif adapter.hold_until_checked and adapter_class.compared is Adapter.compared:
        yield (
            "posts are to be held until they are checked, and compared() leaves hidden ones out",
            COMPARED_HINT,
        )
