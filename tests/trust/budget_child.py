"""Ask the questions of some hostile worlds, in a process of its own, and print what each of them has cost.

``python -m tests.trust.budget_child FIRST LAST LARGEST [undefended]`` writes a line of JSON for each question.
Each world begins with the time of a fixed loop, since the speed of a shared machine changes, and ends with the peak
memory of the process.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import django
from django.conf import settings

RATE_LOOPS = 400_000


def main(first: int, last: int, largest: int, undefended: bool) -> None:
    """Prepare a database in a file, as workers have one, and run the worlds of some seeds."""
    with TemporaryDirectory() as folder:
        _run_worlds(Path(folder), range(first, last), largest, undefended)


def _run_worlds(folder: Path, seeds: range, largest: int, undefended: bool) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    for alias, database in settings.DATABASES.items():
        path = str(folder / f"{alias}.sqlite3")
        # Nothing needs to outlive the process.
        options = {"init_command": "PRAGMA synchronous=OFF"}
        database |= {"NAME": path, "TEST": {"NAME": path}, "OPTIONS": options}
    settings.NEARDUP["default"]["THROTTLE"] = None
    django.setup()
    from django.test.utils import setup_databases, setup_test_environment

    setup_test_environment()
    setup_databases(verbosity=0, interactive=False)
    from tests.trust.hostile_cases import worlds

    if undefended:
        from tests.trust.controls import remove_work_limits

        remove_work_limits(setattr)
    _warm_up()
    for world in worlds(seeds, largest):
        _print(loop=reference_seconds())
        _run(world)
        _print(peak=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)


def reference_seconds() -> float:
    """Return the processor time of a fixed loop: the speed of this machine."""
    started = time.process_time()
    words: dict[str, int] = {}
    for number in range(RATE_LOOPS):
        word = f"слово{number % 5000}"
        words[word] = words.get(word, 0) + len(word)
    return time.process_time() - started


class Counts:
    """What was read and aligned since the last ``reset``."""

    def __init__(self) -> None:
        self.letters: list[int] = []
        self.words = 0

    def reset(self) -> None:
        self.letters, self.words = [], 0


@contextmanager
def counting() -> Iterator[Counts]:
    """Count the letters of texts that are read, and the words of texts that are aligned."""
    from django_neardup.algorithms.default import neardup as algorithm
    from django_neardup.text import canonical_text

    counts, read, align = Counts(), canonical_text.read, algorithm.align_ordered

    def counted_read(text: str, *arguments: Any) -> Any:
        counts.letters.append(len(text))
        return read(text, *arguments)

    def counted_align(a: Any, b: Any) -> Any:
        counts.words += len(a) + len(b)
        return align(a, b)

    canonical_text.read, algorithm.align_ordered = counted_read, counted_align
    try:
        yield counts
    finally:
        canonical_text.read, algorithm.align_ordered = read, align


def _warm_up() -> None:
    from django.test import Client

    import django_neardup as neardup
    from tests.testapp.models import Ad

    for text in (
        "Продам диван, почти новый, самовывоз из центра, цена 5000",
        "Продам стол дубовый, цена 700",
    ):
        Ad.objects.create(text=text)
    neardup.drain()
    _type(Client(), "Продам диван, почти новый, самовывоз из центра, цена 6000")
    _send("Продам диван, почти новый, самовывоз из центра, цена 6000")
    Ad.objects.all().delete()
    neardup.drain()


def _type(client: Any, text: str) -> Any:
    return client.post("/similar/api/check/testapp.ad/", {"text": text})


def _send(text: str) -> Any:
    from django import forms
    from django.contrib.auth.models import AnonymousUser
    from django.test import RequestFactory

    from django_neardup.forms import NearDuplicateFormMixin
    from tests.testapp.models import Ad

    class AdForm(NearDuplicateFormMixin, forms.ModelForm):
        class Meta:
            model = Ad
            fields = ["text"]

    request = RequestFactory().post("/")
    request.user = AnonymousUser()
    form = AdForm({"text": text}, request=request)
    form.is_valid()
    return form


def _run(world: Any) -> None:
    """Store the posts of a world, each in turns of its own, and ask its questions."""
    from django.test import Client

    import django_neardup as neardup
    from django_neardup.models import Document, Pair
    from tests.testapp.models import Ad

    client = Client()
    with counting() as counts:
        for text in world.posts:
            _take_turns(world.name, text, counts)
        for question in world.questions:
            if question.purpose == "turn":
                _take_turns(world.name, question.text, counts)
                continue
            counts.reset()
            started = time.process_time()
            answer = _type(client, question.text) if question.purpose == "typing" else _send(question.text)
            seconds = time.process_time() - started
            facts: dict[str, Any] = {}
            if question.purpose == "typing":
                facts = {"status": answer.status_code, **answer.json()}
                facts.pop("similar", None)
            _report(world.name, question, seconds, counts, **facts)
    Ad.objects.all().delete()
    while neardup.drain().has_pending:
        continue
    Document.objects.all().delete()
    Pair.objects.all().delete()


def _take_turns(name: str, text: str, counts: Counts) -> None:
    """Publish a post and report each of its turns."""
    import django_neardup as neardup
    from tests.testapp.models import Ad
    from tests.trust.hostile_cases import Question

    Ad.objects.create(text=text)
    turn, is_pending = 0, True
    while is_pending:
        turn += 1
        counts.reset()
        started = time.process_time()
        is_pending = neardup.drain(limit=1).has_pending
        _report(name, Question("turn", text), time.process_time() - started, counts, turn=turn)


def _report(name: str, question: Any, seconds: float, counts: Counts, **facts: Any) -> None:
    own = len(question.text)
    others = list(counts.letters)
    if others:
        others.remove(max(others, key=lambda letters: -abs(letters - own)))
    _print(
        world=name,
        purpose=question.purpose,
        own=own,
        bytes=len(question.text.encode()),
        read=bool(counts.letters),
        others=sum(others),
        words=counts.words,
        seconds=round(seconds, 3),
        **facts,
    )


def _print(**facts: Any) -> None:
    print(json.dumps(facts, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]), undefended="undefended" in sys.argv)
