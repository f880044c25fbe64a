"""The second half of a run: posts whose keys are all there are compared, clustered and finished, few at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...models import Document
from ...signals import cluster_changed, document_checked
from ..meeting import duplicates_of, leaders_of, meet
from ..records import Signed
from ..repeats import notice
from ..stages import candidates_many, conclude_many, finish_many, verify_many
from ..turn import tell
from .crowds import Crowds
from .documents import leave
from .together import together

BATCH = 100
"""Posts compared together."""

ROUNDS = 3
"""How often posts are compared with leaders that came up while their own batch was concluded."""


class Matcher:
    """Compares the stored posts of one run, which are given in their order, batch by batch."""

    def __init__(self, crowds: Crowds, using: str) -> None:
        self.crowds, self.using = crowds, using
        self._tried: set[int] = set()

    def match(self, signed: Sequence[Signed]) -> None:
        """Compare posts with whom they share keys with, let the clusters follow, and end their turns.

        Those for which that fails are left to the ordinary drain."""
        through = together(self._match, signed)
        leave({one.document for one in signed}.difference(through), self.using)

    def _match(self, signed: Sequence[Signed]) -> list[int]:
        again = self._tried.intersection(one.document for one in signed)
        self._tried.update(one.document for one in signed)
        found = candidates_many(signed, self.using, self.crowds.look_up)
        verified = verify_many(signed, found, self.using)
        concluded = conclude_many(signed, found, verified, self.using)
        done = [one for one in signed if one.document in concluded]
        seen = {one.document: {each.document for each in found[one.document].prints} for one in done}
        members = {one.document: duplicates_of(one, verified[one.document]) for one in done}
        crowded = [one for one in done if len(seen[one.document]) >= one.adapter.settings.max_aligned]
        for number in range(ROUNDS):
            leaders = leaders_of(done, members, self.using)
            if crowded and not number:
                for document, near in self._leaders_near(crowded).items():
                    leaders[document] |= near
            members = meet(done, leaders, seen, concluded, self.using)
        notice(done, found, self.using)
        # A try that broke off may have changed their clusters, and told nobody.
        self._tell(concluded | dict.fromkeys(again & concluded.keys(), True))
        finish_many(done, self.using)
        self._tried.difference_update(one.document for one in done)
        return [one.document for one in done]

    def _leaders_near(self, signed: Sequence[Signed]) -> dict[int, set[int]]:
        """Leaders around documents that had more look-alikes than are aligned: clusters may hold the others by now."""
        return {
            document: {each.leader for each in of.prints if each.leader is not None}
            for document, of in candidates_many(signed, self.using, self.crowds.look_up).items()
        }

    def _tell(self, concluded: Mapping[int, bool]) -> None:
        if not (document_checked.has_listeners() or cluster_changed.has_listeners()):
            return
        for document in Document.objects.using(self.using).filter(pk__in=concluded).order_by("pk"):
            tell(document, concluded[document.pk], self.using)
