from django import template

from forum.bbcode import own_words, to_html

register = template.Library()
register.filter("bbcode", to_html)
register.filter("own_words", own_words)
