"""The table of rules that decides about a post that is similar to another."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar, cast

from django.db.models import Model

from ..adapters import Adapter
from ..exceptions import InvalidRule
from ..models import Verdict
from ..querysets import field_value
from .text_facts import TEXT_FACTS

RuleAction = Literal["ignore", "warn", "hold", "block"]
ACTIONS: tuple[RuleAction, ...] = ("ignore", "warn", "hold", "block")
"""The actions, from the mildest to the strongest."""

DEFAULT_RULES: tuple[Mapping[str, Any], ...] = (
    {"action": "ignore", "trust": "staff"},
    {"action": "hold", "too_long": True},
    {"action": "hold", "deleted": True, "own": True, "exact": True},
    {"action": "ignore", "deleted": True},
    {"action": "block", "verdict": "duplicate", "own": True, "exact": True},
    {"action": "hold", "verdict": "duplicate", "own": True},
    {"action": "warn", "verdict": "duplicate"},
)
"""Mild rules. Staff are let through. If the author has a similar post, it is renewed or the new one is
reviewed. Similar posts of other authors are shown. A text that is too long to be compared is reviewed. A
partial search has no rule: its author can do nothing about it, and there is no post to show."""

FLAG_KEYS = ("exact", "own", "deleted")
WORD_KEYS = ("verdict", "trust", "scope")
RULE_KEYS = ("action", *WORD_KEYS[:1], *FLAG_KEYS, *WORD_KEYS[1:], *TEXT_FACTS)
STRONGEST_FOR_FACT: RuleAction = "hold"
"""The strongest action for a fact about the text. Only an exact copy is refused."""


class MatchFacts(Protocol):
    """The properties of a match that rules read.

    ``deleted``: the time of deletion of a remembered post. It is falsy for other posts. ``doubtful``: the verdict
    is in doubt.
    """

    @property
    def verdict(self) -> str: ...
    @property
    def exact(self) -> bool: ...
    @property
    def own(self) -> bool: ...
    @property
    def deleted(self) -> object: ...
    @property
    def doubtful(self) -> bool: ...


Found = TypeVar("Found", bound=MatchFacts)


@dataclass(frozen=True)
class Rule:
    """A row of the table. A condition that is None is always true."""

    action: RuleAction
    verdict: frozenset[str] | None = None
    exact: bool | None = None
    own: bool | None = None
    deleted: bool | None = None
    trust: frozenset[str] | None = None
    scope: frozenset[str] | None = None
    facts: frozenset[str] = frozenset()

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> Rule:
        """Return the rule from the site's setting.

        Raise InvalidRule if it is wrong. The message names the error and the remedy.
        """
        for problem, hint in rule_errors(mapping):
            raise InvalidRule(f"{problem}. {hint}")
        words: dict[str, Any] = {
            name: _to_word_set(mapping[name]) for name in WORD_KEYS if mapping.get(name) is not None
        }
        flags = {name: mapping[name] for name in FLAG_KEYS if name in mapping}
        facts = frozenset(fact for fact in TEXT_FACTS if mapping.get(fact))
        return cls(mapping["action"], **words, **flags, facts=facts)

    def applies_to(self, trust: str, scope: Collection[str]) -> bool:
        """Return whether the rule applies to posts of people with this trust, in this scope."""
        if self.trust is not None and trust not in self.trust:
            return False
        return self.scope is None or not self.scope.isdisjoint(scope)

    def matches(self, match: MatchFacts) -> bool:
        """Return whether the rule applies to posts similar to this one."""
        if self.facts:
            return False
        if self.verdict is not None and str(match.verdict) not in self.verdict:
            return False
        flags = {"exact": match.exact, "own": match.own, "deleted": bool(match.deleted)}
        return all(getattr(self, name) in (None, value) for name, value in flags.items())

    def matches_fact(self, fact: str) -> bool:
        """Return whether the rule applies to a text with this fact: it names the fact, or lets everything through."""
        return fact in self.facts or (self.action == "ignore" and self.is_unconditional)

    @property
    def is_unconditional(self) -> bool:
        """Whether the rule has no condition on the match or the text."""
        return not self.facts and all(getattr(self, name) is None for name in ("verdict", *FLAG_KEYS))


@dataclass(frozen=True)
class PublicationDecision(Generic[Found]):
    """The strongest action, and the matches and the facts about the text that caused it.

    There are none if the post is let through.
    """

    action: RuleAction
    causes: Sequence[Found] = ()
    facts: Sequence[str] = ()


def apply_rules(
    matches: Iterable[Found],
    adapter: Adapter,
    *,
    trust: str = "",
    scope: Iterable[Any] = (),
    facts: Iterable[str] = (),
) -> PublicationDecision[Found]:
    """Return the decision about a post of the adapter's model that is similar to the matches.

    ``trust``: the result of ``Adapter.trust`` for the person who publishes. ``scope``: the post's values of
    the adapter's ``scope``. ``facts``: those of ``TEXT_FACTS`` that are true of the text. The first rule that
    applies to a match or a fact decides its action. The strongest action of all is taken.
    """
    rules = _rules_for(adapter, trust, scope)
    causes: dict[RuleAction, list[Found]] = {action: [] for action in ACTIONS}
    for match in matches:
        causes[action_for(match, rules)].append(match)
    action_by_fact = {fact: _action_for_fact(fact, rules) for fact in facts}
    for action in reversed(ACTIONS[1:]):
        action_facts = tuple(fact for fact, fact_action in action_by_fact.items() if fact_action == action)
        if causes[action] or action_facts:
            return PublicationDecision(action, tuple(causes[action]), action_facts)
    return PublicationDecision("ignore")


def action_for(match: MatchFacts, rules: Iterable[Rule]) -> RuleAction:
    """Return the action of the first rule that applies. Return "ignore" if no rule applies.

    A doubt at most warns, and only an exact copy is refused: instead of "block" the action is then "hold".
    """
    action: RuleAction = next((rule.action for rule in rules if rule.matches(match)), "ignore")
    strongest: RuleAction = "warn" if match.doubtful else "block" if match.exact else "hold"
    return ACTIONS[min(ACTIONS.index(action), ACTIONS.index(strongest))]


def _action_for_fact(fact: str, rules: Iterable[Rule]) -> RuleAction:
    """Return the action of the first rule that applies to the fact. Return "ignore" if no rule applies."""
    action: RuleAction = next((rule.action for rule in rules if rule.matches_fact(fact)), "ignore")
    return ACTIONS[min(ACTIONS.index(action), ACTIONS.index(STRONGEST_FOR_FACT))]


def is_match_allowed(match: MatchFacts, adapter: Adapter, *, trust: str, scope: Iterable[Any] = ()) -> bool:
    """Return whether a rule lets a post through that is similar to this match.

    Return False if no rule applies.
    """
    rules = _rules_for(adapter, trust, scope)
    return next((rule.action == "ignore" for rule in rules if rule.matches(match)), False)


def is_exempt(adapter: Adapter, *, trust: str, scope: Iterable[Any] = ()) -> bool:
    """Return whether posts of people with this trust, in this scope, are let through with any matches."""
    for rule in _rules_for(adapter, trust, scope):
        if rule.action != "ignore":
            return False
        if rule.is_unconditional:
            return True
    return True


def _rules_for(adapter: Adapter, trust: str, scope: Iterable[Any]) -> list[Rule]:
    """Return the rules that apply to people with this trust, in this scope."""
    values = {str(value) for value in scope}
    return [rule for rule in rules_of(adapter) if rule.applies_to(trust, values)]


def rules_of(adapter: Adapter) -> list[Rule]:
    """Return the rules of the adapter, of its profile, or ``DEFAULT_RULES``, in this order.

    Raise InvalidRule if they cannot be parsed.
    """
    return [Rule.from_mapping(mapping) for mapping in configured_rules(adapter)]


def configured_rules(adapter: Adapter) -> Sequence[Mapping[str, Any]]:
    """Return the effective rules of an adapter as mappings."""
    if adapter.publication is not None:
        return adapter.publication
    profile_rules = adapter.settings.publication
    return DEFAULT_RULES if profile_rules is None else profile_rules


def scope_values(adapter: Adapter, instance: Model) -> tuple[str, ...]:
    """Return the post's values of the adapter's ``scope``."""
    values = (field_value(instance, name) for name in adapter.scope)
    return tuple("" if value is None else str(value) for value in values)


def rule_errors(mapping: Any) -> Iterator[tuple[str, str]]:
    """Yield the errors of a rule mapping with their remedies."""
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
    for name in (fact for fact in TEXT_FACTS if fact in mapping):
        if mapping[name] is not True:
            yield (
                f"{name!r} is {mapping[name]!r}",
                f"It is True. Leave {name!r} out of rules about similar posts.",
            )
        if others := [key for key in ("verdict", *FLAG_KEYS) if mapping.get(key) is not None]:
            yield (
                f"a rule has both {name!r} and {others[0]!r}",
                "One is about the text, the other about a similar post. Write two rules.",
            )
    unknown_words = _to_word_set(mapping.get("verdict", ())) - set(Verdict.values)
    for word in sorted(unknown_words):
        yield f"the verdict {word!r} is unknown", f"It is one or several of {', '.join(Verdict.values)}."


def _to_word_set(value: Any) -> frozenset[str]:
    """Return one value or several values as a set of strings."""
    if value is None:
        return frozenset()
    is_collection = isinstance(value, Collection) and not isinstance(value, str | bytes)
    return frozenset(str(word) for word in (cast(Collection[Any], value) if is_collection else [value]))
