"""Run the `casino` command as `python -m casino`."""

import sys

from casino.cli import main

sys.exit(main())
