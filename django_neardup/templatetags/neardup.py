"""``{% load neardup %}``: lists without repetitions."""

from __future__ import annotations

from django import template
from django.template.base import FilterExpression, Parser, Token
from django.template.context import Context

from ..grouping import group
from ..visible import GroupingError

register = template.Library()

GROUP = (
    "Write {% neardup_group page_obj visible_ads as groups %}: a list or page of posts, the queryset of all "
    "that this visitor may see, and a name for the result."
)


@register.tag
def neardup_group(parser: Parser, token: Token) -> template.Node:
    """``{% neardup_group page_obj visible_ads as groups %}``: one entry a cluster (``neardup.group()``)."""
    bits = token.split_contents()
    if len(bits) != 5 or bits[3] != "as":
        raise template.TemplateSyntaxError(f"{token.contents!r} cannot be understood. {GROUP}")
    return GroupNode(parser.compile_filter(bits[1]), parser.compile_filter(bits[2]), bits[4])


class GroupNode(template.Node):
    def __init__(self, objects: FilterExpression, visible: FilterExpression, name: str) -> None:
        self.objects, self.visible, self.name = objects, visible, name

    def render(self, context: Context) -> str:
        objects = self.objects.resolve(context, ignore_failures=True)
        visible = self.visible.resolve(context, ignore_failures=True)
        if objects is None:
            raise template.TemplateSyntaxError(f"neardup_group: the context has no {self.objects}. {GROUP}")
        try:
            context[self.name] = group(objects, visible)
        except GroupingError as error:
            raise template.TemplateSyntaxError(f"neardup_group: {error} {GROUP}") from error
        return ""
