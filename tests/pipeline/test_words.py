"""What workers have learnt of words: one folder for the processes of one user, and none where it is not wanted."""

import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from django_neardup.pipeline import word_cache
from django_neardup.text.batch import configure
from tests.pipeline.helpers import CAT, PIANO, SOFA, post, work

TEXT = " ".join([SOFA, PIANO, CAT])
WORKER = """
import sys
import django
from django.conf import settings
settings.configure(
    INSTALLED_APPS=["django.contrib.contenttypes", "django_neardup"],
    NEARDUP={"default": {"CACHE": sys.argv[1]}},
)
django.setup()
from django_neardup.pipeline.word_cache import configure_word_cache
from django_neardup.text.batch import read_batch
from django_neardup.text.batch.memory import memory
configure_word_cache()
known = memory().lexical("ru", True, b"secret", None).table
before = len(known)
read_batch([sys.argv[2]], secret=b"secret")
print(before, len(known))
"""


@pytest.fixture
def folder(settings, tmp_path):
    settings.NEARDUP = {"default": {"CACHE": tmp_path / "words"}}
    yield tmp_path / "words"
    word_cache._configured.clear()
    configure(None)


@pytest.mark.django_db(transaction=True)
def test_a_turn_shares_words_in_the_folder_that_the_setting_names(folder):
    post(TEXT)
    assert not folder.exists()
    work()
    assert list(folder.glob("*.words")) and stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_two_workers_share_what_they_have_learnt(tmp_path):
    asked = [sys.executable, "-c", WORKER, tmp_path / "words", TEXT]
    told = [subprocess.run(asked, capture_output=True, text=True, check=True).stdout for _ in range(2)]
    (before, learnt), (known, after) = [map(int, each.split()) for each in told]
    assert before == 0 < learnt == known == after


@pytest.mark.parametrize("chosen", [None, False, ""])
def test_words_may_be_left_to_memory(chosen):
    assert word_cache.cache_folder(chosen) is None


def test_the_folder_of_the_user_is_the_default():
    assert word_cache.cache_folder(True) == Path(tempfile.gettempdir(), f"neardup-{os.geteuid()}")


def test_a_folder_is_refused_for_what_it_is(tmp_path):
    shut, file = tmp_path / "shut", tmp_path / "file"
    shut.mkdir(mode=0o700)
    file.touch()
    assert word_cache.unusable_reason(shut) == word_cache.unusable_reason(tmp_path / "new" / "one") == ""
    assert word_cache.unusable_reason(file) == "it is not a directory"
    assert word_cache.unusable_reason(file / "below") == "it cannot be made"
    shut.chmod(0o755)
    assert "0700" in word_cache.unusable_reason(shut)
