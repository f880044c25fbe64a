"""Makes the small site in an empty database and looks at everything: ``python -m tests.leaks.stage alone FILE``.

The states: "alone" without hidden posts, "older" with some that were there first, "newer" with some that came last.
Runs in the example's settings and writes, as JSON, what each visitor is answered at each address, every route,
and how many posts stand in groups.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from typing import Any

import django

from tests.leaks.addresses import READ, WRITTEN, Sent

CONFIRMATION = re.compile(r'(?<=name="neardup_token" value=")([^":]+):[^"]+')
"""What it says, then when it was said, and the signature."""
CSRF = re.compile(r'(?<=name="csrfmiddlewaretoken" value=")\w+')
NUMBER = re.compile(r"(?<=/ads/)\d+(?=/)|(?<=/news/)\d+(?=/)|(?<=/topics/)\d+(?=/)|(?<=#post-)\d+")
UNTOLD = {"Set-Cookie", "Expires", "Content-Length"}


def main(state: str, file: str) -> int:
    django.setup()
    from django.core.management import call_command

    from django_neardup.models import Membership

    call_command("migrate", verbosity=0)
    call_command("flush", interactive=False, verbosity=0)
    populate(state)
    grouped = Membership.objects.count()
    clients = {name: client_of(name) for name in ("", "boris")}
    looks = {name: read(client) for name, client in clients.items()}
    for name, client in clients.items():
        looks[name] |= written(client)
    with open(file, "w", encoding="utf-8") as output:
        json.dump({"looks": looks, "routes": sorted(routes()), "grouped": grouped}, output)
    return 0


def populate(state: str) -> None:
    """Make what is there, and have it compared: at once, or what is hidden after the rest."""
    from django.core.management import call_command

    from tests.leaks import population

    population.frame()
    if state == "older":
        population.hidden(population.FIRST_HIDDEN[state])
    population.shown()
    call_command("neardup_index", verbosity=0)
    if state == "newer":
        population.hidden(population.FIRST_HIDDEN[state])
        call_command("neardup_worker", once=True, verbosity=0)


def client_of(name: str) -> Any:
    """A visitor of that name, or one without."""
    from django.contrib.auth.models import User
    from django.test import Client

    client = Client()
    if name:
        client.force_login(User.objects.get(username=name))
    return client


def read(client: Any) -> dict[str, Any]:
    """What a visitor is shown."""
    return {address: told(client.get(address)) for address in READ}


def written(client: Any) -> dict[str, Any]:
    """What a visitor is answered who sends something; numbers of posts that come of it are left out."""
    return {str(sent): told(send(client, sent), NUMBER) for sent in WRITTEN}


def send(client: Any, sent: Sent) -> Any:
    """Send a form; where it is to be confirmed, and asks for that, do so."""
    response = client.post(sent.address, sent.fields, headers={"Accept": sent.accept})
    token = CONFIRMATION.search(response.content.decode()) if sent.again else None
    if token is None:
        return response
    return client.post(sent.address, {**sent.fields, "neardup_confirm": "1", "neardup_token": token[0]})


def told(response: Any, *also: re.Pattern[str]) -> dict[str, Any]:
    """All that an answer tells, without what is new in each."""
    text = (b"".join(response) if response.streaming else response.content).decode()
    headers = {name: value for name, value in response.headers.items() if name not in UNTOLD}
    text = CONFIRMATION.sub(r"\1", text)
    for pattern in (CSRF, *also):
        text = pattern.sub("", text)
        headers = {name: pattern.sub("", value) for name, value in headers.items()}
    match = getattr(response, "resolver_match", None)
    route = match.route if match else ""
    return {"status": response.status_code, "headers": headers, "body": text, "route": route}


def routes() -> Iterator[str]:
    """Every route of the site."""
    from django.urls import get_resolver

    def walk(patterns: Any, before: str) -> Iterator[str]:
        for pattern in patterns:
            route = before + str(pattern.pattern)
            if hasattr(pattern, "url_patterns"):
                yield from walk(pattern.url_patterns, route)
            else:
                yield route

    return walk(get_resolver().url_patterns, "")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
