"""The example, indexed, in a running server, and windows to look at it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, nullcontext
from pathlib import Path

import pytest

from tests import services
from tests.browser import staging
from tests.browser.chromium import HEIGHT, WIDTH, Window, chromium, programs
from tests.example.conftest import Site


@pytest.fixture(scope="session")
def _programs() -> None:
    try:
        programs()
    except services.MissingServiceError as missing:
        if os.environ.get("REQUIRE_SERVICES") == "1":
            pytest.fail(str(missing))
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def _prepared(_programs: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    database = tmp_path_factory.mktemp("browser") / "prepared.sqlite3"
    staging.prepare(database)
    return database


@pytest.fixture(scope="session")
def _staged(_prepared: Path) -> Iterator[Site]:
    with staging.stage(_prepared) as site:
        yield site


@pytest.fixture
def site(_staged: Site, _prepared: Path) -> Site:
    """The running example as it was when it had just been indexed."""
    staging.restore(_prepared, _staged.database)
    return _staged


@pytest.fixture(scope="session")
def _windows(_programs: None) -> Iterator[Callable[[str], Window]]:
    """A browser for each name, started when first asked for."""
    with ExitStack() as stack:
        opened: dict[str, Window] = {}

        def window(name: str) -> Window:
            if name not in opened:
                opened[name] = stack.enter_context(chromium())
            return opened[name]

        yield window


@pytest.fixture
def window(site: Site, _windows: Callable[[str], Window]) -> Iterator[Window]:
    """A window of "admin", who is signed in; nothing may be complained of in it."""
    yield from _signed_in(site, _windows, "admin")


@pytest.fixture
def colleague(site: Site, _windows: Callable[[str], Window]) -> Iterator[Window]:
    """A window of another person, "moderator"."""
    yield from _signed_in(site, _windows, "moderator")


@pytest.fixture
def author(site: Site, _windows: Callable[[str], Window]) -> Iterator[Window]:
    """A window of "demo", who sells on the board."""
    yield from _signed_in(site, _windows, "demo")


@pytest.fixture(params=[True, False], ids=["script", "no script"])
def writer(author: Window, request: pytest.FixtureRequest) -> Iterator[Window]:
    """The window of "author", once with scripts and once without."""
    with nullcontext() if request.param else author.without_script():
        yield author


def _signed_in(site: Site, windows: Callable[[str], Window], name: str) -> Iterator[Window]:
    window = windows(name)
    window.address = site.address
    window.size(WIDTH, HEIGHT)
    window.become(staging.session_of(name))
    window.complaints()
    yield window
    assert window.complaints() == []
