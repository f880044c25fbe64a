"""Calibration: how often the judge is right where it is sure, and where it is in doubt.

``calibrate`` fits ``judge/certainty.json``. ``score_without_own_set`` checks it: each set is scored by a model that
was fitted without that set.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..algorithms.base import are_exact_copies
from ..algorithms.default.neardup import NearDup, NearDupArticles
from ..judge.certainty import (
    ADVERTS,
    ARTICLES,
    MIN_PROBABILITY,
    SITE_KINDS,
    SURE,
    UNCALIBRATED,
    Certainty,
    certainty_of,
    read_tiers,
)
from ..text.alignment.align import align_ordered, is_second
from ..text.canonical_text import CanonicalText
from .certainty_fit import Observation, fit_model, fit_rules
from .corpora import Corpus, CorpusError, LabelledPair, matches_any
from .parallel import run_jobs
from .results import TableRow
from .text_cache import CanonicalTextCache

ADVERT_LIKE_SETS = ("ads*", "*products*", "*vacancies*")
"""Patterns of sets that are like adverts. The others are like articles."""

LEFT_OUT = ("ads*", "edits*", "topic*", "*mrpc*", "*forum_questions*")
"""Patterns of sets that never enter a fit: generated ones, and paraphrases, which no detector should group."""

PAIRS_PER_JOB = 400
RELIABILITY_BINS = 10
MAX_TRUE_SHARE_OF_SURE_RULE = 0.01
ALGORITHMS = {algorithm.site_kind: algorithm for algorithm in (NearDup, NearDupArticles)}


@dataclass(frozen=True, slots=True)
class CalibrationJob:
    """Pairs of a set, and the certainty that the judge has."""

    part: Corpus
    site_kind: str
    language: str
    certainty: Certainty


def site_kind_of(corpus_name: str) -> str:
    return ADVERTS if matches_any(corpus_name, ADVERT_LIKE_SETS) else ARTICLES


def run_job(job: CalibrationJob) -> list[Observation]:
    """Return what the judge sees in the pairs that are labelled as one text or as two."""
    texts = CanonicalTextCache(job.part.texts, job.language, heads=job.part.heads)
    algorithm = ALGORITHMS[job.site_kind]()
    seen = (_observe(job, pair, texts[pair.a], texts[pair.b], algorithm) for pair in job.part.pairs)
    return [observation for observation in seen if observation]


def _observe(
    job: CalibrationJob, pair: LabelledPair, a: CanonicalText, b: CanonicalText, algorithm: NearDup
) -> Observation | None:
    if pair.is_duplicate is None or not len(a) or not len(b):
        return None
    if is_second(a, b):
        a, b = b, a
    seen = Observation(job.part.name, job.site_kind, pair.is_duplicate, pair.is_core, min(len(a), len(b)))
    if are_exact_copies(a, b):
        return replace(seen, verdict="duplicate")
    decision = algorithm.decide(a, b, align_ordered(a, b), job.certainty)
    return replace(
        seen,
        verdict=decision.verdict,
        doubtful=decision.doubtful,
        rules=tuple(sorted({meaning.rule for meaning in decision.decisive})),
        features=decision.features,
    )


def observe(
    corpora: Sequence[Corpus], language: str, processes: int, certainties: Mapping[str, Certainty]
) -> list[Observation]:
    """Return what the judge sees in all labelled pairs, with a certainty for each kind of site."""
    jobs = [
        CalibrationJob(part, kind, corpus.language or language, certainties[kind])
        for corpus in corpora
        for kind in [site_kind_of(corpus.name)]
        for part in corpus.parts(PAIRS_PER_JOB)
    ]
    sizes = [len(job.part.pairs) for job in jobs]
    return [seen for result in run_jobs(run_job, jobs, processes, "calibration", sizes) for seen in result]


def calibrate(corpora: Sequence[Corpus], language: str, processes: int) -> str:
    """Return the content of ``judge/certainty.json`` that the labelled pairs give."""
    fitted = [corpus for corpus in corpora if not matches_any(corpus.name, LEFT_OUT)]
    seen = observe(fitted, language, processes, dict.fromkeys(SITE_KINDS, UNCALIBRATED))
    content: dict[str, Any] = {
        kind: fit_rules(one for one in seen if one.site_kind == kind) for kind in SITE_KINDS
    }
    # Rules that are off leave their pairs to the model, so these are judged once more.
    tiers = {kind: replace(UNCALIBRATED, tiers=read_tiers(rules)) for kind, rules in content.items()}
    weights, intercept = fit_model(observe(fitted, language, processes, tiers))
    content["model"] = {"intercept": intercept, "weights": weights._asdict()}
    return _as_lines(content)


def _as_lines(content: Mapping[str, Mapping[str, Any]]) -> str:
    """Return JSON with one rule, or one part of the model, a line."""
    parts = []
    for name, part in content.items():
        lines = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in part.items())
        parts.append(f" {json.dumps(name)}: {{\n{lines}\n }}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


@dataclass(frozen=True, slots=True)
class ScoredPair:
    """An observation with P(same) of a model that was fitted without its set. None if a rule decided."""

    seen: Observation
    verdict: str
    doubtful: bool
    probability: float | None

    @property
    def is_right(self) -> bool:
        """Whether the label agrees with the verdict, or with what it says as "maybe"."""
        return self.seen.is_same != (self.verdict == "variant")


def measure_calibration(corpora: Sequence[Corpus], language: str, processes: int) -> list[ScoredPair]:
    """Return the pairs of all sets that enter the fit, judged by the tiers of ``judge/certainty.json``."""
    fitted = [corpus for corpus in corpora if corpus.pairs and not matches_any(corpus.name, LEFT_OUT)]
    if not fitted:
        raise CorpusError(f"no set with labelled pairs is left: {', '.join(LEFT_OUT)} do not count")
    tiers = {kind: replace(UNCALIBRATED, tiers=certainty_of(kind).tiers) for kind in SITE_KINDS}
    return score_without_own_set(observe(fitted, language, processes, tiers))


def score_without_own_set(observations: Sequence[Observation]) -> list[ScoredPair]:
    """Return the pairs of all sets, each scored by a model that was fitted without its set."""
    scored = []
    for corpus in dict.fromkeys(seen.corpus for seen in observations):
        weights, intercept = fit_model(seen for seen in observations if seen.corpus != corpus)
        model = Certainty({}, weights, intercept)
        scored += [_score(seen, model) for seen in observations if seen.corpus == corpus]
    return scored


def _score(seen: Observation, model: Certainty) -> ScoredPair:
    if seen.features is None:
        return ScoredPair(seen, seen.verdict, seen.doubtful, None)
    probability = model.probability(seen.features)
    may_be_same = probability >= MIN_PROBABILITY
    is_duplicate = seen.verdict == "duplicate" and may_be_same
    return ScoredPair(
        seen, "duplicate" if is_duplicate else "related", may_be_same and not is_duplicate, probability
    )


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of the calibration: the share of some pairs that must lie within bounds.

    - ``selects``: whether a pair counts. ``hits``: whether it counts for the share.
    - ``min_pairs``: fewer are too few.
    """

    title: str
    selects: Callable[[ScoredPair], bool]
    hits: Callable[[ScoredPair], bool]
    at_least: float = 0.0
    at_most: float = 1.0
    min_pairs: int = 1

    def row(self, scored: Iterable[ScoredPair]) -> TableRow:
        """Return the row of the table."""
        hits = [self.hits(pair) for pair in scored if self.selects(pair)]
        share = sum(hits) / len(hits) if hits else None
        is_kept = share is not None and self.at_least <= share <= self.at_most
        return {
            "claim": self.title,
            "pairs": len(hits),
            "share": share,
            "at least": self.at_least,
            "at most": self.at_most,
            "kept": "yes" if is_kept and len(hits) >= self.min_pairs else "no",
        }


BARS = (
    Bar(
        "sure duplicates that are right",
        lambda pair: pair.verdict == "duplicate",
        lambda pair: pair.is_right,
        at_least=0.99,
        min_pairs=300,
    ),
    Bar(
        "sure other items that are right",
        lambda pair: pair.verdict == "variant" and not pair.doubtful,
        lambda pair: pair.is_right,
        at_least=0.97,
        min_pairs=100,
    ),
    Bar(
        "doubts that are right",
        lambda pair: pair.doubtful,
        lambda pair: pair.is_right,
        at_least=0.5,
        at_most=0.95,
    ),
    Bar(
        "doubts among true pairs with up to 30 % of the words changed",
        lambda pair: pair.seen.is_same and pair.seen.is_core,
        lambda pair: pair.doubtful,
        at_most=0.15,
    ),
)


def bar_rows(scored: Sequence[ScoredPair]) -> list[TableRow]:
    """Return a row for each bar, and one for each sure rule that decided."""
    sure = {
        (pair.seen.site_kind, rule)
        for pair in scored
        for rule in pair.seen.rules
        if certainty_of(pair.seen.site_kind).tier(rule, pair.seen.length) == SURE
    }
    return [bar.row(scored) for bar in (*BARS, *(_rule_bar(*name) for name in sorted(sure)))]


def _rule_bar(site_kind: str, rule: str) -> Bar:
    return Bar(
        f"share of true pairs where the rule “{rule}” decided ({site_kind})",
        lambda pair: pair.seen.site_kind == site_kind and rule in pair.seen.rules,
        lambda pair: pair.seen.is_same,
        at_most=MAX_TRUE_SHARE_OF_SURE_RULE,
    )


def claim_rows(scored: Sequence[ScoredPair]) -> list[TableRow]:
    """Return how many claims of each set are right and wrong, sure ones and doubts."""
    counts: dict[tuple[str, str, str], list[int]] = {}
    for pair in scored:
        if pair.verdict in ("duplicate", "variant") or pair.doubtful:
            claim = "another item" if pair.verdict == "variant" else "one item"
            certainty = "maybe" if pair.doubtful else "sure"
            counts.setdefault((pair.seen.corpus, claim, certainty), [0, 0])[not pair.is_right] += 1
    return [
        {"set": corpus, "claim": claim, "certainty": certainty, "right": right, "wrong": wrong}
        for (corpus, claim, certainty), (right, wrong) in sorted(counts.items())
    ]


def reliability_rows(scored: Sequence[ScoredPair]) -> list[TableRow]:
    """Return, for each tenth of P(same), the number of pairs, its mean, and the share that is one text."""
    bins: list[list[ScoredPair]] = [[] for _ in range(RELIABILITY_BINS)]
    for pair in scored:
        if pair.probability is not None:
            bins[min(int(pair.probability * RELIABILITY_BINS), RELIABILITY_BINS - 1)].append(pair)
    return [
        {
            "P(same) from": number / RELIABILITY_BINS,
            "pairs": len(pairs),
            "mean P(same)": sum(pair.probability or 0.0 for pair in pairs) / len(pairs),
            "share same": sum(pair.seen.is_same for pair in pairs) / len(pairs),
        }
        for number, pairs in enumerate(bins)
        if pairs
    ]
