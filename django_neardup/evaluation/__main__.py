"""Command line of the bench: ``python -m django_neardup.evaluation --help``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TypeVar

from tqdm import tqdm

from ..signatures import Algorithm, UnknownAlgorithm, algorithm_names, get_algorithm
from .corpora import CorpusError, corpus_names, load_corpus, sample
from .documents import Documents
from .report import FORMATS, Report
from .runner import BASELINES, Record, baseline, find_pairs, judge_pairs

Item = TypeVar("Item")
Writer = Callable[[Record], None]
DESCRIPTION = """\
Judge labelled pairs of texts and say how often the verdicts are right.

DIR holds sets of texts: NAME.docs.jsonl.gz, NAME.pairs.jsonl.gz, NAME.variants.jsonl.gz
(one JSON object a line; the formats are described in django_neardup/evaluation/corpora.py).
"""
EPILOG = """\
columns:
  true, false      labelled pairs, less those that are a matter of policy
  right, missed    true pairs called duplicate (a labelled containment: contained too), and the rest of them
  wrong            false pairs called duplicate
  offered          share of the true pairs with any verdict but none; "false offered": the same of the false pairs
  0-0.1, ...       recall by the share of changed words
rows:
  (nothing), (everything)   what saying always none, always duplicate, would reach

exit status: 0 done, 2 a wrong option or unusable data
examples:
  python -m django_neardup.evaluation --data labelled --list
  python -m django_neardup.evaluation --data labelled --sets 'ads*,edits*' --verdicts verdicts.jsonl
  python -m django_neardup.evaluation --data labelled --sets jokes --found found.jsonl --format json --output r.json
"""


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    made = argparse.ArgumentParser(
        prog="python -m django_neardup.evaluation",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = made.add_argument
    add("--data", metavar="DIR", type=Path, required=True, help="folder of labelled texts")
    add(
        "--sets",
        metavar="A,B",
        type=names,
        default=["*"],
        help="names or shell patterns of sets (default: all)",
    )
    add(
        "--algorithm",
        metavar="A,B",
        type=names,
        default=["neardup"],
        help="algorithms by name (default: neardup)",
    )
    add("--language", default="ru", help="main language of the texts (default: ru)")
    add("--format", choices=sorted(FORMATS), default="table", help="of the report (default: table)")
    add("--output", metavar="FILE", type=Path, help="write the report here instead of standard output")
    add(
        "--verdicts",
        metavar="FILE",
        type=Path,
        help="write every judged pair here, one JSON object a line "
        "(of several algorithms: a file each, FILE.NAME.jsonl)",
    )
    add(
        "--found",
        metavar="FILE",
        type=Path,
        help="also index all texts of each set; write the pairs found here",
    )
    add("--only-found", action="store_true", help="with --found: leave the labelled pairs out")
    add("--sample", metavar="N", type=int, default=0, help="at most N pairs of each set (default: all)")
    add("--seed", type=int, default=1, help="of the sample (default: 1)")
    add("--list", action="store_true", help="list the sets and the algorithms, judge nothing")
    return made


def names(value: str) -> list[str]:
    """A comma-separated list."""
    return [name.strip() for name in value.split(",") if name.strip()]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    options = parser().parse_args(arguments)
    try:
        if options.list:
            return show_list(options)
        report = run(options)
    except (CorpusError, UnknownAlgorithm, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    text = FORMATS[options.format](report)
    if options.output:
        options.output.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)
    return 0


def show_list(options: argparse.Namespace) -> int:
    print("algorithms:", ", ".join(algorithm_names()))
    for name in corpus_names(options.data, options.sets):
        corpus = load_corpus(options.data, name)
        print(f"{name}: {len(corpus.texts)} texts, {len(corpus.pairs)} labelled pairs")
    return 0


def run(options: argparse.Namespace) -> Report:
    """Load, judge, find: all that the options ask for."""
    algorithms = {name: get_algorithm(name) for name in options.algorithm}
    schemes = [algorithm.parameters() for algorithm in algorithms.values()]
    report = Report(schemes, options.seed, options.sample, options.language)
    with ExitStack() as files:
        verdicts, found = (
            writers(files, path, list(algorithms)) for path in (options.verdicts, options.found)
        )
        for name in corpus_names(options.data, options.sets):
            run_corpus(options, name, algorithms, report, verdicts, found)
    return report


def run_corpus(
    options: argparse.Namespace,
    name: str,
    algorithms: dict[str, Algorithm],
    report: Report,
    verdicts: dict[str, Writer],
    found: dict[str, Writer],
) -> None:
    corpus = sample(load_corpus(options.data, name), options.sample, options.seed)
    documents = Documents(corpus.texts, options.language)
    if corpus.pairs and not options.only_found:
        report.pairs += [baseline(corpus, title) for title in BASELINES]
        for title, algorithm in algorithms.items():
            report.pairs.append(
                judge_pairs(corpus, title, algorithm.judge, documents, verdicts[title], progress)
            )
    if options.found:
        for title, algorithm in algorithms.items():
            report.collections.append(find_pairs(corpus, title, algorithm, documents, found[title], progress))


def discard(record: Record) -> None:
    """Write nothing."""


def writers(files: ExitStack, path: Path | None, algorithms: list[str]) -> dict[str, Writer]:
    """A writer for every algorithm; of several, each has a file of its own, with its name before the suffix."""
    if path is None:
        return dict.fromkeys(algorithms, discard)
    if len(algorithms) == 1:
        return {algorithms[0]: writer(files, path)}
    return {name: writer(files, path.with_name(f"{path.stem}.{name}{path.suffix}")) for name in algorithms}


def writer(files: ExitStack, path: Path) -> Writer:
    """A function that writes one JSON line a record to `path`."""
    out = files.enter_context(path.open("w", encoding="utf-8"))

    def write(record: Record) -> None:
        out.write(json.dumps(record, ensure_ascii=False) + "\n")

    return write


def progress(items: Iterable[Item], total: int, label: str) -> Iterator[Item]:
    """A progress bar on a terminal, elsewhere nothing."""
    return iter(tqdm(items, total=total, desc=label, leave=False, disable=not sys.stderr.isatty()))


if __name__ == "__main__":
    sys.exit(main())
