"""Settings of the example site.

Everything works without any variable. These change it: DATABASE_URL (postgres://, mysql://, sqlite:///),
REDIS_URL (rings the worker through RQ), OPENSEARCH_URL (keys and the search page in OpenSearch),
SITE_ADDRESS (of links in mails), DEMO=1 (tours), DEBUG, SECRET_KEY, ALLOWED_HOSTS, CSRF_TRUSTED_ORIGINS.
"""

import os
from pathlib import Path

from config.databases import database

BASE_DIR = Path(__file__).resolve().parent.parent

DEBUG = os.environ.get("DEBUG", "1") != "0"
# Tours, a switch of user and a reset, for everybody who can open the site.
DEMO = DEBUG and os.environ.get("DEMO", "0") == "1"
SECRET_KEY = os.environ.get("SECRET_KEY", "only-for-the-example-never-in-production")
ALLOWED_HOSTS = os.environ.get("ALLOWED_HOSTS", "").split()
CSRF_TRUSTED_ORIGINS = os.environ.get("CSRF_TRUSTED_ORIGINS", "").split()

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.sitemaps",
    "django.contrib.staticfiles",
    "django_neardup",
    "board",
    "forum",
    "news",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "config.middleware.content_security_policy",
    "django_neardup.middleware.MovedUrlMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    },
    {
        "BACKEND": "django.template.backends.jinja2.Jinja2",
        "DIRS": [BASE_DIR / "jinja2"],
        "OPTIONS": {"environment": "config.jinja2.environment"},
    },
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES = {"default": database(os.environ.get("DATABASE_URL", ""), BASE_DIR / "db.sqlite3")}

LANGUAGE_CODE = "ru"
LANGUAGES = [("ru", "Русский"), ("en", "English")]
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = "Asia/Yekaterinburg"
USE_TZ = True

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = BASE_DIR / "collected"

LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "board:front"
LOGOUT_REDIRECT_URL = "board:front"

SITE_ADDRESS = os.environ.get("SITE_ADDRESS", "http://127.0.0.1:8000")
EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"

REDIS_URL = os.environ.get("REDIS_URL", "")
NEARDUP = {
    "default": {"LANGUAGE": "ru", "BACKEND": None},
    # On the forum and in the news another word is an edit more often than another item.
    "forum": {"LANGUAGE": "ru", "ALGORITHM": "neardup-articles"},
    "news": {"LANGUAGE": "ru", "ALGORITHM": "neardup-articles"},
}
if REDIS_URL:
    INSTALLED_APPS.insert(INSTALLED_APPS.index("django_neardup"), "django_rq")
    RQ_QUEUES = {"default": {"URL": REDIS_URL}}
    NEARDUP["default"].update(BACKEND="rq", QUEUE="default")

OPENSEARCH_URL = os.environ.get("OPENSEARCH_URL", "")
SITE_SEARCH = {}
if OPENSEARCH_URL:
    INSTALLED_APPS.append("site_search")
    SITE_SEARCH = {"HOST": OPENSEARCH_URL, "NAME": "ural-search"}
    NEARDUP["default"]["INDEX"] = {
        "BACKEND": "django_neardup.index.opensearch.OpenSearchIndex",
        "HOSTS": [OPENSEARCH_URL],
        "NAME": "ural-board",
        "REPLICAS": 0,
    }

if DEMO:
    INSTALLED_APPS.append("tours")
    TEMPLATES[0]["OPTIONS"]["context_processors"].append("tours.context.demonstration")

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"console": {"class": "logging.StreamHandler"}},
    "loggers": {"django_neardup": {"handlers": ["console"], "level": "INFO"}},
}
