from __future__ import annotations

import pytest

from tools.postgres_server import INITDB

NEEDS = [pytest.mark.skipif(INITDB is None, reason="initdb is not installed: no PostgreSQL")]
"""Marks of a test that needs the server."""
