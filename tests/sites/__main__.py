"""Merge and undo on what others wrote: `python -m tests.sites [NAME,...]` installs packages and runs their tests.

Each folder beside this file is a site with settings and an environment of its own. NEARDUP_TEST_DATABASE chooses
the engine (see tests/databases.py).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ENVIRONMENTS = ROOT / ".venv-sites"


class Package(NamedTuple):
    """A package by the names of its distributions in the registry, and the folder of its site.

    Its environment has the name of the folder unless it has one of its own.
    """

    distributions: tuple[str, ...]
    folder: str = "packages"
    environment: str = ""

    @property
    def site(self) -> tuple[str, str]:
        """The folder and the name of the environment."""
        return self.folder, self.environment or self.folder


BROWSER = ("selenium", "axe-core-python")
PACKAGES = {
    "auditlog": Package(("django-auditlog",)),
    "cacheops": Package(("django-cacheops",)),
    "grappelli": Package(("django-grappelli", *BROWSER), "themes_site", "grappelli"),
    "guardian": Package(("django-guardian",)),
    "jazzmin": Package(("django-jazzmin", *BROWSER), "themes_site", "jazzmin"),
    "modeltranslation": Package(("django-modeltranslation",)),
    "machina": Package(("django-machina",), "machina_site"),
    "mptt": Package(("django-mptt",)),
    "parler": Package(("django-parler",)),
    "polymorphic": Package(("django-polymorphic",)),
    "rest": Package(("djangorestframework", "django-filter")),
    "oscar": Package(("django-oscar", "factory-boy"), "oscar_site"),
    "reversion": Package(("django-reversion",)),
    "safedelete": Package(("django-safedelete",)),
    "simple-history": Package(("django-simple-history",)),
    "taggit": Package(("django-taggit",)),
    "tenants": Package(("django-tenants",), "tenants_site"),
    "treebeard": Package(("django-treebeard",)),
    "unfold": Package(("django-unfold", *BROWSER), "themes_site", "unfold"),
    "wagtail": Package(("wagtail",), "wagtail_site"),
}


def main() -> int:
    """Run the tests of every site that was asked for. Return the first exit status that is not 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.sites", description=__doc__)
    parser.add_argument(
        "names", nargs="?", default=",".join(PACKAGES), help="separated by commas; all without it"
    )
    parser.add_argument("--python", default=sys.executable, help="the interpreter of new environments")
    options = parser.parse_args()
    names = options.names.split(",")
    if unknown := [name for name in names if name not in PACKAGES]:
        parser.error(f"not known: {', '.join(unknown)}. Known are: {', '.join(PACKAGES)}.")
    sites = dict.fromkeys(PACKAGES[name].site for name in names)
    statuses = [
        run_site(*site, [name for name in names if PACKAGES[name].site == site], options.python)
        for site in sites
    ]
    return next((status for status in statuses if status), 0)


def run_site(folder: str, name: str, names: Iterable[str], interpreter: str) -> int:
    """Install the packages of a site in its environment and run its tests there. Return the exit status."""
    environment = ENVIRONMENTS / name
    python = environment / "bin" / "python"
    if not python.exists():
        subprocess.run([interpreter, "-m", "venv", environment], check=True)
    distributions = [each for name in names for each in PACKAGES[name].distributions]
    wanted = ["pytest", "pytest-django", "psycopg[binary]", "pymysql", *distributions]
    install = [python, "-m", "pip", "install", "--quiet", "--upgrade", *wanted]
    subprocess.run([*install, "--editable", ROOT], check=True)
    print(f"{folder}: {', '.join(names)}", flush=True)
    settings = {"DJANGO_SETTINGS_MODULE": f"tests.sites.{folder}.settings"}
    tests = [python, "-m", "pytest", "-c", HERE / "pytest.ini", "--rootdir", ROOT, HERE / folder]
    return subprocess.run(tests, env={**os.environ, **settings}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
