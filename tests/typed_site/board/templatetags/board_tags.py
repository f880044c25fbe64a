from board.models import Ad
from django import template
from django.template.context import Context

from django_neardup.listing.group import Group
from django_neardup.templatetags import neardup as neardup_tags

register = template.Library()


@register.filter
def label(group: Group) -> str:
    return group.label if group.count else ""


@register.simple_tag(takes_context=True)
def similar(context: Context, ad: Ad) -> object:
    return neardup_tags.neardup_similar(context, ad, Ad.objects.filter(published=True))
