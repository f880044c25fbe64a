"""Algorithms by name."""

from __future__ import annotations

from importlib import import_module
from typing import Any, TypeVar

from .base import Algorithm

BUILT_IN = {
    "char-shingles": "char_shingles.CharShingles",
    "containment": "containment.Containment",
    "decomposition": "decomposition.Decomposition",
    "descr-words": "descr_words.DescrWords",
    "heavy-sent": "heavy_sent.HeavySent",
    "lex-rand": "lex_rand.LexRand",
    "log-shingles": "log_shingles.LogShingles",
    "long-passages": "long_passages.LongPassages",
    "long-sent": "long_sent.LongSent",
    "longest-words": "longest_words.LongestWords",
    "md5": "md5.MD5",
    "megashingles": "megashingles.MegaShingles",
    "minhash-70": "minhash_70.MinHash70",
    "minhash-lsh": "minhash_lsh.MinHashLSH",
    "neardup": "neardup.NearDup",
    "neardup-articles": "neardup.NearDupArticles",
    "opt-freq": "opt_freq.OptFreq",
    "profile-cosine": "profile_cosine.ProfileCosine",
    "shingles": "shingles.Shingles",
    "simhash": "simhash.SimHash",
    "spamooborona": "spamooborona.Spamooborona",
    "spotsigs": "spotsigs.SpotSigs",
    "supershingles": "supershingles.SuperShingles",
    "text-profile": "text_profile.TextProfile",
    "tf": "tf.TF",
    "tf-idf": "tf_idf.TFIDF",
    "tf-ridf": "tf_ridf.TFRIDF",
    "three-plus-five": "three_plus_five.ThreePlusFive",
    "winnowing": "winnowing.Winnowing",
}
_registered: dict[str, type[Algorithm]] = {}
Class = TypeVar("Class", bound=type[Algorithm])


class UnknownAlgorithm(LookupError):
    """No algorithm has this name, and it is not a dotted path to one."""


def register(algorithm: Class) -> Class:
    """Class decorator: makes an algorithm known under its `name`.  ValueError if another class has that name."""
    known = _registered.setdefault(algorithm.name, algorithm)
    if known is not algorithm:
        raise ValueError(f"{algorithm.name!r} is already the name of {known.__qualname__}")
    return algorithm


def algorithm_names() -> list[str]:
    """Names of all known algorithms, sorted."""
    return sorted({*BUILT_IN, *_registered})


def get_algorithm(name: str, **options: Any) -> Algorithm:
    """The algorithm of this name, or of this dotted path to a class, made with `options`.

    UnknownAlgorithm if there is none; TypeError for options that it does not have.
    """
    return _find(name)(**options)


def _find(name: str) -> type[Algorithm]:
    if name in _registered:
        return _registered[name]
    if name in BUILT_IN:
        return _load(f"{__package__}.{BUILT_IN[name]}", name)
    if "." in name:
        return _load(name, name)
    raise UnknownAlgorithm(f"no algorithm {name!r}; known are {', '.join(algorithm_names())}")


def _load(path: str, name: str) -> type[Algorithm]:
    module, _, attribute = path.rpartition(".")
    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise UnknownAlgorithm(f"cannot load {name!r}: {error}") from error
    if not (isinstance(found, type) and issubclass(found, Algorithm)):
        raise UnknownAlgorithm(f"{name!r} is not a subclass of Algorithm")
    return found
