"""Tokens that tell which process owns a range, so that others of the same machine see when it was killed."""

from __future__ import annotations

import os
import secrets
import socket
from functools import cache
from hashlib import blake2b
from pathlib import Path

_MACHINE_DIGITS, _PROCESS_DIGITS, _RANDOM_DIGITS = 12, 8, 12
_BOOT_ID, _PROCESS_SPACE = Path("/proc/sys/kernel/random/boot_id"), "/proc/self/ns/pid"


def new_token() -> str:
    """Return a new token of this process: 32 hexadecimal digits."""
    return (
        f"{_machine()}{os.getpid() & 0xFFFFFFFF:0{_PROCESS_DIGITS}x}{secrets.token_hex(_RANDOM_DIGITS // 2)}"
    )


def is_of_dead_process(token: str) -> bool:
    """Return whether the token is of a process of this machine that has ended.

    Return False if this is unknown: the lease then expires.
    """
    # On Windows the signal 0 would interrupt the process.
    if os.name != "posix" or not token.startswith(_machine()):
        return False
    pid = int(token[_MACHINE_DIGITS : _MACHINE_DIGITS + _PROCESS_DIGITS], 16)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return _is_zombie(pid)


def _is_zombie(pid: int) -> bool:
    """Return whether a process has ended and its parent has not looked after it yet."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    # The name of the program, in parentheses, may hold anything.
    return status.rpartition(")")[2].split()[:1] == ["Z"]


@cache
def _machine() -> str:
    """Return a hash of what the ids of processes are valid in: the machine, since it was started, and the container."""
    try:
        parts = [_BOOT_ID.read_text(), os.readlink(_PROCESS_SPACE)]
    except OSError:
        parts = []
    text = "\n".join([socket.gethostname(), *parts])
    return blake2b(text.encode(), digest_size=_MACHINE_DIGITS // 2).hexdigest()
