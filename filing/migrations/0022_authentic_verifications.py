"""Adds fingerprints to verifications: only those that the service wrote count."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('filing', '0021_filing_status_words'),
    ]

    operations = [
        migrations.AddField(
            model_name='chaincheck',
            name='fingerprint',
            field=models.CharField(blank=True, db_default='', default='', editable=False, help_text='Revision and authentication code of the content of the row.', max_length=70),
        ),
        migrations.AlterField(
            model_name='institution',
            name='is_test',
            field=models.BooleanField(db_default=False, default=False, help_text='Tries the service out: what it files is not published, and no list of filers has it. Data set versions that were published with its records stay public until the year is built again or they are withdrawn.', verbose_name='test institution'),
        ),
    ]
