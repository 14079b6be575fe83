"""Socket.IO handlers, and the registry of connections."""
