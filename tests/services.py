"""Private PostgreSQL, MariaDB and Redis for the tests: installed programs, own directories, free ports.

Every server is the child of a guard (service_guard.py), which ends it with the process that wanted it.
Only the standard library is used here, and nothing is written outside a temporary directory.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import glob
import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests import service_guard
from tests.service_guard import STOP_SECONDS, environment

PLACES = ("/usr/lib/postgresql/*/bin", "/usr/sbin", "/usr/local/sbin", "/usr/local/bin", "/opt/homebrew/bin")
ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 60.0
ROOM = 2 << 30
USER = "neardup"
HOSTS = "198.18."
"""Addresses of the hosts of tests/hosts.py, which reach 127.0.0.1 of this machine."""


class MissingServiceError(Exception):
    """A server's program is not installed."""


class FailedServiceError(Exception):
    """A server did not start: the message holds the end of its log."""


@functools.cache
def find(program: str) -> str:
    """The path of an installed program; ``MissingServiceError`` where there is none."""
    found = shutil.which(program)
    for place in PLACES:
        folders = sorted(glob.glob(place), key=lambda folder: (len(folder), folder), reverse=True)
        found = found or shutil.which(program, path=os.pathsep.join(folders))
    if not found:
        raise MissingServiceError(f"{program} is not installed: run `make services`")
    return found


@functools.cache
def workspace() -> str:
    """Where servers and databases keep their files: in memory, where there is room enough."""
    memory = "/dev/shm"
    if os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > ROOM:
        return memory
    return "/tmp"


def free_port() -> int:
    """A port that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def unprivileged(*names: str) -> dict[str, Any]:
    """Arguments of ``subprocess`` that give root's rights up for the first of those accounts that exists."""
    if os.getuid() != 0:
        return {}
    for name in (*names, "nobody"):
        try:
            account = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
    raise MissingServiceError("the tests run as root and no account is there to run the servers")


class Service:
    """One server. ``start`` returns when it answers; ``stop`` ends it and removes its directory."""

    name = ""
    programs: tuple[str, ...] = ()
    account = ""
    end = signal.SIGKILL
    start_seconds = START_SECONDS

    def __init__(self) -> None:
        self.paths = [find(program) for program in self.programs]
        self.rights = unprivileged(self.account)
        self.directory = Path()
        self.port = 0
        self.pid = 0
        self._guard: subprocess.Popen[bytes] | None = None
        self._owner = os.getpid()

    @property
    def parameters(self) -> dict[str, Any]:
        """How to reach the server: host, port, user, password, socket (a path)."""
        return {"host": "127.0.0.1", "port": self.port, "user": USER, "password": USER, "socket": self.socket}

    @property
    def socket(self) -> str:
        return str(self.directory / f"{self.name}.sock")

    def place(self) -> str:
        """Where the server's directory is made."""
        return workspace()

    def start(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="neardup-", dir=self.place()))
        if self.rights:
            os.chown(self.directory, self.rights["user"], self.rights["group"])
        self.directory.chmod(0o755)
        atexit.register(self.stop)
        self.prepare()
        for attempt in (1, 2, 3):
            self.port = free_port()
            try:
                return self.launch()
            except FailedServiceError:
                if attempt == 3:
                    raise

    def launch(self) -> None:
        """Start the server on the port and the files that it has already, and wait until it answers."""
        drop = [str(self.rights.get(key, -1)) for key in ("user", "group")]
        guard = [
            sys.executable,
            "-IS",
            service_guard.__file__,
            str(self.directory),
            str(int(self.end)),
            *drop,
            *self.command(),
        ]
        self._guard = subprocess.Popen(
            guard, start_new_session=True, cwd="/", stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self._guard.stdout
        self.pid = int(self._guard.stdout.readline() or 0)
        deadline = time.monotonic() + self.start_seconds
        while not self.answers():
            if self._guard.poll() is not None or time.monotonic() > deadline:
                self.halt()
                raise FailedServiceError(f"{self.name} did not start:\n{self.log()}")
            time.sleep(0.02)

    def halt(self) -> None:
        """Stop the server and keep its files: ``launch`` starts it again."""
        self._dismiss(b"keep")

    def stop(self) -> None:
        """Stop the server and remove its files; nothing where a forked child of the starter calls it."""
        if os.getpid() != self._owner:
            return
        self._dismiss(b"")
        shutil.rmtree(self.directory, ignore_errors=True)
        atexit.unregister(self.stop)

    def _dismiss(self, order: bytes) -> None:
        guard, self._guard = self._guard, None
        if guard is None:
            return
        try:
            guard.communicate(order, timeout=STOP_SECONDS * 2)
        except subprocess.TimeoutExpired:
            guard.kill()
            os.kill(self.pid, signal.SIGKILL)

    def pause(self) -> None:
        """The server stops answering, its connections stay open."""
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Undo ``pause``; nothing where the server has ended meanwhile."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGCONT)

    def log(self) -> str:
        path = self.directory / "log"
        return path.read_text(errors="replace")[-3000:] if path.exists() else ""

    def run(self, *command: str) -> None:
        """Run a preparing program with the rights and in the directory of the server."""
        done = subprocess.run(
            command,
            cwd=self.directory,
            capture_output=True,
            text=True,
            timeout=START_SECONDS * 2,
            env=environment(),
            **self.rights,
        )
        if done.returncode:
            raise FailedServiceError(f"{command[0]} failed:\n{done.stdout[-1500:]}\n{done.stderr[-1500:]}")

    def prepare(self) -> None:
        """Make the server's files."""

    def command(self) -> list[str]:
        raise NotImplementedError

    def answers(self) -> bool:
        raise NotImplementedError

    def exchange(self, question: bytes) -> bytes:
        """The first bytes that the server says on its port; empty where it does not listen yet."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                connection.sendall(question)
                return connection.recv(64)
        except OSError:
            return b""


class PostgreSQL(Service):
    name = "postgresql"
    programs = ("postgres", "initdb")
    account = "postgres"
    end = signal.SIGQUIT

    @property
    def socket(self) -> str:
        return str(self.directory)

    def prepare(self) -> None:
        self.run(
            self.paths[1], "-D", str(self.directory / "data"), "-U", USER, "-A", "trust", "-E", "UTF8",
            "--locale=C.UTF-8" if sys.platform == "linux" else "--no-locale", "--no-sync",
        )  # fmt: skip
        with (self.directory / "data" / "pg_hba.conf").open("a") as rules:
            rules.write(f"host all all {HOSTS}0.0/16 trust\n")

    def command(self) -> list[str]:
        options = {
            "port": self.port, "listen_addresses": "127.0.0.1", "unix_socket_directories": self.directory,
            "fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "autovacuum": "off",
            "shared_buffers": "64MB", "max_connections": 100, "timezone": "UTC",
        }  # fmt: skip
        settings = [part for key, value in options.items() for part in ("-c", f"{key}={value}")]
        return [self.paths[0], "-D", str(self.directory / "data"), *settings]

    def answers(self) -> bool:
        status = self.directory / "data" / "postmaster.pid"
        lines = status.read_text().splitlines() if status.exists() else []
        return len(lines) >= 8 and lines[7].strip() == "ready"


class MariaDB(Service):
    name = "mariadb"
    programs = ("mariadbd", "mariadb-install-db")
    account = "mysql"

    def prepare(self) -> None:
        account = ["--user=mysql"] if self.rights else []
        self.run(
            self.paths[1], "--no-defaults", f"--datadir={self.directory / 'data'}", "--skip-test-db",
            # A server that starts removes all temporary tables of its tmpdir, a neighbour's as well.
            f"--tmpdir={self.directory}",
            "--auth-root-authentication-method=normal", "--innodb-flush-log-at-trx-commit=0", *account,
        )  # fmt: skip
        grants = self.directory / "grants.sql"
        grants.write_text(
            "".join(
                f"CREATE OR REPLACE USER '{USER}'@'{host}' IDENTIFIED BY '{USER}';\n"
                f"GRANT ALL ON *.* TO '{USER}'@'{host}' WITH GRANT OPTION;\n"
                for host in ("127.0.0.1", f"{HOSTS}%")
            )
        )
        grants.chmod(0o644)

    def command(self) -> list[str]:
        options = {
            "datadir": self.directory / "data", "socket": self.socket, "pid-file": self.directory / "pid",
            "tmpdir": self.directory, "init-file": self.directory / "grants.sql", "port": self.port,
            "bind-address": "127.0.0.1", "character-set-server": "utf8mb4",
            "collation-server": "utf8mb4_unicode_ci",
            "innodb-flush-log-at-trx-commit": 0, "innodb-flush-method": "nosync", "innodb-doublewrite": 0,
            "innodb-buffer-pool-size": "64M",
            "innodb-log-file-size": "32M", "sync-binlog": 0, "max-connections": 100,
        }  # fmt: skip
        switches = ["--skip-log-bin", "--skip-name-resolve", "--debug-no-sync", "--skip-sync-frm"]
        return [
            self.paths[0],
            "--no-defaults",
            *(f"--{key}={value}" for key, value in options.items()),
            *switches,
        ]

    def answers(self) -> bool:
        return len(self.exchange(b"")) > 5


class Redis(Service):
    name = "redis"
    programs = ("redis-server",)
    account = "redis"

    def command(self) -> list[str]:
        return [
            self.paths[0], "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.directory),
            "--unixsocket", self.socket, "--unixsocketperm", "777", "--save", "", "--appendonly", "no",
            "--protected-mode", "no",
        ]  # fmt: skip

    def answers(self) -> bool:
        return self.exchange(b"PING\r\n").startswith(b"+PONG")


KINDS: dict[str, type[Service]] = {kind.name: kind for kind in (PostgreSQL, MariaDB, Redis)}


@functools.cache
def private(name: str) -> Service:
    """The server of that kind that belongs to this process; started at the first call."""
    service = KINDS[name]()
    service.start()
    return service


def shared(name: str) -> dict[str, Any]:
    """Parameters of a server that this process and all its children share; the first caller starts it."""
    variable = f"NEARDUP_TEST_{name.upper()}"
    if variable not in os.environ:
        os.environ[variable] = json.dumps(private(name).parameters)
    parameters: dict[str, Any] = json.loads(os.environ[variable])
    return parameters


@functools.cache
def shared_directory() -> Path:
    """A directory that this process and all its children share; it is removed when its maker ends."""
    if "NEARDUP_TEST_DIRECTORY" not in os.environ:
        made = tempfile.mkdtemp(prefix="neardup-", dir=workspace())
        os.environ["NEARDUP_TEST_DIRECTORY"] = made
        sweeper = ["/bin/sh", "-c", 'cat; rm -rf "$0"', made]
        _sweepers.append(subprocess.Popen(sweeper, stdin=subprocess.PIPE, start_new_session=True))
    return Path(os.environ["NEARDUP_TEST_DIRECTORY"])


_sweepers: list[subprocess.Popen[bytes]] = []
