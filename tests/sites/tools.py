"""What the tests of all packages need."""

from django.apps import apps
from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client
from django.urls import reverse

from django_neardup.admin.decision_groups import build_item_key
from django_neardup.models import Document
from django_neardup.moderation.relations import rows_of
from tests import builders

OWN_APPS = ("neardup", "admin", "contenttypes", "sessions")


def rows():
    """Every row of every model of the site that has a table, without this app's own."""
    tables = connection.introspection.table_names(include_views=True)
    return {
        model._meta.label: list(rows_of(model, "default").order_by("pk").values())
        for model in apps.get_models(include_auto_created=True)
        if not model._meta.proxy and model._meta.app_label not in OWN_APPS and model._meta.db_table in tables
    }


def is_marked(post):
    """Whether the worker will read a post again."""
    document = Document.objects.get(content_type__model=post._meta.model_name, object_id=post.pk)
    return document.wanted > document.version


def differences(before, after):
    """Rows that are in one snapshot alone: by model, those that are gone and those that have come."""
    changed = {label for label in before if before[label] != after[label]}
    return {
        label: (
            [row for row in before[label] if row not in after[label]],
            [row for row in after[label] if row not in before[label]],
        )
        for label in changed
    }


def open_pages(*posts):
    """Open the queue and the plan of a merge of the posts as a superuser. Return the plan's response."""
    client, cluster = Client(), builders.cluster(*posts)
    client.force_login(get_user_model().objects.create_superuser("root", "root@example.com", "root"))
    queue = client.get(reverse("admin:neardup_queue_changelist"))
    assert queue.status_code == 200
    plan = client.get(
        reverse("admin:neardup_queue_decide", args=["merge"]), {"id": [build_item_key(cluster)]}
    )
    assert plan.status_code == 200
    return plan
