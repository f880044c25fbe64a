"""The tables of the test models as they are today: whoever edits the models need not write a migration.

An app without migrations is created before all others, and a server does not let its tables point at
contenttypes then.
"""

from typing import Any

from django.apps import apps
from django.db import migrations
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ModelState, ProjectState


class CreateEveryModel(Operation):
    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        state.__dict__.pop("apps", None)  # rendered when the last model is there, not after each
        for model in apps.get_app_config(app_label).get_models():
            state.add_model(ModelState.from_model(model))

    def database_forwards(
        self, app_label: str, schema_editor: Any, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        for model in to_state.apps.get_app_config(app_label).get_models():
            if self.allow_migrate_model(schema_editor.connection.alias, model):
                schema_editor.create_model(model)

    def describe(self) -> str:
        return "Create every model of the test app"


class Migration(migrations.Migration):
    initial = True
    dependencies = [
        ("contenttypes", "0002_remove_content_type_name"),
        migrations.swappable_dependency("auth.User"),
    ]
    operations = [CreateEveryModel()]
