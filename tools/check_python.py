"""Explain in one sentence why this Python cannot run the casino. Any Python 2 or 3 can run this."""

import sys

if sys.version_info < (3, 11):
    sys.exit(
        "casino: Python 3.11 or newer is needed and this is %d.%d: "
        "install one, or say make PYTHON=/path/to/python3.11" % sys.version_info[:2]
    )
try:
    import ensurepip  # noqa: F401 - Debian leaves it out of python3
    import venv  # noqa: F401
except ImportError as missing:
    sys.exit(
        "casino: this Python lacks the module %s: install it (on Debian and Ubuntu: "
        "apt-get install python3-venv), or say make PYTHON=/path/to/python3.11" % missing.name
    )
