"""The algorithms by name."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from importlib import import_module
from typing import Any, TypeVar

from .base import Algorithm

# Dotted paths, so that only the algorithms in use are imported.
BUILT_IN = {
    "char-shingles": "shingling.char_shingles.CharShingles",
    "containment": "shingling.containment.Containment",
    "decomposition": "rcdl2007.decomposition.Decomposition",
    "descr-words": "rcdl2007.descr_words.DescrWords",
    "heavy-sent": "rcdl2007.sentences.HeavySent",
    "lex-rand": "rcdl2007.lex_rand.LexRand",
    "log-shingles": "rcdl2007.log_shingles.LogShingles",
    "long-passages": "shingling.long_passages.LongPassages",
    "long-sent": "rcdl2007.sentences.LongSent",
    "longest-words": "other.longest_words.LongestWords",
    "md5": "rcdl2007.md5.MD5",
    "megashingles": "rcdl2007.megashingles.MegaShingles",
    "minhash-70": "minhash.minhash_70.MinHash70",
    "minhash-lsh": "minhash.minhash_lsh.MinHashLSH",
    "neardup": "default.neardup.NearDup",
    "neardup-articles": "default.neardup.NearDupArticles",
    "opt-freq": "rcdl2007.heavy_words.OptFreq",
    "profile-cosine": "other.profile_cosine.ProfileCosine",
    "shingles": "shingling.shingles.Shingles",
    "simhash": "other.simhash.SimHash",
    "spamooborona": "shingling.spamooborona.Spamooborona",
    "spotsigs": "shingling.spotsigs.SpotSigs",
    "supershingles": "shingling.supershingles.SuperShingles",
    "text-profile": "other.text_profile.TextProfile",
    "tf": "rcdl2007.heavy_words.TF",
    "tf-idf": "rcdl2007.heavy_words.TFIDF",
    "tf-ridf": "rcdl2007.heavy_words.TFRIDF",
    "three-plus-five": "rcdl2007.three_plus_five.ThreePlusFive",
    "winnowing": "shingling.winnowing.Winnowing",
}
_registered_algorithms: dict[str, type[Algorithm]] = {}
AlgorithmClass = TypeVar("AlgorithmClass", bound=type[Algorithm])


class UnknownAlgorithm(LookupError):
    """The name is neither an algorithm's nor a dotted path to an algorithm."""


def register(algorithm: AlgorithmClass) -> AlgorithmClass:
    """Register an algorithm class under its ``name``. Use it as a decorator.

    Raise ValueError if another class has that name.
    """
    registered = _registered_algorithms.setdefault(algorithm.name, algorithm)
    if registered is not algorithm:
        raise ValueError(f"{algorithm.name!r} is already the name of {registered.__qualname__}")
    return algorithm


def algorithm_names() -> list[str]:
    """Return the names of all known algorithms, sorted."""
    return sorted({*BUILT_IN, *_registered_algorithms})


def get_algorithm(name: str, **options: Any) -> Algorithm:
    """Create the algorithm of this name, or of this dotted path to a class, with ``options``.

    Raise UnknownAlgorithm if there is none. Raise TypeError for options that the algorithm does not have.
    """
    return _find_class(name)(**options)


def _find_class(name: str) -> type[Algorithm]:
    if name in _registered_algorithms:
        return _registered_algorithms[name]
    if name in BUILT_IN:
        return _load_class(f"{__package__}.{BUILT_IN[name]}", name)
    if "." in name:
        return _load_class(name, name)
    names = algorithm_names()
    raise UnknownAlgorithm(f"no algorithm {name!r}; {_suggestion(name, names)}known are {', '.join(names)}")


def _load_class(path: str, name: str) -> type[Algorithm]:
    module_path, _, attribute = path.rpartition(".")
    module = None
    try:
        module = import_module(module_path)
        loaded = getattr(module, attribute)
    except (ImportError, AttributeError) as error:
        suggestion = _suggestion(attribute, vars(module)) if module else ""
        raise UnknownAlgorithm(f"cannot load {name!r}: {suggestion}{error}") from error
    if not (isinstance(loaded, type) and issubclass(loaded, Algorithm)):
        raise UnknownAlgorithm(f"{name!r} is not a subclass of Algorithm")
    return loaded


def _suggestion(name: str, names: Iterable[str]) -> str:
    """Return a question with the most similar name. Return an empty string if none is similar.

    Case, hyphens and underscores do not count.
    """
    names_by_spelling = {_spelling(known_name): known_name for known_name in names}
    similar = get_close_matches(_spelling(name), names_by_spelling, 1)
    return f"did you mean {names_by_spelling[similar[0]]!r}? " if similar else ""


def _spelling(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")
