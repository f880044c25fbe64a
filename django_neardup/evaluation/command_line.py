"""Options of the bench's command."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from ..text.heads import FIRST_LINE
from .collection_mode import MAX_ALIGNED
from .parallel import available_cores
from .pool_mode import WINDOWS
from .rcdl2007_results import ARTICLE_SIMILARITY
from .report import FORMATS
from .summary import SEPARATE_SETS


def parse_names(value: str) -> list[str]:
    """Parse a comma-separated list."""
    return [name.strip() for name in value.split(",") if name.strip()]


def parse_positive_numbers(value: str) -> list[int]:
    """Parse a comma-separated list of whole numbers, 0 or more."""
    return [parse_count(name) for name in parse_names(value)]


def parse_count(value: str) -> int:
    """Parse a whole number, 0 or more. Raise ArgumentTypeError if it is negative."""
    number = int(value)
    if number < 0:
        raise argparse.ArgumentTypeError("it must be 0 or more")
    return number


def parse_share(value: str) -> float:
    """Parse a number from 0 to 1. Raise ArgumentTypeError outside this range."""
    number = float(value)
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError("it must be from 0 to 1")
    return number


DESCRIPTION = """\
Judge labelled pairs of texts, look for pairs in collections, and say how often the answers are right, and what they
cost.

DIR holds sets of texts: NAME.docs.jsonl.gz, NAME.pairs.jsonl.gz, NAME.variants.jsonl.gz
(one JSON object a line; the formats are described in django_neardup/evaluation/corpora.py).
FILE of --cases: a JSON object a line, {"id", "kind", "a", "b", "expected"[, "options"]}
(django_neardup/evaluation/case_files.py).
"""
EPILOG = """\
modes:
  pairs        every labelled pair is judged (the default)
  collection   --collection or --found: all texts of a set are indexed, the pairs found are judged
  pool         --pool: all texts of all sets are indexed together, nothing is judged
  calibration  --calibration, instead of pairs: how sure the judge may be
  cases        --cases, instead of the others: pairs with their expected verdicts, a report by kind
rows:
  (nothing), (everything)   what saying always none, always duplicate, would reach
  (jaccard)                 brute force: Jaccard of the sets of words, at its best single threshold
  peers                     other packages, where installed, each at its best single threshold, and "at" a fixed one,
                            the same for all sets: the package's default, or a round value (table of thresholds)
columns:
  macro F1         mean F1 over the sets that have both classes, of core pairs: true ones of one text with at most
                   30 % of the words changed, neither holding the other, and false ones; "apart": the sets of --apart
  best at          the threshold on the score alone that would be best, and the macro F1 it would reach
  true, false      labelled pairs, less those that are a matter of policy
  right, missed    true pairs called duplicate (a labelled containment: contained too), and the rest of them
  wrong            false pairs called duplicate
  offered          share of the true pairs with any verdict but none; "false offered": the same of the false pairs
  0-0.1, ...       recall by the share of changed words
  candidate recall share of the true pairs at most half changed that meet in the index, before anything is judged
  met a text       earlier texts met in the buckets of a text, a text in two buckets counted twice
  ari, b3 ...      the clusters that the app would make of the pairs found, against the known groups of the set:
                   adjusted Rand index, B-cubed; "grouped texts": texts with a known group
  decided          with --rules: pairs on which a rule found another item; "share true": of those labelled true or
                   false, the share labelled true
  ms               milliseconds of processor time; canonising (words, lemmas) is apart, and the same for all rows
precision and recall of a collection: of the pairs called duplicate whose truth is known by a label or by their
groups, and of the pairs labelled as one text

exit status: 0 done (also if cases are wrong), 1 a floor of --gate or a bar of --calibration is missed,
             2 a wrong option or unusable data
examples:
  python -m django_neardup.evaluation --data labelled --list
  python -m django_neardup.evaluation --data labelled --sets 'ads*,edits*' --verdicts verdicts.jsonl
  python -m django_neardup.evaluation --data labelled --rules --peers none --format csv --output rules.csv
  python -m django_neardup.evaluation --data labelled --algorithm all --format html --output bench.html
  python -m django_neardup.evaluation --data labelled --algorithm 'neardup:guard=false,*-sent' --peers none
  python -m django_neardup.evaluation --data labelled --sets jokes --found found.jsonl --format json --output r.json
  python -m django_neardup.evaluation --data labelled --only-found --collection --union --long 100 --algorithm all
  python -m django_neardup.evaluation --data labelled --only-found --pool --exclude 'help*'
  python -m django_neardup.evaluation --data labelled --gate benchmarks/floors.json
  python -m django_neardup.evaluation --cases cases.jsonl --format json --output results.jsonl
"""


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the command's options."""
    parser = argparse.ArgumentParser(
        prog="python -m django_neardup.evaluation",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_input_options(parser)
    _add_mode_options(parser)
    _add_output_options(parser)
    return parser


def _add_input_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--data", metavar="DIR", type=Path, help="folder of labelled texts")
    add(
        "--cases",
        metavar="FILE",
        type=Path,
        nargs="+",
        help="judge the cases of these files, and nothing else: expected against got by kind, and every wrong "
        "case; with --format json one object a case. Other options: --algorithm, --language, --head, --output",
    )
    add(
        "--case-languages",
        action="store_true",
        help="with --cases: read each case in the language of its field lang, if it has one",
    )
    add(
        "--sets",
        metavar="A,B",
        type=parse_names,
        default=["*"],
        help="names or shell patterns of sets (default: all)",
    )
    add(
        "--exclude",
        metavar="A,B",
        type=parse_names,
        default=[],
        help="names or patterns of sets to leave out",
    )
    add(
        "--algorithm",
        metavar="A,B",
        default="neardup",
        help="names or shell patterns of algorithms, or all; each with options or without: "
        "NAME:key=value;key=value (default: neardup)",
    )
    add(
        "--peers",
        metavar="A,B",
        default="all",
        help="other packages as rows: names, all that are installed, or none (default: all)",
    )
    add("--language", default="ru", help="main language of the texts (default: ru)")
    add(
        "--head",
        choices=[FIRST_LINE],
        help="the first line of every text is its head (a title), unless it is the whole text (default: no heads)",
    )
    add(
        "--sample",
        metavar="N",
        type=parse_count,
        default=0,
        help="at most N pairs of each set (default: all)",
    )
    add("--seed", type=int, default=1, help="of samples and of the pool's order (default: 1)")
    add("--long", metavar="N", type=parse_count, default=0, help="only texts of at least N words")
    add(
        "--apart",
        metavar="A,B",
        type=parse_names,
        default=list(SEPARATE_SETS),
        help=f"sets that are not in the means (default: {','.join(SEPARATE_SETS)})",
    )


def _add_mode_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--collection", action="store_true", help="also index all texts of each set, and judge what is found")
    add("--pool", action="store_true", help="also index all sets together: recall of candidates")
    add(
        "--rules",
        action="store_true",
        help="also count, by set, on how many true and false pairs each rule of the judge decided",
    )
    add(
        "--calibration",
        action="store_true",
        help="instead of the labelled pairs' table: how often the judge is right where it is sure, and in doubt, "
        "beside the bars; other people's sets alone, each by a model that was fitted without it",
    )
    add(
        "--calibrate",
        metavar="FILE",
        type=Path,
        help="fit the certainty of the judge to the labelled pairs, write it, and do nothing else",
    )
    add("--only-found", action="store_true", help="leave the labelled pairs out")
    add(
        "--union",
        metavar="SIMILARITY",
        type=parse_share,
        nargs="?",
        const=ARTICLE_SIMILARITY,
        help="with collections: take the pairs that any row found and whose texts are at least so alike as the truth, "
        f"as the comparison article did (default: {ARTICLE_SIMILARITY})",
    )
    add(
        "--windows",
        metavar="A,B",
        type=parse_positive_numbers,
        default=list(WINDOWS),
        help="with --pool: windows of the curve of recall against keys of neardup (default: "
        f"{','.join(map(str, WINDOWS))}; empty: no curve)",
    )
    add(
        "--aligned",
        metavar="N",
        type=parse_count,
        default=MAX_ALIGNED,
        help=f"judge at most N candidates of a text (default: {MAX_ALIGNED})",
    )
    add(
        "--jobs",
        metavar="N",
        type=parse_count,
        default=available_cores(),
        help="processes (default: one a core, %(default)s)",
    )
    add("--gate", metavar="FILE", type=Path, help="check the floors of this file, and nothing else")
    add(
        "--renew",
        metavar="MARGIN",
        type=parse_share,
        help="with --gate: write the figures reached, less MARGIN, into the file instead of checking it",
    )
    add("--list", action="store_true", help="list the sets, the algorithms and the peers; judge nothing")


def _add_output_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--format", choices=sorted(FORMATS), default="table", help="of the report (default: table)")
    add("--output", metavar="FILE", type=Path, help="write the report here instead of standard output")
    add(
        "--verdicts",
        metavar="FILE",
        type=Path,
        help="write every judged pair here, one JSON object a line "
        "(of several algorithms, and of peers: a file each, FILE.NAME.jsonl)",
    )
    add(
        "--found",
        metavar="FILE",
        type=Path,
        help="as --collection, and write every candidate pair here, in the same way",
    )


def check_output_paths(**paths: Path | None) -> None:
    """Check that the files can be written, by option name. Write nothing.

    Raise OSError for a file that cannot be written. Raise ValueError if two options name the same file.
    """
    option_by_path: dict[Path, str] = {}
    for option, path in paths.items():
        if path is None:
            continue
        folder, first_option = path.parent, option_by_path.setdefault(path.resolve(), option)
        if first_option != option:
            raise ValueError(f"--{first_option} and --{option} are one file, {path}: name two")
        if path.is_dir():
            raise IsADirectoryError(f"--{option} {path}: that is a folder, not a file")
        if not path.exists() and not folder.is_dir():
            raise FileNotFoundError(f"--{option} {path}: there is no folder {folder}")
        if not os.access(path if path.exists() else folder, os.W_OK):
            raise PermissionError(f"--{option} {path}: it cannot be written")
