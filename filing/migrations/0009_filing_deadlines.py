"""The filing deadline has its name, and those that were never changed move to the computed day.

What is computed here is kept as it was when this was written, whatever the rest becomes later.
"""

from datetime import date, timedelta

from django.db import migrations, models

# The years that had a rulebook: of others no deadline was ever a default.
YEARS = range(2018, 2027)
QUARTER_ENDS = {"Q1": (3, 31), "Q2": (6, 30), "Q3": (9, 30)}
WINDOW_ENDS = {"Q1": (6, 30), "Q2": (9, 30), "Q3": (12, 31)}
REASON = "Upgrade: the filing deadline is computed by 12 CFR 1003.5(a)(1)(i) to (iii)."


def old_default(year, quarter):
    """Return the deadline that a period had unless somebody changed it."""
    return date(year, *WINDOW_ENDS[quarter]) if quarter else date(year + 1, 3, 1)


def computed(year, quarter):
    """Return the deadline of a period.

    Source: Regulation C, 12 CFR 1003.5(a)(1)(i)-(iii).
    """
    day = date(year, *QUARTER_ENDS[quarter]) + timedelta(60) if quarter else date(year + 1, 3, 1)
    return day + timedelta(8 - day.isoweekday()) if day.isoweekday() > 5 else day


def in_words(day):
    return f"{day:%B} {day.day}, {day.year}"


def in_words_of(period):
    opens, deadline, closes = map(in_words, (period.opens, period.timely_until, period.closes))
    return f"open {opens} to {closes}, filing deadline {deadline}"


def move_defaults(apps, schema_editor):
    """Move the deadlines that are the old default, and add an entry to the trail for each.

    A deadline that would lie outside of its window stays: staff have changed that window.
    """
    periods = apps.get_model("filing", "FilingPeriod").objects
    moved, entries = [], []
    for period in periods.filter(year__in=YEARS):
        deadline = computed(period.year, period.quarter)
        if period.timely_until != old_default(period.year, period.quarter):
            continue
        if deadline == period.timely_until or not period.opens <= deadline <= period.closes:
            continue
        before, period.timely_until = in_words_of(period), deadline
        moved.append(period)
        entries.append(
            apps.get_model("filing", "TrailEntry")(
                happening="filing window changed",
                about=f"{period.year}-{period.quarter}" if period.quarter else str(period.year),
                reason=f"{REASON}\nfrom {before} to {in_words_of(period)}",
            )
        )
    periods.bulk_update(moved, ["timely_until"])
    apps.get_model("filing", "TrailEntry").objects.bulk_create(entries)


class Migration(migrations.Migration):

    dependencies = [
        ('filing', '0008_publication_trail'),
    ]

    operations = [
        migrations.AlterField(
            model_name='filingperiod',
            name='timely_until',
            field=models.DateField(help_text='Last day on which a filing is timely: March 1 after the data year, or 60 calendar days after a quarter ends; the next Monday if that is a Saturday or Sunday (12 CFR 1003.5(a)(1)).', verbose_name='filing deadline'),
        ),
        migrations.AlterField(
            model_name='seasonopening',
            name='windows',
            field=models.JSONField(help_text='Of each period: opens, filing deadline, closes.'),
        ),
        migrations.RunPython(move_defaults, migrations.RunPython.noop),
    ]
