"""The tables of the test models as they are today: whoever edits the models need not write a migration.

An app without migrations is created before all others, and a server does not let its tables point at
contenttypes then.
"""

from typing import Any

from django.apps import apps
from django.db import migrations, router
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ModelState, ProjectState

from tests.testapp import database_made


class CreateEveryModel(Operation):
    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        state.__dict__.pop("apps", None)  # rendered when the last model is there, not after each
        for model in apps.get_app_config(app_label).get_models():
            state.add_model(ModelState.from_model(model))

    def database_forwards(
        self, app_label: str, schema_editor: Any, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        connection = schema_editor.connection
        for model in to_state.apps.get_app_config(app_label).get_models():
            is_made = model._meta.model_name in database_made.MODELS
            if not is_made and self.allow_migrate_model(connection.alias, model):
                schema_editor.create_model(model)
        if router.allow_migrate(connection.alias, app_label):
            for statement in database_made.statements(connection.vendor):
                schema_editor.execute(statement, params=None)

    def describe(self) -> str:
        return "Create every model of the test app"


class Migration(migrations.Migration):
    initial = True
    dependencies = [
        ("contenttypes", "0002_remove_content_type_name"),
        migrations.swappable_dependency("auth.User"),
    ]
    operations = [CreateEveryModel()]
