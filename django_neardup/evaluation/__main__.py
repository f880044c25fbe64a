"""Command line of the bench: ``python -m django_neardup.evaluation --help``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from ..signatures import UnknownAlgorithm, algorithm_names, get_algorithm
from .bench import Request, evaluate
from .corpora import Corpus, CorpusError, corpus_names, data_digest, load_corpus, long_texts
from .gate import GateError, check, renew
from .options import check_outputs, parser
from .peers import PEERS, installed_peers, peer_version
from .report import FORMATS
from .report.plots import PlotsMissing, drawing
from .specs import description, flags, parse_specs


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    options = parser().parse_args(arguments)
    try:
        if options.list:
            return show_list(options)
        if options.data is None:
            raise CorpusError("--data DIR is needed")
        return run(options)
    except (CorpusError, UnknownAlgorithm, GateError, PlotsMissing, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


def run(options: argparse.Namespace) -> int:
    """Check the floors, or make the report."""
    request = asked(options)
    check_outputs(output=options.output, verdicts=options.verdicts, found=options.found)
    if options.renew is not None and not options.gate:
        raise ValueError("--renew needs --gate")
    if options.gate and options.renew is not None:
        renew(options.gate, options.data, request, options.renew, say)
        return 0
    if options.gate:
        return check(options.gate, options.data, request, say)
    if options.format == "html":
        drawing()
    found = corpus_names(options.data, options.sets, options.exclude)
    report = evaluate(corpora(options, found), request, data_digest(options.data, found))
    text = FORMATS[options.format](report)
    if options.output:
        options.output.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)
    return 0


def say(line: str) -> None:
    print(line, flush=True)


def corpora(options: argparse.Namespace, found: Sequence[str]) -> list[Corpus]:
    """The sets, less the texts that are too short."""
    return [long_texts(load_corpus(options.data, name), options.long) for name in found]


def asked(options: argparse.Namespace) -> Request:
    """What the options ask for.  ValueError for those that do not go together."""
    collection = bool(options.collection or options.found)
    if options.union is not None and not collection:
        raise ValueError("--union needs --collection or --found")
    if options.only_found and not (collection or options.pool):
        raise ValueError("--only-found leaves nothing: it needs --collection, --found or --pool")
    return Request(
        specs=parse_specs(options.algorithm),
        peers=chosen_peers(options.peers),
        absent=absent_peers(options.peers),
        pairs=not options.only_found,
        collection=collection,
        pool=options.pool,
        union=options.union,
        language=options.language,
        sample=options.sample,
        seed=options.seed,
        processes=max(options.jobs, 1),
        aligned=options.aligned,
        windows=options.windows,
        apart=options.apart,
        verdicts=options.verdicts,
        found=options.found,
    )


def chosen_peers(text: str) -> list[str]:
    """Names of peers.  ValueError for one that is not known or not installed."""
    if text in ("all", "none"):
        return installed_peers() if text == "all" else []
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in PEERS:
            raise ValueError(f"no peer {name!r}; known are {', '.join(PEERS)}")
        if not peer_version(name):
            raise ValueError(f'{name} is not installed: pip install "path/to/django-neardup[peers]"')
    return names


def absent_peers(text: str) -> list[str]:
    """Names of the peers that are asked for with the rest, and are not installed."""
    return [name for name in PEERS if not peer_version(name)] if text == "all" else []


def show_list(options: argparse.Namespace) -> int:
    """Algorithms, peers, and the sets of a folder."""
    print("algorithms:")
    width = max(map(len, algorithm_names()))
    for name in algorithm_names():
        algorithm = get_algorithm(name)
        told = flags(algorithm)
        print(f"  {name:{width}}  {description(algorithm)}{f'  [{told}]' if told else ''}")
    print("peers:")
    for name in PEERS:
        print(f"  {name}: {peer_version(name) or 'not installed'}")
    if options.data is not None:
        print("sets:")
        for name in corpus_names(options.data, options.sets, options.exclude):
            corpus = load_corpus(options.data, name)
            print(f"  {name}: {len(corpus.texts)} texts, {len(corpus.pairs)} labelled pairs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
