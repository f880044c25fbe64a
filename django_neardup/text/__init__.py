"""The text core: one text to tokens, sentences, hashes.  Knows nothing of Django, imports nothing heavy."""

from .contacts import canonical_contact
from .document import Document
from .hashing import digest, hash_word, mix
from .morphology import Lemma, Morphology
from .plain import plain_text
from .shingle import canonical_shingles, canonical_text, canonical_words, shingles, winnow
from .similarity import containment, dice, resemblance
from .tokenize import Token
from .traced import Traced

__all__ = [
    "Document",
    "Lemma",
    "Morphology",
    "Token",
    "Traced",
    "canonical_contact",
    "canonical_shingles",
    "canonical_text",
    "canonical_words",
    "containment",
    "dice",
    "digest",
    "hash_word",
    "mix",
    "plain_text",
    "resemblance",
    "shingles",
    "winnow",
]
