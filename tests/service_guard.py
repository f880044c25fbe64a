"""The guard of one private server: a script, the parent of the server, the child of the test process.

It holds the reading end of a pipe to the process that wanted the server. When that process ends, in whatever
way, the pipe is closed, and the guard stops the server and removes its directory.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import sys

STOP_SECONDS = 10.0


def environment() -> dict[str, str]:
    """What a server sees of our environment."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8", "HOME": "/tmp"}


def guard(arguments: list[str]) -> None:
    """Run one server until standard input ends (it is stopped and removed) or says "keep" (only stopped)."""
    directory, end, user, group, *command = arguments
    rights = {"user": int(user), "group": int(group), "extra_groups": []} if int(user) >= 0 else {}
    with open(os.path.join(directory, "log"), "ab") as log:
        server = subprocess.Popen(
            command, cwd=directory, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            env=environment(), **rights,  # type: ignore[call-overload]
        )  # fmt: skip
    os.write(1, b"%d\n" % server.pid)
    while server.poll() is None:
        if select.select([0], [], [], 0.2)[0]:
            order = os.read(0, 16)
            _end(server, int(end))
            if not order:
                shutil.rmtree(directory, ignore_errors=True)
            return


def _end(server: subprocess.Popen[bytes], number: int) -> None:
    server.send_signal(number)
    server.send_signal(signal.SIGCONT)
    try:
        server.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


if __name__ == "__main__":
    guard(sys.argv[1:])
