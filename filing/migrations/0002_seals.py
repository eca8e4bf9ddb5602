"""Adds seals, and lists the entries of release 1.0.0, which are adopted after the migration."""

from django.db import migrations, models

_LIST_ENTRIES = [
    f'INSERT INTO filing_unsealedentry ("table", entry, refused) SELECT \'{name}\', id, TRUE FROM {table} ORDER BY id'
    for name, table in (
        ("log", "filing_trailentry"),
        ("status", "filing_statuschange"),
        ("signature", "filing_signature"),
        ("attempt", "filing_attempt"),
        ("removal", "filing_entryremoval"),
    )
]


class Migration(migrations.Migration):

    dependencies = [
        ('filing', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='KeyEndorsement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kid', models.CharField(db_index=True, max_length=43, verbose_name='key ID')),
                ('x', models.CharField(help_text='As in the table of keys.', max_length=43)),
                ('fingerprint', models.CharField(blank=True, db_default='', default='', editable=False, help_text='Revision and authentication code of the content of the row.', max_length=70)),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Seal',
            fields=[
                ('number', models.BigIntegerField(help_text='1 for the first, without gaps.', primary_key=True, serialize=False)),
                ('sealed_at', models.DateTimeField()),
                ('entries', models.BigIntegerField(db_index=True, help_text='Entries under this seal and those before.')),
                ('keys', models.JSONField(help_text='By table, ranges of the primary keys of the entries.')),
                ('totals', models.JSONField(help_text='By table, entries under this seal and those before.')),
                ('digest', models.CharField(help_text='SHA-256 of the hashes of the entries.', max_length=64)),
                ('adopted', models.BooleanField(default=False, help_text='The entries were not authenticated: see docs/evidence.md.')),
                ('kid', models.CharField(max_length=43, verbose_name='key ID')),
                ('hash', models.CharField(db_index=True, max_length=64)),
                ('signature', models.CharField(help_text='Ed25519, base64url.', max_length=86)),
            ],
            options={
                'verbose_name': 'audit seal',
                'ordering': ['-number'],
            },
        ),
        migrations.CreateModel(
            name='UnsealedEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('table', models.CharField(max_length=9)),
                ('entry', models.BigIntegerField(help_text='Its primary key.')),
                ('refused', models.BooleanField(db_default=False, default=False, help_text='The service did not write it, or it is gone.')),
            ],
            options={
                'verbose_name': 'unsealed entry',
                'verbose_name_plural': 'unsealed entries',
                'ordering': ['id'],
            },
        ),
        migrations.AddField(
            model_name='entryremoval',
            name='hashes',
            field=models.JSONField(db_default=models.Value([], models.JSONField()), default=list, help_text='Of these entries.'),
        ),
        migrations.AddField(
            model_name='signature',
            name='claims',
            field=models.TextField(blank=True, db_default='', default='', help_text='What its receipt certifies, as the signing request knew it: JSON.'),
        ),
        migrations.AlterField(
            model_name='attempt',
            name='fingerprint',
            field=models.CharField(blank=True, db_default='', default='', editable=False, help_text='Revision and authentication code of the content of the row.', max_length=70),
        ),
        migrations.AlterField(
            model_name='chaincheck',
            name='after',
            field=models.BigIntegerField(help_text='Entries up to this one were verified before.'),
        ),
        migrations.AlterField(
            model_name='chaincheck',
            name='entries',
            field=models.BigIntegerField(help_text='Sealed entries.'),
        ),
        migrations.AlterField(
            model_name='chaincheck',
            name='head',
            field=models.CharField(help_text='Hash of the last seal.', max_length=64),
        ),
        migrations.AlterField(
            model_name='entryremoval',
            name='fingerprint',
            field=models.CharField(blank=True, db_default='', default='', editable=False, help_text='Revision and authentication code of the content of the row.', max_length=70),
        ),
        migrations.AlterField(
            model_name='signature',
            name='fingerprint',
            field=models.CharField(blank=True, db_default='', default='', editable=False, help_text='Revision and authentication code of the content of the row.', max_length=70),
        ),
        migrations.AlterField(
            model_name='statuschange',
            name='fingerprint',
            field=models.CharField(blank=True, db_default='', default='', editable=False, help_text='Revision and authentication code of the content of the row.', max_length=70),
        ),
        migrations.AlterField(
            model_name='trailentry',
            name='fingerprint',
            field=models.CharField(blank=True, db_default='', default='', editable=False, help_text='Revision and authentication code of the content of the row.', max_length=70),
        ),
        migrations.RunSQL(_LIST_ENTRIES, migrations.RunSQL.noop),
    ]
