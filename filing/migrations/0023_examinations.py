"""Keeps what the checks of the installation found in the database, not in the cache."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('filing', '0022_authentic_verifications'),
    ]

    operations = [
        migrations.CreateModel(
            name='Examination',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField()),
                ('content', models.JSONField()),
            ],
        ),
    ]
