"""Task backends that are unwell, each in the way of a broker that is not the site's database."""

import time
from typing import Any

from django.tasks.backends.base import BaseTaskBackend


class SlowBackend(BaseTaskBackend):
    def enqueue(self, task: Any, args: Any, kwargs: Any) -> Any:
        time.sleep(30)


class BrokenBackend(BaseTaskBackend):
    def enqueue(self, task: Any, args: Any, kwargs: Any) -> Any:
        raise ConnectionError("the broker is away")
