"""The text core: one text to tokens, sentences, hashes.  Knows nothing of Django, imports nothing heavy."""

from .contacts import canonical_contact
from .document import Document
from .hashing import crc32, digest, hash_word, md5, mix, sha1
from .morphology import Lemma, Morphology
from .phrases import Phrases
from .plain import plain_text
from .shingle import canonical_shingles, canonical_text, canonical_words, shingles, winnow
from .similarity import containment, cosine, dice, resemblance
from .synonyms import Synonyms
from .tokenize import Token
from .traced import Traced
from .zipf import ZipfReference, ZipfReport

__all__ = [
    "Document",
    "Lemma",
    "Morphology",
    "Phrases",
    "Synonyms",
    "Token",
    "Traced",
    "ZipfReference",
    "ZipfReport",
    "canonical_contact",
    "canonical_shingles",
    "canonical_text",
    "canonical_words",
    "containment",
    "cosine",
    "crc32",
    "dice",
    "digest",
    "hash_word",
    "md5",
    "mix",
    "plain_text",
    "resemblance",
    "sha1",
    "shingles",
    "winnow",
]
