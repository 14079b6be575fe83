"""A terminal client: watch a table and bet on it over HTTP and Socket.IO."""
