"""Two files compared, without Django: ``python -m django_neardup.comparison A B``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from ..signatures import Algorithm, UnknownAlgorithm, get_algorithm
from ..signatures.statistics import StatisticsMissing
from ..text.document import Document
from .compare import DEFAULT, Comparison, NoVerdict, compare_texts
from .output import FORMATS, STDIN, Unreadable, read_text, rendered, wants_colours, written_to
from .words import of_environment

DESCRIPTION = "Say how alike two texts are by every algorithm, in what they differ, and what they share."
EPILOG = "Exit status: 0 done, 2 a wrong option or a file that cannot be read."


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    made = argparse.ArgumentParser(
        prog="python -m django_neardup.comparison", description=DESCRIPTION, epilog=EPILOG
    )
    add = made.add_argument
    add("a", metavar="A", help='a file; "-": standard input')
    add("b", metavar="B", help="another one")
    add("--format", choices=FORMATS, default="text", help="of the report (default: text)")
    add("--output", metavar="FILE", help="write the report there, not to standard output")
    add(
        "--algorithm",
        metavar="NAME",
        default=DEFAULT,
        help=f"whose verdict is explained (default: {DEFAULT})",
    )
    add("--language", metavar="CODE", default="ru", help="of the texts (default: ru)")
    add("--encoding", default="utf-8", help="of the files (default: utf-8)")
    add("--no-color", action="store_true", help="no colours (nor where NO_COLOR is set)")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    options = parser().parse_args(arguments)
    if options.a == options.b == STDIN:
        parser().error("only one of the two texts can come from standard input")
    try:
        report(options)
    except (Unreadable, UnknownAlgorithm, StatisticsMissing, NoVerdict) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def report(options: argparse.Namespace) -> None:
    words, language = of_environment()
    text = rendered(
        compared(options),
        options.format,
        words=words,
        language=language,
        colours=not options.output and wants_colours(sys.stdout, options.no_color),
        stream=None if options.output else sys.stdout,
    )
    if options.output:
        written_to(options.output, text)
    else:
        sys.stdout.write(text)


def compared(options: argparse.Namespace) -> Comparison:
    a, b = (
        Document(read_text(name, options.encoding), language=options.language)
        for name in (options.a, options.b)
    )
    algorithm: Algorithm = get_algorithm(options.algorithm)
    return compare_texts(a, b, algorithm, titles=(options.a, options.b))


if __name__ == "__main__":
    sys.exit(main())
