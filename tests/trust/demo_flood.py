"""A flood of drafts through the example's own pages: ``python -m tests.trust.demo_flood FILE [--undefended]``.

Runs in the example's settings on an empty database. Writes, as JSON, what a thief is shown of the victim's advert.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import django

DRAFTS = 100
"""More than a bucket holds."""


def main(file: str, *options: str) -> int:
    django.setup()
    if "--undefended" in options:
        from tests.trust.controls import remove_bucket_defences

        remove_bucket_defences(setattr)
    from board.models import Ad
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.test import Client

    from tests.leaks import population
    from tests.leaks.texts import LONE

    call_command("migrate", verbosity=0)
    population.frame()
    call_command("neardup_index", verbosity=0)
    owner, flooder, thief = Client(), Client(), Client()
    owner.force_login(User.objects.get(username="anna"))
    flooder.force_login(User.objects.get(username="boris"))
    publish(owner, LONE, do="publish")
    victim = Ad.objects.get()
    work()
    for number in range(DRAFTS):
        # Half of them by an account, half by guests. A near copy each, of which nobody sees anything.
        sender = flooder if number % 2 else Client()
        publish(sender, f"{LONE} Звонить после {number} часов.", do="draft")
    drafts = Ad.objects.filter(published=False).count()
    work()
    copied = f"{LONE} Срочно."
    form = publish(thief, copied, do="publish")
    typing = thief.post(
        "/similar/api/check/board.ad/", fields_of(copied), headers={"Accept": "application/json"}
    )
    answers = {
        "victim": victim.get_absolute_url(),
        "drafts": drafts,
        "adverts": Ad.objects.count(),
        "form": form.content.decode(),
        "typing": [match["url"] for match in typing.json()["similar"]],
    }
    Path(file).write_text(json.dumps(answers), encoding="utf-8")
    return 0


def work() -> None:
    from django.core.management import call_command

    call_command("neardup_worker", once=True, verbosity=0)


def fields_of(text: str) -> dict[str, Any]:
    from tests.leaks.texts import advert_of

    return {**advert_of(text), "category": 1}


def publish(client: Any, text: str, *, do: str) -> Any:
    """Send the form for a new advert. ``do``: the button, "publish" or "draft"."""
    return client.post("/ads/new/", {**fields_of(text), "do": do})


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
