from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('filing', '0024_webhooks'),
    ]

    operations = [
        migrations.AddField(
            model_name='job',
            name='turn',
            field=models.DateTimeField(blank=True, help_text='Taken as if it were queued then: the institution has other files in the queue.', null=True),
        ),
    ]
