"""People by their permissions. Those of the table of permissions are in ``tests/permissions``."""

from __future__ import annotations

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.http import HttpResponse
from django.test import Client

REVIEW, MERGE = ["neardup.review"], ["neardup.merge_cluster"]
CHANGE, DELETE = ["testapp.change_ad"], ["testapp.delete_ad"]
MOVED = ["testapp.change_comment", "testapp.delete_comment"]

PEOPLE: dict[str, list[str]] = {
    "nobody": [],  # is not signed in
    "author": [*REVIEW, *MERGE, *CHANGE, *DELETE, *MOVED],  # is not of the staff
    "clerk": [],
    "review": REVIEW,
    "merge": MERGE,
    "change": [*REVIEW, *CHANGE],
    "delete": [*REVIEW, *MERGE, *CHANGE, *DELETE],
    "moved": [*REVIEW, *MERGE, *CHANGE, *DELETE, *MOVED],
    "super": [],
}


def signed_in(name: str) -> Client:
    """A client of that person."""
    client = Client()
    if name == "nobody":
        return client
    user = get_user_model().objects.create_user(
        f"the {name}", is_staff=name != "author", is_superuser=name == "super"
    )
    for each in PEOPLE[name]:
        label, codename = each.split(".")
        user.user_permissions.add(Permission.objects.get(content_type__app_label=label, codename=codename))
    client.force_login(user)
    return client


def at_the_door(answer: HttpResponse) -> bool:
    return answer.status_code == 302 and "/login/" in answer.url
