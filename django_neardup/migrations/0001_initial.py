import uuid

import django.db.models.deletion
import django_neardup.models.fields
from django.db import migrations, models


def drop_rowid(apps, schema_editor):
    """On SQLite the primary key is the whole row: without a rowid the table is a third of the size."""
    if schema_editor.connection.vendor != "sqlite":
        return
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = 'neardup_key'")
        (statement,) = cursor.fetchone()
        cursor.execute("DROP TABLE neardup_key")
        cursor.execute(f"{statement} WITHOUT ROWID")


def build_missing(apps, schema_editor):
    """Before all is taken down: tables that an earlier form of this migration did not make, so that none is missed."""
    present = schema_editor.connection.introspection.table_names()
    for model in apps.get_app_config('neardup').get_models():
        if model._meta.db_table not in present:
            schema_editor.create_model(model)


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('contenttypes', '0002_remove_content_type_name'),
    ]

    operations = [
        migrations.CreateModel(
            name='Key',
            fields=[
                ('pk', models.CompositePrimaryKey('key', 'document', blank=True, editable=False, primary_key=True, serialize=False)),
                ('key', models.BigIntegerField(verbose_name='key')),
                ('document', models.BigIntegerField(verbose_name='document')),
            ],
            options={
                'verbose_name': 'key',
                'verbose_name_plural': 'keys',
            },
        ),
        migrations.RunPython(drop_rowid, migrations.RunPython.noop),
        migrations.CreateModel(
            name='RemovedKey',
            fields=[
                ('pk', models.CompositePrimaryKey('key', 'document', blank=True, editable=False, primary_key=True, serialize=False)),
                ('key', models.BigIntegerField(verbose_name='key')),
                ('document', models.BigIntegerField(verbose_name='document')),
            ],
            options={
                'verbose_name': 'removed key',
                'verbose_name_plural': 'removed keys',
            },
        ),
        migrations.CreateModel(
            name='KeyChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('document', models.BigIntegerField(verbose_name='document')),
                ('removed', models.BinaryField(default=bytes, verbose_name='removed keys')),
                ('since', models.BigIntegerField(verbose_name='time of the change')),
                ('is_bulk', models.BooleanField(default=False, verbose_name='sent in bulk')),
            ],
            options={
                'verbose_name': 'change of keys',
                'verbose_name_plural': 'changes of keys',
                'indexes': [models.Index(fields=['is_bulk', 'id'], name='neardup_keychange_bulk')],
            },
        ),
        migrations.CreateModel(
            name='KeyIndexState',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', django_neardup.models.fields.ExactCharField(max_length=200, unique=True, verbose_name='name')),
                ('owner', models.CharField(max_length=32, verbose_name='owner')),
                ('counter', models.BigIntegerField(default=0, verbose_name='counter')),
                ('in_use', models.CharField(blank=True, default='', max_length=220, verbose_name='in use')),
                ('building', models.CharField(blank=True, default='', max_length=220, verbose_name='being built')),
                ('built_up_to', models.BigIntegerField(default=0, verbose_name='built up to this document')),
                ('leased_until', models.BigIntegerField(blank=True, null=True, verbose_name='leased until')),
                ('problem', models.TextField(blank=True, default='', verbose_name='problem')),
            ],
            options={
                'verbose_name': 'key index',
                'verbose_name_plural': 'key indexes',
            },
        ),
        migrations.CreateModel(
            name='Boilerplate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('profile', models.CharField(max_length=100, verbose_name='profile')),
                ('number', models.PositiveIntegerField(default=1, verbose_name='number')),
                ('runs', models.PositiveIntegerField(default=0, verbose_name='word sequences')),
                ('digest', django_neardup.models.fields.DigestField(blank=True, default='', max_length=32, verbose_name='digest')),
                ('packed', models.BinaryField(default=bytes, verbose_name='packed')),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='created')),
            ],
            options={
                'verbose_name': 'boilerplate',
                'verbose_name_plural': 'boilerplate',
                'constraints': [models.UniqueConstraint(fields=('profile', 'number'), name='neardup_boilerplate_number')],
            },
        ),
        migrations.CreateModel(
            name='IgnoredPassage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField(verbose_name='passage')),
                ('profile', models.CharField(blank=True, default='', help_text='empty: every profile', max_length=100, verbose_name='profile')),
                ('note', models.TextField(blank=True, default='', verbose_name='note')),
                ('by', django_neardup.models.fields.ExactCharField(blank=True, default='', editable=False, max_length=255, verbose_name='user id')),
                ('by_name', models.CharField(blank=True, default='', editable=False, max_length=255, verbose_name='by')),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='when')),
            ],
            options={
                'verbose_name': 'passage to ignore',
                'verbose_name_plural': 'passages to ignore',
            },
        ),
        migrations.CreateModel(
            name='KeyPhrase',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.CharField(max_length=200, verbose_name='phrase')),
                ('profile', models.CharField(blank=True, default='', help_text='empty: every profile', max_length=100, verbose_name='profile')),
                ('active', models.BooleanField(default=True, verbose_name='active')),
                ('note', models.TextField(blank=True, default='', verbose_name='note')),
                ('by', django_neardup.models.fields.ExactCharField(blank=True, default='', editable=False, max_length=255, verbose_name='user id')),
                ('by_name', models.CharField(blank=True, default='', editable=False, max_length=255, verbose_name='by')),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='when')),
            ],
            options={
                'verbose_name': 'key phrase',
                'verbose_name_plural': 'key phrases',
            },
        ),
        migrations.CreateModel(
            name='Space',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', django_neardup.models.fields.DigestField(blank=True, default='', max_length=32, unique=True, verbose_name='digest')),
                ('profile', models.CharField(max_length=100, verbose_name='profile')),
                ('labels', models.TextField(verbose_name='models')),
                ('scope', models.TextField(blank=True, verbose_name='scope')),
                ('lock', models.BigIntegerField(default=0, verbose_name='lock')),
            ],
            options={
                'verbose_name': 'space',
                'verbose_name_plural': 'spaces',
            },
        ),
        migrations.CreateModel(
            name='TermStatistics',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('profile', models.CharField(max_length=100, verbose_name='profile')),
                ('number', models.PositiveIntegerField(default=1, verbose_name='number')),
                ('documents', models.PositiveIntegerField(default=0, verbose_name='posts')),
                ('average_length', models.FloatField(default=0.0, verbose_name='words per post')),
                ('words', models.PositiveIntegerField(default=0, verbose_name='words')),
                ('digest', django_neardup.models.fields.DigestField(blank=True, default='', max_length=32, verbose_name='digest')),
                ('packed', models.BinaryField(default=bytes, verbose_name='packed')),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='created')),
            ],
            options={
                'verbose_name': 'statistics of words',
                'verbose_name_plural': 'statistics of words',
                'constraints': [models.UniqueConstraint(fields=('profile', 'number'), name='neardup_statistics_number')],
            },
        ),
        migrations.CreateModel(
            name='Document',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('wanted', models.BigIntegerField(default=1, verbose_name='wanted')),
                ('done', models.BigIntegerField(default=0, verbose_name='done')),
                ('pending_since', models.BigIntegerField(blank=True, db_index=True, null=True, verbose_name='pending since')),
                ('leased_until', models.BigIntegerField(blank=True, null=True, verbose_name='leased until')),
                ('attempts', models.PositiveIntegerField(default=0, verbose_name='attempts')),
                ('object_id', django_neardup.models.fields.ExactCharField(max_length=255, verbose_name='object id')),
                ('object_key', models.BigIntegerField(blank=True, null=True, verbose_name='object id as a number')),
                ('author', django_neardup.models.fields.ExactCharField(blank=True, default='', max_length=255, verbose_name='author')),
                ('live', models.BooleanField(default=False, verbose_name='live')),
                ('state', models.CharField(choices=[('pending', 'waiting'), ('indexed', 'indexed'), ('skipped', 'skipped'), ('quarantined', 'quarantined'), ('gone', 'gone')], default='pending', max_length=12, verbose_name='state')),
                ('reason', models.CharField(blank=True, default='', max_length=200, verbose_name='reason')),
                ('recheck', models.BooleanField(default=False, verbose_name='recheck')),
                ('version', models.BigIntegerField(default=0, verbose_name='version')),
                ('first_seen', models.BigIntegerField(default=4611686018427387904, verbose_name='first-seen number')),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='first seen')),
                ('text_since', models.BigIntegerField(default=0, verbose_name='text since')),
                ('save_time', models.BigIntegerField(blank=True, null=True, verbose_name='time of the last save')),
                ('save_begun', models.BigIntegerField(blank=True, db_index=True, null=True, verbose_name='save begun')),
                ('open_saves', models.PositiveIntegerField(db_default=0, default=0, verbose_name='unmarked saves')),
                ('edit_time', models.BigIntegerField(blank=True, null=True, verbose_name='time of the last edit')),
                ('former_texts', models.JSONField(blank=True, null=True, verbose_name='former texts')),
                ('unaligned', models.JSONField(blank=True, null=True, verbose_name='candidates for later turns')),
                ('forget_at', models.DateTimeField(blank=True, null=True, verbose_name='remembered until')),
                ('repeats_exactly', models.BooleanField(blank=True, null=True, verbose_name='word for word')),
                ('content_type', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='contenttypes.contenttype', verbose_name='model')),
                ('space', models.ForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='documents', to='neardup.space', verbose_name='space')),
                ('repeats', models.ForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='repeated_by', to='neardup.document', verbose_name='repeats a deleted post')),
            ],
            options={
                'verbose_name': 'document',
                'verbose_name_plural': 'documents',
            },
        ),
        migrations.CreateModel(
            name='Hold',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('checking', 'being checked'), ('review', 'waiting for a moderator'), ('refused', 'refused')], default='checking', max_length=10, verbose_name='state')),
                ('verdict', models.CharField(blank=True, choices=[('duplicate', 'duplicate'), ('variant', 'variant'), ('contained', 'contained'), ('related', 'related')], default='', max_length=10, verbose_name='verdict')),
                ('exact', models.BooleanField(default=False, verbose_name='exact')),
                ('own', models.BooleanField(default=False, verbose_name='of the same author')),
                ('trust', models.CharField(blank=True, default='', max_length=100, verbose_name='trust')),
                ('digest', django_neardup.models.fields.DigestField(blank=True, default='', max_length=32, verbose_name='source digest')),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='since')),
                ('document', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='hold', to='neardup.document', verbose_name='document')),
            ],
            options={
                'verbose_name': 'held post',
                'verbose_name_plural': 'held posts',
                'indexes': [models.Index(fields=['state', 'created'], name='neardup_hold_state')],
            },
        ),
        migrations.CreateModel(
            name='Contact',
            fields=[
                ('pk', models.CompositePrimaryKey('hash', 'document', blank=True, editable=False, primary_key=True, serialize=False)),
                ('hash', models.BigIntegerField(verbose_name='hash')),
                ('kind', models.CharField(choices=[('contact', 'contact'), ('name', 'name'), ('phrase', 'key phrase')], default='contact', max_length=7, verbose_name='kind')),
                ('document', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='contacts', to='neardup.document', verbose_name='document')),
            ],
            options={
                'verbose_name': 'contact',
                'verbose_name_plural': 'contacts',
            },
        ),
        migrations.CreateModel(
            name='Scheme',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('profile', models.CharField(max_length=100, verbose_name='profile')),
                ('generation', models.PositiveIntegerField(default=1, verbose_name='generation')),
                ('state', models.CharField(choices=[('building', 'building'), ('active', 'active'), ('retired', 'retired')], default='active', max_length=10, verbose_name='state')),
                ('algorithm', models.CharField(max_length=100, verbose_name='algorithm')),
                ('options', models.JSONField(blank=True, default=dict, verbose_name='options')),
                ('parameters', models.JSONField(default=dict, verbose_name='parameters')),
                ('canonisation', models.CharField(max_length=50, verbose_name='canonicalization version')),
                ('language', models.CharField(max_length=20, verbose_name='language')),
                ('synonyms', models.JSONField(blank=True, default=list, verbose_name='synonyms')),
                ('secret', models.CharField(max_length=64, verbose_name='hash secret')),
                ('progress', models.JSONField(blank=True, default=dict, verbose_name='progress')),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='created')),
            ],
            options={
                'verbose_name': 'scheme',
                'verbose_name_plural': 'schemes',
                'constraints': [models.UniqueConstraint(fields=('profile', 'generation'), name='neardup_scheme_generation')],
            },
        ),
        migrations.CreateModel(
            name='Cluster',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('done', models.BigIntegerField(default=0, verbose_name='done')),
                ('pending_since', models.BigIntegerField(blank=True, db_index=True, null=True, verbose_name='pending since')),
                ('leased_until', models.BigIntegerField(blank=True, null=True, verbose_name='leased until')),
                ('attempts', models.PositiveIntegerField(default=0, verbose_name='attempts')),
                ('wanted', models.BigIntegerField(default=0, verbose_name='wanted')),
                ('size', models.PositiveIntegerField(default=0, verbose_name='size')),
                ('lowest', models.FloatField(default=1.0, help_text='with the main post', verbose_name='lowest score')),
                ('weakest', models.FloatField(default=1.0, verbose_name='weakest known pair')),
                ('exact', models.BooleanField(default=False, verbose_name='exact copies')),
                ('state', models.CharField(choices=[('open', 'open'), ('resolved', 'resolved')], default='open', max_length=10, verbose_name='state')),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='created')),
                ('leader', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='leads', to='neardup.document', verbose_name='main post')),
                ('scheme', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='neardup.scheme', verbose_name='scheme')),
                ('space', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='clusters', to='neardup.space', verbose_name='space')),
            ],
            options={
                'verbose_name': 'group',
                'verbose_name_plural': 'groups',
                'permissions': [('review', 'Can decide on near-duplicates'), ('merge_cluster', 'Can merge near-duplicates')],
                'constraints': [models.UniqueConstraint(fields=('leader', 'scheme'), name='neardup_cluster_leader')],
            },
        ),
        migrations.CreateModel(
            name='IndexRange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('label', models.CharField(max_length=200, verbose_name='model')),
                ('number', models.PositiveIntegerField(verbose_name='number')),
                ('after', django_neardup.models.fields.ExactCharField(blank=True, max_length=255, null=True, verbose_name='after this object id')),
                ('last', django_neardup.models.fields.ExactCharField(max_length=255, verbose_name='up to this object id')),
                ('first_seen', models.BigIntegerField(verbose_name='first-seen number')),
                ('posts', models.PositiveIntegerField(verbose_name='posts')),
                ('signed', models.PositiveIntegerField(default=0, verbose_name='signed')),
                ('done', models.PositiveIntegerField(default=0, verbose_name='done')),
                ('finished', models.BooleanField(default=False, verbose_name='finished')),
                ('token', models.CharField(blank=True, default='', max_length=32, verbose_name='claim')),
                ('leased_until', models.BigIntegerField(blank=True, null=True, verbose_name='leased until')),
                ('attempts', models.PositiveIntegerField(default=0, verbose_name='attempts')),
                ('scheme', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='neardup.scheme', verbose_name='scheme')),
            ],
            options={
                'verbose_name': 'range of an index run',
                'verbose_name_plural': 'ranges of index runs',
                'constraints': [models.UniqueConstraint(fields=('scheme', 'label', 'number'), name='neardup_range_number')],
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('object_id', django_neardup.models.fields.ExactCharField(max_length=255, verbose_name='object id')),
                ('object_key', models.BigIntegerField(blank=True, null=True, verbose_name='object id as a number')),
                ('score', models.FloatField(default=1.0, verbose_name='score')),
                ('reason', models.CharField(choices=[('leader', 'main post'), ('duplicate', 'duplicate of the main post'), ('decision', "a moderator's decision")], max_length=14, verbose_name='reason')),
                ('exact', models.BooleanField(default=False, verbose_name='exact')),
                ('digest', django_neardup.models.fields.DigestField(blank=True, default='', max_length=32, verbose_name='source digest')),
                ('cluster', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='neardup.cluster', verbose_name='group')),
                ('content_type', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='contenttypes.contenttype', verbose_name='model')),
                ('document', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='memberships', related_query_name='membership', to='neardup.document', verbose_name='document')),
                ('scheme', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='neardup.scheme', verbose_name='scheme')),
            ],
            options={
                'verbose_name': 'membership',
                'verbose_name_plural': 'memberships',
                'indexes': [models.Index(fields=['content_type', 'object_key'], name='neardup_membership_key'), models.Index(fields=['content_type', 'object_id'], name='neardup_membership_object')],
                'constraints': [models.UniqueConstraint(fields=('document', 'scheme'), name='neardup_membership_document')],
            },
        ),
        migrations.CreateModel(
            name='FamilyMember',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('doubtful', models.BooleanField(default=False, verbose_name='doubtful')),
                ('document', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='families', to='neardup.document', verbose_name='document')),
                ('leader', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='family_members', to='neardup.document', verbose_name='main post')),
                ('scheme', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='neardup.scheme', verbose_name='scheme')),
                ('space', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='family_members', to='neardup.space', verbose_name='space')),
            ],
            options={
                'verbose_name': 'member of a family',
                'verbose_name_plural': 'members of families',
                'constraints': [models.UniqueConstraint(fields=('document', 'scheme'), name='neardup_family_document')],
            },
        ),
        migrations.CreateModel(
            name='Decision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('same', 'the same'), ('different', 'not duplicates')], max_length=10, verbose_name='kind')),
                ('known', models.JSONField(default=dict, verbose_name='verdicts at that time')),
                ('note', models.TextField(blank=True, default='', verbose_name='note')),
                ('batch', models.UUIDField(db_index=True, default=uuid.uuid4, verbose_name='batch')),
                ('by', django_neardup.models.fields.ExactCharField(blank=True, default='', max_length=255, verbose_name='user id')),
                ('by_name', models.CharField(blank=True, default='', max_length=255, verbose_name='by')),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='when')),
                ('withdrawn', models.DateTimeField(blank=True, null=True, verbose_name='withdrawn')),
                ('withdrawn_by', models.CharField(blank=True, default='', max_length=255, verbose_name='withdrawn by')),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='decisions', to='neardup.space', verbose_name='space')),
            ],
            options={
                'verbose_name': 'decision',
                'verbose_name_plural': 'decisions',
            },
        ),
        migrations.CreateModel(
            name='DecisionMember',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('side', models.PositiveSmallIntegerField(default=0, verbose_name='side')),
                ('digest', django_neardup.models.fields.DigestField(blank=True, default='', max_length=32, verbose_name='source digest')),
                ('decision', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='members', to='neardup.decision', verbose_name='decision')),
                ('document', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='decisions', to='neardup.document', verbose_name='document')),
            ],
            options={
                'verbose_name': 'member of a decision',
                'verbose_name_plural': 'members of a decision',
                'constraints': [models.UniqueConstraint(fields=('decision', 'document'), name='neardup_decision_document')],
            },
        ),
        migrations.CreateModel(
            name='MergeRecord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('action', models.CharField(choices=[('merge', 'merged'), ('hide', 'hidden'), ('delete', 'deleted')], max_length=10, verbose_name='action')),
                ('batch', models.UUIDField(db_index=True, verbose_name='batch')),
                ('space', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='neardup.space', verbose_name='space')),
                ('cluster', models.BigIntegerField(blank=True, null=True, verbose_name='group')),
                ('keeper_id', django_neardup.models.fields.ExactCharField(blank=True, default='', max_length=255, verbose_name='id of the keeper')),
                ('keeper_text', models.CharField(blank=True, default='', max_length=200, verbose_name='keeper')),
                ('loser_id', django_neardup.models.fields.ExactCharField(max_length=255, verbose_name='object id')),
                ('loser_text', models.CharField(blank=True, default='', max_length=200, verbose_name='post')),
                ('author', django_neardup.models.fields.ExactCharField(blank=True, default='', max_length=255, verbose_name='author')),
                ('score', models.FloatField(blank=True, null=True, verbose_name='score')),
                ('verdict', models.CharField(blank=True, default='', max_length=10, verbose_name='verdict')),
                ('exact', models.BooleanField(default=False, verbose_name='exact copy')),
                ('journal', models.JSONField(default=dict, verbose_name='journal')),
                ('by', django_neardup.models.fields.ExactCharField(blank=True, default='', max_length=255, verbose_name='user id')),
                ('by_name', models.CharField(blank=True, default='', max_length=255, verbose_name='by')),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='when')),
                ('undone', models.DateTimeField(blank=True, null=True, verbose_name='undone')),
                ('undone_by', models.CharField(blank=True, default='', max_length=255, verbose_name='undone by')),
                ('left', models.JSONField(blank=True, default=list, verbose_name='not restored')),
                ('emptied', models.DateTimeField(blank=True, null=True, verbose_name='journal emptied')),
                ('keeper_type', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='contenttypes.contenttype', verbose_name='model of the keeper')),
                ('loser_type', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='contenttypes.contenttype', verbose_name='model')),
            ],
            options={
                'verbose_name': 'merge record',
                'verbose_name_plural': 'merge records',
                'indexes': [models.Index(fields=['loser_type', 'loser_id'], name='neardup_merge_loser'), models.Index(fields=['author'], name='neardup_merge_author'), models.Index(fields=['emptied', 'created'], name='neardup_merge_emptied')],
            },
        ),
        migrations.CreateModel(
            name='UndoProof',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('outcome', models.CharField(choices=[('done', 'everything was restored'), ('accepted', 'a loss was accepted'), ('refused', 'refused')], max_length=10, verbose_name='outcome')),
                ('reasons', models.JSONField(blank=True, default=list, verbose_name='reasons')),
                ('created', models.DateTimeField(auto_now=True, verbose_name='when')),
                ('content_type', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='contenttypes.contenttype', verbose_name='model')),
            ],
            options={
                'verbose_name': 'tried undo',
                'verbose_name_plural': 'tried undos',
            },
        ),
        migrations.CreateModel(
            name='Fingerprint',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.BigIntegerField(verbose_name='version')),
                ('source_digest', django_neardup.models.fields.DigestField(blank=True, default='', max_length=32, verbose_name='source digest')),
                ('exact_digest', django_neardup.models.fields.DigestField(blank=True, default='', max_length=32, verbose_name='exact digest')),
                ('word_count', models.PositiveIntegerField(default=0, verbose_name='words')),
                ('payload', models.BinaryField(default=bytes, verbose_name='payload')),
                ('keys', models.BinaryField(default=bytes, verbose_name='keys')),
                ('codes', models.TextField(blank=True, default='', verbose_name='codes')),
                ('document', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='fingerprints', to='neardup.document', verbose_name='document')),
                ('scheme', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='neardup.scheme', verbose_name='scheme')),
            ],
            options={
                'verbose_name': 'fingerprint',
                'verbose_name_plural': 'fingerprints',
                'constraints': [models.UniqueConstraint(fields=('document', 'scheme'), name='neardup_fingerprint_document')],
            },
        ),
        migrations.CreateModel(
            name='Pair',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('verdict', models.CharField(choices=[('duplicate', 'duplicate'), ('variant', 'variant'), ('contained', 'contained'), ('related', 'related')], max_length=10, verbose_name='verdict')),
                ('exact', models.BooleanField(default=False, verbose_name='exact')),
                ('doubtful', models.BooleanField(default=False, verbose_name='doubtful')),
                ('score', models.FloatField(verbose_name='score')),
                ('containment_a', models.FloatField(verbose_name='share of the first in the second')),
                ('containment_b', models.FloatField(verbose_name='share of the second in the first')),
                ('classes', models.CharField(blank=True, default='', max_length=200, verbose_name='deciding differences')),
                ('evidence', models.JSONField(default=dict, verbose_name='evidence')),
                ('digest_a', django_neardup.models.fields.DigestField(blank=True, default='', max_length=32, verbose_name='source digest of the first')),
                ('digest_b', django_neardup.models.fields.DigestField(blank=True, default='', max_length=32, verbose_name='source digest of the second')),
                ('judge_version', models.PositiveSmallIntegerField(default=0, verbose_name='version of the judge')),
                ('snapshot', django_neardup.models.fields.DigestField(blank=True, default='', max_length=32, verbose_name='snapshot of boilerplate')),
                ('found', models.DateTimeField(auto_now_add=True, verbose_name='found')),
                ('open', models.BooleanField(db_default=False, default=False, verbose_name='open')),
                ('a', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='neardup.document', verbose_name='first')),
                ('b', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='neardup.document', verbose_name='second')),
                ('decision', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='neardup.decision', verbose_name='decision')),
                ('scheme', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='neardup.scheme', verbose_name='scheme')),
                ('space', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='pairs', to='neardup.space', verbose_name='space')),
            ],
            options={
                'verbose_name': 'pair',
                'verbose_name_plural': 'pairs',
                'indexes': [models.Index(fields=['space', 'verdict'], name='neardup_pair_verdict'), models.Index(fields=['scheme', 'judge_version', 'snapshot'], name='neardup_pair_judge'), models.Index(fields=['open', '-score', 'id'], name='neardup_pair_open')],
                'constraints': [models.UniqueConstraint(fields=('a', 'b', 'scheme'), name='neardup_pair_documents'), models.CheckConstraint(condition=models.Q(('a__lt', models.F('b'))), name='neardup_pair_order')],
            },
        ),
        migrations.AddIndex(
            model_name='document',
            index=models.Index(fields=['content_type', 'object_key'], name='neardup_document_key'),
        ),
        migrations.AddIndex(
            model_name='document',
            index=models.Index(fields=['state'], name='neardup_document_state'),
        ),
        migrations.AddConstraint(
            model_name='document',
            constraint=models.UniqueConstraint(fields=('content_type', 'object_id'), name='neardup_document_object'),
        ),
        migrations.CreateModel(
            name='PeriodicSearch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', django_neardup.models.fields.ExactCharField(max_length=50, unique=True, verbose_name='name')),
                ('due', models.BigIntegerField(default=0, verbose_name='due')),
            ],
            options={
                'verbose_name': 'periodic search',
                'verbose_name_plural': 'periodic searches',
            },
        ),
        migrations.CreateModel(
            name='MovedUrl',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', django_neardup.models.fields.DigestField(default='', max_length=32, unique=True, verbose_name='digest of the path')),
                ('path', models.TextField(verbose_name='old path')),
                ('object_id', django_neardup.models.fields.ExactCharField(blank=True, default='', max_length=255, verbose_name='object id')),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='since')),
                ('content_type', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='contenttypes.contenttype', verbose_name='model')),
                ('record', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='moved_urls', to='neardup.mergerecord', verbose_name='merge record')),
            ],
            options={
                'verbose_name': 'moved address',
                'verbose_name_plural': 'moved addresses',
                'indexes': [models.Index(fields=['content_type', 'object_id'], name='neardup_moved_to')],
            },
        ),
        migrations.CreateModel(
            name='Queue',
            fields=[
            ],
            options={
                'verbose_name': 'queue',
                'verbose_name_plural': 'queue',
                'proxy': True,
                'default_permissions': (),
                'indexes': [],
                'constraints': [],
            },
            bases=('neardup.cluster',),
        ),
        migrations.CreateModel(
            name='ChangedDocument',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('document', models.BigIntegerField(verbose_name='document')),
            ],
            options={
                'verbose_name': 'changed document',
                'verbose_name_plural': 'changed documents',
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='OpenItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('part', models.CharField(choices=[('review', 'To review'), ('families', 'Families')], max_length=8, verbose_name='part')),
                ('kind', models.CharField(choices=[('c', 'group'), ('p', 'pair'), ('f', 'family'), ('s', 'post like several'), ('x', 'copies by one author')], max_length=1, verbose_name='kind')),
                ('number', models.BigIntegerField(verbose_name='number')),
                ('of_family', models.BooleanField(default=False, verbose_name='of a family')),
                ('copied_by', django_neardup.models.fields.ExactCharField(blank=True, default='', max_length=255, verbose_name='copied by')),
                ('priority', models.BigIntegerField(verbose_name='priority')),
                ('score', models.BigIntegerField(verbose_name='score')),
                ('size', models.PositiveIntegerField(verbose_name='size')),
                ('since', models.DateTimeField(verbose_name='waiting since')),
                ('again', models.BooleanField(default=False, verbose_name='reopened')),
                ('verdict', models.CharField(choices=[('duplicate', 'duplicate'), ('variant', 'variant'), ('contained', 'contained'), ('related', 'related')], max_length=10, verbose_name='verdict')),
                ('exact', models.BooleanField(default=False, verbose_name='exact')),
                ('contact', models.CharField(max_length=9, verbose_name='contacts')),
                ('author', models.CharField(max_length=9, verbose_name='authors')),
                ('phrase', models.BooleanField(default=False, verbose_name='key phrase')),
                ('model', models.CharField(max_length=50, verbose_name='model')),
                ('documents', models.ManyToManyField(db_constraint=False, related_name='open_items', to='neardup.document', verbose_name='documents')),
                ('owner', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='owned_items', to='neardup.document', verbose_name='owner')),
                ('scheme', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='neardup.scheme', verbose_name='scheme')),
                ('space', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='open_items', to='neardup.space', verbose_name='space')),
            ],
            options={
                'verbose_name': 'row of the queue',
                'verbose_name_plural': 'rows of the queue',
                'default_permissions': (),
                'indexes': [models.Index(fields=['part', '-priority', 'since', 'id'], name='neardup_item_priority'), models.Index(fields=['part', '-score', 'since', 'id'], name='neardup_item_score'), models.Index(fields=['part', '-size', 'since', 'id'], name='neardup_item_size'), models.Index(fields=['part', 'since', 'id'], name='neardup_item_since'), models.Index(fields=['copied_by'], name='neardup_item_copied_by')],
                'constraints': [models.UniqueConstraint(fields=('number', 'kind'), name='neardup_item_source')],
            },
        ),
        migrations.RunPython(migrations.RunPython.noop, build_missing, atomic=False),
    ]
