from typing import Any

from django.dispatch import receiver

import django_neardup as neardup
from django_neardup.signals import post_merge


@receiver(neardup.document_checked)
def on_checked(sender: Any, **kwargs: Any) -> None:
    print(kwargs["document"])


@receiver(post_merge)
def on_merged(sender: Any, **kwargs: Any) -> None:
    print(kwargs["keeper"])
