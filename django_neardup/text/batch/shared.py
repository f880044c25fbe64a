"""A table in a file that the workers of one machine share.

Nobody has to trust the file: it belongs to one user alone, its head says what it holds, every slot has a check sum, and
whatever is foreign or damaged is replaced by an empty one.
"""

from __future__ import annotations

import os
import platform
import stat
import struct
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from mmap import mmap
from pathlib import Path

import numpy as np

from .table import FULL, LEAST_BITS, MOST_BITS, Hashes, Marks, Places, Slots, Table, grown

MOST_FILES = 32
_HEAD = struct.Struct("<8sIIQI16s")
_HEAD_SIZE = 64
_COUNT_AT, _RETIRED_AT = 16, 24
_MAGIC, _FORMAT = b"NDWORDS\n", 3
_SLOT_SIZE = 8 + 8 + 4 + 1
# Where stores of one processor may be seen by another out of order, "key last" would say nothing.
SHARING = platform.machine() in ("x86_64", "AMD64", "i686") and os.name == "posix"


def private(folder: Path) -> bool:
    """Whether a folder is ours alone; makes it where it is missing.  OSError where it cannot."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.lstat()
    closed = not stat.S_IMODE(found.st_mode) & 0o077
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and closed


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """One process at a time; the file is opened anew each time, for a forked child shares what its parent opened."""
    import fcntl

    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


class SharedTable(Table):
    """A table in the file ``path``; ``identity``, 16 bytes, says what its words and hashes are.

    OSError where there is no place for it; later on a full disk or a folder that went only means that no more words are
    remembered.
    """

    def __init__(self, path: Path, identity: bytes, bits: int = LEAST_BITS) -> None:
        super().__init__(bits)
        self._path, self._identity = path, identity
        with locked(self._lock_path):
            self._reopen()

    @property
    def _lock_path(self) -> Path:
        return self._path.with_suffix(".lock")

    def __len__(self) -> int:
        return int(self._counted[0])

    def find(self, wanted: Hashes) -> tuple[Hashes, Marks, Places]:
        if self._retired[0]:
            with suppress(OSError), self._lock, locked(self._lock_path):  # what is mapped serves as well
                self._reopen()
        return super().find(wanted)

    def add(self, keys: Hashes, values: Hashes, marks: Marks) -> None:
        with suppress(OSError), self._lock, locked(self._lock_path):  # without room nothing more is learnt
            if self._retired[0]:
                self._reopen()
            absent = self._slots.find(keys)[2]
            if FULL * (len(self) + len(absent)) > len(self._slots.keys):
                self._grow(len(absent))
            self._counted[0] += self._slots.add(keys[absent], values[absent], marks[absent])

    def _grow(self, more: int) -> None:
        retired = self._retired
        larger, count = grown(self._slots, more)
        self._create(larger, count)
        retired[0] = 1

    def _reopen(self) -> None:
        """Map what the file holds, or an empty table in its place."""
        if not self._map():
            self._create(Slots.empty(self._least), 0)

    def _map(self) -> bool:
        """Whether the file is ours and sound; if so it is mapped."""
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            size = os.fstat(descriptor).st_size
            bits = self._bits(os.pread(descriptor, _HEAD_SIZE, 0), size)
            if not bits:
                return False
            memory = mmap(descriptor, size)
        finally:
            os.close(descriptor)
        slots = _slots(memory, bits)
        count = int(np.count_nonzero(slots.keys))
        if 2 * count > len(slots.keys) or not slots.sound():
            return False
        self._use(memory, slots)
        self._counted[0] = count  # a writer that was killed has not counted its last words
        return True

    def _bits(self, head: bytes, size: int) -> int:
        """Bits of a table with such a head in a file of such a size; 0 if it is not what we look for."""
        if len(head) < _HEAD_SIZE:
            return 0
        magic, version, bits, _, _, identity = _HEAD.unpack_from(head)
        ours = magic == _MAGIC and version == _FORMAT and identity == self._identity
        fits = 0 < bits <= MOST_BITS and size == _HEAD_SIZE + (_SLOT_SIZE << bits)
        return bits if ours and fits else 0

    def _use(self, memory: mmap, slots: Slots) -> None:
        self._slots = slots
        self._counted = np.frombuffer(memory, "<u8", 1, _COUNT_AT)
        self._retired = np.frombuffer(memory, "<u4", 1, _RETIRED_AT)

    def _create(self, slots: Slots, count: int) -> None:
        """Put a file with these slots in place of what is there, and map it."""
        head = _HEAD.pack(_MAGIC, _FORMAT, slots.bits, count, 0, self._identity).ljust(_HEAD_SIZE, b"\0")
        size = _HEAD_SIZE + (_SLOT_SIZE << slots.bits)
        descriptor, name = tempfile.mkstemp(dir=self._path.parent, prefix=".words-")
        try:
            os.posix_fallocate(descriptor, 0, size)  # no room on the disk is an error now, not a signal later
            memory = mmap(descriptor, size)
            memory[: len(head)] = head
            self._use(memory, _slots(memory, slots.bits))
            for column in ("pairs", "checks", "marks"):
                getattr(self._slots, column)[:] = getattr(slots, column)
            os.replace(name, self._path)
        except BaseException:
            os.unlink(name)
            raise
        finally:
            os.close(descriptor)
        _prune(self._path.parent)


def _slots(memory: mmap, bits: int) -> Slots:
    """The columns of a table in a file."""
    columns, place = [], _HEAD_SIZE
    for kind, count in (("<u8", 2), ("<u4", 1), ("u1", 1)):
        columns.append(np.frombuffer(memory, kind, count << bits, place))
        place += columns[-1].nbytes
    return Slots(*columns)


def _prune(folder: Path) -> None:
    """Of very many tables, of secrets and synonyms long gone, the last written stay. Locks stay: who unlinks one that
    is held lets two in."""
    tables = sorted(folder.glob("*.words"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in tables[MOST_FILES:]:
        path.unlink(missing_ok=True)
