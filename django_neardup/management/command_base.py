"""A base class for commands with examples in their help."""

from __future__ import annotations

from argparse import RawDescriptionHelpFormatter
from typing import Any

from django.core.management.base import BaseCommand, CommandParser, DjangoHelpFormatter


class _ExamplesFormatter(DjangoHelpFormatter, RawDescriptionHelpFormatter):
    """Keeps the line breaks of the examples only."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        is_examples = text.startswith("examples:")
        formatter = RawDescriptionHelpFormatter if is_examples else DjangoHelpFormatter
        return formatter._fill_text(self, text, width, indent)


class CommandWithExamples(BaseCommand):
    """A command with ``examples``: command lines to copy."""

    examples: tuple[str, ...] = ()

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        lines = "".join(f"\n  python manage.py {line}" for line in self.examples)
        kwargs |= {"epilog": f"examples:{lines}", "formatter_class": _ExamplesFormatter}
        return super().create_parser(prog_name, subcommand, **kwargs)
