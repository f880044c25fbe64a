"""Two files compared outside Django."""

import io
import json
import os
import subprocess
import sys

import pytest

from django_neardup.reports.__main__ import main
from django_neardup.reports.input_output import UnreadableFile, read_text, should_use_colours
from tests import services
from tests.reports.texts import OTHER_PILES, PILES, SOFA


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setenv("LANGUAGE", "en")
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def files(tmp_path):
    for name, text in (("a.txt", PILES), ("b.txt", OTHER_PILES)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return str(tmp_path / "a.txt"), str(tmp_path / "b.txt")


def test_two_files(files, capsys):
    assert main(files) == 0
    told = capsys.readouterr().out
    assert "≠  variant, " in told and "\x1b" not in told


def test_words_of_the_environment(files, capsys, monkeypatch):
    monkeypatch.setenv("LANGUAGE", "ru")
    assert main([*files, "--format", "html"]) == 0
    told = capsys.readouterr().out
    assert '<html lang="ru">' in told and "Отличия" in told and "Differences" not in told


@pytest.mark.parametrize("form", ["html", "json", "text"])
def test_a_stream_of_another_encoding(form, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text(f"{SOFA} 日本", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "django_neardup.reports", path, path, "--format", form],
        cwd=services.ROOT,
        env={**os.environ, "PYTHONIOENCODING": "cp1251"},
        capture_output=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    told = done.stdout.decode("cp1251" if form == "text" else "ascii")
    if form == "json":
        assert json.loads(told)["a"]["text"].endswith("日本")
    else:
        assert ("&#26085;&#26412;" if form == "html" else "??") in told


def test_standard_input_and_an_output_file(files, tmp_path, monkeypatch, capsys):
    stdin = io.TextIOWrapper(io.BytesIO(f"\ufeff{PILES}".encode()), encoding="ascii")
    monkeypatch.setattr(sys, "stdin", stdin)
    made = tmp_path / "made.json"
    assert main(["-", files[1], "--format=json", f"--output={made}", "--algorithm=md5"]) == 0
    report = json.loads(made.read_text(encoding="utf-8"))
    assert report["a"]["text"] == PILES and (report["a"]["title"], report["algorithm"]) == ("-", "md5")
    assert capsys.readouterr().out == ""


def test_it_needs_no_django(files):
    code = (
        "import sys; sys.modules['django'] = None; "
        "from django_neardup.reports.__main__ import main; sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *files], cwd=services.ROOT, capture_output=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "variant" in done.stdout.decode()


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["nowhere.txt", "b"], "nowhere.txt cannot be read: No such file"),
        (["a", "b", "--algorithm=folklore"], "no algorithm 'folklore'; known are"),
        (["a", "b", "--algorithm=tf-idf"], "error: tf-idf needs the statistics of a collection\n"),
        (["a", "b", "--algorithm=decomposition"], "decomposition has no verdict on two texts"),
        (["a", "b", "--output=/nowhere/at/all"], "/nowhere/at/all cannot be written"),
        (["a", "b", "--encoding=klingon"], "There is no encoding 'klingon'"),
        (["a", "b", "--encoding=ascii"], "is not ascii text: give --encoding"),
    ],
)
def test_errors_say_what_to_do(files, arguments, why, capsys):
    named = dict(zip("ab", files))
    assert main([named.get(each, each) for each in arguments]) == 2
    assert why in capsys.readouterr().err


def test_one_standard_input_only(capsys):
    with pytest.raises(SystemExit):
        main(["-", "-"])
    assert "only one" in capsys.readouterr().err


def test_files_of_other_encodings(tmp_path):
    path = tmp_path / "old.txt"
    path.write_bytes(PILES.replace("₽", "руб").replace("×", "x").encode("cp1251"))
    assert "железобетонные" in read_text(str(path), "cp1251")
    with pytest.raises(UnreadableFile, match="cp1251"):
        read_text(str(path))
    with pytest.raises(UnreadableFile, match="cannot be read"):
        read_text(str(tmp_path))
    with pytest.raises(UnreadableFile, match="cannot be read"):
        read_text("a\0b")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_colours_on_a_terminal_alone(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert should_use_colours(Terminal(), False) and not should_use_colours(io.StringIO(), False)
    assert not should_use_colours(Terminal(), True)
    monkeypatch.setenv("NO_COLOR", "")
    assert should_use_colours(Terminal(), False)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not should_use_colours(Terminal(), False)


def test_a_dumb_terminal_has_no_colours(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "dumb")
    assert not should_use_colours(Terminal(), False)
