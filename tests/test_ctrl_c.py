"""Ctrl-C that waits for the end of a step."""

import os
import signal
import threading
from functools import partial

import pytest

from django_neardup.management.interrupts import interrupted_between_steps


@pytest.fixture(autouse=True)
def default_handler():
    """In the background a process ignores SIGINT."""
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, former)


def press_ctrl_c():
    os.kill(os.getpid(), signal.SIGINT)


def test_it_waits_for_the_end_of_the_step():
    done = []
    with pytest.raises(KeyboardInterrupt), interrupted_between_steps() as check:
        check()
        press_ctrl_c()
        done.append("the step")
        check()
        done.append("another step")
    assert done == ["the step"]


def test_it_ends_the_last_step_too():
    with pytest.raises(KeyboardInterrupt), interrupted_between_steps():
        press_ctrl_c()


def test_the_second_one_does_not_wait():
    done = []
    with pytest.raises(KeyboardInterrupt), interrupted_between_steps():
        press_ctrl_c()
        done.append("the step")
        press_ctrl_c()
        done.append("the rest of it")
    assert done == ["the step"]


def test_afterwards_the_handler_is_the_former_one():
    former = signal.getsignal(signal.SIGINT)
    with interrupted_between_steps():
        assert signal.getsignal(signal.SIGINT) != former
    assert signal.getsignal(signal.SIGINT) == former


def test_an_ignored_signal_stays_ignored():
    former = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interrupted_between_steps() as check:
            press_ctrl_c()
            check()
    finally:
        signal.signal(signal.SIGINT, former)


def test_another_thread_sets_no_handler():
    former, seen = signal.getsignal(signal.SIGINT), []

    def work():
        with interrupted_between_steps() as check:
            check()
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [former]


def test_another_signal_ends_in_another_way():
    with (
        pytest.raises(SystemExit) as caught,
        interrupted_between_steps(signal.SIGTERM, partial(SystemExit, 1)) as check,
    ):
        os.kill(os.getpid(), signal.SIGTERM)
        check()
    assert caught.value.code == 1
