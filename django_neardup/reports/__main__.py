"""The command that compares two files without settings: ``python -m django_neardup.reports A B``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from ..algorithms import Algorithm, UnknownAlgorithm, get_algorithm
from ..algorithms.statistics import StatisticsMissing
from ..text.canonical_text import CanonicalText
from ..text.heads import FIRST_LINE, first_line_length
from .input_output import (
    REPORT_FORMATS,
    STDIN,
    UnreadableFile,
    read_text,
    render_report,
    should_use_colours,
    write_report,
)
from .messages import environment_translation
from .text_comparison import DEFAULT_ALGORITHM, Comparison, NoVerdict, compare_texts

DESCRIPTION = "Say how alike two texts are by every algorithm, in what they differ, and what they share."
EPILOG = "Exit status: 0 done, 2 a wrong option or a file that cannot be read."


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the command's arguments."""
    parser = argparse.ArgumentParser(
        prog="python -m django_neardup.reports", description=DESCRIPTION, epilog=EPILOG
    )
    add = parser.add_argument
    add("a", metavar="A", help='a file; "-": standard input')
    add("b", metavar="B", help="another one")
    add("--format", choices=REPORT_FORMATS, default="text", help="of the report (default: text)")
    add("--output", metavar="FILE", help="write the report there, not to standard output")
    add(
        "--algorithm",
        metavar="NAME",
        default=DEFAULT_ALGORITHM,
        help=f"whose verdict is explained (default: {DEFAULT_ALGORITHM})",
    )
    add("--language", metavar="CODE", default="ru", help="of the texts (default: ru)")
    add("--head", choices=[FIRST_LINE], help="the first line of each file is its head (a title)")
    add("--encoding", default="utf-8", help="of the files (default: utf-8)")
    add("--no-color", action="store_true", help="no colours (nor where NO_COLOR is set)")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    options = build_parser().parse_args(argv)
    # Standard input can be read only once.
    if options.a == options.b == STDIN:
        build_parser().error("only one of the two texts can come from standard input")
    try:
        print_report(options)
    except (UnreadableFile, UnknownAlgorithm, StatisticsMissing, NoVerdict) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def print_report(options: argparse.Namespace) -> None:
    translate, language = environment_translation()
    report = render_report(
        compare_files(options),
        options.format,
        translate=translate,
        language=language,
        use_colours=not options.output and should_use_colours(sys.stdout, options.no_color),
        stream=None if options.output else sys.stdout,
    )
    if options.output:
        write_report(options.output, report)
    else:
        sys.stdout.write(report)


def compare_files(options: argparse.Namespace) -> Comparison:
    a, b = (_read_file(name, options) for name in (options.a, options.b))
    algorithm: Algorithm = get_algorithm(options.algorithm)
    return compare_texts(a, b, algorithm, titles=(options.a, options.b))


def _read_file(name: str, options: argparse.Namespace) -> CanonicalText:
    text = read_text(name, options.encoding)
    head = first_line_length(text) if options.head == FIRST_LINE else 0
    return CanonicalText(text, language=options.language, head=head)


if __name__ == "__main__":
    sys.exit(main())
