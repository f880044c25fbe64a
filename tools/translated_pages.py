"""Russian pages that fell behind: each names the hash of the English page that it was translated from.

A page begins with ``<!-- Translated from docs/guide/templates.md: 0123456789ab -->``. Without options the
command lists the pages that fell behind. ``--diff`` prints what has changed in English since the translation.
``--done`` writes the hash of today's English page, after somebody has translated the changes.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
HEADER = re.compile(r"\A<!-- Translated from (\S+\.md): ([0-9a-f]{12}) -->$", re.MULTILINE)


class TranslatedPage(NamedTuple):
    """A page, the English page that it was translated from, and the hash of that page at the time."""

    path: Path
    source: Path
    digest: str

    @property
    def name(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    @property
    def is_current(self) -> bool:
        return self.source.exists() and digest_of(self.source.read_bytes()) == self.digest


def digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]


def page_paths() -> list[Path]:
    """Return all Russian pages. An index has no English page: its links differ."""
    return [
        ROOT / "README.ru.md",
        *sorted(path for path in (ROOT / "docs" / "ru").rglob("*.md") if path.name != "index.md"),
    ]


def read_page(path: Path) -> TranslatedPage:
    """Read the first line of a page. Raise ValueError if it does not name the English page and its hash."""
    match = HEADER.search(path.read_text(encoding="utf-8"))
    if match is None:
        raise ValueError(f"{path} does not begin with <!-- Translated from PAGE: HASH -->")
    return TranslatedPage(path, ROOT / match[1], match[2])


def mark_as_current(page: TranslatedPage) -> None:
    """Write the hash of today's English page into a page."""
    text = page.path.read_text(encoding="utf-8")
    current = digest_of(page.source.read_bytes())
    page.path.write_text(text.replace(page.digest, current, 1), encoding="utf-8")


def changes(page: TranslatedPage) -> str:
    """Return what has changed in the English page since the translation, as git prints it.

    Return the whole page if no commit has the version that was translated.
    """
    name = page.source.relative_to(ROOT).as_posix()
    for commit in _git("log", "--format=%H", "--", name).decode().split():
        if digest_of(_git("show", f"{commit}:{name}")) == page.digest:
            return _git("diff", commit, "--", name).decode()
    return page.source.read_text(encoding="utf-8")


def _git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=False).stdout


def _chosen(names: Sequence[str]) -> Iterator[TranslatedPage]:
    """Yield the pages that are named, or all pages that fell behind."""
    pages = [read_page(path) for path in page_paths()]
    unknown = set(names) - {page.name for page in pages}
    if unknown:
        raise SystemExit(f"No such page: {', '.join(sorted(unknown))}.")
    yield from (page for page in pages if (page.name in names if names else not page.is_current))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.translated_pages", description=__doc__)
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="only these pages, as docs/ru/tutorial.md")
    parser.add_argument("--diff", action="store_true", help="print what has changed in English")
    parser.add_argument("--done", action="store_true", help="write the hash of today's English page")
    options = parser.parse_args(arguments)
    pages = list(_chosen(options.pages))
    for page in pages:
        if options.done:
            mark_as_current(page)
        else:
            print(f"{page.name}: {page.source.relative_to(ROOT).as_posix()} has changed")
            if options.diff:
                print(changes(page))
    return int(bool(pages) and not options.done)


if __name__ == "__main__":
    sys.exit(main())
