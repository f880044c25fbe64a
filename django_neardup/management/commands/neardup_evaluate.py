"""The bench over a site's own posts, with moderators' decisions as labels."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from ...adapters import language_of, registered
from ...conf import Profile, get_profile
from ...evaluation.__main__ import absent_peers, chosen_peers
from ...evaluation.bench import Request, evaluate
from ...evaluation.corpora import Corpus
from ...evaluation.options import check_outputs
from ...evaluation.report import FORMATS
from ...evaluation.report.plots import PlotsMissing
from ...evaluation.specs import Spec, parse_specs
from ...pipeline.gathering import sources_of
from ...pipeline.objects import is_kept_in
from ...signatures import UnknownAlgorithm
from ..arguments import add_database, add_no_progress
from ..figures import counted
from ..labels import Labels, labels_of, name_of, set_of, text_of
from ..progress import bars, is_quiet


class Command(BaseCommand):
    help = (
        "Judge the pairs of posts on which moderators have decided, and say how often an algorithm agrees with them: "
        "posts decided to be the same, or merged, are true pairs, posts decided to be different are false ones. "
        "A pair of posts that are not as they were decided on is left out. Adapters' identity and excused have no say "
        "here."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("--profile", default="default", metavar="ALIAS", help="posts of this profile (default: default)")
        add(
            "--algorithm", metavar="A,B",
            help="names or shell patterns of algorithms, or all; each with options or without: "
            "NAME:key=value;key=value (default: the profile's, with its OPTIONS)",
        )  # fmt: skip
        add(
            "--peers", metavar="A,B", default="none",
            help="other packages as rows: names, all that are installed, or none (default: none)",
        )  # fmt: skip
        add("--collection", action="store_true", help="also index the posts, and judge what is found")
        add(
            "--posts", type=int, default=0, metavar="N",
            help="with --collection or --found: index at most N other posts of each model too, evenly spread "
            "(default: none)",
        )  # fmt: skip
        add(
            "--sample",
            type=int,
            default=0,
            metavar="N",
            help="judge at most N pairs of each set (default: all)",
        )
        add("--seed", type=int, default=1, help="of the sample (default: 1)")
        add("--format", choices=sorted(FORMATS), default="table", help="of the report (default: table)")
        add("--output", type=Path, metavar="FILE", help="write the report here instead of standard output")
        add(
            "--verdicts",
            type=Path,
            metavar="FILE",
            help="write every judged pair here, one JSON object a line",
        )
        add("--found", type=Path, metavar="FILE", help="as --collection, and write every candidate pair here")
        add("--jobs", type=int, default=1, metavar="N", help="processes (default: 1)")
        add_no_progress(parser)
        add_database(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            text = self._report(options)
        except (UnknownAlgorithm, ImproperlyConfigured, PlotsMissing, ValueError, OSError) as error:
            raise CommandError(str(error)) from error
        if not options["output"]:
            self.stdout.write(text, ending="")

    def _report(self, options: dict[str, Any]) -> str:
        _check(options)
        using, profile = options["database"], get_profile(options["profile"])
        request, labels = self._request(profile, options), labels_of(profile, using)
        if not labels.corpora:
            raise CommandError(_no_labels(profile, labels))
        if options["posts"]:
            self._add_posts(profile, labels.corpora, options, using)
        connections.close_all()  # the bench may fork
        report = evaluate(list(labels.corpora.values()), request)
        report.notes += _notes(profile, labels)
        text = FORMATS[options["format"]](report)
        if options["output"]:
            options["output"].write_text(text, encoding="utf-8")
        return text

    def _request(self, profile: Profile, options: dict[str, Any]) -> Request:
        own = {"guard": True, **profile.options}
        specs = (
            parse_specs(options["algorithm"])
            if options["algorithm"]
            else [Spec(profile.algorithm, profile.algorithm, own)]
        )
        return Request(
            specs=specs,
            peers=chosen_peers(options["peers"]),
            absent=absent_peers(options["peers"]),
            collection=options["collection"] or options["found"] is not None,
            language=profile.language,
            sample=options["sample"],
            seed=options["seed"],
            processes=max(options["jobs"], 1),
            apart=(),
            verdicts=options["verdicts"],
            found=options["found"],
        )

    def _add_posts(
        self, profile: Profile, corpora: dict[str, Corpus], options: dict[str, Any], using: str
    ) -> None:
        """Other posts, so that a collection has something to look through."""
        progress = bars("reading", is_quiet(options))
        for model, adapter in registered().items():
            corpus = corpora.get(set_of(adapter))
            if adapter.profile == profile.alias and corpus is not None and is_kept_in(model, using):
                for key, source in sources_of(adapter, using, options["posts"], progress):
                    corpus.texts.setdefault(name_of(model, key), text_of(adapter, source))


def _check(options: dict[str, Any]) -> None:
    """Refuse, before anything is read, numbers below 0, posts for nothing, and files that cannot be written."""
    for name in ("sample", "posts", "jobs"):
        if options[name] < 0:
            raise CommandError(f"--{name} is {options[name]}: it must be 0 or more")
    if options["posts"] and not (options["collection"] or options["found"]):
        raise CommandError("--posts needs --collection or --found")
    check_outputs(**{name: options[name] for name in ("output", "verdicts", "found")})


def _no_labels(profile: Profile, labels: Labels) -> str:
    if labels.gone or labels.changed:
        return f"No decision on posts of the profile {profile.alias} can be used: {_left_out(labels)}."
    return (
        f"Nobody has decided on posts of the profile {profile.alias} yet, so there is nothing to measure by: open "
        "pairs and groups in the admin, and leave or merge some of them."
    )


def _notes(profile: Profile, labels: Labels) -> list[str]:
    told = [f"{kind}: {counted(count, 'pair')}" for kind, count in sorted(labels.counts.items())]
    notes = [f"labels of moderators: {', '.join(told)}"]
    if labels.gone or labels.changed:
        notes.append(f"left out: {_left_out(labels)}")
    notes += _languages(profile, labels)
    if profile.synonyms is not None:
        notes.append("the profile's synonyms are not applied")
    return notes


def _languages(profile: Profile, labels: Labels) -> list[str]:
    """Where the header's language, the profile's, is not that of a set, or the set's not that of one of its models."""
    sets = [each for each in labels.corpora.values() if each.language != profile.language]
    told = [f"{each.name} is read in its own language, {each.language}" for each in sets]
    for model, adapter in registered().items():
        corpus, own = labels.corpora.get(set_of(adapter)), language_of(adapter, adapter.settings)
        if corpus is not None and corpus.language != own:
            told.append(
                f"{model._meta.label_lower} is read as {corpus.language} here, not as {own}: its set has several"
            )
    return told


def _left_out(labels: Labels) -> str:
    changed, gone = counted(labels.changed, "pair"), counted(labels.gone, "pair")
    return (
        f"{changed} of posts that are not as they were decided on (text, author, contacts, adapter's options), "
        f"{gone} of posts that are gone"
    )
