"""What the app adds to a web process that starts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from statistics import median
from time import perf_counter

from benchmarks.figures import Bar, Figure, Sizes, row
from benchmarks.timing import measured_core, on_cores
from tests.services import ROOT

ROUNDS = 15
NONE = "pass"
DJANGO = "import django"
OURS = "import django, django_neardup"
SETUP = """
import django
from django.conf import settings
settings.configure(INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", *{apps}],
    DATABASES={{"default": {{"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}}},
    TEMPLATES=[{{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}}],
    MIGRATION_MODULES={{"testapp": "tests.testapp_migrations"}},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField", USE_TZ=True)
django.setup()
"""
WITHOUT, WITH, SITE = (
    SETUP.format(apps=apps) for apps in ([], ["django_neardup"], ["django_neardup", "tests.testapp"])
)
TAG = """
from django.core.management import call_command
call_command("migrate", verbosity=0)
from django.template import Context, Template
from tests.testapp.models import Ad
made = [Ad.objects.create(title=str(number), text="post") for number in range(3)]
page = "{% load neardup %}{% neardup_group made visible as found %}{% for each in found %}{{ each.label }}{% endfor %}"
Template(page).render(Context({"made": made, "visible": Ad.objects.all()}))
import json, sys
print(json.dumps([name for name in ("numpy", "pymorphy3") if name in sys.modules]))
"""


@row("21", "import and start of a web process")
def imports(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """Fresh processes in turn, medians.  The tag is rendered on an SQLite in memory, and then `sys.modules` is looked
    at."""
    rounds = 2 if sizes.quick else ROUNDS
    codes = {"none": NONE, "django": DJANGO, "ours": OURS, "without": WITHOUT, "with": WITH}
    taken: dict[str, list[float]] = {name: [] for name in codes}
    with bar("imports", rounds) as progress, on_cores(measured_core()):
        for _ in range(rounds + 1):
            for name, code in codes.items():
                start = perf_counter()
                _run(code)
                taken[name].append((perf_counter() - start) * 1e3)
            progress.update(1)
    spent = {name: median(times[1:]) for name, times in taken.items()}
    loaded = json.loads(_run(SITE + TAG))
    yield Figure(
        "21.1", "import django_neardup, beside import django", spent["ours"] - spent["django"], "ms", "<= 30"
    )
    yield Figure("21.2", "numpy and pymorphy3 loaded by rendering the tag", len(loaded), "modules", "<= 0")
    yield Figure("21.3", "django.setup() with the app, less without", spent["with"] - spent["without"], "ms")
    yield Figure("21.4", "import django", spent["django"] - spent["none"], "ms")


def _run(code: str) -> str:
    """What a fresh process prints that does that."""
    plain = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    command = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(command, cwd=ROOT, env=plain, capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return done.stdout
