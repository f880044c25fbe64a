"""The tags of ``{% load neardup %}`` as functions for Jinja2.

In ``TEMPLATES``, set ``"OPTIONS": {"extensions": ["django_neardup.jinja2.Neardup"]}``. If you create the
environment yourself, call ``environment.globals.update(django_neardup.jinja2.FUNCTIONS)``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .authors import FATES_LIMIT, Fates, fates
from .listing.group import Group, group
from .seo.canonical import canonical_link
from .similar_posts import SIMILAR_LIMIT, SimilarBlock, uniqueness_percent
from .visibility import GroupingError

try:
    from jinja2 import Environment, Undefined, pass_context
    from jinja2.ext import Extension
    from jinja2.runtime import Context
    from markupsafe import Markup
except ImportError as error:
    raise ImportError('django_neardup.jinja2 needs Jinja2: pip install "jinja2>=3.1".') from error


def neardup_group(objects: Any, visible: Any) -> list[Group]:
    """Return one entry for each cluster: ``{% for group in neardup_group(page_obj, visible_ads) %}``."""
    return group(_require_defined(objects), _require_defined(visible))


@pass_context
def neardup_similar(
    context: Context, instance: Any, visible: Any, limit: int = SIMILAR_LIMIT
) -> SimilarBlock:
    """Return the most similar posts.

    Printed, they are a block: ``{{ neardup_similar(ad, visible_ads, limit=5) }}``.
    """
    return SimilarBlock(_require_defined(instance), _require_defined(visible), limit, context.get("request"))


@pass_context
def neardup_canonical(context: Context, instance: Any, visible: Any) -> Markup:
    """Return the canonical link for search engines: ``{{ neardup_canonical(ad, visible_ads) }}``."""
    # format_html has built it.
    return Markup(  # noqa: S704  # nosec B704
        canonical_link(_require_defined(instance), _require_defined(visible), context.get("request"))
    )


def neardup_uniqueness(text: Any, visible: Any) -> int:
    """Return the share of a text or a post that occurs in no other post, in whole percent."""
    return uniqueness_percent(_require_defined(text), _require_defined(visible))


@pass_context
def neardup_fates(context: Context, author: Any, visible: Any, limit: int = FATES_LIMIT) -> Fates:
    """Return what happened to an author's posts.

    Printed, it is a list: ``{{ neardup_fates(user, visible_ads) }}``.
    """
    request = context.get("request")
    return fates(_require_defined(author), visible=_require_defined(visible), limit=limit, request=request)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (neardup_group, neardup_similar, neardup_canonical, neardup_uniqueness, neardup_fates)
}
"""The functions by the names of the tags."""


class Neardup(Extension):
    """Extension that adds ``FUNCTIONS`` to an environment."""

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        environment.globals.update(FUNCTIONS)


def _require_defined(value: Any) -> Any:
    """Return the value. Raise GroupingError if the context lacks the name."""
    # Undefined iterates as an empty list: the page would show no posts, and no error.
    if isinstance(value, Undefined):
        raise GroupingError(f"The variable {value._undefined_name} is not in the context.")
    return value
