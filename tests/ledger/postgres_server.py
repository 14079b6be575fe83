from __future__ import annotations

import pytest

from tools.postgres_server import INITDB

needs_postgres = pytest.mark.skipif(INITDB is None, reason="initdb is not installed")
