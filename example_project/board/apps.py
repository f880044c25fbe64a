from django.apps import AppConfig
from django.db.backends.signals import connection_created
from django.utils.translation import gettext_lazy as _

from board.sqlite import teach_like


class BoardConfig(AppConfig):
    name = "board"
    verbose_name = _("Classifieds")

    def ready(self) -> None:
        connection_created.connect(teach_like, dispatch_uid="board.teach_like")
