"""The text core: tokens, sentences and hashes of a text. It does not use Django and imports nothing heavy."""

from .canonical_text import CanonicalText
from .hashing import crc32, digest, hash_word, md5, mix, sha1
from .key_phrases import PhraseMatcher
from .lemmas.morphology import Lemma, Morphology
from .normalization.offsets import OffsetText
from .normalization.plain_text import plain_text
from .set_similarity import containment, cosine, dice, resemblance
from .shingles import classic_shingles, classic_text, classic_words, shingles, winnow
from .tokens.contacts import canonical_contact
from .tokens.synonyms import Synonyms
from .tokens.tokenize import Token
from .zipf import ZipfReference, ZipfReport

__all__ = [
    "CanonicalText",
    "Lemma",
    "Morphology",
    "OffsetText",
    "PhraseMatcher",
    "Synonyms",
    "Token",
    "ZipfReference",
    "ZipfReport",
    "canonical_contact",
    "classic_shingles",
    "classic_text",
    "classic_words",
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
