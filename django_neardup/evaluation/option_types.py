"""Types of the options of the bench's command."""

from __future__ import annotations

import argparse


def parse_names(value: str) -> list[str]:
    """Parse a comma-separated list."""
    return [name.strip() for name in value.split(",") if name.strip()]


def parse_positive_numbers(value: str) -> list[int]:
    """Parse a comma-separated list of whole numbers, 0 or more."""
    return [parse_count(name) for name in parse_names(value)]


def parse_count(value: str) -> int:
    """Parse a whole number, 0 or more. Raise ArgumentTypeError if it is negative."""
    number = int(value)
    if number < 0:
        raise argparse.ArgumentTypeError("it must be 0 or more")
    return number


def parse_share(value: str) -> float:
    """Parse a number from 0 to 1. Raise ArgumentTypeError outside this range."""
    number = float(value)
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError("it must be from 0 to 1")
    return number
