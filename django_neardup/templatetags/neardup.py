"""``{% load neardup %}``: grouped lists, similar posts, the canonical link, uniqueness, an author's posts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from django import template
from django.template.base import (
    FilterExpression,
    Parser,
    Token,
    Variable,
    VariableDoesNotExist,
    kwarg_re,
    token_kwargs,
)
from django.template.context import Context
from django.utils.html import conditional_escape

from ..authors import FATES_LIMIT, Fates, fates
from ..listing.group import group
from ..seo.canonical import canonical_link
from ..similar_posts import SIMILAR_LIMIT, SimilarBlock, uniqueness_percent
from ..visibility import GroupingError

register = template.Library()


class TagUsage(NamedTuple):
    """The syntax of a tag.

    - ``text``: the usage text for errors.
    - ``arguments``: names of the required arguments.
    - ``options``: names of the optional arguments.
    - ``can_print``: whether the tag can be used without ``as``.
    - ``accepts_none``: whether the first argument may be None, like the text of a post without one.
    """

    text: str
    arguments: tuple[str, str]
    options: tuple[str, ...] = ()
    can_print: bool = True
    accepts_none: bool = False

    def syntax_error(self, problem: str) -> template.TemplateSyntaxError:
        return template.TemplateSyntaxError(f"{problem} {self.text}")


USAGES = {
    "neardup_group": TagUsage(
        "Write {% neardup_group page_obj visible_ads as groups %} with a list or page of posts, the queryset of all "
        "posts that this visitor may see, and a name for the result.",
        ("objects", "visible"),
        can_print=False,
    ),
    "neardup_similar": TagUsage(
        "Write {% neardup_similar ad visible_ads limit=5 as similar %} with a post and the queryset of all posts that "
        "this visitor may see. The limit and the name are optional.",
        ("instance", "visible"),
        ("limit",),
    ),
    "neardup_canonical": TagUsage(
        "Write {% neardup_canonical ad visible_ads %} with a post and the queryset of all posts that visitors may see.",
        ("instance", "visible"),
    ),
    "neardup_uniqueness": TagUsage(
        "Write {% neardup_uniqueness ad visible_ads as percent %} with a text or a post, and the queryset of the posts "
        "to compare with.",
        ("text", "visible"),
        accepts_none=True,
    ),
    "neardup_fates": TagUsage(
        "Write {% neardup_fates author visible_ads limit=20 as fates %} with an author and the queryset of all posts "
        "that the author may see. The limit and the name are optional.",
        ("author", "visible"),
        ("limit",),
        accepts_none=True,
    ),
}


class NeardupNode(template.Node):
    """Calls ``function`` with the values of its arguments in the context.

    It prints the result, or stores it in the context if the tag has a name.
    """

    def __init__(
        self, tag: str, function: Callable[..., Any], values: dict[str, FilterExpression], name: str
    ) -> None:
        self.tag, self.function, self.values, self.name = tag, function, values, name

    def render(self, context: Context) -> str:
        usage = USAGES[self.tag]
        # A missing variable becomes None here and gets a readable error below.
        arguments = {
            argument: value.resolve(context, ignore_failures=True) for argument, value in self.values.items()
        }
        first_argument = self.values[usage.arguments[0]]
        if arguments[usage.arguments[0]] is None and not (
            usage.accepts_none and _is_defined(first_argument, context)
        ):
            raise usage.syntax_error(f"{self.tag}: the variable {first_argument} is not in the context.")
        try:
            result = self.function(context, **arguments)
        except GroupingError as error:
            raise usage.syntax_error(f"{self.tag}: {error}") from error
        if self.name:
            context[self.name] = result
            return ""
        return conditional_escape(result) if context.autoescape else str(result)


def _is_defined(value: FilterExpression, context: Context) -> bool:
    """Return whether the context has the variable. Its value may be None."""
    try:
        if isinstance(value.var, Variable):
            value.var.resolve(context)
    except VariableDoesNotExist:
        return False
    return True


def _register_tag(function: Callable[..., Any]) -> Callable[..., Any]:
    """Register a function as a tag. Its parameters are the context and the arguments in ``USAGES``."""
    tag = function.__name__

    def compiled(parser: Parser, token: Token) -> template.Node:
        usage, bits = USAGES[tag], token.split_contents()[1:]
        name = bits.pop() if len(bits) > 1 and bits[-2] == "as" else ""
        if name:
            bits.pop()
        required, rest = bits[: len(usage.arguments)], bits[len(usage.arguments) :]
        options = token_kwargs(rest, parser)
        is_malformed = rest or set(options) - set(usage.options) or any(map(_is_keyword, required))
        if is_malformed or len(required) < len(usage.arguments) or not (name or usage.can_print):
            raise usage.syntax_error(f"{token.contents!r} has wrong arguments.")
        values = dict(zip(usage.arguments, map(parser.compile_filter, required), strict=True))
        return NeardupNode(tag, function, values | options, name)

    register.tag(tag, compiled)
    return function


def _is_keyword(bit: str) -> bool:
    """Return whether an argument is written as ``name=value``."""
    match = kwarg_re.match(bit)
    return match is not None and bool(match[1])


@_register_tag
def neardup_group(context: Context, objects: Any, visible: Any) -> Any:
    """Return one entry for each cluster, as ``neardup.group()``.

    ``{% neardup_group page_obj visible_ads as groups %}``.
    """
    return group(objects, visible)


@_register_tag
def neardup_similar(
    context: Context, instance: Any, visible: Any, limit: Any = SIMILAR_LIMIT
) -> SimilarBlock:
    """Return the most similar posts: ``{% neardup_similar ad visible_ads limit=5 as similar %}``.

    Without ``as``, print their block.
    """
    return SimilarBlock(instance, visible, limit, context.get("request"))


@_register_tag
def neardup_canonical(context: Context, instance: Any, visible: Any) -> Any:
    """Return the link that names the canonical post to search engines.

    ``{% neardup_canonical ad visible_ads %}``.
    """
    return canonical_link(instance, visible, context.get("request"))


@_register_tag
def neardup_uniqueness(context: Context, text: Any, visible: Any) -> int:
    """Return the share of a text that occurs in no other post, in whole percent.

    ``{% neardup_uniqueness ad visible_ads %}``.
    """
    return uniqueness_percent(text, visible)


@_register_tag
def neardup_fates(context: Context, author: Any, visible: Any, limit: Any = FATES_LIMIT) -> Fates:
    """Return what happened to an author's removed posts.

    ``{% neardup_fates author visible_ads as fates %}``.
    """
    return fates(author, visible=visible, limit=limit, request=context.get("request"))
