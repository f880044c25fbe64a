"""Help of a command that ends with examples, line by line."""

from __future__ import annotations

from argparse import RawDescriptionHelpFormatter
from typing import Any

from django.core.management.base import BaseCommand, CommandParser, DjangoHelpFormatter


class _Formatter(DjangoHelpFormatter, RawDescriptionHelpFormatter):
    """Keeps the lines of the examples, and of nothing else."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        keep = text.startswith("examples:")
        formatter = RawDescriptionHelpFormatter if keep else DjangoHelpFormatter
        return formatter._fill_text(self, text, width, indent)


class CommandWithExamples(BaseCommand):
    """A command whose ``examples`` are lines that can be typed."""

    examples: tuple[str, ...] = ()

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        lines = "".join(f"\n  python manage.py {line}" for line in self.examples)
        kwargs |= {"epilog": f"examples:{lines}", "formatter_class": _Formatter}
        return super().create_parser(prog_name, subcommand, **kwargs)
