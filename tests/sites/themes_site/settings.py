"""Settings of a site whose admin has the theme that is installed in its environment, or none."""

import tempfile
from importlib.util import find_spec

SECRET_KEY = "sites"
DEBUG = True
USE_TZ = True
ROOT_URLCONF = "tests.sites.themes_site.urls"
STATIC_URL = "/static/"
LANGUAGES = [("en", "English"), ("ru", "Russian")]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        # The server and the test have connections of their own.
        "TEST": {"NAME": f"{tempfile.mkdtemp()}/site.sqlite3"},
    }
}
NEARDUP = {"default": {"BACKEND": None}}
# The registry's names of the themes begin with "django-".
THEMES = [name for name in ("unfold", "jazzmin", "grappelli") if find_spec(name)]
INSTALLED_APPS = [
    *THEMES,
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_neardup",
    "tests.sites.themes_site",
]
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
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
# No address outside of this machine is asked for a font.
JAZZMIN_SETTINGS = {"use_google_fonts_cdn": False}
