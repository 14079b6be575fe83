"""Socket.IO: handlers, connections and broadcasts."""
