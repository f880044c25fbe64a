"""How a copy is noticed: by a search, and by the form through which it is published."""

import django_neardup as neardup
from tests.testapp.models import Ad


def originals_by_search(text):
    """Return the posts that a text is a copy of."""
    return [match.object for match in neardup.find_similar(text, Ad) if match.verdict == "duplicate"]


def originals_by_form(form):
    """Return the posts that a form shows before it lets the post through."""
    return [] if form.is_valid() else [match.object for match in form.neardup.matches]
