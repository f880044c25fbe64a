#!/usr/bin/env python3
"""Runs the example: database, content, index, worker and web server, until Ctrl-C.

`make demo` calls it; by hand: python demo.py in an environment with the project's `example` extra. With --reset, what
was written and decided on the site is deleted first. HOST and PORT say where (127.0.0.1:8000); DATABASE_URL, REDIS_URL
and SITE_ADDRESS as in config/settings.py.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from types import FrameType

HERE = Path(__file__).resolve().parent
STEPS = (
    ("Таблицы базы данных / tables of the database", ["migrate", "--verbosity", "0"]),
    ("Объявления, форум, новости / adverts, forum, news", ["load_example"]),
    ("Поиск похожих / looking for similar posts", ["neardup_index"]),
)
START = "Сайт и обработчик очереди / web server and worker"
LOCAL = ("127.0.0.1", "localhost", "::1")
NEAR = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Where this machine finds a server that listens everywhere."""
STOP_SECONDS = 10

BANNER = """
  Уральская доска / Ural Board

  {address}start/                с чего начать: три экскурсии / where to begin: three tours
  {address}                      объявления / adverts
  {address}forum/                форум / forum
  {address}news/                 новости / news
  {address}admin/neardup/queue/  очередь модератора / the moderators' queue

  Учётные записи, пароль равен имени: demo (автор), moderator, admin
  Accounts, the password is the name: demo (an author), moderator, admin

  Остановить: Ctrl-C. Начать заново: make demo RESET=1 или ссылка внизу страницы /start/
  Stop: Ctrl-C. Start over: make demo RESET=1, or the link below the page /start/
"""


class Demo:
    """The processes that run, one after another or side by side."""

    def __init__(self) -> None:
        self._running: list[subprocess.Popen[bytes]] = []
        self._asked_to_stop = False
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            if number := getattr(signal, name, None):
                signal.signal(number, self._ask_to_stop)

    def run(self, host: str, port: int, *, reset: bool = False) -> int:
        """Prepare, serve until asked to stop or until a process ends; the exit status."""
        for number, (title, command) in enumerate(STEPS, 1):
            _say(number, title)
            if reset and command == ["load_example"]:
                command = [*command, "--reset"]
            process = self._start(command)
            while process.poll() is None:
                if self._pause():
                    return 0
            self._running.remove(process)
            if process.returncode:
                print(f"demo: {command[0]} failed.", file=sys.stderr)
                return process.returncode
        _say(len(STEPS) + 1, START)
        for worker in workers():
            self._start(worker)
        self._start(["runserver", "--noreload", f"[{host}]:{port}" if ":" in host else f"{host}:{port}"])
        return self._serve(NEAR.get(host, host), port)

    def stop(self) -> None:
        """End what still runs: politely, then not."""
        for process in self._running:
            process.terminate()
        for process in self._running:
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _serve(self, host: str, port: int) -> int:
        told = False
        while all(process.poll() is None for process in self._running):
            if self._pause():
                return 0
            if not told and _answers(host, port):
                print(BANNER.format(address=f"{address(host, port)}/"), flush=True)
                told = True
        print("demo: a process has ended, stopping the others.", file=sys.stderr)
        return 1

    def _start(self, command: Sequence[str]) -> subprocess.Popen[bytes]:
        """A Django command in a session of its own: Ctrl-C reaches only this program, which ends the others."""
        environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "PYTHONUNBUFFERED": "1"}
        command = [sys.executable, os.fspath(HERE / "manage.py"), *command]
        process = subprocess.Popen(command, cwd=HERE, env=environment, start_new_session=True)
        self._running.append(process)
        return process

    def _pause(self) -> bool:
        time.sleep(0.2)
        return self._asked_to_stop

    def _ask_to_stop(self, number: int, frame: FrameType | None) -> None:
        self._asked_to_stop = True


def main() -> int:
    parser = ArgumentParser(description="Run the example until Ctrl-C.")
    parser.add_argument(
        "--reset", action="store_true", help="delete what was written and decided, load it again"
    )
    options = parser.parse_args()
    host, port = os.environ.get("HOST") or "127.0.0.1", os.environ.get("PORT") or "8000"
    if problem := address_problem(host, port):
        print(problem, file=sys.stderr)
        return 1
    set_defaults(host, port)
    demo = Demo()
    try:
        return demo.run(host, int(port), reset=options.reset)
    finally:
        demo.stop()


def set_defaults(host: str, port: str) -> None:
    """What the settings read from the environment, where nobody has said otherwise."""
    os.environ.setdefault("DEMO", "1")
    os.environ.setdefault("SITE_ADDRESS", address(NEAR.get(host, host), port))
    if host not in LOCAL:
        os.environ.setdefault("ALLOWED_HOSTS", "*")


def address(host: str, port: int | str) -> str:
    """What the addresses of the site begin with."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def workers() -> list[list[str]]:
    """The commands beside the server; whoever works off RQ's queue leaves to neardup_worker what was not rung."""
    from config.settings import NEARDUP, OPENSEARCH_URL, REDIS_URL

    return [
        ["neardup_worker"],
        *([["rqworker", NEARDUP["default"]["QUEUE"]]] if REDIS_URL else []),
        *([["site_search", "--follow"]] if OPENSEARCH_URL else []),
    ]


def _say(number: int, title: str) -> None:
    print(f"[{number}/{len(STEPS) + 1}] {title}", flush=True)


def _answers(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), 1).close()
    except OSError:
        return False
    return True


def address_problem(host: str, port: str) -> str:
    """Why the server cannot listen there; empty where it can."""
    if not port.isdecimal() or not 0 < int(port) < 65536:
        return f"demo: PORT must be a number from 1 to 65535, not {port!r}. / PORT должен быть числом от 1 до 65535."
    try:
        family = socket.getaddrinfo(host, int(port), type=socket.SOCK_STREAM)[0][0]
        with closing(socket.socket(family)) as probe:
            if os.name == "posix":
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, int(port)))
    except OSError as error:
        return (
            f"demo: {host}:{port} cannot be used ({error.strerror}). Choose another port: make demo PORT=8001\n"
            f"demo: адрес {host}:{port} занят или недоступен. Выберите другой порт: make demo PORT=8001"
        )
    return ""


if __name__ == "__main__":
    sys.exit(main())
