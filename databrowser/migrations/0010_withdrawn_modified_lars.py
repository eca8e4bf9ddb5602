"""Lets staff withdraw a modified LAR."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('databrowser', '0009_version_reports'),
    ]

    operations = [
        migrations.AddField(
            model_name='modifiedlar',
            name='withdrawn_at',
            field=models.DateTimeField(blank=True, help_text='When staff withdrew it; blank while anyone can read it.', null=True),
        ),
    ]
