"""The policy matrix: what becomes of a post that is like another, as a table of rules."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar, cast

from django.db.models import Model

from ..adapters import Adapter
from ..models import Verdict
from ..querysets import field_value

RuleAction = Literal["ignore", "warn", "hold", "block"]
ACTIONS: tuple[RuleAction, ...] = ("ignore", "warn", "hold", "block")
"""From the mildest to the strongest."""

DEFAULT_RULES: tuple[Mapping[str, Any], ...] = (
    {"action": "ignore", "trust": "staff"},
    {"action": "hold", "deleted": True, "own": True, "exact": True},
    {"action": "ignore", "deleted": True},
    {"action": "block", "verdict": "duplicate", "own": True, "exact": True},
    {"action": "hold", "verdict": "duplicate", "own": True},
    {"action": "warn", "verdict": "duplicate"},
)
"""Mild: staff are let through, one's own post is renewed or looked at first, others' posts are shown."""

FLAG_KEYS = ("exact", "own", "deleted")
WORD_KEYS = ("verdict", "trust", "scope")
RULE_KEYS = ("action", *WORD_KEYS[:1], *FLAG_KEYS, *WORD_KEYS[1:])


class MatchFacts(Protocol):
    """What rules ask of a match. ``deleted``: when the post was deleted that is remembered, else nothing."""

    @property
    def verdict(self) -> str: ...
    @property
    def exact(self) -> bool: ...
    @property
    def own(self) -> bool: ...
    @property
    def deleted(self) -> object: ...


Found = TypeVar("Found", bound=MatchFacts)


@dataclass(frozen=True)
class Rule:
    """A line of the table; a condition that is None holds for everything."""

    action: RuleAction
    verdict: frozenset[str] | None = None
    exact: bool | None = None
    own: bool | None = None
    deleted: bool | None = None
    trust: frozenset[str] | None = None
    scope: frozenset[str] | None = None

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> Rule:
        """The rule as a site writes it; ValueError with what is wrong, and what to write."""
        for why, hint in rule_errors(mapping):
            raise ValueError(f"{why}. {hint}")
        words: dict[str, Any] = {
            name: _to_word_set(mapping[name]) for name in WORD_KEYS if mapping.get(name) is not None
        }
        flags = {name: mapping[name] for name in FLAG_KEYS if name in mapping}
        return cls(mapping["action"], **words, **flags)

    def applies_to(self, trust: str, scope: Collection[str]) -> bool:
        """Whether it holds for posts of such people in such a scope."""
        if self.trust is not None and trust not in self.trust:
            return False
        return self.scope is None or not self.scope.isdisjoint(scope)

    def matches(self, match: MatchFacts) -> bool:
        """Whether it holds for posts that are like this one."""
        if self.verdict is not None and str(match.verdict) not in self.verdict:
            return False
        found = {"exact": match.exact, "own": match.own, "deleted": bool(match.deleted)}
        return all(getattr(self, name) in (None, value) for name, value in found.items())

    @property
    def is_unconditional(self) -> bool:
        """Whether it asks nothing of the match."""
        return all(getattr(self, name) is None for name in ("verdict", *FLAG_KEYS))


@dataclass(frozen=True)
class PublicationDecision(Generic[Found]):
    """The strongest action, and the matches that it came of; none where the post is let through."""

    action: RuleAction
    causes: Sequence[Found] = ()


def apply_rules(
    matches: Iterable[Found], adapter: Adapter, *, trust: str = "", scope: Iterable[Any] = ()
) -> PublicationDecision[Found]:
    """What becomes of a post of that adapter's model that is like those.

    ``trust``: the word of ``Adapter.trust`` for whoever publishes it; ``scope``: the post's values of the adapter's
    ``scope``. The first rule that holds for a match decides it, the strongest action of all stands.
    """
    rules = _rules_for(adapter, trust, scope)
    causes: dict[RuleAction, list[Found]] = {action: [] for action in ACTIONS}
    for match in matches:
        causes[action_for(match, rules)].append(match)
    for action in reversed(ACTIONS[1:]):
        if causes[action]:
            return PublicationDecision(action, tuple(causes[action]))
    return PublicationDecision("ignore")


def action_for(match: MatchFacts, rules: Iterable[Rule]) -> RuleAction:
    """The action of the first rule that holds; "ignore" where none does."""
    return next((rule.action for rule in rules if rule.matches(match)), "ignore")


def is_match_allowed(match: MatchFacts, adapter: Adapter, *, trust: str, scope: Iterable[Any] = ()) -> bool:
    """Whether a rule lets a post through that is like this one; not where none speaks of it."""
    rules = _rules_for(adapter, trust, scope)
    return next((rule.action == "ignore" for rule in rules if rule.matches(match)), False)


def is_exempt(adapter: Adapter, *, trust: str, scope: Iterable[Any] = ()) -> bool:
    """Whether whoever has that trust is let through, whatever the post is like."""
    for rule in _rules_for(adapter, trust, scope):
        if rule.action != "ignore":
            return False
        if rule.is_unconditional:
            return True
    return True


def _rules_for(adapter: Adapter, trust: str, scope: Iterable[Any]) -> list[Rule]:
    """Those of such people in such a scope."""
    values = {str(value) for value in scope}
    return [rule for rule in rules_of(adapter) if rule.applies_to(trust, values)]


def rules_of(adapter: Adapter) -> list[Rule]:
    """The adapter's own rules, else those of its profile, else ``DEFAULT``; ValueError where they cannot be read."""
    return [Rule.from_mapping(written) for written in configured_rules(adapter)]


def configured_rules(adapter: Adapter) -> Sequence[Mapping[str, Any]]:
    """The table that is in force for that adapter, as it is written."""
    if adapter.publication is not None:
        return adapter.publication
    chosen = adapter.settings.publication
    return DEFAULT_RULES if chosen is None else chosen


def scope_values(adapter: Adapter, instance: Model) -> tuple[str, ...]:
    """The post's values of the adapter's ``scope``."""
    values = (field_value(instance, name) for name in adapter.scope)
    return tuple("" if value is None else str(value) for value in values)


def rule_errors(mapping: Any) -> Iterator[tuple[str, str]]:
    """What is wrong with a rule as it is written, and what to write."""
    if not isinstance(mapping, Mapping):
        yield f"{mapping!r} is no rule", 'Write mappings such as {"action": "warn", "verdict": "duplicate"}.'
        return
    for key in (key for key in mapping if key not in RULE_KEYS):
        yield f"a rule has an unknown key {key!r}", f"Known: {', '.join(RULE_KEYS)}."
    if mapping.get("action") not in ACTIONS:
        yield f"the action {mapping.get('action')!r} is unknown", f"It is one of {', '.join(ACTIONS)}."
    for name in FLAG_KEYS:
        if mapping.get(name) not in (None, True, False):
            yield f"{name!r} is {mapping[name]!r}", f"It is True or False; leave {name!r} out for either."
    unknown = _to_word_set(mapping.get("verdict", ())) - set(Verdict.values)
    for word in sorted(unknown):
        yield f"the verdict {word!r} is unknown", f"It is one or several of {', '.join(Verdict.values)}."


def _to_word_set(value: Any) -> frozenset[str]:
    """One value or several."""
    if value is None:
        return frozenset()
    several = isinstance(value, Collection) and not isinstance(value, str | bytes)
    return frozenset(str(each) for each in (cast(Collection[Any], value) if several else [value]))
