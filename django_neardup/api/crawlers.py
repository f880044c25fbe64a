"""Crawlers of search engines, verified by the names of their addresses.

Every client can send the name of a crawler. The engines document the check: the address has a host name below
their domain, and that name has the address.

- Google: https://developers.google.com/search/docs/crawling-indexing/verifying-googlebot
- Bing: https://www.bing.com/webmasters/help/how-to-verify-bingbot-3905dc26
- Yandex: https://yandex.com/support/webmaster/robot-workings/check-yandex-robots.html
- Mail.ru and Apple say the same of their crawlers.
"""

from __future__ import annotations

import os
import socket
from concurrent.futures import ThreadPoolExecutor, TimeoutError
from functools import lru_cache

DOMAINS_BY_AGENT = {
    "googlebot": (".googlebot.com", ".google.com"),
    "bingbot": (".search.msn.com",),
    "yandex": (".yandex.ru", ".yandex.net", ".yandex.com"),
    "mail.ru_bot": (".mail.ru",),
    "applebot": (".applebot.apple.com",),
}
"""The domains of the hosts of a crawler, by a part of its user agent in lower case."""

LOOKUP_SECONDS = 1.0
"""Longest time that a request waits for the two look-ups."""


@lru_cache(maxsize=1)
def _pool(process_id: int) -> ThreadPoolExecutor:
    """Return the thread of this process that looks up names.

    A server of names that does not answer must not hold all threads of the site. A fork leaves no thread.
    """
    return ThreadPoolExecutor(1, thread_name_prefix="neardup-crawlers")


def claims_to_be_crawler(user_agent: str) -> bool:
    """Return whether a request names itself as a crawler that can be verified."""
    return bool(_domains_of(user_agent))


def is_verified_crawler(user_agent: str, address: str) -> bool:
    """Return whether the address is that of the crawler which the user agent names.

    Return False if that is not known within a second.
    """
    domains = _domains_of(user_agent)
    if not domains:
        return False
    try:
        return _pool(os.getpid()).submit(_has_host, address, domains).result(LOOKUP_SECONDS)
    except TimeoutError:  # before Python 3.11 another class than the built-in one
        return False


def _domains_of(user_agent: str) -> tuple[str, ...]:
    agent = user_agent.lower()
    return next((domains for name, domains in DOMAINS_BY_AGENT.items() if name in agent), ())


def _has_host(address: str, domains: tuple[str, ...]) -> bool:
    try:
        host = socket.gethostbyaddr(address)[0].rstrip(".").lower()
        if not host.endswith(domains):
            return False
        return address in {found[4][0] for found in socket.getaddrinfo(host, None)}
    except OSError:
        return False
