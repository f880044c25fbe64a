"""The accounts of the demonstration, and the switch between them."""

from __future__ import annotations

from typing import NamedTuple

from django.contrib.auth import login, logout
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class Account(NamedTuple):
    """`username` is empty for a guest. The password is the username."""

    username: str
    label: Promise


ACCOUNTS = {
    account.username: account
    for account in (
        Account("", _("guest")),
        Account("demo", _("author")),
        Account("moderator", _("moderator")),
        Account("admin", _("administrator")),
    )
}
BACKEND = "django.contrib.auth.backends.ModelBackend"


def current_username(request: HttpRequest) -> str:
    """Return "" for a guest."""
    return request.user.get_username() if request.user.is_authenticated else ""


def become(request: HttpRequest, account: Account) -> None:
    """Sign in as that account, or sign out."""
    if account.username:
        login(request, get_object_or_404(User, username=account.username), BACKEND)
    else:
        logout(request)
