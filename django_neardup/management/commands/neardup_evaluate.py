"""The command ``neardup_evaluate``: the bench on a site's own posts, with moderators' decisions as labels."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from ...adapters import language_of, registered_adapters
from ...algorithms import UnknownAlgorithm
from ...conf import Profile, get_profile
from ...evaluation.__main__ import missing_peers, parse_peers
from ...evaluation.algorithm_specs import AlgorithmSpec, parse_specs
from ...evaluation.bench import BenchRequest, evaluate
from ...evaluation.command_line import check_output_paths
from ...evaluation.corpora import Corpus
from ...evaluation.report import FORMATS
from ...evaluation.report.plots import MatplotlibMissing
from ...pipeline.content_objects import is_stored_in
from ...pipeline.statistics_builder import sources_of
from ..arguments import add_database_option, add_progress_option
from ..moderator_labels import (
    ModeratorLabels,
    collect_labels,
    compared_head,
    compared_text,
    corpus_name,
    post_name,
)
from ..number_format import format_count
from ..progress_bars import is_quiet, progress_wrapper


class Command(BaseCommand):
    help = (
        "Measure how often an algorithm agrees with your moderators. Posts that they merged or marked as the same are "
        "duplicates, posts that they marked as different are not. Pairs with a post that has changed since the "
        "decision are skipped. The adapters' identity and ignored_differences are not used."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add(
            "--profile",
            default="default",
            metavar="ALIAS",
            help="use the posts of this profile (default: default)",
        )
        add(
            "--algorithm", metavar="A,B",
            help="names or shell patterns of algorithms, or all. Options follow a name: NAME:key=value;key=value "
            "(default: the profile's algorithm with its OPTIONS)",
        )  # fmt: skip
        add(
            "--peers", metavar="A,B", default="none",
            help="other packages to compare with: their names, all installed ones, or none (default: none)",
        )  # fmt: skip
        add(
            "--collection",
            action="store_true",
            help="also index the posts, and judge the pairs that the index finds",
        )
        add(
            "--posts", type=int, default=0, metavar="N",
            help="with --collection or --found: also index up to N other posts of each model, evenly spread "
            "(default: 0)",
        )  # fmt: skip
        add(
            "--sample",
            type=int,
            default=0,
            metavar="N",
            help="judge at most N pairs of each set (default: all)",
        )
        add("--seed", type=int, default=1, help="random seed of the sample (default: 1)")
        add(
            "--format", choices=sorted(FORMATS), default="table", help="format of the report (default: table)"
        )
        add("--output", type=Path, metavar="FILE", help="write the report to this file")
        add(
            "--verdicts",
            type=Path,
            metavar="FILE",
            help="write each judged pair to this file as a line of JSON",
        )
        add(
            "--found",
            type=Path,
            metavar="FILE",
            help="like --collection, and write each candidate pair to this file",
        )
        add("--jobs", type=int, default=1, metavar="N", help="number of processes (default: 1)")
        add_progress_option(parser)
        add_database_option(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            text = self._build_report(options)
        except (UnknownAlgorithm, ImproperlyConfigured, MatplotlibMissing, ValueError, OSError) as error:
            raise CommandError(str(error)) from error
        if not options["output"]:
            self.stdout.write(text, ending="")

    def _build_report(self, options: dict[str, Any]) -> str:
        # Before anything is read.
        _check_options(options)
        using, profile = options["database"], get_profile(options["profile"])
        request, labels = self._build_request(profile, options), collect_labels(profile, using)
        if not labels.corpora:
            raise CommandError(_no_labels_message(profile, labels))
        if options["posts"]:
            self._add_posts(profile, labels.corpora, options, using)
        # The bench may fork, and processes must not share a connection.
        connections.close_all()
        report = evaluate(list(labels.corpora.values()), request)
        report.notes += _label_notes(profile, labels)
        text = FORMATS[options["format"]](report)
        if options["output"]:
            options["output"].write_text(text, encoding="utf-8")
        return text

    def _build_request(self, profile: Profile, options: dict[str, Any]) -> BenchRequest:
        options_with_guard = {"guard": True, **profile.options}
        specs = (
            parse_specs(options["algorithm"])
            if options["algorithm"]
            else [AlgorithmSpec(profile.algorithm, profile.algorithm, options_with_guard)]
        )
        return BenchRequest(
            specs=specs,
            peers=parse_peers(options["peers"]),
            missing_peers=missing_peers(options["peers"]),
            collection_mode=options["collection"] or options["found"] is not None,
            language=profile.language,
            sample_size=options["sample"],
            seed=options["seed"],
            processes=max(options["jobs"], 1),
            separate_sets=(),
            verdicts_path=options["verdicts"],
            candidates_path=options["found"],
        )

    def _add_posts(
        self, profile: Profile, corpora: dict[str, Corpus], options: dict[str, Any], using: str
    ) -> None:
        """Add other posts, so that collection mode has a collection to search."""
        progress = progress_wrapper("reading", is_quiet(options))
        for model, adapter in registered_adapters().items():
            corpus = corpora.get(corpus_name(adapter))
            if adapter.profile == profile.alias and corpus is not None and is_stored_in(model, using):
                for key, source in sources_of(adapter, using, options["posts"], progress):
                    name = post_name(model, key)
                    if name not in corpus.texts:
                        corpus.texts[name] = compared_text(adapter, source)
                        corpus.heads[name] = compared_head(adapter, source)


def _check_options(options: dict[str, Any]) -> None:
    """Raise CommandError for options that make no sense and for files that cannot be written.

    These are negative numbers, and --posts without a collection.
    """
    for name in ("sample", "posts", "jobs"):
        if options[name] < 0:
            raise CommandError(f"--{name} is {options[name]}: it must be 0 or more")
    if options["posts"] and not (options["collection"] or options["found"]):
        raise CommandError("--posts needs --collection or --found")
    check_output_paths(**{name: options[name] for name in ("output", "verdicts", "found")})


def _no_labels_message(profile: Profile, labels: ModeratorLabels) -> str:
    if labels.gone_count or labels.changed_count:
        return f"No decision on posts of the profile {profile.alias} can be used: {_left_out_counts(labels)}."
    return (
        f"There are no decisions on posts of the profile {profile.alias} yet. Decide on some pairs and groups in the "
        "admin first."
    )


def _label_notes(profile: Profile, labels: ModeratorLabels) -> list[str]:
    parts = [
        f"{kind}: {format_count(count, 'pair')}" for kind, count in sorted(labels.counts_by_kind.items())
    ]
    notes = [f"moderators' decisions: {', '.join(parts)}"]
    if labels.gone_count or labels.changed_count:
        notes.append(f"skipped: {_left_out_counts(labels)}")
    notes += _language_notes(profile, labels)
    if profile.synonyms is not None:
        notes.append("the profile's synonyms are not used")
    return notes


def _language_notes(profile: Profile, labels: ModeratorLabels) -> list[str]:
    """Return notes about sets and models that are read in an unexpected language.

    The report's header names the profile's language. A set may have another one, and one of its models yet
    another.
    """
    other_sets = [
        other_corpus for other_corpus in labels.corpora.values() if other_corpus.language != profile.language
    ]
    notes = [
        f"{other_corpus.name} is read in its own language, {other_corpus.language}"
        for other_corpus in other_sets
    ]
    for model, adapter in registered_adapters().items():
        corpus, language = (
            labels.corpora.get(corpus_name(adapter)),
            language_of(adapter, adapter.settings),
        )
        if corpus is not None and corpus.language != language:
            notes.append(
                f"{model._meta.label_lower} is read as {corpus.language}, not as {language}: "
                "its set has several languages"
            )
    return notes


def _left_out_counts(labels: ModeratorLabels) -> str:
    changed, gone = format_count(labels.changed_count, "pair"), format_count(labels.gone_count, "pair")
    return (
        f"{changed} with a post that has changed since the decision (text, author, contacts or adapter), "
        f"{gone} with a deleted post"
    )
