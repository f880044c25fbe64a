"""Settings of a site with a schema for each customer, on a private PostgreSQL."""

from tests import services

_SERVER = services.shared("postgresql")

SECRET_KEY = "sites"
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES = {
    "default": {
        "ENGINE": "django_tenants.postgresql_backend",
        "NAME": "tenants",
        "HOST": _SERVER["host"],
        "PORT": str(_SERVER["port"]),
        "USER": _SERVER["user"],
        "PASSWORD": _SERVER["password"],
    }
}
DATABASE_ROUTERS = ("django_tenants.routers.TenantSyncRouter",)
NEARDUP = {"default": {"BACKEND": None}}
SHARED_APPS = ["django_tenants", "tests.sites.tenants_site.customers", "django.contrib.contenttypes"]
TENANT_APPS = [
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "django.contrib.admin",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django_neardup",
    "tests.sites.tenants_site.board",
]
INSTALLED_APPS = [*SHARED_APPS, *(app for app in TENANT_APPS if app not in SHARED_APPS)]
TENANT_MODEL = "customers.Customer"
TENANT_DOMAIN_MODEL = "customers.Domain"
MIDDLEWARE = [
    "django_tenants.middleware.main.TenantMainMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
