"""Hosts for tests: a network, a host name and a clock of their own, on this machine.

A host is a network namespace with a pair of virtual interfaces. Its route to 127.0.0.1 leads to this machine, so its
programs reach the servers of the tests by the usual addresses. ``cut_off`` takes the line away: packets are lost, and
both sides keep their connections.
"""

from __future__ import annotations

import contextlib
import glob
import os
import random
import signal
import subprocess
import sys
import time

from tests.services import HOSTS, STOP_SECONDS, MissingServiceError, find

LIBRARIES = "/usr/lib/*/faketime/libfaketime.so.1"


def missing_rights() -> str:
    """Return why this process cannot make hosts. Return an empty text if it can."""
    if sys.platform != "linux":
        return "network namespaces are a part of Linux"
    if os.geteuid() != 0:
        return "only root can make network namespaces"
    probe = subprocess.run(["unshare", "--net", "--uts", "true"], capture_output=True, text=True)
    return f"this machine refuses namespaces: {probe.stderr.strip()}" if probe.returncode else ""


def clock_environment(seconds: int) -> dict[str, str]:
    """Return variables for a program whose clock is so many seconds off. Pauses take their usual time."""
    if not seconds:
        return {}
    libraries = glob.glob(LIBRARIES)
    if not libraries:
        raise MissingServiceError("libfaketime is not installed: run `make services`")
    # With a shifted monotonic clock a wait of Python for a lock takes as much longer.
    return {"LD_PRELOAD": libraries[0], "FAKETIME": f"{seconds:+d}s", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}


class Host:
    """One host. ``clock`` is how many seconds its clock is ahead."""

    def __init__(self, name: str, clock: int = 0) -> None:
        self.name, self.clock_environment = name, clock_environment(clock)
        self.ip = find("ip")
        number = random.randrange(1 << 14)
        self._space, self._outer, self._inner = f"neardup{number}", f"nd{number}o", f"nd{number}i"
        self._address = f"{HOSTS}{number // 64}.{number % 64 * 4 + 1}"
        self._inner_address = f"{HOSTS}{number // 64}.{number % 64 * 4 + 2}"
        self._programs: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        self._call("netns", "add", self._space)
        self._call(
            "link", "add", self._outer, "type", "veth", "peer", "name", self._inner, "netns", self._space
        )
        self._open(self._outer, self._address)
        self._open(self._inner, self._inner_address, "netns", "exec", self._space, self.ip)
        self._inside(self.ip, "route", "add", "127.0.0.0/8", "via", self._address, "src", self._inner_address)

    def stop(self) -> None:
        """Kill its programs and their children, and remove the host."""
        deadline = time.monotonic() + STOP_SECONDS
        while process_ids := self.process_ids():
            for process_id in process_ids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process_id, signal.SIGKILL)
            for program in self._programs:
                program.wait(STOP_SECONDS)
            if time.monotonic() > deadline:
                raise RuntimeError(f"processes of {self.name} do not end: {process_ids}")
            time.sleep(0.01)
        # The namespace takes both interfaces with it.
        self._call("netns", "delete", self._space)

    def process_ids(self) -> list[int]:
        """Return the processes on the host."""
        listed = subprocess.run(
            [self.ip, "netns", "pids", self._space], capture_output=True, text=True, check=True
        )
        return [int(line) for line in listed.stdout.split()]

    def cut_off(self) -> None:
        self._call("link", "set", self._outer, "down")

    def connect(self) -> None:
        self._call("link", "set", self._outer, "up")

    def run(self, arguments: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
        """Start a Python program on the host."""
        program = subprocess.Popen(
            [
                self.ip, "netns", "exec", self._space, "unshare", "--uts",
                "sh", "-c", 'hostname "$0" && exec env "$@"', self.name,
                *(f"{name}={value}" for name, value in self.clock_environment.items()),
                sys.executable, *arguments,
            ],
            env=environment,
        )  # fmt: skip
        self._programs.append(program)
        return program

    def _open(self, interface: str, address: str, *prefix: str) -> None:
        self._call(*prefix, "address", "add", f"{address}/30", "dev", interface)
        self._call(*prefix, "link", "set", interface, "up")
        # Otherwise the kernel drops packets to and from 127.0.0.1 that come over an interface.
        setting = f"net/ipv4/conf/{interface}/route_localnet"
        command = ["sh", "-c", f"echo 1 > /proc/sys/{setting}"]
        _check(self._within(command) if prefix else command)

    def _inside(self, *command: str) -> None:
        _check(self._within([*command]))

    def _within(self, command: list[str]) -> list[str]:
        return [self.ip, "netns", "exec", self._space, *command]

    def _call(self, *arguments: str) -> None:
        _check([self.ip, *arguments])


def _check(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
