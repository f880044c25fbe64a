"""Command line of the bench: ``python -m django_neardup.evaluation --help``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from ..algorithms import UnknownAlgorithm, algorithm_names, get_algorithm
from .algorithm_specs import algorithm_description, describe_flags, parse_specs
from .bench import BenchRequest, evaluate
from .calibration_mode import bar_rows, calibrate
from .case_files import load_cases
from .cases_mode import case_results
from .command_line import build_parser, check_output_paths
from .corpora import Corpus, CorpusError, data_digest, drop_short_texts, find_set_names, load_corpus
from .gate import GateError, check_gate, renew_bounds
from .peers import PEERS, installed_peers, peer_version
from .report import CASE_FORMATS, FORMATS
from .report.plots import MatplotlibMissing, load_pyplot

OPTIONS_OF_SETS = (
    "data",
    "gate",
    "renew",
    "verdicts",
    "found",
    "collection",
    "pool",
    "union",
    "only_found",
    "rules",
    "calibration",
    "calibrate",
)
"""Options that cases mode refuses."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    options = build_parser().parse_args(argv)
    try:
        if options.list:
            return print_list(options)
        if options.cases:
            return run_cases(options)
        if options.data is None:
            raise CorpusError("--data DIR or --cases FILE is needed")
        return run_bench(options)
    except (CorpusError, UnknownAlgorithm, GateError, MatplotlibMissing, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


def run_bench(options: argparse.Namespace) -> int:
    """Check or renew the bounds of a gate, or write the report. Return the exit status."""
    request = build_request(options)
    check_output_paths(output=options.output, verdicts=options.verdicts, found=options.found)
    if options.renew is not None and not options.gate:
        raise ValueError("--renew needs --gate")
    if options.gate and options.renew is not None:
        renew_bounds(options.gate, options.data, request, options.renew, print_line)
        return 0
    if options.gate:
        return check_gate(options.gate, options.data, request, print_line)
    if options.calibrate:
        corpora = load_corpora(options, find_set_names(options.data, options.sets, options.exclude))
        options.calibrate.write_text(calibrate(corpora, options.language, max(options.jobs, 1)), "utf-8")
        return 0
    if options.format == "html":
        # A missing package is reported before minutes of work.
        load_pyplot()
    set_names = find_set_names(options.data, options.sets, options.exclude)
    report = evaluate(load_corpora(options, set_names), request, data_digest(options.data, set_names))
    write_report(FORMATS[options.format](report), options.output)
    bars = bar_rows(report.calibration) if report.calibration else []
    return int(any(row["kept"] == "no" for row in bars))


def run_cases(options: argparse.Namespace) -> int:
    """Judge the cases and write the report. Return the exit status.

    Raise ValueError for an option that needs labelled sets.
    """
    if refused := [name for name in OPTIONS_OF_SETS if getattr(options, name) not in (None, False)]:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in refused)
        raise ValueError(f"--cases judges the cases alone, without {names}")
    if options.format not in CASE_FORMATS:
        raise ValueError(f"--format of --cases is {' or '.join(CASE_FORMATS)}")
    check_output_paths(output=options.output)
    results = case_results(
        load_cases(options.cases),
        parse_specs(options.algorithm),
        options.language,
        options.case_languages,
        options.head,
    )
    write_report(CASE_FORMATS[options.format](results), options.output)
    return 0


def write_report(text: str, path: Path | None) -> None:
    """Write the report to a file, or to standard output without one."""
    if path:
        # Lone surrogates of a text cannot be encoded.
        path.write_text(text, encoding="utf-8", errors="replace")
    else:
        sys.stdout.write(text)


def print_line(line: str) -> None:
    print(line, flush=True)


def load_corpora(options: argparse.Namespace, set_names: Sequence[str]) -> list[Corpus]:
    """Load the sets, without texts that are too short."""
    return [drop_short_texts(load_corpus(options.data, name), options.long) for name in set_names]


def build_request(options: argparse.Namespace) -> BenchRequest:
    """Build the request from the options. Raise ValueError for options that exclude each other."""
    collection_mode = bool(options.collection or options.found)
    if options.union is not None and not collection_mode:
        raise ValueError("--union needs --collection or --found")
    if options.only_found and not (collection_mode or options.pool):
        raise ValueError("--only-found leaves nothing: it needs --collection, --found or --pool")
    if options.rules and options.only_found:
        raise ValueError("--rules counts labelled pairs: leave --only-found out")
    return BenchRequest(
        specs=parse_specs(options.algorithm),
        peers=parse_peers(options.peers),
        missing_peers=missing_peers(options.peers),
        pairs_mode=not (options.only_found or options.calibration),
        calibration_mode=options.calibration,
        collection_mode=collection_mode,
        pool_mode=options.pool,
        union_similarity=options.union,
        language=options.language,
        head=options.head,
        sample_size=options.sample,
        seed=options.seed,
        processes=max(options.jobs, 1),
        max_aligned=options.aligned,
        windows=options.windows,
        separate_sets=options.apart,
        with_rules=options.rules,
        verdicts_path=options.verdicts,
        candidates_path=options.found,
    )


def parse_peers(text: str) -> list[str]:
    """Return the names of peers. Raise ValueError if a name is unknown or the peer is not installed."""
    if text in ("all", "none"):
        return installed_peers() if text == "all" else []
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in PEERS:
            raise ValueError(f"no peer {name!r}; known are {', '.join(PEERS)}")
        if not peer_version(name):
            raise ValueError(f'{name} is not installed: pip install "path/to/django-neardup[peers]"')
    return names


def missing_peers(text: str) -> list[str]:
    """Return the names of peers that are not installed, if all peers are requested."""
    return [name for name in PEERS if not peer_version(name)] if text == "all" else []


def print_list(options: argparse.Namespace) -> int:
    """Print the algorithms, the peers, and the sets of a folder. Return the exit status."""
    print("algorithms:")
    width = max(map(len, algorithm_names()))
    for name in algorithm_names():
        algorithm = get_algorithm(name)
        flags = describe_flags(algorithm)
        print(f"  {name:{width}}  {algorithm_description(algorithm)}{f'  [{flags}]' if flags else ''}")
    print("peers:")
    for name in PEERS:
        print(f"  {name}: {peer_version(name) or 'not installed'}")
    if options.data is not None:
        print("sets:")
        for name in find_set_names(options.data, options.sets, options.exclude):
            corpus = load_corpus(options.data, name)
            print(f"  {name}: {len(corpus.texts)} texts, {len(corpus.pairs)} labelled pairs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
