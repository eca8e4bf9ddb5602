"""What happens in publication that floors above want to know of, told inside its transaction."""

from __future__ import annotations

from django.dispatch import Signal

# The public rows and the facts of a signed submission lie ready. Sends `submission`.
disclosed = Signal()

# Another version of a year is what readers get from now on: the next one, or, rolled back, an
# earlier one. Sends `year`.
published = Signal()
