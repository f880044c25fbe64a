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
    "or remove it to use the default rules."
)
HIDE_HINT = "Write hide(self, instance), which unpublishes a post, and show(self, instance), which publishes it again."
LIVE_HINT = "Write live(self), a queryset without hidden posts, and name the fields that it reads in watch."
COMPARED_HINT = (
    "Write compared(self), a queryset with hidden posts, such as self.model._default_manager.all()."
)


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
        yield f"{rules!r} is not a list of rules", RULES_HINT
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
        yield "the rules hold posts, but hide() or show() is missing", HIDE_HINT
    if adapter_class.live is Adapter.live:
        yield "the rules hold posts, but live() includes hidden posts", LIVE_HINT
    elif adapter.hold_until_checked and adapter_class.compared is Adapter.compared:
        yield (
            "the rules hold posts until they are checked, but compared() excludes hidden posts",
            COMPARED_HINT,
        )
