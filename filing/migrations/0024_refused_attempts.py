"""Tells attempts that ended by no fault of the service from those that failed."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('filing', '0023_examinations'),
    ]

    operations = [
        migrations.AlterField(
            model_name='attempt',
            name='outcome',
            field=models.CharField(choices=[('done', 'done'), ('released', 'to be retried'), ('failed', 'failed'), ('refused', 'refused'), ('lost', 'worker lost')], max_length=8),
        ),
    ]
