"""`python -m filing.client` is `hmda`."""

import sys

from filing.client.command import main

sys.exit(main())
