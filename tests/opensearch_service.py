"""A private OpenSearch for the tests: one node, or several on loopback, from the build that `make services` unpacks.

`python -m tests.opensearch_service COMMAND …` runs a command beside a node, with OPENSEARCH_URL, and with a new SQLite
database in DATABASE_URL unless that is set: the index of the node ends with it.
"""

from __future__ import annotations

import contextlib
import functools
import glob
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.services import KINDS, MissingServiceError, Service, free_port

VERSION = "3.7.0"
MIN_JAVA = 21
HEAP = "512m"
JVM_OPTIONS = (
    f"-Xms{HEAP}", f"-Xmx{HEAP}", "-XX:+UseSerialGC",
    # A node of a test lives for a minute: half the start time.
    "-XX:TieredStopAtLevel=1", "-Xshare:auto",
    "--add-modules=jdk.incubator.vector", "-XX:CompileCommand=quiet",
    "-Dorg.apache.lucene.store.MMapDirectory.sharedArenaMaxPermits=1", "-Dopensearch.distribution.type=zip",
)  # fmt: skip
LOGGING = """
status = error
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = [%d{ISO8601}][%-5p][%c{1.}] %m%n
rootLogger.level = warn
rootLogger.appenderRef.console.ref = console
"""


@functools.cache
def folder() -> Path:
    """Where `make services` has unpacked the build."""
    caches = ["/var/cache", os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")]
    for cache in caches:
        found = Path(cache) / "django-neardup-tests" / f"opensearch-{VERSION}"
        if (found / "complete").exists():
            return found
    raise MissingServiceError(f"OpenSearch {VERSION} is not installed: run `make services`")


@functools.cache
def java() -> str:
    """The program of a JDK that is new enough."""
    homes = [
        os.environ.get("OPENSEARCH_JAVA_HOME"),
        os.environ.get("JAVA_HOME"),
        *sorted(glob.glob("/usr/lib/jvm/*")),
    ]
    for home in filter(None, homes):
        release = Path(home) / "release"
        found = re.search(r'^JAVA_VERSION="(\d+)', release.read_text(), re.M) if release.exists() else None
        if found and int(found[1]) >= MIN_JAVA and os.access(f"{home}/bin/java", os.X_OK):
            return f"{home}/bin/java"
    raise MissingServiceError(f"OpenSearch needs a JDK {MIN_JAVA} or newer: run `make services`")


class OpenSearch(Service):
    """One node. ``settings`` are added to its configuration: a cluster names its nodes there."""

    name = "opensearch"
    account = "nobody"
    start_seconds = 600.0  # on a machine that is busy with other things; else ten

    def __init__(self, node: str = "node", **settings: Any) -> None:
        super().__init__()
        self.paths = [java()]
        self.folder = folder()
        self.node, self.settings = node, settings
        self.transport_port = free_port()

    @property
    def host(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def configuration(self) -> Path:
        return self.directory / "config"

    def prepare(self) -> None:
        for name in ("config", "data", "tmp"):
            (self.directory / name).mkdir()
        (self.configuration / "log4j2.properties").write_text(LOGGING)
        (self.configuration / "jvm.options").write_text("")
        self._own()

    def launch(self) -> None:
        settings = {
            "cluster.name": "neardup-tests", "node.name": self.node, "path.data": str(self.directory / "data"),
            "path.logs": str(self.directory), "network.host": "127.0.0.1", "http.port": self.port,
            "transport.port": self.transport_port, "discovery.type": "single-node",
            "cluster.routing.allocation.disk.threshold_enabled": False,
        }  # fmt: skip
        # JSON is YAML.
        written = {name: value for name, value in (settings | self.settings).items() if value is not None}
        (self.configuration / "opensearch.yml").write_text(json.dumps(written))
        self._own()
        super().launch()

    def _own(self) -> None:
        """Give the node's account what this process has written."""
        if self.rights:
            for path in [self.directory, *self.directory.rglob("*")]:
                with contextlib.suppress(FileNotFoundError):
                    shutil.chown(path, self.rights["user"], self.rights["group"])

    def command(self) -> list[str]:
        return [
            self.paths[0], *JVM_OPTIONS, f"-javaagent:{self.folder}/agent/opensearch-agent.jar",
            f"-Djava.io.tmpdir={self.directory / 'tmp'}", f"-Dopensearch.path.home={self.folder}",
            f"-Dopensearch.path.conf={self.configuration}", "-cp", f"{self.folder}/lib/*",
            "org.opensearch.bootstrap.OpenSearch",
        ]  # fmt: skip

    def answers(self) -> bool:
        try:
            return "version" in self.ask("GET", "/")
        except (OSError, http.client.HTTPException, ValueError):
            return False

    def ask(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        """Send one request to the node, without any client, and return its answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            data = None if body is None else json.dumps(body)
            connection.request(method, path, data, {"Content-Type": "application/json"})
            answer: dict[str, Any] = json.loads(connection.getresponse().read() or "{}")
            return answer
        finally:
            connection.close()


def run_beside(command: Sequence[str]) -> int:
    """Run a command beside a node, and return its exit status."""
    node = OpenSearch()
    node.start()
    try:
        # Ctrl-C reaches both: the node must outlive the command.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        print(f"OpenSearch {VERSION} answers at {node.host}", flush=True)
        database = f"sqlite:///{node.directory / 'beside.sqlite3'}"
        environment = {"DATABASE_URL": database, **os.environ, "OPENSEARCH_URL": node.host}
        process = subprocess.Popen(
            command,
            env=environment,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        signal.signal(signal.SIGTERM, lambda number, frame: process.send_signal(number))
        return process.wait()
    finally:
        node.stop()
        if left := processes_of([node.directory]):
            sys.exit(f"processes of the node are left: {left}")


KINDS[OpenSearch.name] = OpenSearch


def make_cluster(size: int, **settings: Any) -> list[OpenSearch]:
    """Nodes of one cluster, not started yet."""
    nodes = [OpenSearch(f"node{number}") for number in range(1, size + 1)]
    shared = {
        "discovery.type": None,
        "discovery.seed_hosts": [f"127.0.0.1:{node.transport_port}" for node in nodes],
        "cluster.initial_cluster_manager_nodes": [node.node for node in nodes],
        **settings,
    }
    for node in nodes:
        node.settings = shared
    return nodes


def processes_of(directories: Sequence[str | Path]) -> list[int]:
    """The processes whose command names one of these directories: none may be left once a test is over."""
    left = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            command = entry.read_bytes().decode(errors="replace")
            if any(f"{directory}/" in command for directory in directories):
                left.append(int(entry.parent.name))
    return left


NGINX = """
worker_processes 1;
pid {directory}/nginx.pid;
events {{ worker_connections 64; }}
http {{
  access_log off;
  client_body_temp_path {directory}/body;
  proxy_temp_path {directory}/proxy;
  fastcgi_temp_path {directory}/fastcgi;
  uwsgi_temp_path {directory}/uwsgi;
  scgi_temp_path {directory}/scgi;
  client_max_body_size 50m;
  server {{
    listen 127.0.0.1:{port} ssl;
    ssl_certificate {directory}/certificate.pem;
    ssl_certificate_key {directory}/key.pem;
    auth_basic search;
    auth_basic_user_file {directory}/users;
    location / {{ proxy_pass http://127.0.0.1:{behind}; }}
  }}
}}
"""
PROXY_USER, PROXY_PASSWORD = "neardup", "s3cret"


class SecureProxy(Service):
    """nginx with TLS and basic authentication before a node, which has neither in the minimal build."""

    name = "nginx"
    programs = ("nginx", "openssl")
    account = "nobody"

    def __init__(self, node: OpenSearch) -> None:
        super().__init__()
        self.node = node

    @property
    def host(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    @property
    def certificate(self) -> str:
        return str(self.directory / "certificate.pem")

    def prepare(self) -> None:
        self.run(
            self.paths[1], "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", "1", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
            "-keyout", "key.pem", "-out", "certificate.pem",
        )  # fmt: skip
        hashed = subprocess.run(
            [self.paths[1], "passwd", "-apr1", PROXY_PASSWORD], capture_output=True, text=True, check=True
        )
        (self.directory / "users").write_text(f"{PROXY_USER}:{hashed.stdout}")
        (self.directory / "users").chmod(0o644)

    def launch(self) -> None:
        written = NGINX.format(directory=self.directory, port=self.port, behind=self.node.port)
        (self.directory / "nginx.conf").write_text(written)
        super().launch()

    def command(self) -> list[str]:
        return [
            self.paths[0],
            "-p",
            str(self.directory),
            "-c",
            f"{self.directory}/nginx.conf",
            "-g",
            "daemon off;",
        ]

    def answers(self) -> bool:
        return bool(self.exchange(b"GET / HTTP/1.0\r\n\r\n"))


if __name__ == "__main__":
    sys.exit(run_beside(sys.argv[1:]))
