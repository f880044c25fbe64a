"""The policy matrix: what becomes of a post that is like another, as a table of rules."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar, cast

from django.db.models import Model

from ..adapters import Adapter
from ..columns import value_of
from ..models import Verdict

Action = Literal["ignore", "warn", "hold", "block"]
ACTIONS: tuple[Action, ...] = ("ignore", "warn", "hold", "block")
"""From the mildest to the strongest."""

DEFAULT: tuple[Mapping[str, Any], ...] = (
    {"action": "ignore", "trust": "staff"},
    {"action": "hold", "deleted": True, "own": True, "exact": True},
    {"action": "ignore", "deleted": True},
    {"action": "block", "verdict": "duplicate", "own": True, "exact": True},
    {"action": "hold", "verdict": "duplicate", "own": True},
    {"action": "warn", "verdict": "duplicate"},
)
"""Mild: staff are let through, one's own post is renewed or looked at first, others' posts are shown."""

FLAGS = ("exact", "own", "deleted")
WORDS = ("verdict", "trust", "scope")
KEYS = ("action", *WORDS[:1], *FLAGS, *WORDS[1:])


class Alike(Protocol):
    """What rules ask of a match. ``deleted``: when the post was deleted that is remembered, else nothing."""

    @property
    def verdict(self) -> str: ...
    @property
    def exact(self) -> bool: ...
    @property
    def own(self) -> bool: ...
    @property
    def deleted(self) -> object: ...


Found = TypeVar("Found", bound=Alike)


@dataclass(frozen=True)
class Rule:
    """A line of the table; a condition that is None holds for everything."""

    action: Action
    verdict: frozenset[str] | None = None
    exact: bool | None = None
    own: bool | None = None
    deleted: bool | None = None
    trust: frozenset[str] | None = None
    scope: frozenset[str] | None = None

    @classmethod
    def of(cls, written: Mapping[str, Any]) -> Rule:
        """The rule as a site writes it; ValueError with what is wrong, and what to write."""
        for why, hint in faults_of(written):
            raise ValueError(f"{why}. {hint}")
        words: dict[str, Any] = {
            name: _words(written[name]) for name in WORDS if written.get(name) is not None
        }
        flags = {name: written[name] for name in FLAGS if name in written}
        return cls(written["action"], **words, **flags)

    def speaks_to(self, trust: str, scope: Collection[str]) -> bool:
        """Whether it holds for posts of such people in such a scope."""
        if self.trust is not None and trust not in self.trust:
            return False
        return self.scope is None or not self.scope.isdisjoint(scope)

    def covers(self, match: Alike) -> bool:
        """Whether it holds for posts that are like this one."""
        if self.verdict is not None and str(match.verdict) not in self.verdict:
            return False
        found = {"exact": match.exact, "own": match.own, "deleted": bool(match.deleted)}
        return all(getattr(self, name) in (None, value) for name, value in found.items())

    @property
    def is_bare(self) -> bool:
        """Whether it asks nothing of the match."""
        return all(getattr(self, name) is None for name in ("verdict", *FLAGS))


@dataclass(frozen=True)
class Decision(Generic[Found]):
    """The strongest action, and the matches that it came of; none where the post is let through."""

    action: Action
    causes: Sequence[Found] = ()


def decide(
    matches: Iterable[Found], adapter: Adapter, *, trust: str = "", scope: Iterable[Any] = ()
) -> Decision[Found]:
    """What becomes of a post of that adapter's model that is like those.

    ``trust``: the word of ``Adapter.trust`` for whoever publishes it; ``scope``: the post's values of the adapter's
    ``scope``. The first rule that holds for a match decides it, the strongest action of all stands.
    """
    rules = _rules_for(adapter, trust, scope)
    causes: dict[Action, list[Found]] = {action: [] for action in ACTIONS}
    for match in matches:
        causes[action_for(match, rules)].append(match)
    for action in reversed(ACTIONS[1:]):
        if causes[action]:
            return Decision(action, tuple(causes[action]))
    return Decision("ignore")


def action_for(match: Alike, rules: Iterable[Rule]) -> Action:
    """The action of the first rule that holds; "ignore" where none does."""
    return next((rule.action for rule in rules if rule.covers(match)), "ignore")


def allows(match: Alike, adapter: Adapter, *, trust: str, scope: Iterable[Any] = ()) -> bool:
    """Whether a rule lets a post through that is like this one; not where none speaks of it."""
    rules = _rules_for(adapter, trust, scope)
    return next((rule.action == "ignore" for rule in rules if rule.covers(match)), False)


def exempts(adapter: Adapter, *, trust: str, scope: Iterable[Any] = ()) -> bool:
    """Whether whoever has that trust is let through, whatever the post is like."""
    for rule in _rules_for(adapter, trust, scope):
        if rule.action != "ignore":
            return False
        if rule.is_bare:
            return True
    return True


def _rules_for(adapter: Adapter, trust: str, scope: Iterable[Any]) -> list[Rule]:
    """Those of such people in such a scope."""
    values = {str(value) for value in scope}
    return [rule for rule in rules_of(adapter) if rule.speaks_to(trust, values)]


def rules_of(adapter: Adapter) -> list[Rule]:
    """The adapter's own rules, else those of its profile, else ``DEFAULT``; ValueError where they cannot be read."""
    return [Rule.of(written) for written in written_rules(adapter)]


def written_rules(adapter: Adapter) -> Sequence[Mapping[str, Any]]:
    """The table that is in force for that adapter, as it is written."""
    if adapter.publication is not None:
        return adapter.publication
    chosen = adapter.settings.publication
    return DEFAULT if chosen is None else chosen


def scope_of(adapter: Adapter, instance: Model) -> tuple[str, ...]:
    """The post's values of the adapter's ``scope``."""
    values = (value_of(instance, name) for name in adapter.scope)
    return tuple("" if value is None else str(value) for value in values)


def faults_of(written: Any) -> Iterator[tuple[str, str]]:
    """What is wrong with a rule as it is written, and what to write."""
    if not isinstance(written, Mapping):
        yield f"{written!r} is no rule", 'Write mappings such as {"action": "warn", "verdict": "duplicate"}.'
        return
    for key in (key for key in written if key not in KEYS):
        yield f"a rule has an unknown key {key!r}", f"Known: {', '.join(KEYS)}."
    if written.get("action") not in ACTIONS:
        yield f"the action {written.get('action')!r} is unknown", f"It is one of {', '.join(ACTIONS)}."
    for name in FLAGS:
        if written.get(name) not in (None, True, False):
            yield f"{name!r} is {written[name]!r}", f"It is True or False; leave {name!r} out for either."
    unknown = _words(written.get("verdict", ())) - set(Verdict.values)
    for word in sorted(unknown):
        yield f"the verdict {word!r} is unknown", f"It is one or several of {', '.join(Verdict.values)}."


def _words(value: Any) -> frozenset[str]:
    """One value or several."""
    if value is None:
        return frozenset()
    several = isinstance(value, Collection) and not isinstance(value, str | bytes)
    return frozenset(str(each) for each in (cast(Collection[Any], value) if several else [value]))
