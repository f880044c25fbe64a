"""The table of words: found again, grown, shared by processes, never trusted when it is not ours."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from django_neardup.text.batch import clear, configure, read_batch
from django_neardup.text.batch.memory import memory
from django_neardup.text.batch.shared import MOST_FILES, SHARING, SharedTable, locked
from django_neardup.text.batch.table import Table
from tests.text.batch.equality import assert_equal

IDENTITY = b"i" * 16
TEXTS = ["Продам квартиру в Москве, цена 5000 руб.", "Продаётся гараж", "iPhone за 5 тыс."]
shares = pytest.mark.skipif(not SHARING, reason="tables are shared on other processors only")


def numbers(first: int, count: int) -> np.ndarray:
    return np.random.default_rng(first).integers(1, 1 << 63, count, dtype=np.uint64)


def fill(table: Table, keys: np.ndarray) -> None:
    table.add(keys, keys ^ np.uint64(7), (keys & np.uint64(63)).astype(np.uint8))


def holds(table: Table, keys: np.ndarray) -> bool:
    values, marks, absent = table.find(keys)
    right = (values == keys ^ np.uint64(7)) & (marks == (keys & np.uint64(63)).astype(np.uint8))
    return not len(absent) and bool(right.all())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "some.words"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "own"
    configure(None)


def test_what_was_added_is_found_and_nothing_else() -> None:
    table = Table(bits=4)
    keys = numbers(1, 50_000)
    for part in np.array_split(keys, 40):
        fill(table, part)
        fill(table, part[::3])
    assert len(table) == len(keys)
    assert holds(table, keys)
    assert len(table.find(numbers(2, 500))[2]) == 500


def test_keys_of_one_slot() -> None:
    table = Table(bits=4)
    keys = np.arange(1, 6, dtype=np.uint64)
    fill(table, keys)
    assert holds(table, keys)
    assert table.find(np.array([6], np.uint64))[2].tolist() == [0]


def test_a_table_that_would_be_too_large_begins_anew() -> None:
    table = Table()
    for start in range(1, 16):
        fill(table, numbers(start, 100_000))
    assert len(table) < 1_500_000
    assert holds(table, numbers(15, 100_000))


@shares
def test_a_file_is_found_again_and_grows_for_all(path: Path) -> None:
    one, two = SharedTable(path, IDENTITY, bits=4), SharedTable(path, IDENTITY, bits=4)
    for start in range(1, 5):
        fill(one, numbers(start, 50))
        fill(two, numbers(start + 10, 70))
    for table in (one, two, SharedTable(path, IDENTITY)):
        assert len(table) == 4 * 120
        assert all(
            holds(table, numbers(start, 50)) and holds(table, numbers(start + 10, 70))
            for start in range(1, 5)
        )
    assert path.stat().st_mode & 0o077 == 0


@shares
@pytest.mark.parametrize("damage", ["other", "short", "empty", "noise", "flipped", "link"])
def test_a_damaged_or_foreign_file_is_replaced(path: Path, damage: str) -> None:
    keys = numbers(1, 40)
    fill(SharedTable(path, b"x" * 16 if damage == "other" else IDENTITY), keys)
    data = bytearray(path.read_bytes())
    if damage == "flipped":
        place = 64 + (8 << 17) + next(i for i, byte in enumerate(data[64 + (8 << 17) :]) if byte)
        data[place] ^= 1
    changed = {"short": data[:100_000], "empty": b"", "noise": os.urandom(len(data)), "flipped": data}
    if damage in changed:
        path.write_bytes(changed[damage])
    if damage == "link":
        path.rename(path.with_name("elsewhere"))
        path.symlink_to("elsewhere")
    table = SharedTable(path, IDENTITY)
    assert len(table.find(keys)[2]) == len(keys)
    fill(table, keys)
    assert holds(SharedTable(path, IDENTITY), keys)


WRITER = """
import sys
from pathlib import Path
import numpy as np
from tests.text.batch.test_table import IDENTITY, fill, numbers, SharedTable
table = SharedTable(Path(sys.argv[1]), IDENTITY, bits=6)
for part in np.array_split(numbers(int(sys.argv[2]), 30_000), 300):
    fill(table, part)
"""


@shares
def test_processes_that_write_at_once(path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), start], cwd=Path(__file__).parents[3])
        for start in ("1", "2", "1")
    ]
    assert [writer.wait(timeout=120) for writer in writers] == [0, 0, 0]
    table = SharedTable(path, IDENTITY)
    assert len(table) == 60_000
    assert holds(table, numbers(1, 30_000)) and holds(table, numbers(2, 30_000))


@shares
def test_words_learnt_by_one_worker_are_known_to_the_next(folder: Path) -> None:
    configure(folder)
    assert_equal(TEXTS)
    clear()
    table = memory().lexical("ru", True, b"", None).table
    known = len(table)
    assert known > 5
    assert_equal(TEXTS)
    assert len(table) == known
    assert folder.stat().st_mode & 0o777 == 0o700


@shares
def test_a_folder_that_goes_is_not_missed(folder: Path) -> None:
    configure(folder)
    assert_equal(TEXTS)
    shutil.rmtree(folder)
    assert_equal(["Новые слова, которых никто не встречал"])


@shares
def test_the_hashes_of_a_folder_depend_on_the_secret(folder: Path) -> None:
    configure(folder)
    first, other = read_batch(TEXTS, secret=b"a"), read_batch(TEXTS, secret=b"b")
    assert not set(first.hashes.tolist()) & set(other.hashes.tolist())
    assert_equal(TEXTS, secret=b"a")


def test_a_folder_that_others_can_read_is_left_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    tmp_path.chmod(0o755)
    configure(tmp_path)
    try:
        assert_equal(TEXTS)
        assert not list(tmp_path.iterdir())
        assert not SHARING or "memory only" in caplog.text
    finally:
        configure(None)


@shares
@pytest.mark.parametrize("place", ["seed.lock", "seed.new"])
def test_a_folder_without_room_for_its_seed_is_left_alone(
    folder: Path, place: str, caplog: pytest.LogCaptureFixture
) -> None:
    (folder / place).mkdir(mode=0o700, parents=True)
    folder.chmod(0o700)
    configure(folder)
    assert_equal(TEXTS)
    assert "memory only" in caplog.text


@shares
def test_words_that_a_killed_writer_has_not_counted_are_counted(path: Path) -> None:
    keys = numbers(1, 40)
    fill(SharedTable(path, IDENTITY, bits=6), keys)
    data = bytearray(path.read_bytes())
    data[16:24] = bytes(8)
    path.write_bytes(data)
    table = SharedTable(path, IDENTITY, bits=6)
    assert len(table) == 40
    for start in range(2, 6):
        fill(table, numbers(start, 40))
    assert len(table) == 200 and holds(table, keys)


@shares
def test_a_lock_that_is_held_outlives_its_table(path: Path) -> None:
    held = path.with_suffix(".lock")
    SharedTable(path, IDENTITY)
    os.utime(path, (0, 0))
    with locked(held):
        for number in range(MOST_FILES):
            SharedTable(path.with_name(f"{number}.words"), IDENTITY)
        assert not path.exists()
        with held.open() as other, pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
