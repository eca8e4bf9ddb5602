"""What staff send and are sent: reminders to those who have not filed, and lists on a schedule."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone

from filing import registries
from filing.lar import years
from filing.models.columns import RegisteredField
from filing.models.jobs import Job
from filing.models.operations import StaffAction
from filing.models.panel import FilingPeriod


class Reminder(StaffAction):
    """An email of staff to the people of institutions that have not filed for a period."""

    year = models.PositiveSmallIntegerField()
    quarter = models.CharField(max_length=2, blank=True, choices=FilingPeriod.QUARTERS)
    text = models.TextField()
    job = models.OneToOneField(Job, models.PROTECT, related_name="reminder")
    emails = models.PositiveIntegerField(
        null=True, blank=True, help_text="How many were queued; blank while it is running."
    )

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["year", "quarter", "at"], name="reminder_of_period")]

    def __str__(self) -> str:
        return f"reminder {self.pk} for {self.period}"

    @property
    def period(self) -> years.Period:
        return years.Period.of(self.year, self.quarter)


class RemindedInstitution(models.Model):
    """An institution that a reminder is about, and to whom it was sent."""

    class Outcome(models.TextChoices):
        QUEUED = "queued", "waiting for its job"
        SENT = "sent", "emails queued"
        FILED = "filed", "left out: filed meanwhile"
        NO_ONE = "no one", "left out: no one to write to"

    reminder = models.ForeignKey(Reminder, models.CASCADE, related_name="institutions")
    lei = models.CharField("LEI", max_length=20, db_index=True)
    outcome = models.CharField(max_length=6, choices=Outcome.choices, default=Outcome.QUEUED)
    addresses = models.JSONField(default=list, blank=True, help_text="To whom it was sent.")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["reminder", "lei"], name="one_line_per_reminder_and_lei"
            )
        ]

    def __str__(self) -> str:
        return f"{self.lei} in {self.reminder}"


class ListSchedule(models.Model):
    """A list that is made each day, for some staff or for storage alone."""

    class Form(models.TextChoices):
        CSV = "csv", "CSV"
        XLSX = "xlsx", "XLSX"
        JSON = "json", "JSON"

    kind = RegisteredField(
        "list", max_length=registries.LONGEST_NAME, choices=registries.name_staff_lists
    )
    form = models.CharField(max_length=4, choices=Form.choices, default=Form.CSV)
    hour = models.PositiveSmallIntegerField(
        default=6,
        validators=[MaxValueValidator(23)],
        help_text="The hour of the day in the filing time zone, 0 to 23. If it has passed when you "
        "add the schedule, the first list is made at once.",
    )
    recipients = models.ManyToManyField(
        User,
        blank=True,
        related_name="list_schedules",
        limit_choices_to={"is_staff": True, "is_active": True},
        help_text="Each gets an email with a link. With no one, it is only written to storage.",
    )
    is_on = models.BooleanField("on", default=True)
    added_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["kind", "pk"]
        constraints = [
            models.CheckConstraint(condition=Q(hour__lte=23), name="list_schedule_hour_of_a_day"),
            models.CheckConstraint(
                condition=Q(form__in=["csv", "xlsx", "json"]), name="list_schedule_form_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}, {self.get_form_display()}, at {self.hour}:00"


class ProducedList(models.Model):
    """A list that a schedule made, or that its job is making."""

    schedule = models.ForeignKey(ListSchedule, models.CASCADE, related_name="produced")
    day = models.DateField(help_text="In the filing time zone.")
    run = models.PositiveIntegerField(
        default=0, help_text="0: on schedule; 1, 2 and so on: the runs of the day that staff asked."
    )
    job = models.OneToOneField(Job, models.PROTECT, related_name="produced_list")
    stored_as = models.CharField(
        "file in storage", max_length=200, blank=True, help_text="Its name in storage."
    )
    rows = models.PositiveIntegerField(null=True, blank=True)
    size = models.PositiveBigIntegerField(null=True, blank=True, help_text="In bytes.")
    emails = models.PositiveIntegerField(default=0)
    done_at = models.DateTimeField(null=True, blank=True)
    removed_at = models.DateTimeField(
        null=True, blank=True, help_text="When its file was removed; its address then ends."
    )

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["schedule", "day", "run"], name="one_list_per_schedule_day_and_run"
            )
        ]
        indexes = [models.Index(fields=["removed_at", "done_at"], name="produced_list_age")]

    def __str__(self) -> str:
        return f"{self.schedule.get_kind_display()} of {self.day:%Y-%m-%d}"

    @property
    def file_name(self) -> str:
        """The name under which it is stored and saved: the list and its day."""
        if self.stored_as:  # the schedule may have another form by now
            return self.stored_as.rpartition("/")[2]
        run = f"-{self.run}" if self.run else ""
        return f"{self.schedule.kind}-{self.day:%Y-%m-%d}{run}.{self.schedule.form}"

    @property
    def form(self) -> str:
        """The form of its file."""
        return self.file_name.rpartition(".")[2]


class Subscription(models.Model):
    """What a member of staff wants an email about: one kind of event, at once or once a day."""

    user = models.ForeignKey(User, models.CASCADE, related_name="subscriptions")
    kind = RegisteredField(
        max_length=registries.LONGEST_NAME, choices=registries.list_staff_event_kinds
    )
    leis = models.JSONField(
        "LEIs", default=list, blank=True, help_text="Blank: all institutions but test institutions."
    )
    is_daily = models.BooleanField(
        "daily", default=False, help_text="One email a day in place of one for each event."
    )
    added_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["user", "kind"]
        constraints = [
            models.UniqueConstraint(
                fields=["user", "kind"], name="one_subscription_per_user_and_kind"
            )
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.kind}"


class StaffNotice(models.Model):
    """An event for one subscriber. Nobody is told of the same event twice."""

    user = models.ForeignKey(User, models.CASCADE, related_name="staff_notices")
    key = models.CharField(max_length=160, help_text="Of the event.")
    kind = models.CharField(max_length=registries.LONGEST_NAME)
    title = models.CharField(max_length=300)
    address = models.CharField(max_length=300, help_text="The path of its page.")
    at = models.DateTimeField(default=timezone.now)
    mailed_at = models.DateTimeField(
        null=True, blank=True, help_text="When its email was queued; blank: for the next digest."
    )

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["user", "key"], name="one_notice_per_user_and_event")
        ]
        indexes = [models.Index(fields=["mailed_at", "user"], name="staff_notice_to_mail")]

    def __str__(self) -> str:
        return f"{self.title} to {self.user}"
