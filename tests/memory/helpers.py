"""Small builders for tests of the memory."""

from tests.pipeline.helpers import document, post, work


def deleted(text, **fields):
    """The document of a post that was indexed and deleted."""
    made = post(text, **fields)
    work()
    found = document(made)
    made.delete()
    work()
    return found


def repeated(instance):
    """What the post repeats, and whether word for word."""
    found = document(instance)
    return found.repeats_id, found.repeats_exactly
