"""Adds fingerprints to verifications: only those that the service wrote count."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('filing', '0018_institution_events'),
    ]

    operations = [
        migrations.AddField(
            model_name='chaincheck',
            name='fingerprint',
            field=models.CharField(blank=True, db_default='', default='', editable=False, help_text='Revision and authentication code of the content of the row.', max_length=70),
        ),
    ]
