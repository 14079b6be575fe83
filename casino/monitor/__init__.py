"""Follow another casino's log over HTTP and audit it while it grows."""
