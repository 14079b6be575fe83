"""HTTP routes: pages, the JSON API, the log."""
