"""How far a person has come in the tours, kept in a cookie: it outlives a switch of user, and not a reset."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.http import HttpRequest, HttpResponse

from tours.tours import TOURS, Step, Tour

COOKIE = "tours"
DAYS = 30


@dataclass
class Progress:
    """The steps that were taken, `name.number`, the last one at the end."""

    taken: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, request: HttpRequest) -> Progress:
        """Read the cookie. Anything that is no step is left out."""
        written = request.COOKIES.get(COOKIE, "").split("-")
        return cls([each for each in dict.fromkeys(written) if _step_of(each) is not None])

    def keep(self, response: HttpResponse) -> None:
        response.set_cookie(COOKIE, "-".join(self.taken), DAYS * 24 * 3600, samesite="Lax", httponly=True)

    def take(self, tour: Tour, number: int) -> None:
        step = f"{tour.name}.{number}"
        self.taken = [*(each for each in self.taken if each != step), step]

    def has_taken(self, tour: Tour, number: int) -> bool:
        return f"{tour.name}.{number}" in self.taken

    def count(self, tour: Tour) -> int:
        return sum(each.startswith(f"{tour.name}.") for each in self.taken)

    def next_number(self, tour: Tour) -> int:
        """Return the first step that was not taken, or 1 after the last one."""
        numbers = range(1, len(tour.steps) + 1)
        return next((number for number in numbers if not self.has_taken(tour, number)), 1)

    @property
    def current(self) -> tuple[Tour, int, Step] | None:
        """The step that was taken last."""
        return _step_of(self.taken[-1]) if self.taken else None


def _step_of(written: str) -> tuple[Tour, int, Step] | None:
    name, _, number = written.partition(".")
    tour = TOURS.get(name)
    if tour is None or not (number.isascii() and number.isdecimal() and len(number) < 3):
        return None
    return (tour, int(number), tour.steps[int(number) - 1]) if 0 < int(number) <= len(tour.steps) else None
