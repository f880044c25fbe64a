"""The site's admin of near-duplicates.

It shows the review queue, clusters, pairs, decisions, merge records, held posts, old addresses, key phrases,
passages to ignore and documents.
"""

from django.apps import apps
from django.contrib import admin

from . import (
    cluster_admin,
    decision_admin,
    document_admin,
    hold_admin,
    ignored_passage_admin,
    key_phrase_admin,
    merge_record_admin,
    moved_url_admin,
    pair_admin,
)
from .review_queue.queue_admin import QueueAdmin

__all__ = [
    "QueueAdmin",
    "cluster_admin",
    "decision_admin",
    "document_admin",
    "hold_admin",
    "ignored_passage_admin",
    "key_phrase_admin",
    "merge_record_admin",
    "moved_url_admin",
    "pair_admin",
    "register_pages",
]


def register_pages(site: admin.AdminSite) -> None:
    """Register all pages of this app on an admin site of your own."""
    # The modules above have registered them on the default site. A page that the project removed stays removed.
    for model in apps.get_app_config("neardup").get_models():
        if admin.site.is_registered(model):
            site.register(model, type(admin.site.get_model_admin(model)))
