"""Settings of a shop of django-oscar."""

import tempfile

from oscar import INSTALLED_APPS as OSCAR_APPS
from oscar.defaults import *  # noqa: F403

from tests.sites import databases

SECRET_KEY = "sites"
USE_TZ = True
SITE_ID = 1
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
DATABASES = databases.default()
NEARDUP = {"default": {"BACKEND": None}}
HAYSTACK_CONNECTIONS = {"default": {"ENGINE": "haystack.backends.simple_backend.SimpleEngine"}}
OSCAR_THUMBNAILER = "tests.sites.oscar_site.thumbnails.NoThumbnails"
MEDIA_ROOT = tempfile.mkdtemp()
STATIC_URL = "/static/"
ROOT_URLCONF = "tests.sites.oscar_site.urls"
INSTALLED_APPS = ["django_neardup", *OSCAR_APPS, "tests.sites.oscar_site"]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "oscar.apps.basket.middleware.BasketMiddleware",
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
