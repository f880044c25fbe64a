"""Characters are learned once, however many threads meet them."""

from __future__ import annotations

import threading
from contextlib import suppress

import numpy as np

from django_neardup.text.batch import characters
from django_neardup.text.batch.characters import Alphabet


def test_kinds_that_two_threads_meet_at_once_have_unlike_bytes(monkeypatch):
    alphabet, barrier, real = Alphabet(), threading.Barrier(2), characters.where

    def together(*arguments):
        found = real(*arguments)
        with suppress(threading.BrokenBarrierError):  # one waits for the other, which may not come in between
            barrier.wait(1)
        return found

    monkeypatch.setattr(characters, "where", together)
    bytes_ = {char: np.zeros(1, np.uint8) for char in "5."}
    threads = [
        threading.Thread(target=alphabet.classify, args=(np.array([ord(char)]), bytes_[char]))
        for char in "5."
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert bytes_["5"] != bytes_["."] and all(bytes_.values())
