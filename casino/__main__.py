"""`python -m casino` is `casino`."""

import sys

from casino.cli import main

sys.exit(main())
