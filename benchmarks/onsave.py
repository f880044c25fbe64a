"""What a saved post costs on a site: the plain save, the mark, the job's parts, a whole turn."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any

from benchmarks.figures import Bar, Sizes
from benchmarks.million import AUTHORS, Site
from benchmarks.planted import new_post, template
from benchmarks.site import unheard
from benchmarks.timing import measuring, seconds

if TYPE_CHECKING:
    from benchmarks.keytables import Numbers

WARM_UP = 50
KNOWN_POSTS = 20_000
"""Posts that a process has signed before it is measured, as one that has worked for a day."""

AT_ONCE = 1000
PARTS = ("canonise", "write keys", "look up", "verify", "conclude")
ORDINARY, TEMPLATE = "ordinary", "template"
NEW_TEMPLATES = 10**7
"""Number of the first post of the template that no site holds."""

TURN_EVERY = 3
"""After so many jobs one whole turn is taken, of another post."""

_numbers = {kind: count() for kind in (ORDINARY, TEMPLATE)}
_authors = count()


@dataclass
class Measured:
    """Seconds, a list each, of saves of one kind of post; the parts are those of `PARTS`."""

    save: list[float] = field(default_factory=list)
    mark: list[float] = field(default_factory=list)
    parts: dict[str, list[float]] = field(default_factory=lambda: {part: [] for part in PARTS})
    turn: list[float] = field(default_factory=list)
    near: list[int] = field(default_factory=list)
    aligned: list[int] = field(default_factory=list)

    @property
    def job(self) -> list[float]:
        """The whole of every job."""
        return [sum(each) for each in zip(*self.parts.values())]

    @property
    def aside(self) -> list[float]:
        """Every job without verification: texts of others are neither read nor aligned."""
        return [sum(each) for each in zip(*(self.parts[part] for part in PARTS if part != "verify"))]


_done: dict[str, dict[str, Measured]] = {}


def on_save(made: Site, sizes: Sizes, bar: Bar) -> dict[str, Measured]:
    """Ordinary posts and posts of the template, saved and worked off one by one and in turn; measured once a run."""
    if made.alias not in _done:
        _done[made.alias] = _measure(made, samples(sizes), bar)
    return _done[made.alias]


def samples(sizes: Sizes) -> int:
    """Posts that a percentile is taken of: 300 of the full form."""
    return max(3, sizes.lookups * 3 // 10)


def _measure(made: Site, samples: int, bar: Bar) -> dict[str, Measured]:
    found = {ORDINARY: Measured(), TEMPLATE: Measured()}
    title = f"{made.name}, {made.layout.size:,} posts, {made.algorithm}: saves"
    with unheard("board.Post"), bar(title, samples) as progress:
        meet_words(made.alias)
        for text in texts(ORDINARY, min(WARM_UP, samples)):
            _job(made, text, Measured())
            _turn(made, text, Measured())
        with measuring():
            for number in range(samples):
                for kind, measured in found.items():
                    if kind == ORDINARY or number % 2 == 0:
                        _job(made, text_of(kind), measured)
                    if number % TURN_EVERY == 0:
                        _turn(made, text_of(kind), measured)
                progress.update(1)
    return found


def meet_words(alias: str) -> None:
    """Sign posts of the database, and write nothing: this process knows their words from then on."""
    from benchmarks.board.models import Post

    posts = Post._default_manager.using(alias).order_by("pk")[:KNOWN_POSTS]
    for start in range(0, KNOWN_POSTS, AT_ONCE):
        signed(list(posts[start : start + AT_ONCE]), alias)


def texts(kind: str, count: int) -> Iterator[str]:
    """So many texts that no site holds, each given once a run."""
    return (text_of(kind) for _ in range(count))


def text_of(kind: str) -> str:
    """The next text of that kind."""
    number = next(_numbers[kind])
    return template(NEW_TEMPLATES + number) if kind == TEMPLATE else new_post(number)


def post_of(text: str) -> Any:
    """A post that is not saved yet."""
    from benchmarks.board.models import Post

    return Post(title=text[:80], text=text, author=next(_authors) % AUTHORS)


def _job(made: Site, text: str, measured: Measured) -> None:
    """Save a post and mark it, then take its turn stage by stage; lease and reading of the object are left out."""
    from django_neardup.pipeline.leases import finish_many

    post = _saved(made, text, measured)
    read, scheme = leased(made.alias, post)
    clock = _Clock(measured)
    signed, found, verified = stages(read, scheme, made.alias, clock)
    finish_many(signed, made.alias)
    measured.near.append(len(found[read.document.pk].fingerprints))
    measured.aligned.append(len(verified[read.document.pk]))


def _saved(made: Site, text: str, measured: Measured) -> Any:
    from django_neardup.pipeline import mark

    post = post_of(text)
    measured.save.append(seconds(partial(post.save, using=made.alias)))
    measured.mark.append(seconds(partial(mark, post, made.alias)))
    return post


def leased(alias: str, post: Any) -> tuple[Any, Any]:
    """A saved and marked post as a turn has read it, and the scheme that signs."""
    from django_neardup.adapters import adapter_for
    from django_neardup.pipeline import documents_of
    from django_neardup.pipeline.schemes import active_scheme
    from django_neardup.pipeline.stage_types import ReadDocument

    adapter = adapter_for(post)
    (document,) = documents_of([post], alias).values()
    source = adapter.source(post, compared=True, live=True)
    return ReadDocument(document, adapter, source), active_scheme(adapter.settings, alias)


def keys_of(alias: str, text: str) -> Numbers:
    """The keys by which a post of that text would be looked up; nothing is written."""
    return signed([post_of(text)], alias)[0].keys


def signed(posts: Sequence[Any], alias: str) -> list[Any]:
    """What a turn would sign of posts, as far as they are compared; nothing is written."""
    from benchmarks.board.models import Post
    from django_neardup.adapters import adapter_for
    from django_neardup.models import Document
    from django_neardup.pipeline.schemes import active_scheme
    from django_neardup.pipeline.sign import sign_many
    from django_neardup.pipeline.stage_types import ReadDocument

    adapter = adapter_for(Post)
    sources = [adapter.source(post, compared=True, live=True) for post in posts]
    reads = [ReadDocument(Document(pk=place), adapter, source) for place, source in enumerate(sources)]
    return sign_many(reads, active_scheme(adapter.settings, alias), alias)[0]


def stages(read: Any, scheme: Any, alias: str, clock: Callable[..., Any]) -> tuple[Any, Any, Any]:
    """The stages of one turn, each called by `clock`: the signed post, whom it has met, the judged pairs."""
    from django_neardup.comparison.candidates import candidates_many
    from django_neardup.comparison.verify import verify_many
    from django_neardup.pipeline.conclude import conclude_many
    from django_neardup.pipeline.sign import sign_many
    from django_neardup.pipeline.store import store_many
    from django_neardup.pipeline.stored_posts import StoredPosts

    signed, _ = clock("canonise", sign_many, [read], scheme, alias)
    signed = clock("write keys", store_many, signed, alias)
    posts = StoredPosts.of(signed, alias)
    found = clock("look up", candidates_many, signed, posts)
    verified = clock("verify", verify_many, signed, found, posts)
    clock("conclude", conclude_many, signed, found, verified, alias)
    return signed, found, verified


class _Clock:
    """Calls, and adds the seconds to a part."""

    def __init__(self, measured: Measured) -> None:
        self.parts = measured.parts
        gc.collect(1)

    def __call__(self, part: str, call: Callable[..., Any], *arguments: Any) -> Any:
        start = perf_counter()
        answer = call(*arguments)
        self.parts[part].append(perf_counter() - start)
        return answer


def _turn(made: Site, text: str, measured: Measured) -> None:
    """A post is saved and marked; the drain that a worker calls is timed."""
    from django_neardup.pipeline import drain

    _saved(made, text, Measured())
    measured.turn.append(seconds(partial(drain, made.alias)))


def milliseconds(times: Iterable[float]) -> float:
    """The median, in milliseconds."""
    return median(times) * 1000
