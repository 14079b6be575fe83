"""The WebSocket transport under Socket.IO."""
