"""What can go wrong, by name."""


class NeardupError(Exception):
    """Base of every error that this app raises by itself."""


class NotRegistered(NeardupError, LookupError):
    """The model has no adapter: register one in a module ``neardup.py`` of its app."""


class AlreadyRegistered(NeardupError, ValueError):
    """The model has an adapter already."""


class MergeRefused(NeardupError):
    """A merge that would lose data: ``reasons`` lists, in words, every clash and protected row."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = reasons


class Conflict(NeardupError):
    """What the person saw has changed since: another moderator decided, or a post was edited."""
