"""The app: finds the adapters of the site, connects the receivers, registers the checks."""

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules
from django.utils.translation import gettext_lazy as _


class NeardupConfig(AppConfig):
    name = "django_neardup"
    label = "neardup"
    verbose_name = _("Near-duplicates")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from . import checks, mirroring, receivers
        from .publishing import checking

        autodiscover_modules("neardup")
        checks.register()
        receivers.connect()
        mirroring.connect()
        checking.connect()
