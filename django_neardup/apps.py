"""App configuration: loads the site's adapters, connects the receivers, registers the checks."""

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules
from django.utils.translation import gettext_lazy as _


class NeardupConfig(AppConfig):
    name = "django_neardup"
    label = "neardup"
    verbose_name = _("Near-duplicates")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from . import checks
        from .pipeline import receivers
        from .prepublication import receivers as hold_receivers
        from .seo import redirects

        autodiscover_modules("neardup")
        checks.register_checks()
        receivers.connect()
        redirects.connect_receivers()
        hold_receivers.connect_receivers()
