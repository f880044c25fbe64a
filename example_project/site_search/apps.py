from django.apps import AppConfig


class SiteSearchConfig(AppConfig):
    name = "site_search"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from site_search import receivers  # noqa: F401
