"""What the tests of all packages need."""

from django.apps import apps

from django_neardup.models import Document
from django_neardup.moderation.relations import rows_of

OWN_APPS = ("neardup", "admin", "contenttypes", "sessions")


def rows():
    """Every row of every model of the site, without this app's own."""
    return {
        model._meta.label: list(rows_of(model, "default").order_by("pk").values())
        for model in apps.get_models(include_auto_created=True)
        if not model._meta.proxy and model._meta.app_label not in OWN_APPS
    }


def is_marked(post):
    """Whether the worker will read a post again."""
    document = Document.objects.get(content_type__model=post._meta.model_name, object_id=post.pk)
    return document.wanted > document.version
