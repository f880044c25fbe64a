"""Known weaknesses of the packages that are installed: ``python tools/audit.py`` runs pip-audit and says what it found.

Exit status 1 if a package has a known weakness. If the database of weaknesses cannot be reached, say so: that is no
weakness.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

SECONDS = 300


def main() -> int:
    command = [
        sys.executable,
        "-m",
        "pip_audit",
        "--skip-editable",
        "--progress-spinner=off",
        "--format=json",
    ]
    try:
        done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=SECONDS)
        packages: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (subprocess.TimeoutExpired, ValueError, KeyError):
        print("The database of known weaknesses cannot be reached: the packages were not looked up.")
        return 0
    known = [package for package in packages if "skip_reason" not in package]
    if not known:
        print("The database of known weaknesses knows none of the packages: they were not looked up.")
    else:
        print(f"{len(known)} of {len(packages)} packages were looked up.")
    weak = [package for package in known if package["vulns"]]
    for package in weak:
        names = ", ".join(sorted(each["id"] for each in package["vulns"]))
        print(f"{package['name']} {package['version']}: {names}")
    return 1 if weak else 0


if __name__ == "__main__":
    sys.exit(main())
