"""A worker that begins when it is told to: warms up, says "ready", waits for a line, drains, says what it took.

Started by the row of two workers, with the settings of `benchmarks.child_settings`.
"""

from __future__ import annotations

import json
import sys
import time


def main() -> None:
    """Read posts and drain as many documents as the argument says to warm up; then, after a line on stdin, all."""
    import django

    django.setup()
    from benchmarks.onsave import meet_words
    from django_neardup.pipeline import drain

    meet_words("default")
    drain(limit=int(sys.argv[1]))
    print("ready", flush=True)
    sys.stdin.readline()
    processor = time.process_time()
    turns = drain().processed
    print(json.dumps({"turns": turns, "processor": time.process_time() - processor}), flush=True)


if __name__ == "__main__":
    main()
