from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ToursConfig(AppConfig):
    """Guided tours of the demonstration, a switch of user and a reset: only with the setting DEMO."""

    name = "tours"
    verbose_name = _("Demonstration")
