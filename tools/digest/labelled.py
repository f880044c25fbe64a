"""Pairs of labelled texts, judged by the default algorithm without a database."""

from __future__ import annotations

import gzip
import hashlib
import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from django_neardup.algorithms import Algorithm, Judgement, get_algorithm
from django_neardup.evaluation.corpora import Corpus, LabelledPair, find_set_names, load_corpus
from django_neardup.text.canonical_text import CanonicalText
from tools.digest.records import KEYS, VERDICTS, Record, Section

OWN = Path(__file__).resolve().parents[2] / "tests" / "data"
"""The project's own labelled texts."""
DEFAULT_ALGORITHM = "neardup"
LANGUAGE = "ru"
"""The default profile's language: pairs of every set are judged in it."""
SECRET_BYTES = 32
"""Bytes of a profile's SECRET that a scheme keeps."""

T = TypeVar("T")


def labelled_sections(data: Path | None, secret: str, most: int) -> list[Section]:
    """Judge at most `most` pairs of every set of the project, and of the folder `data` if there is one.

    A set of `data` that has the name of one of the project's sets is left out.
    """
    reader = LabelledReader(secret, most)
    for name in find_set_names(OWN):
        reader.read(OWN, name)
    if data is not None:
        for name in find_set_names(data, excluded=find_set_names(OWN)):
            reader.read(data, name)
    return reader.sections


def spread(values: Sequence[T], most: int) -> Sequence[T]:
    """Return at most `most` values, evenly spread: neighbours in a file are often of one kind."""
    if len(values) <= most:
        return values
    return [values[place * len(values) // most] for place in range(most)]


class LabelledReader:
    """Reader of labelled sets. Verdicts and tokens go to sections of one group, keys and screening to the other."""

    def __init__(self, secret: str, most: int) -> None:
        self._secret = secret.encode()[:SECRET_BYTES]
        self._most = most
        self._algorithm: Algorithm = get_algorithm(DEFAULT_ALGORITHM)
        self.judgements = Section(VERDICTS, "labelled pairs")
        self.texts = Section(VERDICTS, "labelled texts")
        self.screenings = Section(KEYS, "labelled pairs")
        self.signatures = Section(KEYS, "labelled texts")

    @property
    def sections(self) -> list[Section]:
        """Return all sections, also those without records."""
        return [self.judgements, self.texts, self.screenings, self.signatures]

    def read(self, folder: Path, name: str) -> None:
        """Add the records of one set: of its pairs, or of its texts if it has no pairs."""
        corpus = load_corpus(folder, name)
        if corpus.pairs:
            self._add_pairs(corpus)
            return
        languages = _languages(folder / f"{name}.docs.jsonl.gz")
        for key in spread(list(corpus.texts), self._most):
            self._document(corpus, key, languages.get(key) or LANGUAGE)

    def _add_pairs(self, corpus: Corpus) -> None:
        documents: dict[str, CanonicalText] = {}
        places = spread(range(len(corpus.pairs)), self._most)
        for place in places:
            pair = corpus.pairs[place]
            for key in (pair.a, pair.b):
                if key not in documents:
                    documents[key] = self._document(corpus, key, LANGUAGE)
            # A file may label the same two texts twice, so the place belongs to the name.
            self._add_pair(f"{corpus.name} {place}: {pair.a} | {pair.b}", pair, documents)

    def _document(self, corpus: Corpus, key: str, language: str) -> CanonicalText:
        """Read a text and add its records."""
        document = CanonicalText(corpus.texts[key], language=language, secret=self._secret)
        name = f"{corpus.name} {key} ({language})"
        self.texts.add(name, text_record(document))
        self.signatures.add(name, signature_record(document, self._algorithm))
        return document

    def _add_pair(self, name: str, pair: LabelledPair, documents: dict[str, CanonicalText]) -> None:
        a, b = documents[pair.a], documents[pair.b]
        self.judgements.add(name, judgement_record(self._algorithm.judge(a, b)))
        self.screenings.add(name, screening_record(a, b, self._algorithm))


def judgement_record(judgement: Judgement) -> Record:
    """Return all fields of the judgement of two texts."""
    return {
        "verdict": judgement.verdict,
        "score": judgement.score,
        "containment_a": judgement.containment_a,
        "containment_b": judgement.containment_b,
        "exact": judgement.exact,
        "classes": list(judgement.classes),
        "differences": [difference.as_dict() for difference in judgement.differences],
        "passages": [passage.as_dict() for passage in judgement.passages],
    }


def text_record(document: CanonicalText) -> Record:
    """Return how a text is read: canonical tokens with their kinds and places, sentences, people's names."""
    return {
        "tokens": [f"{token.key} {token.kind} {token.start}-{token.end}" for token in document.tokens],
        "weight": document.total_weight,
        "sentences": document.sentences,
        "names": document.person_names,
        "truncated": document.too_long,
    }


def signature_record(document: CanonicalText, algorithm: Algorithm) -> Record:
    """Return what the index stores of a text. Long byte strings are replaced by their digests."""
    hashes = struct.pack(f"<{len(document.hashes)}Q", *document.hashes)
    kinds = algorithm.keys_by_kind(document)
    return {
        "exact": document.exact_digest.hex(),
        "hashes": short_digest(hashes),
        "keys": algorithm.keys(document),
        "kinds": {kind: len(keys) for kind, keys in kinds.items()},
        "payload": short_digest(algorithm.payload(document)),
    }


def screening_record(a: CanonicalText, b: CanonicalText, algorithm: Algorithm) -> Record:
    """Return how two texts meet in the index: shared keys, the cheap measure, whether they go on to be judged."""
    shared = len(set(algorithm.keys(a)) & set(algorithm.keys(b)))
    screened = algorithm.screen(algorithm.cached_payload(a), algorithm.cached_payload(b))
    passes = shared >= algorithm.min_shared and algorithm.should_judge(screened, shared, len(a), len(b))
    return {"shared": shared, "screened": screened, "passes": bool(passes)}


def short_digest(data: bytes) -> str:
    """Return a digest of a byte string that records do not show in full."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _languages(path: Path) -> dict[str, Any]:
    """Return the language of each text of a file, which the corpus leaves out."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines if line.strip()]
    return {record["id"]: record.get("lang") for record in records}
