"""The process of one scenario: `python -m tools.digest.populate SCENARIO SECRET FILE`, started by `throwaway`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import django
from django.conf import settings

from tools.digest.records import write


def main() -> None:
    """Run a scenario in the database of the settings and write its records to a file."""
    scenario, secret, output = sys.argv[1:]
    profiles: Any = settings.NEARDUP
    profiles["default"]["SECRET"] = secret
    django.setup()
    from tools.digest.scenarios import SCENARIOS  # needs the models, which are there only after setup()

    write(Path(output), SCENARIOS[scenario]())


if __name__ == "__main__":
    main()
