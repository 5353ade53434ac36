"""`python -m arraywright`."""

import sys

from arraywright.cli import main

sys.exit(main())
