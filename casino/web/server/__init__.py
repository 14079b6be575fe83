"""The HTTP server and its middleware: limits, proxies, security headers, logs."""
