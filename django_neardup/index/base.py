"""The interface of a key index: which documents have which keys.

A site can bring its own: a subclass of ``KeyIndex``, with its dotted path in the setting ``INDEX``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

if TYPE_CHECKING:
    from ..db.backends.key_table import BucketRows, Numbers


class WaitingChanges(NamedTuple):
    """Changes that were recorded in the database and are not in the index yet.

    ``seconds``: for how long the oldest has waited.
    """

    changes: int = 0
    seconds: int = 0


class TextSearch(NamedTuple):
    """A search for documents with the same words as a text.

    - ``kind``: the value of the setting CANDIDATES.
    - ``language``: the language code of the text.
    - ``text``: the text without markup.
    - ``space``: only documents of this space are returned.
    - ``document``: the text's own document, which is never returned.
    - ``size``: how many documents are returned, at most.
    - ``is_live``: only documents of live posts are returned, or only others. None means both.
    """

    kind: str
    language: str
    text: str
    space: int
    document: int
    size: int
    is_live: bool | None = None


class KeyIndex(ABC):
    """The pairs of a key and a document of one database.

    There is one instance for each process and each database alias. Threads share it, and a process may fork
    after it was made: open connections on first use.

    Values:

    - A key is a signed 64-bit number, from -2**63 to 2**63 - 1.
    - A document is the id of a row of ``neardup_document``, a positive number.
    - A pair exists once or not at all. To add an existing pair or to remove a missing one changes nothing.
    - Arrays are numpy arrays of type int64 and of one dimension.

    Transactions of the database ``using``: a change must be visible to all processes once the transaction in
    which it was made has committed. If that is rolled back, the change must not stay. Whether other
    statements of the same transaction see it makes no difference. Without a transaction the change is visible
    when the method returns. At the commit the fingerprints of a document, of all schemes together, hold all its
    keys: an index may read them there.

    Errors: raise ``IndexUnavailable``, an ``OperationalError``, if the index does not answer. Then the work stops,
    and nothing is counted as a failed attempt of a post. Any other exception counts as one. An incomplete answer
    must raise, too: a missing document is a duplicate that stays unnoticed.

    ``options_class``: a dataclass whose instance is the second argument of ``__init__``, made from the options
    in ``INDEX``. None if there are no options.
    """

    options_class: ClassVar[type[Any] | None] = None
    posts_per_load: ClassVar[int] = 100
    """Posts that a first index stores together, before it looks for their candidates."""

    def __init__(self, using: str, options: Any = None) -> None:
        self.using = using
        """The alias of the database whose documents are indexed."""

    def configuration_problem(self) -> str:
        """Return why this index cannot work with the database, and an empty string if it can.

        A system check reports the answer. It must not raise, and must not query the database.
        """
        return ""

    @abstractmethod
    def change(self, document: int, removed: Sequence[int], added: Sequence[int]) -> None:
        """Remove keys of one document, and add others.

        Both lists are sorted, and no key is in both or twice in one. One of them may be empty. A worker calls
        this in the transaction that stores the fingerprint of the document.
        """

    @abstractmethod
    def add_run(self, keys: Numbers, documents: Numbers, assume_new: bool) -> None:
        """Add many pairs, all or none: ``keys[i]`` with ``documents[i]``.

        The pairs are sorted by key and document, at least one, and the same pair may be there several times.
        If ``assume_new`` is true, the caller expects that no pair exists; some may exist nevertheless.
        """

    @abstractmethod
    def remove_run(self, keys: Numbers, documents: Numbers) -> None:
        """Remove many pairs, all or none. They are sorted as those of ``add_run``."""

    @abstractmethod
    def read_buckets(self, keys: Sequence[int], oldest: int, newest: int) -> BucketRows:
        """Return documents that have the keys: of each key those with the lowest and with the highest ids.

        These are the first ``oldest`` and the last ``newest`` of its documents, 0 or more of each, together
        at least one. If a key has at most as many documents as both together, return all, each of them once.
        So later documents, however many, do not displace the first ones.

        The keys are distinct, in any order, and at least one. The result is two arrays of equal length, in
        any order: positions in ``keys``, and for each position a document that has the key. A key without
        documents has no position in it.
        """

    def read_buckets_for_page(self, keys: Sequence[int], oldest: int, newest: int) -> tuple[BucketRows, bool]:
        """Return the same as ``read_buckets`` for a page, and whether it is complete.

        An index that may keep a page waiting returns what it has. By default this reads all.
        """
        return self.read_buckets(keys, oldest, newest), True

    def read_unsent_buckets(self, keys: Sequence[int], oldest: int, newest: int) -> BucketRows:
        """Return the same as ``read_buckets`` of documents with changes that ``ship`` has still to send.

        Only profiles with a search of words as CANDIDATES need this and the next two methods. By default raise
        ``NotImplementedError``.
        """
        raise NotImplementedError(f"{type(self).__name__} searches no texts")

    def search_texts(
        self, searches: Sequence[TextSearch], *, is_page: bool = False
    ) -> tuple[list[list[int]], bool]:
        """Return for each search the documents with the most similar words, best first, and whether all were searched.

        ``is_page``: an index that may keep a page waiting returns empty lists and False. Otherwise it raises.
        """
        raise NotImplementedError(f"{type(self).__name__} searches no texts")

    def text_search_problem(self, language: str) -> str:
        """Return why texts of a language cannot be searched, and an empty string if they can.

        A system check reports the answer. It must not raise.
        """
        return f"{type(self).__name__} searches no texts"

    def frequent_keys(self, min_documents: int, limit: int) -> Sequence[int]:
        """Return the keys that at least ``min_documents`` documents have: the most frequent ``limit`` of them first.

        Only the search for boilerplate calls it, once in a while. An index without it keeps the default, which
        raises ``NotImplementedError``: then no boilerplate is found.
        """
        raise NotImplementedError(f"{type(self).__name__} has no frequent_keys()")

    def loading(self) -> AbstractContextManager[None]:
        """Return a context in which this process fills the index for the first time, with many new documents.

        The index may then store keys in another way. ``read_buckets`` must find them all the same. By default
        nothing changes.
        """
        return nullcontext()

    def ship(self, *, is_forced: bool = False) -> int:
        """Send recorded changes on, if a batch of them is due. Return the number of documents sent.

        Workers call it outside of transactions, often. ``is_forced``: a batch is due if any change waits. An index
        whose changes are complete at the commit keeps the default, which does nothing.
        """
        return 0

    def waiting_changes(self) -> WaitingChanges:
        """Return what ``ship`` has still to send."""
        return WaitingChanges()

    def purge(self) -> int:
        """Forget what was kept of documents that have lost all keys and is no longer needed. Return their number.

        A worker calls it every few minutes, outside of transactions. By default do nothing.
        """
        return 0

    def problem(self) -> str:
        """Return why the index must not be used and what to run, and an empty string if it may. It may raise."""
        return ""

    def rebuild(self, report: Callable[[int], object]) -> None:
        """Build the index from the fingerprints, while posts are saved and looked up.

        ``report`` receives how many documents are done since the last call. An index that cannot be built keeps
        the default, which raises ``NotImplementedError``.
        """
        raise NotImplementedError(f"{type(self).__name__} is not built from the fingerprints")

    def repair(self, report: Callable[[int], object]) -> int:
        """Compare the index with the fingerprints, and put right what differs. Return the number of documents.

        By default raise ``NotImplementedError``.
        """
        raise NotImplementedError(f"{type(self).__name__} is not compared with the fingerprints")

    def compact(self) -> None:
        """Pack the index after a first run has filled it, without blocking others. By default do nothing.

        It is called outside a transaction. Raise ``django.db.DatabaseError`` if the index stays as it is.
        """
        return
