"""What becomes of the rows that point at a post, as its adapter says, with defaults for known packages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase

from django.apps import apps
from django.db import models

from ..adapters import adapters_of
from .relations import ModelType, Reference

MOVE, UNITE, STAY, IGNORE, REFUSE = "move", "unite", "stay", "ignore", "refuse"
"""Rules of ``Adapter.relations``:

- the rows move to the keeper, and a clash wants a decision
- the rows that the keeper lacks move, and the others go
- the rows stay with the post. What the database deletes with it is journalled, and comes back with it
- the rows are derived, and the site rebuilds them: they are neither moved nor journalled
- a post with such rows is neither merged nor deleted
"""

RULES = (MOVE, UNITE, STAY, IGNORE, REFUSE)

DEFAULT_RULES = {
    "guardian.*": STAY,
    "reversion.version": STAY,
    "auditlog.logentry": STAY,
    "*.historical*": STAY,
    "authtoken.token": STAY,
    "django_tasks_*.*": STAY,
    "redirects.redirect": IGNORE,
    "taggit.taggeditem": UNITE,
    "wagtailcore.revision": STAY,
    "wagtailcore.*logentry": STAY,
    "wagtailcore.referenceindex": STAY,
    "wagtailcore.grouppagepermission": STAY,
    "wagtailcore.pageviewrestriction": STAY,
    "wagtailcore.workflow*": STAY,
    "wagtailcore.comment": STAY,
    "wagtailcore.pagesubscription": UNITE,
    "wagtailimages.rendition": IGNORE,
    "wagtailsearch.*": STAY,
    "modelsearch.*": STAY,
    "forum_attachments.*": MOVE,
    "forum_conversation.*": MOVE,
    "forum_permission.*": STAY,
    "forum_polls.*": MOVE,
    "forum_tracking.*": UNITE,
    "analytics.productrecord": UNITE,
    "analytics.userproductview": MOVE,
    "catalogue.productattributevalue": MOVE,
    "customer.productalert": MOVE,
    "reviews.productreview": MOVE,
    "wishlists.line": UNITE,
}
"""Rules for the models of known packages.

Permissions and history are not inherited. Redirects follow the old addresses that this app keeps. The rows of
the search of Wagtail stay too: they are restored exactly, and ``package_data`` updates the keeper's rows.
"""


class RelationRules:
    """The rules of the adapters of a model, then the defaults. A rule names a model, one of its fields, or both
    with ``*``. The longest name that fits wins.
    """

    def __init__(self, given: Mapping[str, str]) -> None:
        self._given = {name.lower(): rule for name, rule in given.items()}

    @classmethod
    def of(cls, model: ModelType) -> RelationRules:
        given: dict[str, str] = {}
        for adapter in reversed(adapters_of(model)):
            given |= adapter.relations
        return cls(given)

    @property
    def may_refuse(self) -> bool:
        return REFUSE in self._given.values()

    def rule_for(self, model: ModelType, field_name: str = "") -> str:
        """Return the rule for rows that point at a post by a field."""
        return self._named_rule(model, field_name) or MOVE

    def is_named(self, model: ModelType, field_name: str = "") -> bool:
        """Return whether a rule names these rows."""
        return bool(self._named_rule(model, field_name))

    def _named_rule(self, model: ModelType, field_name: str) -> str:
        names = [f"{model._meta.label_lower}.{field_name.lower()}", model._meta.label_lower]
        named = _longest(self._given, names) or _longest(DEFAULT_RULES, names)
        return named or (STAY if _is_history(model) else "")

    def rule_for_reference(self, reference: Reference) -> str:
        return self.rule_for(reference.model, reference.field.name)


def _is_history(model: ModelType) -> bool:
    """Return whether django-simple-history has made the model, under any name that the site has chosen."""
    return isinstance(getattr(model, "instance_type", None), models.base.ModelBase)


def stays_with_posts(model: ModelType, post_models: Iterable[ModelType]) -> bool:
    """Return whether rows of a model are part of such posts: they go and come back without being asked for."""
    return any(RelationRules.of(post_model).rule_for(model) in (STAY, IGNORE) for post_model in post_models)


def ignored_models(posts: Iterable[models.Model]) -> frozenset[ModelType]:
    """Return the models whose rows are derived from such posts: an action does not look at them."""
    all_rules = [RelationRules.of(model) for model in dict.fromkeys(type(post) for post in posts)]
    return frozenset(
        model
        for model in apps.get_models(include_auto_created=True)
        if any(rules.rule_for(model) == IGNORE for rules in all_rules)
    )


class AcceptedLoss:
    """The models, and tables of no model, that the adapters of posts accept to lose rows of."""

    def __init__(self, posts: Iterable[models.Model]) -> None:
        self.names = list(
            dict.fromkeys(
                name
                for model in dict.fromkeys(type(post) for post in posts)
                for adapter in adapters_of(model)
                for name in adapter.accepts_loss
            )
        )

    def covers(self, name: str) -> bool:
        """Return whether the label of a model, or the name of a table, is among them."""
        return bool(name) and any(fnmatchcase(name.lower(), pattern.lower()) for pattern in self.names)


def unknown_names(names: Iterable[str]) -> Iterator[str]:
    """Yield the names of models, or of their fields, that the site does not have.

    Names with ``*`` may be of none, and names without a dot are of tables.
    """
    labels = {model._meta.label_lower: model for model in apps.get_models(include_auto_created=True)}
    for name in names:
        label, dot, field_name = name.lower().rpartition(".")
        if "*" in name or not dot or name.lower() in labels:
            continue
        fields = {field.name.lower() for field in labels[label]._meta.get_fields()} if label in labels else ()
        if field_name not in fields:
            yield name


def _longest(rules: Mapping[str, str], names: Iterable[str]) -> str:
    fitting = [pattern for pattern in rules if any(fnmatchcase(name, pattern) for name in names)]
    return rules[max(fitting, key=len)] if fitting else ""
