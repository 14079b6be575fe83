"""Installing a lock package by package: each keeps its own version, marker and hashes."""

from bench._install import requirements

LOCK = """\
# made by a tool
alpha==1.0 \\
    --hash=sha256:aa \\
    --hash=sha256:bb
    # via casino
beta-two==2.0 ; python_full_version < '3.12' \\
    --hash=sha256:cc
beta-two==2.1 ; python_full_version >= '3.12' \\
    --hash=sha256:dd
"""


def test_a_lock_falls_into_its_packages() -> None:
    """Comments before the first package belong to none."""
    found = list(requirements(LOCK))
    assert [name for name, _ in found] == ["alpha", "beta-two", "beta-two"]
    assert found[0][1].startswith("alpha==1.0 \\\n    --hash=sha256:aa")
    assert "sha256:dd" in found[2][1]
    assert "sha256:cc" not in found[2][1]
