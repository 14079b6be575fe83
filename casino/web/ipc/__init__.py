"""Communication between the backend and web worker processes over Redis."""
