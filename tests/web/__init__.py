"""The web side, held against its contract over real sockets."""
