"""How plain the project's English is: archaic and riddling turns per 1 000 words.

Nothing fails because of it. Read a few docstrings aloud as well. For scale: the docstrings of Django's admin
and models, httpx, structlog and procrastinate hold less than 1 archaic turn per 1 000 words.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from tools.passages import (
    Passage,
    comment_passages,
    docstring_passages,
    markdown_passages,
    message_passages,
    read,
    template_passages,
    unique,
)
from tools.sources import GENERATED, PACKAGE, ROOT, read_sources
from tools.turns import Turn, count_words, find_turns

PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
UNREAD = GENERATED | {"tests", "locale"}
"""Folders of another package that are not measured."""

Corpora = dict[str, list[Passage]]


class Rate(NamedTuple):
    """Number of turns in a corpus. ``archaic`` is part of ``turns``."""

    words: int
    archaic: int
    turns: int

    def per_thousand(self, count: int) -> float:
        return 1000 * count / self.words if self.words else 0.0


class Place(NamedTuple):
    """A passage with its turns."""

    passage: Passage
    turns: list[Turn]


def package_corpora(folder: Path, prefix: str = "", skip: set[str] = GENERATED) -> Corpora:
    """Return the docstrings and the comments of a package."""
    sources = read_sources(folder, skip)
    return {
        "docstrings": [passage for source in sources for passage in docstring_passages(source, prefix)],
        "comments": [passage for source in sources for passage in comment_passages(source, prefix)],
    }


def project_corpora() -> Corpora:
    """Return the docstrings, comments, documentation and interface texts of this project."""
    pages = [ROOT / name for name in PAGES] + sorted((ROOT / "docs").rglob("*.md"))
    catalogues = sorted(PACKAGE.rglob("*.po"))
    templates = [path for path in sorted(PACKAGE.rglob("templates/**/*")) if path.suffix in (".html", ".txt")]
    return package_corpora(PACKAGE, f"{PACKAGE.name}/") | {
        "docs": _passages(pages, markdown_passages),
        "interface": unique(
            _passages(catalogues, message_passages) + _passages(templates, template_passages)
        ),
    }


def _passages(paths: Iterable[Path], extract: Callable[[str, str], Iterable[Passage]]) -> list[Passage]:
    return [passage for path in paths for passage in extract(str(path.relative_to(ROOT)), read(path))]


def other_package(name: str) -> Corpora:
    """Return the docstrings and the comments of an installed package, by its dotted name."""
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit(f"No package {name} is installed.")
    return package_corpora(Path(spec.submodule_search_locations[0]), f"{name}/", UNREAD)


def measure(passages: Iterable[Passage]) -> Rate:
    """Count the words and the turns of passages."""
    words = archaic = turns = 0
    for passage in passages:
        found = find_turns(passage.text)
        words += count_words(passage.text)
        turns += len(found)
        archaic += sum(turn.is_archaic for turn in found)
    return Rate(words, archaic, turns)


def worst_places(passages: Iterable[Passage], number: int) -> list[Place]:
    """Return the passages with most archaic turns; among equals, with most turns."""
    places = [Place(passage, find_turns(passage.text)) for passage in passages]
    places.sort(key=lambda place: (-sum(turn.is_archaic for turn in place.turns), -len(place.turns)))
    return [place for place in places[:number] if place.turns]


def table(rates: Mapping[str, Rate]) -> str:
    """Format one corpus a line."""
    lines = [
        f"{'per 1 000 words':<14}{'words':>9}{'archaic':>9}{'rate':>7}{'with neighbours':>17}{'rate':>7}"
    ]
    for name, rate in rates.items():
        archaic, turns = rate.per_thousand(rate.archaic), rate.per_thousand(rate.turns)
        lines.append(
            f"{name:<15}{rate.words:>8}{rate.archaic:>9}{archaic:>7.1f}{rate.turns:>17}{turns:>7.1f}"
        )
    return "\n".join(lines)


def by_file(passages: Iterable[Passage]) -> str:
    """Format the turns of each file, the file with most archaic turns first."""
    archaic, turns = Counter[str](), Counter[str]()
    for passage in passages:
        found = find_turns(passage.text)
        turns[passage.file] += len(found)
        archaic[passage.file] += sum(turn.is_archaic for turn in found)
    files = sorted(turns, key=lambda file: (-archaic[file], -turns[file], file))
    return "\n".join(f"{archaic[file]:>5}{turns[file]:>6}  {file}" for file in files if turns[file])


def _describe(place: Place) -> str:
    turns = ", ".join(turn.text if turn.is_archaic else f"({turn.text})" for turn in place.turns)
    return f"{place.passage.file}:{place.passage.line}: {turns}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.prose", description=__doc__)
    parser.add_argument("--package", metavar="NAME", help="measure an installed package instead")
    parser.add_argument("--path", metavar="PREFIX", default="", help="only files with paths that start so")
    parser.add_argument("--list", type=int, metavar="N", default=0, help="show the N worst places")
    parser.add_argument("--by-file", action="store_true", help="show the number of turns of each file")
    parser.add_argument("--json", type=Path, metavar="FILE", help="save the rates")
    options = parser.parse_args(arguments)
    corpora = other_package(options.package) if options.package else project_corpora()
    corpora = {
        name: [passage for passage in passages if passage.file.startswith(options.path)]
        for name, passages in corpora.items()
    }
    rates = {name: measure(passages) for name, passages in corpora.items() if passages}
    print(table(rates))
    everything = [passage for passages in corpora.values() for passage in passages]
    if options.by_file:
        print("\narchaic, all\n" + by_file(everything))
    if options.list:
        print(
            "\nneighbours in brackets\n" + "\n".join(map(_describe, worst_places(everything, options.list)))
        )
    if options.json:
        values = {name: rate._asdict() for name, rate in rates.items()}
        options.json.write_text(json.dumps(values, indent=2) + "\n")


if __name__ == "__main__":
    main()
