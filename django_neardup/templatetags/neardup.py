"""``{% load neardup %}``: lists without repetitions, like posts, the address for search engines, an author's posts."""

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

from ..authors import MOST, Fates, fates
from ..canonical import canonical_link
from ..grouping import group
from ..similar import LIMIT, Block, whole_percent
from ..visible import GroupingError

register = template.Library()


class Usage(NamedTuple):
    """How a tag is written. ``arguments``: names of those that it needs; ``options``: of those it may have;
    ``nothing``: whether the first may be None, as the text of a post without one is."""

    text: str
    arguments: tuple[str, str]
    options: tuple[str, ...] = ()
    prints: bool = True
    nothing: bool = False

    def wrong(self, what: str) -> template.TemplateSyntaxError:
        return template.TemplateSyntaxError(f"{what} {self.text}")


USAGES = {
    "neardup_group": Usage(
        "Write {% neardup_group page_obj visible_ads as groups %}: a list or page of posts, the queryset of all "
        "that this visitor may see, and a name for the result.",
        ("objects", "visible"),
        prints=False,
    ),
    "neardup_similar": Usage(
        "Write {% neardup_similar ad visible_ads limit=5 as similar %}: a post, the queryset of all that this visitor "
        "may see, and, if you will, how many at most and a name for the result.",
        ("instance", "visible"),
        ("limit",),
    ),
    "neardup_canonical": Usage(
        "Write {% neardup_canonical ad visible_ads %}: a post and the queryset of all that visitors may see.",
        ("instance", "visible"),
    ),
    "neardup_uniqueness": Usage(
        "Write {% neardup_uniqueness ad visible_ads as percent %}: a text or a post, and the queryset of all that it "
        "is compared with.",
        ("text", "visible"),
        nothing=True,
    ),
    "neardup_fates": Usage(
        "Write {% neardup_fates author visible_ads limit=20 as fates %}: an author, the queryset of all that he may "
        "see, and, if you will, how many at most and a name for the result.",
        ("author", "visible"),
        ("limit",),
        nothing=True,
    ),
}


class NeardupNode(template.Node):
    """Calls ``function`` with what its arguments are in the context; prints the value, or puts it there by a name."""

    def __init__(
        self, tag: str, function: Callable[..., Any], values: dict[str, FilterExpression], name: str
    ) -> None:
        self.tag, self.function, self.values, self.name = tag, function, values, name

    def render(self, context: Context) -> str:
        usage = USAGES[self.tag]
        given = {each: value.resolve(context, ignore_failures=True) for each, value in self.values.items()}
        first = self.values[usage.arguments[0]]
        if given[usage.arguments[0]] is None and not (usage.nothing and _is_there(first, context)):
            raise usage.wrong(f"{self.tag}: the context has no {first}.")
        try:
            found = self.function(context, **given)
        except GroupingError as error:
            raise usage.wrong(f"{self.tag}: {error}") from error
        if self.name:
            context[self.name] = found
            return ""
        return conditional_escape(found) if context.autoescape else str(found)


def _is_there(value: FilterExpression, context: Context) -> bool:
    """Whether the context has that variable, be it None."""
    try:
        if isinstance(value.var, Variable):
            value.var.resolve(context)
    except VariableDoesNotExist:
        return False
    return True


def _tag(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a tag of a function of a context and the arguments that ``USAGES`` names."""
    tag = function.__name__

    def compiled(parser: Parser, token: Token) -> template.Node:
        usage, bits = USAGES[tag], token.split_contents()[1:]
        name = bits.pop() if len(bits) > 1 and bits[-2] == "as" else ""
        if name:
            bits.pop()
        needed, rest = bits[: len(usage.arguments)], bits[len(usage.arguments) :]
        options = token_kwargs(rest, parser)
        misread = rest or set(options) - set(usage.options) or any(map(_is_named, needed))
        if misread or len(needed) < len(usage.arguments) or not (name or usage.prints):
            raise usage.wrong(f"{token.contents!r} cannot be understood.")
        values = dict(zip(usage.arguments, map(parser.compile_filter, needed), strict=True))
        return NeardupNode(tag, function, values | options, name)

    register.tag(tag, compiled)
    return function


def _is_named(bit: str) -> bool:
    """Whether an argument is written as ``name=value``."""
    match = kwarg_re.match(bit)
    return match is not None and bool(match[1])


@_tag
def neardup_group(context: Context, objects: Any, visible: Any) -> Any:
    """``{% neardup_group page_obj visible_ads as groups %}``: one entry a cluster (``neardup.group()``)."""
    return group(objects, visible)


@_tag
def neardup_similar(context: Context, instance: Any, visible: Any, limit: Any = LIMIT) -> Block:
    """``{% neardup_similar ad visible_ads limit=5 as similar %}``: the likest posts; without a name their block."""
    return Block(instance, visible, limit, context.get("request"))


@_tag
def neardup_canonical(context: Context, instance: Any, visible: Any) -> Any:
    """``{% neardup_canonical ad visible_ads %}``: the link that tells search engines which of like posts counts."""
    return canonical_link(instance, visible, context.get("request"))


@_tag
def neardup_uniqueness(context: Context, text: Any, visible: Any) -> int:
    """``{% neardup_uniqueness ad visible_ads %}``: how much of a text is its own, in whole percent."""
    return whole_percent(text, visible)


@_tag
def neardup_fates(context: Context, author: Any, visible: Any, limit: Any = MOST) -> Fates:
    """``{% neardup_fates author visible_ads as fates %}``: what became of an author's posts that are there no more."""
    return fates(author, visible=visible, limit=limit, request=context.get("request"))
