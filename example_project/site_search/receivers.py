"""Note adverts to send to the index. Each note is written in the transaction of the change itself."""

from __future__ import annotations

from typing import Any

from board.models import Ad
from django.db.models.signals import post_delete, post_save
from django.dispatch import receiver

from django_neardup.models import Document
from django_neardup.signals import memberships_changed
from site_search.models import SearchChange


@receiver([post_save, post_delete], sender=Ad, dispatch_uid="site_search.note_ad")
def note_ad(instance: Ad, using: str, **kwargs: Any) -> None:
    """Merges and undos send these signals, too."""
    SearchChange.objects.using(using).create(ad=instance.pk)


@receiver(memberships_changed, sender=Ad, dispatch_uid="site_search.note_members")
def note_members(documents: list[Document], using: str, **kwargs: Any) -> None:
    changes = [SearchChange(ad=int(document.object_id)) for document in documents]
    SearchChange.objects.using(using).bulk_create(changes, batch_size=500)
