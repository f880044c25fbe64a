"""The tags of ``{% load neardup %}`` as functions for Jinja2.

In ``TEMPLATES``: ``"OPTIONS": {"extensions": ["django_neardup.jinja2.Neardup"]}``; or, where the environment is made by
hand, ``environment.globals.update(django_neardup.jinja2.FUNCTIONS)``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .authors import MOST, Fates, fates
from .canonical import canonical_link
from .grouping import Group, group
from .similar import LIMIT, Block, whole_percent
from .visible import GroupingError

try:
    from jinja2 import Environment, Undefined, pass_context
    from jinja2.ext import Extension
    from jinja2.runtime import Context
    from markupsafe import Markup
except ImportError as error:
    raise ImportError('django_neardup.jinja2 needs Jinja2: pip install "jinja2>=3.1".') from error


def neardup_group(objects: Any, visible: Any) -> list[Group]:
    """One entry a cluster: ``{% for group in neardup_group(page_obj, visible_ads) %}``."""
    return group(_defined(objects), _defined(visible))


@pass_context
def neardup_similar(context: Context, instance: Any, visible: Any, limit: int = LIMIT) -> Block:
    """The likest posts; printed, their block: ``{{ neardup_similar(ad, visible_ads, limit=5) }}``."""
    return Block(_defined(instance), _defined(visible), limit, context.get("request"))


@pass_context
def neardup_canonical(context: Context, instance: Any, visible: Any) -> Markup:
    """The link for search engines: ``{{ neardup_canonical(ad, visible_ads) }}``."""
    return Markup(canonical_link(_defined(instance), _defined(visible), context.get("request")))


def neardup_uniqueness(text: Any, visible: Any) -> int:
    """How much of a text or of a post is its own, in whole percent."""
    return whole_percent(_defined(text), _defined(visible))


@pass_context
def neardup_fates(context: Context, author: Any, visible: Any, limit: int = MOST) -> Fates:
    """What became of an author's posts; printed, their list: ``{{ neardup_fates(user, visible_ads) }}``."""
    request = context.get("request")
    return fates(_defined(author), visible=_defined(visible), limit=limit, request=request)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    each.__name__: each
    for each in (neardup_group, neardup_similar, neardup_canonical, neardup_uniqueness, neardup_fates)
}
"""By the names of the tags."""


class Neardup(Extension):
    """Gives an environment all of ``FUNCTIONS``."""

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        environment.globals.update(FUNCTIONS)


def _defined(value: Any) -> Any:
    """``GroupingError`` for a name that the context lacks: an empty list would say that there is nothing."""
    if isinstance(value, Undefined):
        raise GroupingError(f"The context has no {value._undefined_name}.")
    return value
