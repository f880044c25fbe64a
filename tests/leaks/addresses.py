"""Every public address of the example, with the numbers of tests.leaks.population."""

from __future__ import annotations

from typing import NamedTuple

from tests.leaks.texts import GROUP, HIDDEN_ONLY, LONE, REPLY, VARIANT, advert_of

SEEN = "/ads/1000/", "/ads/1001/", "/ads/1002/", "/ads/1003/"
UNSEEN = "/ads/500/", "/ads/2000/", "/ads/900/"
STEM, WITHOUT_IO = "/search/?q=свая", "/search/?q=трехместная"

READ = (
    "/", "/?page=2", "/?similar=all", "/category/piles/", "/category/piles/?similar=all", "/category/piles/?page=2",
    "/category/piles/print/", "/search/?q=сваи", "/search/?q=печь", "/search/?q=саженцы", STEM, WITHOUT_IO,
    "/search/?q=сваи&similar=all", "/search/?q=сваи&where=forum", "/ads/new/", *SEEN, *UNSEEN,
    "/ads/mine/", "/ads/1000/edit/", "/ads/1001/edit/", "/ads/500/edit/", "/ads/1000/appeal/", "/ads/500/appeal/",
    "/ads/appeal/",
    "/feed/rss/", "/feed/atom/", "/sitemap.xml",
    "/forum/", "/forum/latest/", "/forum/works/", "/forum/works/new/", "/forum/topics/1000/", "/login/",
    "/news/", "/news/?similar=all", "/news/gazette/", "/search/?q=сваи&where=news", "/news/1000/", "/news/1001/",
    "/news/1002/", "/news/500/", "/news/2000/", "/news/new/", "/news/new/?like=1000", "/news/new/?like=500",
    "/news/1002/edit/", "/news/500/edit/", "/similar/news.article/1000/", "/similar/news.article/500/",
    "/similar/board.ad/1000/", "/similar/board.ad/1001/", "/similar/board.ad/1002/", "/similar/board.ad/1003/",
    "/similar/board.ad/500/", "/similar/forum.post/1000/", "/similar/forum.post/500/",
    "/similar/api/similar/board.ad/1000/", "/similar/api/similar/board.ad/1003/",
    "/similar/api/similar/board.ad/500/", "/similar/api/similar/forum.post/1000/",
)  # fmt: skip
"""What is opened."""

TEXTS = {"group": GROUP, "variant": VARIANT, "lone": LONE, "hidden only": HIDDEN_ONLY, "reply": REPLY}
JSON, HTML = "application/json", "text/html"


class Sent(NamedTuple):
    """What is sent: where, whose text, for what kind of answer; ``again``: and confirmed where that is asked for."""

    address: str
    text: str
    accept: str = HTML
    again: bool = False

    def __str__(self) -> str:
        return f"{self.address} {self.text} {self.accept}{' again' * self.again}"

    @property
    def fields(self) -> dict[str, str]:
        """A filled form."""
        advert = {key: str(value) for key, value in advert_of(TEXTS[self.text]).items()}
        return {"category": "1", **advert, "headline": advert["title"], "body": advert["text"]}


CHECK, PUBLISH, EDIT = "/similar/api/check/board.ad/", "/ads/new/", "/ads/1001/edit/"
ADVERTS = ("group", "variant", "lone", "hidden only")
WRITTEN = (
    *(Sent(CHECK, text, accept) for text in ADVERTS for accept in (JSON, HTML)),
    *(Sent("/similar/api/check/forum.post/", text, JSON) for text in ("reply", "hidden only")),
    *(Sent("/forum/topics/1000/", text) for text in ("reply", "hidden only")),
    *(Sent(address, text) for address in (PUBLISH, EDIT) for text in ADVERTS),
    *(
        Sent(address, text)
        for address in ("/news/new/", "/forum/works/new/")
        for text in ("group", "hidden only")
    ),
    *(Sent(PUBLISH, text, again=True) for text in ("group", "variant", "lone")),
    *(Sent(address, "lone") for address in ("/ads/1000/appeal/", "/ads/500/appeal/")),
)

EXEMPT = ("admin/", "logout/", "language/", "favicon.ico")
"""Routes that show no posts to the public."""
