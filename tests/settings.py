"""Settings of the suite. NEARDUP_TEST_DATABASE chooses the engine; see tests/databases.py."""

import json
import os

from tests.databases import databases

SECRET_KEY = "tests"
DEBUG = False
ALLOWED_HOSTS = ["*"]
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("ru", "Русский")]
ROOT_URLCONF = "tests.urls"
STATIC_URL = "/static/"
SITE_ID = 1
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

DATABASES = databases()
# Some test models have names of articles; without a word on the algorithm each would be told of the other one.
NEARDUP = {"default": {"BACKEND": None, "ALGORITHM": "neardup"}}

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.redirects",
    "django.contrib.sitemaps",
    "django.contrib.sites",
    "django_neardup",
    "tests.testapp",
]

MIGRATION_MODULES: dict[str, str | None] = {"testapp": "tests.testapp_migrations"}

if "NEARDUP_TEST_INDEX" in os.environ:  # a worker that a test has started
    NEARDUP["default"]["INDEX"] = json.loads(os.environ["NEARDUP_TEST_INDEX"])
if "NEARDUP_TEST_PROFILE" in os.environ:  # the same
    NEARDUP["default"] |= json.loads(os.environ["NEARDUP_TEST_PROFILE"])
if "NEARDUP_TEST_RQ_QUEUES" in os.environ:  # a worker that a test has started
    RQ_QUEUES = json.loads(os.environ["NEARDUP_TEST_RQ_QUEUES"])
    NEARDUP["default"]["BACKEND"] = "rq"
    INSTALLED_APPS += ["django_rq"]

MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
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
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
