"""The life of an institution: new name or LEI, merger, closing, extension, quarterly duty.

Staff work each as one event: a preview, a reason, one transaction, a report, emails to the people
of the institution. An event can be taken back while nothing was filed since.
"""
