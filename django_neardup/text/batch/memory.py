"""What a process remembers of words: one seed, one alphabet, and a ``Lexical`` for each kind of text."""

from __future__ import annotations

import logging
import os
import threading
import unicodedata
from functools import cache, cached_property
from importlib import metadata
from pathlib import Path

from ..hashing import digest
from ..tokens.synonyms import Synonyms
from ..version import CANONICALIZATION_VERSION
from .characters import Alphabet
from .lexical import Lexical
from .shared import SHARING, SharedTable, locked, private
from .table import Table
from .words import Mixer, Scratch

BLOCK = 1 << 18
MOST_KINDS = 16
SEED = 32
_VOICED = ("django-neardup", "pymorphy3", "pymorphy3-dicts-ru", "pymorphy3-dicts-uk", "snowballstemmer")

Kind = tuple[str, bool, bytes, str]
log = logging.getLogger("django_neardup")


class Memory:
    """Everything that words are looked up with; ``folder``: where tables are shared, None for nowhere."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder, self.seed = _opened(folder)
        self.alphabet = Alphabet()
        self._kinds: dict[Kind, Lexical] = {}
        self._lock = threading.Lock()

    @cached_property
    def mixer(self) -> Mixer:
        return Mixer(self.seed)

    @cached_property
    def scratch(self) -> Scratch:
        return Scratch(BLOCK)

    def lexical(self, language: str, cyrillic: bool, secret: bytes, synonyms: Synonyms | None) -> Lexical:
        """The one memory of such texts."""
        kind = (language, cyrillic, secret, synonyms.digest if synonyms else "")
        with self._lock:
            found = self._kinds.get(kind)
            if found is None:
                if len(self._kinds) >= MOST_KINDS:
                    self._kinds.clear()
                found = Lexical(language, cyrillic, secret, synonyms, self._table(kind))
                self._kinds[kind] = found
        return found

    def _table(self, kind: Kind) -> Table:
        if self.folder is None:
            return Table()
        identity = digest([*map(repr, kind), self.seed, _versions()])
        try:
            return SharedTable(self.folder / f"{identity.hex()}.words", identity)
        except OSError as error:
            log.warning("words are remembered in memory only: %s", error)
            return Table()


@cache
def _versions() -> str:
    """Everything that may make another token of a word."""
    return "|".join([CANONICALIZATION_VERSION, unicodedata.unidata_version, *map(_version, _VOICED)])


def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return ""


def _opened(folder: Path | None) -> tuple[Path | None, bytes]:
    """The folder and its seed, if tables can be shared in it and nobody else reads or writes there; else none, and a
    seed of this process."""
    if folder is not None and SHARING:
        try:
            if private(folder):
                return folder, _shared_seed(folder)
            log.warning(
                "words are remembered in memory only: %s is not this user's alone (mode 0700)", folder
            )
        except OSError as error:
            log.warning("words are remembered in memory only: %s", error)
    return None, os.urandom(SEED)


def _shared_seed(folder: Path) -> bytes:
    path = folder / "seed"
    with locked(folder / "seed.lock"):
        if not path.exists() or path.stat().st_size != SEED:
            fresh = path.with_suffix(".new")
            fresh.write_bytes(os.urandom(SEED))
            os.replace(fresh, path)
        return path.read_bytes()


_MEMORY = Memory()


def memory() -> Memory:
    """The memory of this process."""
    return _MEMORY


def configure(folder: str | os.PathLike[str] | None) -> None:
    """Share what is learnt of words with the other workers of this machine, in a folder of this user alone (mode 0700,
    made where it is missing); None: remember it in this process.  What was remembered before is forgotten.  A folder
    that cannot be used is logged and left alone.
    """
    global _MEMORY
    _MEMORY = Memory(None if folder is None else Path(folder))


def clear() -> None:
    """Forget everything; a shared folder stays in use, and its files stay."""
    configure(_MEMORY.folder)
