"""The people of the table of permissions: a kind of person, of one tenant or of both."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.test import Client

REVIEW, MERGE = "neardup.review", "neardup.merge_cluster"
CHANGE, DELETE = "testapp.change_ad", "testapp.delete_ad"
MOVE = ("testapp.change_comment", "testapp.delete_comment")
LISTS = (
    "neardup.add_keyphrase", "neardup.change_keyphrase", "neardup.delete_keyphrase", "neardup.add_ignoredpassage",
    "neardup.change_ignoredpassage", "neardup.delete_ignoredpassage", "neardup.delete_movedurl",
    "neardup.change_document",
)  # fmt: skip

KINDS: dict[str, tuple[str, ...]] = {
    "nobody": (),  # is not signed in
    "author": (REVIEW, MERGE, CHANGE, DELETE, *MOVE, *LISTS),  # is not of the staff
    "clerk": (),
    "review": (REVIEW,),
    "merge": (MERGE,),
    "change": (REVIEW, CHANGE),
    "delete": (REVIEW, MERGE, CHANGE, DELETE),
    "move": (REVIEW, MERGE, CHANGE, DELETE, *MOVE),
    "lists": (REVIEW, CHANGE, *LISTS),
    "super": (),
}
"""The permissions of each kind of person."""


@dataclass(frozen=True)
class Person:
    kind: str
    tenants: str

    def __str__(self) -> str:
        return f"{self.kind} {self.tenants}"

    @property
    def is_staff(self) -> bool:
        return self.kind not in ("nobody", "author")

    @property
    def is_superuser(self) -> bool:
        return self.kind == "super"

    def has(self, *names: str) -> bool:
        """Return whether the person has all these permissions in the admin."""
        return self.is_staff and (self.is_superuser or set(names) <= set(KINDS[self.kind]))

    def belongs_to(self, tenant: str) -> bool:
        return tenant in self.tenants

    def signed_in(self) -> Client:
        """Return a client of this person. The host names the tenants of somebody who is not signed in."""
        client = Client(headers={"host": f"board{self.tenants}.example"})
        if self.kind == "nobody":
            return client
        user = get_user_model().objects.create_user(
            f"{self.kind} {self.tenants}", is_staff=self.is_staff, is_superuser=self.is_superuser
        )
        for name in KINDS[self.kind]:
            label, codename = name.split(".")
            user.user_permissions.add(
                Permission.objects.get(content_type__app_label=label, codename=codename)
            )
        client.force_login(user)
        return client


EVERYBODY = [
    Person(kind, tenants)
    for kind in KINDS
    for tenants in ("1", "2", "12")
    if kind != "super" or tenants == "12"  # a superuser sees both in any case
]
A_FEW = [Person(kind, "1") for kind in ("nobody", "clerk", "review", "delete", "lists")]
